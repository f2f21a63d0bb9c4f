"""What is compiled finds the same pages crowded as the pattern does."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tiptoe.parse import nesting
from tiptoe.parse.nesting import is_crowded_by_pattern, unusual_tag

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

    pattern = re.compile(unusual_tag(name_max, 2, attributes_max))
    found = is_crowded(
        html, name_max=name_max, crowded_from=2, attributes_max=attributes_max, crowded_max=crowded_max,
        seen_max=seen_max,
    )  # fmt: skip
    assert found == is_crowded_by_pattern(html, pattern, crowded_max, seen_max)
