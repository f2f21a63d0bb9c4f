"""What kinds of characters does each paragraph consist of?

All paragraphs of a page are counted at once, as one array of code points. No
dictionary, stop words or capitals are used: what is counted exists in every language
and script. In scripts without spaces, the number of words is estimated from that of
the characters (`density.py`).
"""

import unicodedata
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from tiptoe.text.density import IDEOGRAPH_WORDS, UNSPACED_WORDS
from tiptoe.text.punctuation import OTHER_ENDS, OTHER_PAUSES

__all__ = ["KINDS", "Characters", "Floats", "count_characters"]

Floats: TypeAlias = npt.NDArray[np.float64]

_SPACE, _DIGIT, _LETTER, _STOP, _COMMA, _MONEY, _OTHER, _IDEOGRAPH, _UNSPACED = range(9)
_KINDS_COUNT: Final = 9
_BEYOND: Final = 0x3000
"""Characters from here on are letters, with the exceptions below."""

_UNSPACED_BLOCKS: Final = (range(0x0E00, 0x1000), range(0x1000, 0x10A0), range(0x1780, 0x1800))
"""Thai, Lao and Tibetan, Burmese, Khmer."""

_IDEOGRAPHIC_BLOCKS: Final = (
    range(0x3000, 0xA000),
    range(0xF900, 0xFB00),
    range(0xFE30, 0xFE50),
    range(0xFF00, 0xFFA0),
)
"""Kana, Chinese characters, and marks, digits and letters of the same width."""


def _kind(char: str) -> int:
    category = unicodedata.category(char)
    if char.isspace():
        return _SPACE
    if char in ".!?…":
        return _STOP
    if char in ",;:":
        return _COMMA
    kinds = {"Nd": _DIGIT, "Sc": _MONEY}
    return kinds.get(category, _LETTER if category[0] in "LM" else _OTHER)


KINDS: Final = np.full(0x10000, _LETTER, dtype=np.uint8)
"""The kind of each character of 16 bits."""

KINDS[:_BEYOND] = [_kind(chr(code)) for code in range(_BEYOND)]


def _enter_unspaced() -> None:
    """Enter the scripts without spaces between words, and the marks of non-Latin scripts."""
    for blocks, own in ((_UNSPACED_BLOCKS, _UNSPACED), (_IDEOGRAPHIC_BLOCKS, _IDEOGRAPH)):
        for block in blocks:
            KINDS[block] = [own if (kind := _kind(chr(code))) == _LETTER else kind for code in block]
    KINDS[list(map(ord, OTHER_ENDS))] = _STOP
    KINDS[list(map(ord, OTHER_PAUSES))] = _COMMA


_enter_unspaced()


@dataclass(frozen=True, slots=True)
class Characters:
    """Counts for each paragraph, in order."""

    chars: Floats
    words: Floats
    digits: Floats
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
    # Each character is counted under the number of its paragraph and kind. The space after a paragraph counts
    # as part of it, which does not matter: spaces are not used.
    bins = np.repeat(np.arange(count) * _KINDS_COUNT, chars + 1)[:-1] + kinds
    characters = _count(bins, count)
    beginnings = _count(bins[begins], count)
    words = beginnings.sum(axis=0)
    ideographs, unspaced = characters[_IDEOGRAPH], characters[_UNSPACED]
    if ideographs.any() or unspaced.any():
        counted = IDEOGRAPH_WORDS * ideographs + UNSPACED_WORDS * unspaced
        words += np.ceil(counted) - beginnings[_IDEOGRAPH] - beginnings[_UNSPACED]
    return Characters(
        chars=chars.astype(np.float64),
        words=words,
        digits=characters[_DIGIT],
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
        return KINDS[np.frombuffer(text.encode("ascii"), dtype=np.uint8)]
    short = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype=np.uint16)
    if len(short) == len(text):
        return KINDS[short]
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    # Characters beyond 16 bits count as letters, like surrogates.
    return KINDS[np.where(codes > 0xFFFF, 0xD800, codes)]
