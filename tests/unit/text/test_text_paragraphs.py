"""Cutting and cleaning of marked text."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tiptoe.text import paragraphs
from tiptoe.text.paragraphs import (
    LINE,
    MARK,
    PIECES_MAX,
    VERBATIM_BEGIN,
    VERBATIM_END,
    clean,
    clean_uncompiled,
    cut_by_pieces,
    join_lines,
    split_paragraphs,
)


def test_white_space_of_every_kind_becomes_one_space() -> None:
    """Czech typography is full of no-break spaces; a tokenizer should see plain ones."""
    assert clean(" v\u00a0Praze \t\r\n a\u2009v\u202fBrně\u3000") == "v Praze a v Brně"


def test_what_cannot_be_seen_is_removed() -> None:
    """Soft hyphens and zero-width spaces would split one word into two."""
    assert clean("nej\u00adkrás\u200bněj\ufeffší\u2060") == "nejkrásnější"
    assert clean("a\x00b\x07c\x1bd\x7fe\x9ff") == "abcdef"
    assert clean("a \u200b b") == "a b"


def test_joiners_that_spell_words_stay() -> None:
    """Without U+200C a Persian word is another word."""
    assert clean("می\u200cخواهم") == "می\u200cخواهم"


def test_a_character_that_was_lost_leaves_its_trace() -> None:
    """By it the segmenter tells damaged text; beside other odd characters no less than alone."""
    assert clean("Opozi\ufffde") == clean("Opo\u00adzi\ufffde") == "Opozi\ufffde"


def test_hidden_messages_in_tag_characters_are_removed() -> None:
    """Text nobody sees must not reach a corpus, nor a model trained on it."""
    assert clean("ahoj" + "".join(chr(0xE0000 + ord(letter)) for letter in "secret")) == "ahoj"


def test_a_mark_ends_a_paragraph_and_empty_ones_are_dropped() -> None:
    """Blocks nest, so marks come in heaps."""
    assert split_paragraphs(f"{MARK} {MARK}a  b{MARK}\n{MARK}\u00a0{MARK}c{MARK}", 9) == ["a b", "c"]


def test_lines_of_verbatim_text_are_paragraphs() -> None:
    """Poems and listings keep their lines; text around them does not."""
    marked = f"one\ntwo{VERBATIM_BEGIN}three\nfour{VERBATIM_END}five\nsix"
    assert split_paragraphs(marked, 9) == ["one two", "three", "four", "five six"]


def test_text_of_nothing_has_no_paragraphs() -> None:
    assert split_paragraphs("", 9) == []
    assert split_paragraphs(" \u200b\u00ad ", 9) == []


def test_no_more_paragraphs_are_cut_than_are_asked_for() -> None:
    assert split_paragraphs(f"a{MARK}{MARK}b{MARK}c", 2) == ["a", "b"]


def test_a_text_of_nothing_but_marks_is_read_to_its_end() -> None:
    """It is cut in parts, lest there be millions of pieces at once."""
    assert split_paragraphs(f"a{MARK * 3 * PIECES_MAX}b{MARK}c", 9) == ["a", "b", "c"]
    assert split_paragraphs(f"a{MARK}" * PIECES_MAX + "b", PIECES_MAX + 9) == ["a"] * PIECES_MAX + ["b"]


PIECES = (
    MARK, LINE, " ", "  ", "\n", "\x85", "\xa0", "\xad", "\u200b", "\u3000", "a", "Bc.", "é", "ж", "字", "😀",
)  # fmt: skip
MARKED = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@pytest.mark.skipif(not paragraphs.IS_COMPILED, reason="no C compiler, or no headers of Python")
@given(MARKED | st.text(max_size=40), st.integers(0, 9))
@example(f"a{LINE}b  c{MARK} \x07 {MARK}d{LINE}", 9)
def test_compiled_and_pieces_agree(marked: str, count_max: int) -> None:
    """A corpus does not depend on the machine it was made on."""
    from tiptoe.text.compiled_paragraphs import cut_at_marks

    assert cut_at_marks(marked, count_max, clean, join_lines) == cut_by_pieces(marked, count_max)
    assert clean(marked) == clean_uncompiled(marked)
