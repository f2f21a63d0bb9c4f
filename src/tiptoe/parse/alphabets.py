"""What does each byte mean in an encoding, and how likely is it to follow another?

An encoding says which letter a byte is, a language how likely one letter follows
another. `letters.json` has that for the languages (see `training/charset`); here
it is expanded into tables in which pairs of bytes are looked up fast.

Costs are in nats: the logarithm of how unlikely something is.
"""

import json
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from operator import itemgetter
from string import ascii_lowercase
from typing import Final, TypeAlias

__all__ = ["ENCODINGS", "STEPS", "TRUSTED", "Alphabet", "Pair", "Table", "alphabets"]

Pair: TypeAlias = tuple[int, int]
"""Two bytes, one after the other."""

Table: TypeAlias = bytes
"""Costs of pairs of letters in a language, in parts of a nat, by the numbers of first and second letter."""

_CENTRAL: Final = ("cs", "sk", "pl", "hu", "sl", "hr", "ro", "sq", "de", "en")
_WESTERN: Final = (
    "en", "de", "fr", "es", "it", "pt", "nl", "da", "sv", "no", "fi", "is", "ca", "et", "sq",
)  # fmt: skip
_BALTIC: Final = ("lt", "lv", "et")

ENCODINGS: Final[Mapping[str, tuple[tuple[str, ...], float]]] = {
    # encoding       languages written in it, and the cost of assuming it, higher for rare encodings;
    #                among encodings that read equally well, the first is taken
    "windows-1252": (_WESTERN, 0.0),
    "windows-1250": (_CENTRAL, 0.0),
    "iso-8859-2":   (_CENTRAL, 0.0),
    "windows-1257": (_BALTIC, 0.0),
    "windows-1254": (("tr",), 0.0),
    "windows-1251": (("ru", "uk", "bg", "sr", "mk"), 0.0),
    "windows-1253": (("el",), 0.0),
    "windows-1255": (("he",), 0.0),
    "windows-1256": (("ar",), 0.0),
    "windows-1258": (("vi",), 4.0),
    "iso-8859-4":   (_BALTIC, 4.0),
    "iso-8859-5":   (("ru", "bg", "sr", "mk"), 3.0),
    "iso-8859-6":   (("ar",), 4.0),
    "iso-8859-7":   (("el",), 0.0),
    "iso-8859-13":  (_BALTIC, 6.0),
    "koi8-r":       (("ru",), 0.0),
    "koi8-u":       (("uk",), 0.0),
    "cp852":        (("cs", "sk", "pl", "hu", "sl", "hr"), 8.0),
    "cp866":        (("ru",), 3.0),
}  # fmt: skip

TRUSTED: Final = frozenset(
    {"windows-1258", "iso-8859-3", "iso-8859-4", "iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15",
     "iso-8859-16", "mac_roman", "mac_latin2", "mac_cyrillic", "cp852"}
)  # fmt: skip
"""Encodings that no server has as its default, so a label that names one is right."""

STEPS: Final = 3
"""Tables count in thirds of a nat, and so does `letters.json`."""

_FOREIGN: Final = 12 * STEPS
"""Cost of a letter that the language does not have."""

_UNSEEN: Final = 3 * STEPS
"""Extra cost of a pair that is in no word of the language, added to the cost of its second letter."""

_PLAIN: Final = 3 * STEPS
"""Cost of each letter of an ASCII word, in languages of other scripts."""

_CAPITAL: Final = 1.6
_QUOTE: Final = 4.0
_MARK: Final = 6.0
_RARE_MARK: Final = 9.0
_SYMBOL: Final = 12.0
_NOTHING: Final = 18.0
"""Cost of a byte for which an encoding has no character, or a control character."""

_MARKS: Final = {
    **dict.fromkeys("„“”’»«–—…\xa0", _QUOTE),
    **dict.fromkeys("‚‘°§\xad", _MARK),
    **dict.fromkeys("€©®™•·×´", _RARE_MARK),
}
_BETWEEN: Final = 0
"""The number of all characters that are not letters, which separate words."""


