"""Packed weights: what a lexicon makes of words."""

from itertools import pairwise

import pytest

from tiptoe.text.language_model import LanguageTally, Lexicon, StoredLexicon, load_lexicons


def fields(*weights: int) -> bytes:
    """Pack weights as the model file does; the first counts a known word."""
    return b"".join(weight.to_bytes(2, "little") for weight in weights)


STORED = StoredLexicon(
    script="latin",
    classes=["cs", "cs", "sk"],
    head_starts=[4, 0, 4],
    words=[
        (fields(1, 20, 20, 20), "na v"),
        (fields(1, 15, 0, 3), "když řekl"),
        (fields(1, 0, 15, 0), "kdyz"),
    ],
    grams=[(fields(0, 1, 1, 9), "ost sť$"), (fields(0, 1, 2, 0), "telk")],
    telltales={"cs": "když řekl", "sk": ""},
)


@pytest.fixture
def lexicon() -> Lexicon:
    return Lexicon(STORED)


def test_words_add_up_in_every_class_at_once(lexicon: Lexicon) -> None:
    evidence = lexicon.judge(lexicon.skim(["na", "když", "xyz"]))
    assert evidence.best == "cs"
    assert evidence.lead == (4 + 20 + 15) - (4 + 20 + 3)
    assert evidence.fit == pytest.approx((20 + 15) / 3)


def test_both_classes_of_a_language_are_that_language(lexicon: Lexicon) -> None:
    """Czech without accents leads over Slovak, not over Czech."""
    evidence = lexicon.judge(lexicon.skim(["kdyz", "na"]))
    assert evidence.best == "cs"
    assert evidence.lead == (15 + 20) - (4 + 20)


def test_punctuation_stops_a_skimmer_and_not_a_reader(lexicon: Lexicon) -> None:
    assert lexicon.skim(["„když", "řekl,"]).by_word == 0
    assert lexicon.read("„Když“ řekl, …").by_word == lexicon.skim(["když", "řekl"]).by_word


def test_words_that_are_not_known_speak_by_their_letters(lexicon: Lexicon) -> None:
    assert lexicon.judge(lexicon.read("radosť")).best == "sk"
    assert lexicon.skim(["radosť"]) == LanguageTally(0, 0, 1)


def test_in_doubt_the_expected_language_wins_and_no_further(lexicon: Lexicon) -> None:
    doubtful, clear = lexicon.skim(["na"]), lexicon.skim(["když", "řekl"])
    assert lexicon.judge(doubtful, expected="sk").best == "sk"
    assert lexicon.judge(clear, expected="sk").best == "cs"


def test_words_agree_with_a_language_unless_they_say_another(lexicon: Lexicon) -> None:
    assert lexicon.agrees(lexicon.skim(["na", "v"]), "sk")
    assert not lexicon.agrees(lexicon.skim(["když", "řekl"]), "sk")
    assert not lexicon.agrees(lexicon.skim(["foo", "bar", "baz"]), "sk"), "nothing known, nothing said"


def test_a_language_that_is_not_wanted_is_no_answer_and_lends_none() -> None:
    only_slovak = Lexicon(STORED, languages=["sk"])
    assert only_slovak.judge(only_slovak.skim(["na", "v"])).best == "sk"
    assert only_slovak.judge(only_slovak.skim(["když", "řekl"])).best == ""


def test_four_letters_tell_close_languages_apart(lexicon: Lexicon) -> None:
    """Three of them are alike in Czech and Slovak, as are most words without accents."""
    evidence = lexicon.judge(lexicon.read("ucitelka"))
    assert (evidence.best, evidence.lead) == ("cs", 1)


def test_the_model_that_comes_with_the_package_is_whole() -> None:
    lexicons = load_lexicons()
    assert lexicons["cyrillic"].known == {"ru", "uk", "bg", "mk", "sr"}
    assert lexicons["latin"].known >= {"cs", "sk", "pl", "sl", "hr", "en", "de", "hu", "ro", "it", "fr", "es"}
    assert all(
        lexicon.telltales_of(language).words for lexicon in lexicons.values() for language in lexicon.known
    )


def test_telltales_belong_to_one_language_only() -> None:
    latin = load_lexicons()["latin"]
    telltales = [latin.telltales_of(language) for language in sorted(latin.known)]
    assert all(set(one.words).isdisjoint(other.words) for one, other in pairwise(telltales))
