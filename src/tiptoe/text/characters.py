"""What kinds of characters is each paragraph made of?

All paragraphs of a page are counted at once, as one array of code points. No
dictionary and no stop words: what is counted exists in every language that
writes words apart.
"""

import unicodedata
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Characters", "Floats", "count_characters"]

Floats: TypeAlias = npt.NDArray[np.float64]

_SPACE, _DIGIT, _UPPER, _LETTER, _STOP, _COMMA, _MONEY, _OTHER = range(8)
_KINDS_COUNT: Final = 8
_BEYOND: Final = 0x3000
"""From here on everything counts as a letter: there are hardly any other scripts with capitals."""


def _kind(char: str) -> int:
    category = unicodedata.category(char)
    if char.isspace():
        return _SPACE
    if char in ".!?…":
        return _STOP
    if char in ",;:":
        return _COMMA
    kinds = {"Nd": _DIGIT, "Lu": _UPPER, "Lt": _UPPER, "Sc": _MONEY}
    return kinds.get(category, _LETTER if category[0] in "LM" else _OTHER)


_KINDS: Final = np.full(0x10000, _LETTER, dtype=np.uint8)
_KINDS[:_BEYOND] = [_kind(chr(code)) for code in range(_BEYOND)]


@dataclass(frozen=True, slots=True)
class Characters:
    """Counts for each paragraph, in order."""

    chars: Floats
    words: Floats
    lower_words: Floats  # that begin with a small letter (or one that has no capital)
    digits: Floats
    upper: Floats
    stops: Floats  # characters that end sentences
    commas: Floats
    money: Floats  # signs of currencies


def count_characters(paragraphs: list[str]) -> Characters:
    """Count the characters of paragraphs, none of which is empty."""
    count = len(paragraphs)
    chars = np.fromiter(map(len, paragraphs), np.int64, count)
    kinds = _kinds_of(" ".join(paragraphs))
    is_space = kinds == _SPACE
    begins = np.flatnonzero(is_space[:-1] > is_space[1:]) + 1
    begins = np.append(begins, 0)  # a paragraph never begins with a space
    # Each character gets the number of its paragraph and kind, to be counted by. The space after a paragraph
    # counts as part of it: spaces are not asked for.
    bins = np.repeat(np.arange(count) * _KINDS_COUNT, chars + 1)[:-1] + kinds
    characters = _count(bins, count)
    beginnings = _count(bins[begins], count)
    return Characters(
        chars=chars.astype(np.float64),
        words=beginnings.sum(axis=0),
        lower_words=beginnings[_LETTER],
        digits=characters[_DIGIT],
        upper=characters[_UPPER],
        stops=characters[_STOP],
        commas=characters[_COMMA],
        money=characters[_MONEY],
    )


def _count(bins: npt.NDArray[np.int64], paragraphs: int) -> Floats:
    """Return a row for each kind, a column for each paragraph."""
    counts = np.bincount(bins, minlength=_KINDS_COUNT * paragraphs)
    return counts.reshape(paragraphs, _KINDS_COUNT).T.astype(np.float64, order="C")


def _kinds_of(text: str) -> npt.NDArray[np.uint8]:
    """Return the kind of each character."""
    if text.isascii():
        return _KINDS[np.frombuffer(text.encode("ascii"), dtype=np.uint8)]
    short = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype=np.uint16)
    if len(short) == len(text):
        return _KINDS[short]
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    return _KINDS[np.minimum(codes, _BEYOND)]
