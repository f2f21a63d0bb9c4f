"""What bytes mean in encodings."""

from tiptoe.parse.alphabets import ENCODINGS, TRUSTED, alphabets
from tiptoe.parse.labels import find_codec


def test_all_encodings_are_known_by_their_labels() -> None:
    assert {find_codec(encoding) for encoding in ENCODINGS} == set(ENCODINGS)
    assert {find_codec(encoding.replace("_", "-")) or encoding for encoding in TRUSTED} == set(TRUSTED)


def test_every_letter_has_a_number_of_its_own() -> None:
    """They are numbered in one byte, all scripts together."""
    letters: dict[int, set[str]] = {}
    for alphabet in alphabets().values():
        for character, number in zip(alphabet.characters, alphabet.letters, strict=True):
            if character.islower() and character not in "ªºµ":  # which stand for a, o and μ
                letters.setdefault(number, set()).add(character)
    shared = [characters for characters in letters.values() if len(characters) > 1]
    assert len(shared) == 1  # those that no language has here


def test_capitals_are_the_letters_of_the_small_ones() -> None:
    alphabet = alphabets()["windows-1250"]
    small, capital = "ž".encode("windows-1250")[0], "Ž".encode("windows-1250")[0]
    assert alphabet.letters[small] == alphabet.letters[capital]
    assert alphabet.costs[small] < alphabet.costs[capital]


def test_the_capital_of_i_with_a_dot_is_a_letter_of_turkish() -> None:
    """Its small form is two characters."""
    alphabet = alphabets()["windows-1254"]
    assert alphabet.letters["İ".encode("windows-1254")[0]] == alphabet.letters[ord("i")]


def test_what_a_language_has_is_cheaper_than_what_it_has_not() -> None:
    alphabet = alphabets()["windows-1250"]
    p, r, foreign_r = "přŕ".encode("windows-1250")
    _, _, native, foreign = alphabet.picker([(p, r), (p, foreign_r)])(alphabet.tables[0])
    assert native < foreign
