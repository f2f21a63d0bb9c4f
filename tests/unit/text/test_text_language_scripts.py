"""Scripts, and the languages that they give away."""

import pytest

from tiptoe.text.language_scripts import _FIRSTS, SCRIPT_LANGUAGES, language_by_script, script_of


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Ahoj", "latin"),
        ("Žluťoučký kůň", "latin"),
        ("Tiếng Việt", "latin"),
        ("Привіт", "cyrillic"),
        ("Компания Google", "cyrillic"),
        ("καλημέρα", "greek"),
        ("שלום", "hebrew"),
        ("東京大学の研究者が論文発表", "kana"),
        ("谢谢", "han"),
        ("감사합니다", "hangul"),
        ("", ""),
        ("123 €", ""),
        ("🎉 №", ""),
    ],
)
def test_most_letters_decide_on_the_script(text: str, script: str) -> None:
    assert script_of(text) == script


def test_a_script_of_one_language_names_it_and_a_shared_one_does_not() -> None:
    assert language_by_script("georgian", "გამარჯობა") == "ka"
    assert language_by_script("latin", "ahoj") == ""
    assert language_by_script("", "") == ""


@pytest.mark.parametrize(
    ("script", "text", "language"),
    [
        ("cyrillic", "ўчора", "be"),
        ("cyrillic", "вчера", ""),
        ("arabic", "گفت", "fa"),
        ("arabic", "قال", "ar"),
    ],
)
def test_letters_of_one_language_alone_name_it(script: str, text: str, language: str) -> None:
    assert language_by_script(script, text) == language


def test_blocks_are_in_order() -> None:
    """They are searched by halves."""
    assert sorted(_FIRSTS) == list(_FIRSTS)
    assert SCRIPT_LANGUAGES.keys().isdisjoint({"latin", "cyrillic"}), "these have lexicons"
