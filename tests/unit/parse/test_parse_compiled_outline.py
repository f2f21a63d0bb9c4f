"""What is compiled reads the same outline from marks."""

from dataclasses import fields

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tiptoe.parse import tree_blocks
from tiptoe.parse.tree_blocks import VERBATIM, read_marks_uncompiled
from tiptoe.text.outline import Outline
from tiptoe.text.outlining import DEPTH_MAX, PARAGRAPHS_MAX, Named

pytestmark = pytest.mark.skipif(not tree_blocks.IS_COMPILED, reason="no C compiler, or no headers of Python")

NAMES: list[Named] = [
    ("div", None, None, None),
    ("p", "a b", "c", None),
    ("pre", None, None, None),
    ("my-x", "y", None, "main"),
    ("div", None, None, None),
    ("li", "", None, None),
    ("textarea", None, None, None),
]
PIECES = (
    " ", "\n", "a", "b. ", "Two words", "a  b", "x\ny\n\nz", "ends.", "goes on", "\xad", "\u200b", "é\xa0",
    "你好", "\t-", "\x00", "😀",
)  # fmt: skip
opened = st.sampled_from("\x0e\x0f").flatmap(
    lambda mark: st.integers(-3, len(NAMES)).map(lambda number: f"\x1e{mark}{chr(256 + number)}")
)
marks = st.sampled_from(
    ("\x1e\x10", "\x1e\x11", "\x1e\x12", "\x1e\x13", "\x1e\x14", "\x1e\x15", "\x1e", "\x1eq", "\x1e\x0e")
)
texts = st.lists(opened | marks | st.sampled_from(PIECES), max_size=60).map("".join)


@given(texts)
@example("")
@example("\x1e")
@example("a\x1e\x1e")
@example("\x1e\x0e")
@example("".join(f"\x1e\x0e{chr(256 + number)}" for number in range(len(NAMES))) + "deep\x1e\x10b")
def test_compiled_and_uncompiled_outlines_are_the_same(marked: str) -> None:
    """Marks may stand anywhere: pages write some themselves."""
    assert_same(marked, NAMES)


def test_they_are_the_same_at_their_limits() -> None:
    """Elements deeper than counted, and more paragraphs than are read."""
    deep = [NAMES[number % len(NAMES)] for number in range(DEPTH_MAX + 30)]
    assert_same("".join(f"\x1e\x0e{chr(256 + number)}{number}" for number in range(len(deep))), deep)
    assert_same("x\x1e\x15" * (PARAGRAPHS_MAX + 2), [])


def assert_same(marked: str, names: list[Named]) -> None:
    from tiptoe.text.compiled_outline import read_marks

    compiled, expected = read_marks(marked, names, VERBATIM), read_marks_uncompiled(marked, names)
    for field in fields(Outline):
        said, wanted = getattr(compiled, field.name), getattr(expected, field.name)
        assert list(said) == list(wanted) if isinstance(said, list) else said == wanted, field.name
