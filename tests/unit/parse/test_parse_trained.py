"""The model that comes with the package, on pages made by hand."""

import re
import string
import zlib
from collections.abc import Callable

import pytest

from tiptoe.parse.trained import load_trees
from tiptoe.parse.tree_blocks import read_blocks
from tiptoe.text.features import FEATURES, measure
from tiptoe.text.main_content import label_paragraphs
from tiptoe.text.trees import Trees

MENU = (
    "<nav class=menu><ul>"
    + "".join(f"<li><a href=/{n}>Section {n}</a></li>" for n in range(12))
    + "</ul></nav>"
)
FOOTER = """<footer class=footer><ul><li><a href=/about>About us</a><li><a href=/privacy>Privacy</a></ul>
<p>Copyright 2026 Example Ltd. All rights reserved.</p></footer>"""
SIDEBAR = """<aside class=sidebar><h3>Most read</h3><ul><li><a href=/x>Ten things about rivers</a>
<li><a href=/y>What the mayor said yesterday</a><li><a href=/z>Weather for the weekend</a></ul></aside>"""


def page(main: str, *, lang: str = "en") -> str:
    return (
        f"<!doctype html><html lang={lang}><body><header>{MENU}</header>{main}{SIDEBAR}{FOOTER}</body></html>"
    )


@pytest.fixture(scope="module")
def trees() -> Trees:
    return load_trees()


def main_content(html: str, trees: Trees) -> list[str]:
    outline = read_blocks(html)
    labels = label_paragraphs(outline, trees)
    assert len(labels) == len(outline.text)
    return [text for text, label in zip(outline.text, labels, strict=True) if label.is_main]


def paragraphs(texts: list[str]) -> str:
    return "".join(f"<p>{text}</p>" for text in texts)


def sentences(topic: str, count: int) -> list[str]:
    return [
        f"The {number}. part of this text about {topic} is long enough to be prose, and it has a comma, too. "
        f"It goes on for another sentence, because nobody writes about {topic} in one breath."
        for number in range(1, count + 1)
    ]


def test_an_article_loses_what_stands_around_it(trees: Trees) -> None:
    prose = sentences("rivers", 8)
    html = page(f"<main><article><h1>Rivers</h1>{paragraphs(prose)}</article></main>")
    found = main_content(html, trees)
    assert [text for text in found if text != "Rivers"] == prose


def test_an_article_in_czech_is_found_as_well(trees: Trees) -> None:
    """Nothing that is measured is a matter of language."""
    prose = [
        f"Kapitola {number}. vypráví o řekách, které protékají krajinou, a o lidech, kteří u nich žijí. "
        "Voda tu byla vždycky, i když ji nikdo neviděl, a každé jaro se vracela znovu do polí a luk."
        for number in range(1, 9)
    ]
    html = page(f"<div id=obsah><h1>Řeky</h1>{paragraphs(prose)}</div>", lang="cs")
    found = main_content(html, trees)
    assert set(prose) <= set(found)
    assert not any("Section" in text or "Copyright" in text for text in found)


@pytest.mark.parametrize("plain", [False, True], ids=["named", "plain"])
def test_a_short_article_is_told_from_the_teasers_around_it(plain: bool, trees: Trees) -> None:
    """News agencies write a few paragraphs, and invite to twice as many other articles below them."""
    prose = sentences("rivers", 4)
    teasers = "".join(
        f"<div class=item><h3><a href=/{n}>The mayor of town {n} has something to say</a></h3>"
        f"<p>Yesterday the mayor of town {n} said what everybody knew, and nobody wrote it down.</p></div>"
        for n in range(8)
    )
    article = f"<div class=news><h1>Rivers</h1>{paragraphs(prose)}</div>"
    html = page(f"{article}<div class=teasers><h2>More</h2>{teasers}</div>")
    if plain:
        html = re.sub("<(/?)(?:article|main|aside|nav|header|footer)", r"<\1div", html)
    assert [text for text in main_content(html, trees) if text != "Rivers"] == prose


def respelt(html: str, spell: Callable[[str], str]) -> str:
    """Write the text of a page, not its tags, in another way."""
    return re.sub(r">([^<]+)", lambda found: ">" + spell(found[1]), html)


def in_letters(first_small: str, first_capital: str) -> Callable[[str], str]:
    """Return what puts a letter of another alphabet in place of each."""
    letters = [chr(ord(first) + place) for first in (first_small, first_capital) for place in range(26)]
    table = str.maketrans(string.ascii_letters, "".join(letters))
    return lambda text: text.translate(table)


def in_chinese(text: str) -> str:
    """Put two Chinese characters in place of each word, and no spaces; wide marks in place of others."""

    def word(found: re.Match[str]) -> str:
        first, second = divmod(zlib.crc32(found[0].encode()) % 4_000_000, 2_000)
        return chr(0x4E00 + first) + chr(0x4E00 + second)

    wide = re.sub("[A-Za-z]+", word, text).translate(str.maketrans(",.:", "，。："))
    return re.sub(r"\s+", "", wide)


