"""What is compiled finds the same in trees, and puts the same marks there, as what is not."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from tiptoe.parse import html, tree_blocks, tree_search
from tiptoe.parse.element_signs import ALL_SIGNS, MICRODATA
from tiptoe.parse.html import Page, read_page
from tiptoe.parse.tree_search import TreeSearch, find_all

needs_compiler = pytest.mark.skipif(
    not tree_search.IS_COMPILED, reason="no C compiler, or no headers of Python"
)

TAGS = (
    "a", "b", "span", "p", "div", "h1", "pre", "br", "hr", "input", "svg", "title", "select", "option",
    "table", "tr", "td", "caption", "script", "style", "template", "iframe", "noframes", "textarea", "time",
    "dialog", "x-one", "y-two", "li", "ul", "form", "meta", "link", "base", "video", "rp",
)  # fmt: skip
ATTRIBUTES = (
    ' href="/author/x"', " href=/a", " href", ' rel="me Author"', ' rel="authors"', ' class="Post-DATE by"',
    ' class="byline author"', ' class=""', " class", ' id="i"', ' role="main"', " hidden", " open",
    ' style="x;DISPLAY:none"', ' style="display:block"', ' style="display:flex"', ' itemprop="author"',
    ' xlink:href="/author/y"', ' CLASS="publisheD"', ' name="author" content="Eva"', ' datetime="2024-05-01"',
    ' type="application/ld+json"', ' class="é\N{NO-BREAK SPACE}date"', ' shadowrootmode="open"',
)  # fmt: skip
TEXTS = ("", " ", "word", "Two words.", "\n", "é", "<!-- -->", "1. 5. 2024")


@st.composite
def pages(draw: st.DrawFn) -> str:
    """Pages as browsers get them: elements in others, some never closed, some closed twice."""
    pieces = []
    for _ in range(draw(st.integers(0, 25))):
        tag = draw(st.sampled_from(TAGS))
        attributes = draw(st.lists(st.sampled_from(ATTRIBUTES), max_size=3))
        opened = f"<{tag}{''.join(attributes)}>"
        pieces += [draw(st.sampled_from((opened, f"</{tag}>"))), draw(st.sampled_from(TEXTS))]
    return "".join(pieces)


def uncompiled(work: Callable[[], Any]) -> Any:
    """Do something without what is compiled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(html, "_MARKER", None)
        patch.setattr(tree_blocks, "_MARKER", None)
        patch.setattr(tree_search, "IS_COMPILED", False)
        return work()


def told(page: Page) -> dict[str, object]:
    """Return everything that was read from a page, as values that can be compared."""
    found: dict[str, object] = {name: getattr(page, name) for name in Page.__slots__ if name != "outline"}
    if page.outline is not None:
        names = type(page.outline).__slots__
        found |= {f"outline {name}": repr(getattr(page.outline, name)) for name in names}
    return found


@needs_compiler
@given(pages(), st.booleans())
@example("<a href=1>x</a><a href=2>y</a><select><option>z</select><a href=3>v</a>", False)
@example("<p><x-one>a</x-one><!-- --><y-two>b</y-two><a href=1>c</a><b></b><a href=2>d</a>", False)
@example("<tr style='display:block'><table><tr style='display:block'><td>a<td>b", True)
@example("<div>" * 2_000 + "deep", True)
def test_pages_are_read_alike(markup: str, is_outlined: bool) -> None:
    def read() -> Page:
        return read_page(markup, agent="tiptoe", is_outlined=is_outlined)

    assert told(read()) == told(uncompiled(read))


@needs_compiler
@given(pages())
def test_signs_are_found_where_selectors_find_them(markup: str) -> None:
    tree = LexborHTMLParser(markup)
    search = TreeSearch(tree)

    for signs in ALL_SIGNS:
        selected = find_all(signs.selector, tree.body if signs.in_body else tree.root)
        once = dict.fromkeys(node.mem_id for node in selected)  # one with two signs is found twice
        assert [node.mem_id for node in search.find(signs)] == list(once)


@needs_compiler
def test_a_tree_is_given_by_its_root_and_a_spare_element() -> None:
    """Anything else would be walked beyond its end, or torn out of its place."""
    from tiptoe.parse.compiled_elements import Tree

    tree = LexborHTMLParser("<p itemprop=a>a<p itemprop=b>b")
    root, body, spare = tree.root, tree.body, tree.create_node("i")
    assert root is not None
    assert body is not None

    with pytest.raises(ValueError, match="spare"):
        Tree(root, body)
    with pytest.raises(ValueError, match="spare"):
        Tree(spare, spare)


def test_a_tree_without_what_is_compiled_is_searched_by_selectors() -> None:
    def find() -> list[str]:
        search = TreeSearch(LexborHTMLParser("<p itemprop=author>Eva"))
        return [node.text() for node in search.find(MICRODATA)]

    assert uncompiled(find) == ["Eva"]


@needs_compiler
def test_a_parser_that_exports_too_little_is_an_import_error() -> None:
    """Then pages are read as where nothing is compiled."""
    code = (
        "import selectolax.lexbor; selectolax.lexbor.__file__ = '/nowhere.so'\n"
        "from tiptoe.parse import html, tree_search\n"
        "assert html._MARKER is None and not tree_search.IS_COMPILED\n"
        "assert html.read_page('<p>a<p>b', agent='x').paragraphs == ['a', 'b']\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.stderr == ""
    assert done.returncode == 0
