"""What is a word, and which of its spellings are found together?

A run of letters, digits and marks. Capitals and diacritics are folded, so `voda` finds `Voda` and `vodá`;
beside the folded words the exact ones are stored, in lower case. Characters of scripts that are written
without spaces are words by themselves. Texts that an index splits by itself (`plain_text`) are split in the
same way as here, so two indexes cannot disagree about what a word is.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby
from typing import Final, NamedTuple

__all__ = [
    "BREAK", "CHARS_MAX", "SPACELESS", "WORD_CHARS", "WORD_CHARS_MAX", "Analysis", "FoundWord", "analyse",
    "exact_words", "fold", "folded_words", "found_words", "separated", "spelt_words",
]  # fmt: skip

BREAK: Final = "\uf900"
"""Separates paragraphs, so that no phrase spans two. It is a letter, so an index treats it as a word, but one
that a text in normal form (NFC) cannot contain."""

WORD_CHARS_MAX: Final = 64
"""Maximum length of a word; a longer one counts as several."""

CHARS_MAX: Final = 1_000_000
"""Maximum length of a text that is searched; the rest is stored, but not found."""

SPARING_CHARS: Final = 100_000
"""Length of a text above which the size of its different words is checked."""

DIFFERENT_BYTES_MAX: Final = 300_000
"""Maximum size of all different words of one text: PostgreSQL takes a megabyte for all fields."""

CACHED_MAX: Final = 50_000

SPACELESS: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, Japanese and Chinese."""

_WITHOUT_DECOMPOSITION: Final = str.maketrans(
    {"ł": "l", "đ": "d", "ø": "o", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ħ": "h", "ı": "i", "ŧ": "t"}
)
_LETTERS_OF_THEIR_OWN: Final = frozenset("йїў")
"""Letters that their alphabets do not regard as another letter with a diacritic."""


def _marks() -> str:
    """Return the marks that join letters of other scripts into words, as part of a character class.

    As ranges, where possible: a pattern with all the hundreds of them takes milliseconds to compile.
    """
    spans = ((0x0300, 0x2000), (0x20D0, 0x2100), (0xA600, 0xAC00), (0xFE20, 0xFE30))
    points = (point for first, end in spans for point in range(first, end))
    marks = (chr(point) for point in points if unicodedata.category(chr(point)) in ("Mn", "Mc"))
    # In a run of neighbours, each mark is as far from its place in the list as the first one.
    grouped = groupby(enumerate(marks), key=lambda numbered: ord(numbered[1]) - numbered[0])
    runs = ([mark for _, mark in run] for _, run in grouped)
    return "".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else run[0] for run in runs)


WORD_CHARS: Final = rf"\w{_marks()}"
"""The characters of words, for a character class."""

_SPACED_WORD: Final = re.compile(rf"[{WORD_CHARS}]{{1,{WORD_CHARS_MAX}}}|\n")
_ANY_WORD: Final = re.compile(rf"[{SPACELESS}]|(?:(?![{SPACELESS}])[{WORD_CHARS}]){{1,{WORD_CHARS_MAX}}}|\n")
_HAS_SPACELESS: Final = re.compile(f"[{SPACELESS}]")
_DIACRITICS: Final = re.compile("[\u0300-\u036f]+")


class Analysis(NamedTuple):
    """The words of a text, in order, separated by blanks."""

    folded: str
    exact: str


class FoundWord(NamedTuple):
    """A word and its place in a text."""

    start: int
    end: int
    folded: str
    exact: str


class _Folded(dict[str, str]):
    """A cache of the folded form of each spelling, because words are repeated."""

    def __missing__(self, spelling: str) -> str:
        if len(self) >= CACHED_MAX:
            self.clear()
        self[spelling] = folded = fold(spelling)
        return folded


_folded: Final = _Folded()


def analyse(text: str) -> Analysis:
    """Return the words of a text, whose lines are paragraphs."""
    exact = spelt_words(text)
    return Analysis(separated(map(_folded.__getitem__, exact)), separated(exact))


def spelt_words(text: str) -> list[str]:
    """Return the words of a text in lower case, with line breaks between paragraphs."""
    return _spellings(text.lower())


def separated(words: Iterable[str]) -> str:
    """Return words with blanks between them, and `BREAK` between paragraphs."""
    return " ".join(words).replace("\n", BREAK)


def folded_words(text: str) -> list[str]:
    """Return the words of a short text, folded."""
    return [_folded[spelling] for spelling in exact_words(text)]


def exact_words(text: str) -> list[str]:
    """Return the words of a short text in lower case."""
    spelt = unicodedata.normalize("NFC", text).lower()
    return [spelling for spelling in _spellings(spelt) if spelling != "\n"]


def found_words(text: str) -> Iterator[FoundWord]:
    """Yield the words of a text with their places."""
    for match in _pattern(text).finditer(text, 0, CHARS_MAX):
        exact = match[0].lower()
        yield FoundWord(match.start(), match.end(), _folded[exact], exact)


def _pattern(text: str) -> re.Pattern[str]:
    return _ANY_WORD if not text.isascii() and _HAS_SPACELESS.search(text) else _SPACED_WORD


def _spellings(text: str) -> list[str]:
    spellings = _pattern(text).findall(text, 0, CHARS_MAX)
    return _sparing(spellings) if len(text) > SPARING_CHARS else spellings


def _sparing(spellings: list[str]) -> list[str]:
    """Return the words up to the place where different ones take too much space."""
    met: set[str] = set()
    size = 0
    for place, spelling in enumerate(spellings):
        if spelling not in met:
            met.add(spelling)
            size += len(spelling.encode("utf-8", "replace"))
            if size > DIFFERENT_BYTES_MAX:
                return spellings[:place]
    return spellings


def fold(spelling: str) -> str:
    """Return a word without capitals and diacritics."""
    small = unicodedata.normalize("NFC", spelling).casefold()
    if small.isascii():
        return small
    return "".join(map(_fold_character, small)) or small


@lru_cache(maxsize=4096)
def _fold_character(character: str) -> str:
    if character.isascii() or character in _LETTERS_OF_THEIR_OWN:
        return character
    plain = _DIACRITICS.sub("", unicodedata.normalize("NFKD", character))
    return "".join(plain.casefold().translate(_WITHOUT_DECOMPOSITION).split())
