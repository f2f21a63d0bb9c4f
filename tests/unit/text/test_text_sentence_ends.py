"""Sentences end where people of each language see their ends: the tables in `sentence_cases/` say where."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.text.abbreviations import ABBREVIATIONS
from tiptoe.text.sentence_ends import split_at_stops
from tiptoe.text.word_tokens import Splitter

CASES = Path(__file__).parent / "sentence_cases"
END = "|"
"""Where a sentence ends, in a line of the tables."""
WITHOUT_SPACES = ("zh", "ja")
SEVEN = ("cs", "sk", "pl", "sl", "hr", "en", "de")


def cases(language: str) -> list[list[str]]:
    lines = (CASES / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    return [line.split(END) for line in lines]


@pytest.mark.parametrize("language", sorted(path.stem for path in CASES.glob("*.txt")))
def test_sentences_end_where_the_table_of_a_language_says(language: str) -> None:
    """Abbreviations, initials, ordinals, numbers, quotations and what was left out end none."""
    splitter, space = Splitter(), "" if language in WITHOUT_SPACES else " "
    wrong = [
        (found, sentences)
        for sentences in cases(language)
        if (found := splitter.sentence_texts(space.join(sentences), language)) != sentences
    ]
    assert wrong == []


@pytest.mark.parametrize("language", [*SEVEN, "fr"])
def test_every_language_has_a_table_worth_the_name(language: str) -> None:
    assert len(cases(language)) >= 25
    assert language in ABBREVIATIONS


def test_titles_that_most_languages_share_are_known_in_a_language_that_is_not() -> None:
    assert split_at_stops("Ezt Dr. Nagy mondta. Nem hiszem.", "hu") == [
        "Ezt Dr. Nagy mondta. ",
        "Nem hiszem.",
    ]


@given(
    st.text(st.sampled_from("aB.č5 \n…(„“?!'-Ž[]1"), max_size=80), st.sampled_from([*ABBREVIATIONS, "", "xx"])
)
def test_the_pieces_joined_are_the_text(text: str, language: str) -> None:
    assert "".join(split_at_stops(text, language)) == text


@pytest.mark.parametrize("unit", [". ", "A. ", "1. ", "x.) ", "a" * 50 + ". ", "(((. ", "... ", "'. ' "])
def test_hostile_text_takes_time_in_proportion(unit: str) -> None:
    """Ten times the text takes about ten times the time, not a hundred."""
    spans = []
    for chars in (10_000, 100_000):
        text = unit * (chars // len(unit))
        began = time.process_time()
        split_at_stops(text, "cs")
        spans.append(time.process_time() - began)
    assert spans[1] < 40 * spans[0] + 0.05