@dataclass(frozen=True, slots=True)
class Alphabet:
    """How bytes are read in an encoding."""

    encoding: str
    characters: str  # by byte
    letters: bytes  # by byte: the number of the letter
    costs: tuple[float, ...]  # by byte: in addition to the cost of the pair
    cost: float  # of assuming this encoding
    is_latin: bool
    tables: tuple[Table, ...]  # one for each language

    def picker(self, pairs: Iterable[Pair]) -> Callable[[Table], tuple[int, ...]]:
        """Return a function that picks the costs of these pairs from a table, after two zeros."""
        letters = self.letters
        # Two, because a single item would not be returned as a tuple.
        return itemgetter(0, 0, *[letters[before] << 8 | letters[byte] for before, byte in pairs])


@cache
def alphabets() -> Mapping[str, Alphabet]:
    """Return the alphabets by the names of their encodings."""
    rows = json.loads(files("tiptoe.parse").joinpath("letters.json").read_text("utf-8"))
    letters = sorted({letter for table in rows.values() for letter in table} - {"", " "})
    numbers = {" ": _BETWEEN} | {letter: number for number, letter in enumerate(letters, _BETWEEN + 1)}
    tables = {language: _table(found, numbers) for language, found in rows.items()}
    return {
        encoding: _alphabet(encoding, cost, numbers, [tables[language] for language in languages])
        for encoding, (languages, cost) in ENCODINGS.items()
    }


def _table(rows: Mapping[str, str], numbers: Mapping[str, int]) -> Table:
    """Expand the rows of a language: for each letter, groups of following letters by cost."""
    table = bytearray([_FOREIGN]) * (256 * 256)
    if "e" not in rows:
        _add_plain_words(table, numbers)
    for letter, cost in _costs(rows[""]):
        table[numbers[letter] :: 256] = bytes([min(cost + _UNSEEN, _FOREIGN)]) * 256
    for before, row in rows.items():
        for letter, cost in _costs(row) if before else ():
            if letter in numbers:
                table[numbers[before] << 8 | numbers[letter]] = cost
    table[_BETWEEN] = 0  # two marks side by side
    return bytes(table)


def _add_plain_words(table: bytearray, numbers: Mapping[str, int]) -> None:
    """Give ASCII words an ordinary cost: in pages of other scripts they are common."""
    plain = [_BETWEEN, *(numbers[letter] for letter in ascii_lowercase)]
    for before in plain:
        for letter in plain:
            table[before << 8 | letter] = _PLAIN


def _costs(row: str) -> Iterator[tuple[str, int]]:
    return ((letter, cost) for cost, group in enumerate(row.split("|")) for letter in group)


def _alphabet(encoding: str, cost: float, numbers: Mapping[str, int], tables: Sequence[Table]) -> Alphabet:
    characters = "".join(bytes([byte]).decode(encoding, "replace") for byte in range(256))
    return Alphabet(
        encoding,
        characters,
        letters=bytes(_number(character, numbers) for character in characters),
        costs=tuple(map(_cost, characters)),
        cost=cost,
        is_latin="é" in characters,
        tables=tuple(tables),
    )


def _number(character: str, numbers: Mapping[str, int]) -> int:
    if not _is_letter(character):
        return _BETWEEN
    # NFKC maps µ to μ and ª to a; İ in lower case is an i with another dot, which is dropped.
    small = unicodedata.normalize("NFKC", character.lower())[0]
    return numbers.get(small, len(numbers))


def _is_letter(character: str) -> bool:
    """Tell whether this is a letter or a combining tone mark, as Vietnamese encodings have."""
    return character.isalpha() or unicodedata.category(character) == "Mn"


def _cost(character: str) -> float:
    if character.isascii():
        return 0.0
    if _is_letter(character):
        return _CAPITAL if character.isupper() else 0.0
    if character == "\ufffd" or unicodedata.category(character) == "Cc":
        return _NOTHING
    return _MARKS.get(character, _SYMBOL)
