"""No soup of markup may break reading, nor get through as text."""

import re

from fuzz_settings import fuzz
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.parse.flat import flatten
from tiptoe.parse.html import Page, read_page
from tiptoe.text.elements import ROLES, Role

TAGS = sorted(
    {
        *ROLES,
        "a",
        "b",
        "i",
        "span",
        "font",
        "html",
        "head",
        "body",
        "tr",
        "tbody",
        "noscript",
        "frameset",
        "x-y",
    }
)
WORDS = st.text(alphabet="abcdefghijčřž", min_size=1, max_size=6)
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u00ad\u200b\ufeff]")

ATTRIBUTES = st.sampled_from(
    [
        "",
        " class=k",
        " hidden",
        " href='/l'",
        ' style="display:none"',
        " a=>",
        ' a="',
        " /",
        " =",
        " a='>'",
        " lang=cs",
    ]
)
SOUP = st.lists(
    st.one_of(
        WORDS,
        st.builds("<{}{}>".format, st.sampled_from(TAGS), ATTRIBUTES),
        st.builds("</{}>".format, st.sampled_from(TAGS)),
        st.sampled_from(
            ["<!--", "-->", "<![CDATA[", "]]>", "<!doctype html>", "<?php", "?>", "<", ">", "</", "&",
             "&amp;", "&nbsp;", "&#0;", "&#30;", "&#x0e;", "&#15;", "\x00", "\x0e", "\x0f", "\x1e", "\n",
             "  ", "\u00a0", "\u200b", "'", '"']
        ),
    ),
    max_size=60,
).map("".join)  # fmt: skip

# What can stand between two words: markup that is complete in itself.
MARKUP = st.sampled_from(
    ["<p>", "</p>", "<div class='q'>", "</div>", "<b>", "</b>", "<script>Q<p>Q</p></script>",
     "<style>Q{}</style>", "<!-- Q -->", "<br>", "<li>", "<td>", "<table>", "</table>", "<i Q=Q>", "</i>",
     "<h1>", "<a href='Q'>", "</a>", "<img alt=Q>", "<font Q>", "</span>", "<!Q>", "<?Q?>",
     "<template>Q</template>", "<svg><text>Q</text></svg>"]
)  # fmt: skip


def check(page: Page) -> None:
    """State what holds for every page."""
    for paragraph in page.paragraphs:
        assert paragraph
        assert " ".join(paragraph.split(" ")) == paragraph.strip()
        assert not CONTROL.search(paragraph)
        assert "  " not in paragraph
    assert len(set(page.links)) == len(page.links)


@fuzz
@given(html=st.one_of(SOUP, st.text(max_size=300)))
def test_any_soup_is_a_page(html: str) -> None:
    """Also when it is flattened first."""
    check(read_page(html, agent="tiptoe"))
    check(read_page(flatten(html).html, agent="tiptoe"))


@fuzz
@given(parts=st.lists(st.one_of(WORDS, MARKUP), max_size=40))
def test_no_tag_or_script_gets_through(parts: list[str]) -> None:
    """The source has no escaped text, so `<`, `>`, `&` and Q can only come from markup."""
    html = " ".join(parts)
    text = "\n".join(read_page(html, agent="t").paragraphs)
    assert not re.search("[<>&Q]", text)
    assert not re.search("[<>&Q]", "\n".join(read_page(flatten(html).html, agent="t").paragraphs))


@fuzz
@given(blocks=st.lists(st.lists(WORDS, min_size=1, max_size=8), max_size=20), data=st.data())
def test_paragraphs_of_blocks_are_the_words_of_the_source(
    blocks: list[list[str]], data: st.DataObject
) -> None:
    """Nothing is lost, nothing added, nothing joined."""
    names = sorted(
        name
        for name, role in ROLES.items()
        if role is Role.BLOCK and name not in {"dialog", "option", "optgroup"}
    )
    html = ""
    for words in blocks:
        name = data.draw(st.sampled_from(names))
        gap = data.draw(st.sampled_from([" ", "\n", "&nbsp;", " <b></b>", "<i> </i>"]))
        html += f"<{name}>{gap.join(words)}</{name}>"
    if "<table" in html:
        html = html.replace("<table>", "<table><td>")
    expected = [" ".join(words) for words in blocks]
    assert read_page(html, agent="t").paragraphs == expected
    assert read_page(flatten(html).html, agent="t").paragraphs == expected


@fuzz
@given(text=st.text(alphabet=st.characters(categories=["L", "P", "S", "N"]), max_size=80))
def test_escaped_text_comes_out_as_it_was(text: str) -> None:
    """`&lt;b&gt;` is a text about a tag, not a tag."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    paragraphs = read_page(f"<p>{escaped}</p>", agent="t").paragraphs
    assert paragraphs == ([text] if text else [])
    assert read_page(flatten(f"<p>{escaped}</p>").html, agent="t").paragraphs == paragraphs
