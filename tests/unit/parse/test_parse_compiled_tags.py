"""What is compiled finds the same tags as the patterns do."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tiptoe.parse import nesting, tree_blocks
from tiptoe.parse.nesting import FORMAT, is_crowded_by_pattern, unusual_tag

pytestmark = pytest.mark.skipif(not nesting.IS_COMPILED, reason="no C compiler, or no headers of Python")

PIECES = (
    "<",
    ">",
    "/",
    "=",
    '"',
    "'",
    " ",
    "\n",
    "\x0b",
    "\xa0",
    "a",
    "b",
    "B-",
    "1",
    ".",
    "<a",
    '<b c="d"',
    "é",
    '=""',
    "€",
    "😀",
)
pages = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


@given(pages, st.integers(1, 4), st.integers(3, 6), st.integers(0, 2), st.integers(0, 80))
@example("<a" + " b" * 5, 1, 3, 0, 80)
def test_compiled_and_pattern_agree(
    html: str, name_max: int, attributes_max: int, crowded_max: int, seen_max: int
) -> None:
    """With small limits, which short pages reach."""
    from tiptoe.parse.compiled_tags import is_crowded

    utf8 = html.encode()
    pattern = re.compile(unusual_tag(name_max, 2, attributes_max).encode())
    found = is_crowded(
        utf8, name_max=name_max, crowded_from=2, attributes_max=attributes_max, crowded_max=crowded_max,
        seen_max=seen_max,
    )  # fmt: skip
    assert found == is_crowded_by_pattern(utf8, pattern, crowded_max, seen_max)


FORMATTED = (
    "<", ">", "/", " ", "\n", "\xa0", "b", "B", "I", "em", "s", "<b ", "<i/", "<Font\t", "<strong", "<strike",
    "<codex ",
)  # fmt: skip


@given(st.lists(st.sampled_from(FORMATTED), max_size=60).map("".join))
@example('<b a><big\n/><b a><p b><FONT x="<i y">')
def test_compiled_and_pattern_find_the_same_formatting(html: str) -> None:
    """Tags with different attributes are those that a parser repeats."""
    from tiptoe.parse.compiled_tags import count_tags, find_formats

    assert find_formats(html.encode()) == set(FORMAT.findall(html.encode()))
    assert count_tags(html.encode()) == html.count("<")


REFERENCES = (
    "&",
    "#",
    "&#",
    "&#x",
    "&#X",
    "0",
    "1",
    "2",
    "4",
    "9",
    "30",
    "e",
    "F",
    "d",
    "1E",
    ";",
    "x",
    "&amp;",
    "é",
)


@given(st.lists(st.sampled_from(REFERENCES), max_size=30).map("".join))
@example("&#30")
@example("&#00014;")
@example("&#x1d;")
@example("&#x0")
@example("&#" + "9" * 40)
def test_compiled_and_pattern_find_the_same_references(html: str) -> None:
    from tiptoe.parse.compiled_tags import has_reference

    utf8 = html.encode()
    assert has_reference(utf8, tree_blocks.CODES) == bool(tree_blocks.REFERENCE.search(utf8))
