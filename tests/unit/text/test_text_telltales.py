"""Paragraphs that show their language at a glance."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tiptoe.text import telltales
from tiptoe.text.telltales import UncompiledTelltales

WORDS = (
    "the",
    "of",
    "Voda",
    "ŘEKA",
    "1999",
    "\x1c",
    "\u00a0",
    "x" * 25,
    "-",
    "and",
    "THE",
    "東京",
    "İ",
    "größe",
    "Größe",
)
UNIQUE = ("the", "of", "řeka", "größe", "東京", "i\u0307")


def never(words: list[str]) -> bool:
    return False


def test_two_different_telling_words_settle_a_long_paragraph() -> None:
    """One may be a name or a quotation."""
    english = UncompiledTelltales(["the", "of"])
    rest = " x" * 9
    found = english.settle([f"The cat of{rest}", f"the THE cat{rest}"], "en", "und", never, False)
    assert found == ["en", 12]


def test_an_entry_of_a_menu_is_in_the_language_of_its_page_if_it_has_letters() -> None:
    found = UncompiledTelltales([]).settle(["Home", "2024 / 25"], "en", "und", never, True)
    assert found == ["en", "und"]


@pytest.mark.skipif(not telltales.IS_COMPILED, reason="no C compiler, or no headers of Python")
@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join), max_size=8), st.booleans())
@example(["", "x" * 60, "x" * 61, f"{'y' * 97} of the", "a\x1db c\x0bd", "12 / 34", "the The THE"], True)
def test_what_is_compiled_settles_paragraphs_alike(paragraphs: list[str], is_latin: bool) -> None:
    """A corpus must not depend on whether the machine had a compiler."""
    from tiptoe.text.compiled_telltales import Telltales

    asked: list[list[str]] = []

    def agrees(words: list[str]) -> bool:
        asked.append(words)
        return len(words) % 2 == 0

    found = UncompiledTelltales(UNIQUE).settle(paragraphs, "en", "und", agrees, is_latin)
    before = list(asked)
    asked.clear()
    assert Telltales(UNIQUE).settle(paragraphs, "en", "und", agrees, is_latin) == found
    assert asked == before
