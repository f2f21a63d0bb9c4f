"""Paragraphs are split into sentences and tokens, and nothing is lost."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiptoe.text.paragraphs import clean
from tiptoe.text.word_tokens import RUN_CHARS_MAX, Splitter

splitter = Splitter()


def words(paragraph: str, language: str) -> list[list[str]]:
    return [[text for text, _ in tokens] for tokens in splitter.sentences(paragraph, language)]


def put_together(paragraph: str, language: str) -> str:
    tokens = [token for sentence in splitter.sentences(paragraph, language) for token in sentence]
    return "".join(text if is_glued else f" {text}" for text, is_glued in tokens)[1:]


@pytest.mark.parametrize(
    "sentences",
    [
        ["Dr. Novák přišel v 10.30.", "Odešel 3. 5. 2020."],
        ["Firma sídlí v ul. Karla IV. č. 5 v Praze.", "Má 12 zaměstnanců."],
        ["Kdo to byl?", "Nevím!", "„Snad ano.“"],
        ["Stojí to 1 000,50 Kč, tj. 20 % ceny."],
    ],
)
def test_czech_abbreviations_and_ordinals_end_no_sentence(sentences: list[str]) -> None:
    assert splitter.sentence_texts(" ".join(sentences), "cs") == sentences


def test_tokens_know_whether_a_space_stood_before_them() -> None:
    assert splitter.sentences("Přišel (brzy), ale…", "cs") == [
        [
            ("Přišel", False), ("(", False), ("brzy", True), (")", True), (",", True),
            ("ale", False), ("…", True),
        ]
    ]  # fmt: skip


def test_each_language_has_its_own_ways() -> None:
    assert words("I don't know.", "en") == [["I", "do", "n't", "know", "."]]
    assert words("I don't know.", "cs") == [["I", "don", "'", "t", "know", "."]]
    assert len(words("Odpovídá tzv. Novák.", "cs")) == 1
    assert len(words("Odpovídá tzv. Novák.", "")) == 2  # of what language this is, nobody knows


@pytest.mark.parametrize(
    "whole", ["❤️", "👨‍👩‍👧", "👍🏽", "می‌خواهم", "a\u0301b", "http://a.cz/?a=1&b=2", "a@b.cz"]
)
def test_what_is_one_to_people_is_one_token(whole: str) -> None:
    assert words(f"To je {whole} tam", "cs") == [["To", "je", whole, "tam"]]


@pytest.mark.parametrize("nothing", ["", " ", "\0"])
def test_where_there_is_no_text_there_is_no_sentence(nothing: str) -> None:
    assert splitter.sentences(nothing, "cs") == []
    assert splitter.sentence_texts(nothing, "cs") == []


def test_a_zero_ends_nothing() -> None:
    """It would for the library below."""
    assert words("a\0b c", "cs") == [["a", "b", "c"]]


@settings(deadline=None)
@given(
    st.text(st.sampled_from("aB.č5 \u200d❤\ufe0f🏽(„“?!<>&\"'-/:@中。"), max_size=60).map(clean),
    st.sampled_from(["cs", "en", "de"]),
)
def test_tokens_put_together_are_the_paragraph(paragraph: str, language: str) -> None:
    assert put_together(paragraph, language) == paragraph
    assert " ".join("".join(splitter.sentence_texts(paragraph, language)).split()).replace(" ", "") == (
        paragraph.replace(" ", "")
    )


@settings(deadline=None)
@given(st.text(st.sampled_from("<>/ dgps\"='1a.:@ž"), max_size=40), st.sampled_from(["cs", "en", "de"]))
def test_no_token_looks_like_a_tag(paragraph: str, language: str) -> None:
    """The vertical format relies on it: there, a tag would be a structure."""
    tokens = [token for sentence in words(paragraph, language) for token in sentence]
    assert [token for token in tokens if token.startswith("<") and token != "<"] == []


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 2 * RUN_CHARS_MAX + 3), st.sampled_from("x.中")), max_size=6))
def test_long_runs_are_cut_and_nothing_is_lost(runs: list[tuple[int, str]]) -> None:
    paragraph = " ".join(char * count for count, char in runs)
    assert put_together(paragraph, "cs") == paragraph


@pytest.mark.parametrize("unit", [".", "a.", "(", "a-", "..a", "1,"])
def test_hostile_text_takes_time_in_proportion(unit: str) -> None:
    """Without a cut, a million dots would take days; the test would not end."""
    paragraph = unit * (60_000 // len(unit))
    assert sum(map(len, splitter.sentences(paragraph, "cs"))) >= 30_000


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("zh", ["今天天气很好。", "我们去公园玩吧！", "版本3.5发布了？", "他说：“好。”", "然后走了"]),
        ("ja", ["今日は天気がいい。", "「散歩に行こう。」と彼は言った。", "これは文です｡", "次の文"]),
        ("hi", ["यह एक वाक्य है।", "यह दूसरा है॥"]),
        ("ar", ["هل هذا سؤال؟", "نعم."]),
        ("my", ["ကျောင်းသွားသည်။", "ပြန်လာသည်။"]),
        ("km", ["ខ្ញុំទៅផ្សារ។", "ខ្ញុំទិញត្រី។"]),
        ("hy", ["Սա նախադասություն է։", "Սա մյուսն է։"]),
    ],
)
def test_sentences_end_with_the_marks_of_their_script(language: str, sentences: list[str]) -> None:
    space = "" if language in ("zh", "ja") else " "
    assert splitter.sentence_texts(space.join(sentences), language) == sentences


def test_no_sentence_of_a_long_text_without_spaces_is_cut() -> None:
    """Its paragraphs are longer than any run of letters elsewhere."""
    sentences = [f"这是第{number}个句子，它说的是同一件事情。" for number in range(60)]
    assert splitter.sentence_texts("".join(sentences), "zh") == sentences
