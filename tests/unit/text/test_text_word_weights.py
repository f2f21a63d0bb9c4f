"""Weights of words and of groups of letters."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tiptoe.text import word_weights
from tiptoe.text.language_model import StoredLexicon, read_model
from tiptoe.text.word_weights import UncompiledWeights, grams_of, short_grams_of

needs_compiler = pytest.mark.skipif(
    not word_weights.IS_COMPILED, reason="no C compiler, or no headers of Python"
)

GROUPS = [
    (b"\x01\x00\x05\x00\xff\xff", "na v ^vo vod oda da$ voda"),
    (b"\x01\x00\x00\x00\x02\x00", "když dům dů řeka"),
    (b"\xff\xff\xff\xff\xff\xff", "вода ^ж$"),
]
WORDS = ("na", "v", "voda", "když", "dům", "dů", "x", "", "řeka", "вода", "ж", "\U0001f600", "VODA", "oda")


def test_grams_cover_a_word_with_its_edges() -> None:
    assert short_grams_of("dům") == ["^dů", "dům", "ům$"]
    assert grams_of("domy") == ["^do", "dom", "omy", "my$", "domy", "omy$"]
    assert grams_of("") == []


@needs_compiler
@given(st.lists(st.sampled_from(WORDS) | st.text("vodaž^$", max_size=24), max_size=30))
@example(["вода"] * 70_000)
def test_what_is_compiled_sums_alike(words: list[str]) -> None:
    """Sums that are too large for their fields are carried into the next."""
    from tiptoe.text.compiled_weights import Weights

    compiled, plain = Weights(GROUPS, 3), UncompiledWeights(GROUPS)
    assert compiled.total(words) == plain.total(words)
    assert compiled.total_of_grams(words) == plain.total_of_grams(words)
    assert [word in compiled for word in words] == [word in plain for word in words]


@needs_compiler
@pytest.mark.parametrize("stored", read_model(), ids=lambda stored: stored.script)
def test_what_is_compiled_finds_every_word_of_the_model(stored: StoredLexicon) -> None:
    """A word that is not found where it is would make a text fit its language less."""
    from tiptoe.text.compiled_weights import Weights

    classes = 1 + len(stored.classes)
    compiled, plain = Weights(stored.words, classes), UncompiledWeights(stored.words)
    for _, keys in stored.words:
        words = keys.split(" ")
        assert compiled.total(words) == plain.total(words)


@needs_compiler
def test_weights_that_do_not_fit_are_refused() -> None:
    """Fields of the next group would be overwritten."""
    from tiptoe.text.compiled_weights import Weights

    with pytest.raises(ValueError, match="more weights than classes"):
        Weights([(b"\0" * 8, "a")], 3)