ANY_PAGE = page(
    f"<main><article><h1>Rivers of the north</h1>{paragraphs(sentences('rivers', 8))}</article></main>"
    "<div><h3>Read on</h3><p><a href=/a>What the mayor said, and why it matters</a></p>"
    "<p>The mayor said something yesterday, and people talk about it ...</p></div>"
)


@pytest.mark.parametrize("first", ["аА", "αΑ", "აႠ"], ids=["cyrillic", "greek", "georgian"])
def test_a_page_says_the_same_in_other_letters(first: str, trees: Trees) -> None:
    """Nothing that is measured is a matter of the alphabet: a letter is a letter."""
    other = read_blocks(respelt(ANY_PAGE, in_letters(*first)))
    assert other.text != (own := read_blocks(ANY_PAGE)).text
    assert (measure(own) == measure(other)).all()
    assert label_paragraphs(own, trees) == label_paragraphs(other, trees)


def test_a_page_says_the_same_in_a_script_without_spaces(trees: Trees) -> None:
    """Words are not parted there, and commas and full stops are others."""
    own, other = read_blocks(ANY_PAGE), read_blocks(respelt(ANY_PAGE, in_chinese))
    kept, kept_there = (
        [label.is_main for label in label_paragraphs(outline, trees)] for outline in (own, other)
    )
    assert kept == kept_there
    assert sum(kept) >= 8


def test_who_is_strict_takes_less(trees: Trees) -> None:
    outline = read_blocks(ANY_PAGE)
    taken = [
        {text for text, label in zip(outline.text, labels, strict=True) if label.is_main}
        for strictness in (0.0, 0.5, 1.0)
        for labels in [label_paragraphs(outline, trees, strictness=strictness)]
    ]
    assert taken[0] >= taken[1] >= taken[2]
    assert len(taken[0]) > len(taken[2]) > 0


def test_all_posts_of_a_thread_are_main_content(trees: Trees) -> None:
    """One post is not the article, and the answers are not comments below it."""
    posts = sentences("old bicycles", 6)
    thread = "".join(
        f"<div class=post><div class=author><a href=/u/{n}>user{n}</a></div>"
        f"<div class=post-body><p>{text}</p></div></div>"
        for n, text in enumerate(posts)
    )
    found = main_content(page(f"<div class=thread><h1>Old bicycles</h1>{thread}</div>"), trees)
    assert set(posts) <= set(found)
    assert not any("Section" in text for text in found)


def test_the_description_of_a_product_is_main_content(trees: Trees) -> None:
    description = sentences("this kettle", 4)
    product = f"""<div class=product><h1>Steel kettle</h1><span class=price>$49.00</span>
    <button>Add to cart</button><div class=product-description>{paragraphs(description)}</div>
    </div><div class=related-products><h2>See also</h2><a href=/p1>Cup</a><a href=/p2>Pan</a></div>"""
    found = main_content(page(product), trees)
    assert set(description) <= set(found)
    assert "Add to cart" not in found


@pytest.mark.parametrize("html", ["", "<p hidden>x</p>", "<script>x</script>", "\x00", "<frameset>"])
def test_a_page_without_text_has_no_labels(html: str, trees: Trees) -> None:
    assert label_paragraphs(read_blocks(html), trees) == []


@pytest.mark.parametrize(
    "html",
    [
        "x",
        "<div>" * 60_000 + "x",
        "<p>x" * 30_000,
        "<a href=/>x</a><br>" * 4_000,
        "<p>\ud800</p>",
        "<pre>" + "x\n" * 50_000,
        f"<p class='{'nav-' * 100_000}'>x",
        "".join(f"<p class=c{n}>x" for n in range(4_000)),
    ],
    ids=["tiny", "deep", "long", "links", "surrogate", "lines", "class", "classes"],
)
def test_a_page_made_to_break_is_labelled_all_the_same(html: str, trees: Trees) -> None:
    outline = read_blocks(html)
    labels = label_paragraphs(outline, trees)
    assert len(labels) == len(outline.text) > 0
    assert all(0 <= label.probability <= 1 for label in labels)


def test_the_same_page_gets_the_same_labels(trees: Trees) -> None:
    html = page(paragraphs(sentences("chance", 5)))
    assert label_paragraphs(read_blocks(html), trees) == label_paragraphs(read_blocks(html), load_trees())


def test_the_shipped_model_is_whole(trees: Trees) -> None:
    """And it asks for features that exist, or it could not be read."""
    levels, count = trees.questions.shape
    assert trees.asked.shape == trees.borders.shape == (trees.questions.max() + 1,)
    assert trees.leaves.shape == (count * 2**levels,)
    assert trees.asked.max() < len(FEATURES)
