"""What counts as a word, and which spellings are one."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.catalog.passages import lines_of, occurrences, snippet, sorted_lines
from tiptoe.catalog.query import HasWords
from tiptoe.catalog.search import ConcordanceLine
from tiptoe.catalog.words import BREAK, DIFFERENT_BYTES_MAX, analyse, exact_words, folded_words, found_words


@pytest.mark.parametrize(
    ("spelt", "folded"),
    {
        "Žluťoučký KŮŇ": ["zlutoucky", "kun"],
        "Straße STRASSE": ["strasse", "strasse"],
        "Łódź Øre Æon": ["lodz", "ore", "aeon"],
        "ёлка йод": ["елка", "йод"],  # one is a sign on a letter, the other a letter
        "Ελλάδα": ["ελλαδα"],
        "हिन्दी": ["हिन्दी"],
        "日本 go": ["日", "本", "go"],
        "e\u0301te\u0301 été": ["ete", "ete"],
        "don't a_b x.y 3,5": ["don", "t", "a_b", "x", "y", "3", "5"],
    }.items(),
)
def test_spellings_of_a_word_are_folded_into_one(spelt: str, folded: list[str]) -> None:
    assert folded_words(spelt) == folded


def test_exact_words_keep_their_diacritics_in_one_form() -> None:
    """Pages write é as one character or as two."""
    assert exact_words("ÉTÉ e\u0301te\u0301") == ["été", "été"]


def test_paragraphs_are_kept_apart() -> None:
    assert analyse("a b\nc").folded == f"a b {BREAK} c"


def test_a_text_of_ever_new_words_is_cut_where_a_database_would_refuse_it() -> None:
    text = " ".join(f"slovo{number}" for number in range(100_000))
    assert 0.9 * DIFFERENT_BYTES_MAX < len(analyse(text).exact.replace(" ", "")) <= DIFFERENT_BYTES_MAX


@given(st.text())
def test_every_text_can_be_analysed_and_blanks_stand_between_words_only(text: str) -> None:
    analysis = analyse(text)
    assert (
        all(word and not re.search(r"\s", word) for word in analysis.folded.split(" ")) or not analysis.folded
    )
    assert len(analysis.folded.split()) == len(analysis.exact.split())


@given(st.text(alphabet="aáAÁ ßs-\n日e\u0301x.²…", max_size=60))
def test_a_pattern_finds_what_a_comparison_word_by_word_finds(text: str) -> None:
    """Two ways to look for a word must not disagree about where it stands."""
    for sought in (
        HasWords(("a",)), HasWords(("as",)), HasWords(("ss",)), HasWords(("a", "a")),
        HasWords(("á",), is_exact=True), HasWords(("s",), is_prefix=True),
    ):  # fmt: skip
        words = list(found_words(text))
        spelt = [word.exact if sought.is_exact else word.folded for word in words]
        size = len(sought.words)
        expected = [
            (words[place].start, words[place + size - 1].end)
            for place in range(len(words) - size + 1)
            if tuple(spelt[place : place + size]) == sought.words
            or (sought.is_prefix and spelt[place].startswith(sought.words[0]))
        ]
        apart: list[tuple[int, int]] = []
        for start, end in expected:
            if not apart or start >= apart[-1][1]:
                apart.append((start, end))
        assert occurrences(text, [sought]) == apart, sought


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("이것은 한국어 문장", "한국어"),
        ("في القرآن الكريم", "القرآن"),
        ("தமிழ் மொழி", "மொழி"),
        ("সব ভালো ভাষা", "ভালো"),
        ("ಕನ್ನಡ ಮೊದಲು", "ಮೊದಲು"),
        ("Kapitola Ⅳ.", "iv"),
        ("Plocha m² celkem", "m2"),
    ],
)
def test_a_word_is_found_in_its_text_whatever_its_script(text: str, word: str) -> None:
    """Scripts that fold one letter into several signs are read word by word, so that none is missed."""
    (found,) = occurrences(text, [HasWords(tuple(folded_words(word)))])
    assert folded_words(text[slice(*found)]) == folded_words(word)


# -- pieces of text ----------------------------------------------------------


def test_a_snippet_shows_where_most_was_found_and_marks_it() -> None:
    text = "voda " + "nic " * 100 + "pitná voda a zase pitná voda " + "nic " * 100
    found = snippet(text, [HasWords(("voda",)), HasWords(("pitna",))], 100)
    assert [found.text[start:end] for start, end in found.marks] == ["pitná", "voda", "pitná", "voda"]
    assert len(found.text.strip("… ")) <= 100


def test_a_snippet_cuts_no_word_and_shows_where_it_leaves_something_out() -> None:
    """A list of hits is read by people; half a word at the end of each looks like a fault."""
    text = "první věta je dlouhá a druhá voda teče dál po kamenech do moře"
    found = snippet(text, [HasWords(("voda",))], 36)
    assert found.text == "… a druhá voda teče dál po kamenech do …"
    assert [found.text[start:end] for start, end in found.marks] == ["voda"]
    assert snippet("pitná voda", [HasWords(("voda",))], 36).text == "pitná voda"
    long = snippet("a voda" + "x" * 5 + " voda " + "y" * 50, [HasWords(("voda",))], 12)
    assert [long.text[start:end] for start, end in long.marks] == ["voda"]
    assert snippet("x" * 50, [], 10).text == "x" * 10 + " …"


def test_a_snippet_without_anything_found_is_the_beginning() -> None:
    assert snippet("začátek textu", [], 7).text == "začátek …"
    assert snippet("začátek textu", [], 9).text == "začátek …"
    assert snippet("", [HasWords(("a",))], 7).text == ""


def test_control_characters_and_turns_of_direction_are_not_shown() -> None:
    shown = snippet("a\x1b[31m\x00\u202eb\u2066\nc", [HasWords(("b",))], 50)
    assert shown.text == "a [31m  b  c"
    assert shown.marks == ((8, 9),)


def test_context_stays_within_its_paragraph() -> None:
    (line,) = lines_of("před\nab slovo cd\npo", [(8, 13)], 50, id="i", url="u", title="t")
    assert (line.left, line.match, line.right) == ("ab ", "slovo", " cd")


def test_lines_are_sorted_by_the_nearest_word_first() -> None:
    lines = [
        ConcordanceLine(left, "x", right, "", "", "")
        for left, right in (("b a", "č"), ("a b", "b"), ("c Á", "d"))
    ]
    assert [line.left for line in sorted_lines(lines, "left")] == ["b a", "c Á", "a b"]
    assert [line.right for line in sorted_lines(lines, "right")] == ["b", "č", "d"]
    assert sorted_lines(lines, "none") == lines
