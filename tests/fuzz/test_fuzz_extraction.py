"""Whatever a page is made of, its main text is a part of its text, and marking changes nothing."""

from functools import cache

from fuzz_settings import fuzz
from hypothesis import given
from hypothesis import strategies as st
from test_fuzz_html import SOUP

from tiptoe.harvest.extraction import BOILERPLATE, MAIN, UNLABELLED, Extraction
from tiptoe.parse.flat import flatten
from tiptoe.parse.html import read_page
from tiptoe.parse.tagblocks import read_tags
from tiptoe.parse.tree_blocks import read_blocks

ANY_PAGE = st.one_of(SOUP, st.text(max_size=300))
WRITTEN_MARKS = ("\x00", "\x0e", "\x0f", "\x1e", "&#")
"""A page that writes our own marks cuts its paragraphs where it has no elements."""

UNMARKED_PAGE = ANY_PAGE.filter(lambda html: not any(mark in html for mark in WRITTEN_MARKS))


@cache
def extraction(*, keeps_boilerplate: bool) -> Extraction:
    return Extraction.load(keeps_boilerplate=keeps_boilerplate)


@fuzz
@given(html=ANY_PAGE)
def test_marking_changes_no_text(html: str) -> None:
    page = read_page(html, agent="t", is_outlined=True)
    assert page.outline is not None
    page.outline.check()
    chosen = extraction(keeps_boilerplate=True).choose(page, page.outline)
    assert chosen.paragraphs == read_page(html, agent="t").paragraphs
    assert chosen.labels is not None
    assert len(chosen.labels) == len(chosen.paragraphs)
    assert set(chosen.labels) <= {MAIN, BOILERPLATE, UNLABELLED}


@fuzz
@given(html=ANY_PAGE)
def test_main_text_is_text_in_its_order(html: str) -> None:
    """Also when the page is read tag by tag."""
    page = read_page(html, agent="t")
    for outline in (read_blocks(html), read_tags(html)):
        outline.check()
        chosen = extraction(keeps_boilerplate=False).choose(page, outline)
        rest = iter(outline.text)
        assert all(paragraph in rest for paragraph in chosen.paragraphs)
        assert chosen.labels is None


@fuzz
@given(html=UNMARKED_PAGE)
def test_the_outline_has_the_paragraphs_of_the_page(html: str) -> None:
    assert read_blocks(html).text == read_page(html, agent="t").paragraphs


@fuzz
@given(html=UNMARKED_PAGE)
def test_a_page_read_tag_by_tag_has_the_letters_of_the_page(html: str) -> None:
    """Where an end tag ends nothing, paragraphs may be cut differently; no word is lost or added."""
    flat = "".join(read_page(flatten(html).html, agent="t").paragraphs)
    assert "".join(read_tags(html).text).replace(" ", "") == flat.replace(" ", "")
