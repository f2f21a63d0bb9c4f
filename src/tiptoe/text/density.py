"""How long is a text, whatever script it is written in?

Thresholds are given in characters of an alphabet with spaces between words: fifty of them are about eight
words. A Chinese character or a kana says as much as two or three letters, and neither these scripts nor Thai,
Lao, Khmer, Burmese and Tibetan separate words. All counts of characters or words should use this module.

Everything is counted in UTF-8, by the first bytes of characters: one pass in C, and none at all for ASCII.
"""

from collections.abc import Sequence
from typing import Final

try:
    from tiptoe.text.compiled_density import length_of as _length_of
    from tiptoe.text.compiled_density import lengths_of as _lengths_of
except ImportError:  # see setup.py
    IS_COMPILED = False
else:
    IS_COMPILED = True

__all__ = [
    "DENSE_FROM",
    "IDEOGRAPH_LENGTH",
    "IDEOGRAPH_WORDS",
    "IS_COMPILED",
    "UNSPACED_WORDS",
    "count_ideographs",
    "count_unspaced",
    "is_shorter",
    "length_of",
    "length_of_uncompiled",
    "lengths_of",
    "lengths_of_uncompiled",
    "may_be_dense",
]

IDEOGRAPH_LENGTH: Final = 2.5
"""Number of letters that a Chinese character or a kana counts as."""

IDEOGRAPH_WORDS: Final = 0.5
"""Words per character: most words of Chinese and Japanese have two characters."""

UNSPACED_WORDS: Final = 0.2
"""Words per letter: words of alphabets without spaces have about five letters, as others do."""

_IDEOGRAPHIC_LEADS: Final = bytes(range(0xE3, 0xEA))
"""U+3000 to U+9FFF: kana, Chinese characters (except rare ones), and some punctuation of the same width."""

_UNSPACED_LEADS: Final = (
    b"\xe0\xb8", b"\xe0\xb9",  # Thai
    b"\xe0\xba", b"\xe0\xbb",  # Lao
    b"\xe0\xbc", b"\xe0\xbd", b"\xe0\xbe", b"\xe0\xbf",  # Tibetan
    b"\xe1\x80", b"\xe1\x81", b"\xe1\x82",  # Burmese
    b"\xe1\x9e", b"\xe1\x9f",  # Khmer
)  # fmt: skip

DENSE_FROM: Final = "\u0e00"
"""No character before this one is counted here."""


def may_be_dense(paragraph: str) -> bool:
    """Tell whether a paragraph, which is not empty, could be in such a script, by three of its characters."""
    if paragraph.isascii():  # a stored property, so this costs nothing
        return False
    middle = paragraph[len(paragraph) >> 1]
    return middle >= DENSE_FROM or paragraph[-1] >= DENSE_FROM or paragraph[0] >= DENSE_FROM


def count_ideographs(utf8: bytes) -> int:
    """Count Chinese characters and kana, with their punctuation."""
    return len(utf8) - len(utf8.translate(None, _IDEOGRAPHIC_LEADS))


def count_unspaced(utf8: bytes) -> int:
    """Count letters of alphabets without spaces between words."""
    if b"\xe0" not in utf8 and b"\xe1" not in utf8:
        return 0
    return sum(map(utf8.count, _UNSPACED_LEADS))


def length_of(text: str) -> int:
    """Return the length of a text in letters."""
    return _length_of(text) if IS_COMPILED else length_of_uncompiled(text)


def lengths_of(paragraphs: Sequence[str]) -> list[int]:
    """Return the length of each paragraph in letters."""
    return _lengths_of(paragraphs) if IS_COMPILED else lengths_of_uncompiled(paragraphs)


def length_of_uncompiled(text: str) -> int:
    """Return the same as `length_of`, without the compiled module."""
    if text.isascii():
        return len(text)
    ideographs = count_ideographs(text.encode("utf-8", "surrogatepass"))
    return len(text) + round(ideographs * (IDEOGRAPH_LENGTH - 1)) if ideographs else len(text)


def lengths_of_uncompiled(paragraphs: Sequence[str]) -> list[int]:
    """Return the same as `lengths_of`, without the compiled module."""
    # One pass over all of them shows whether any needs a closer look.
    joined = "".join(paragraphs)
    if length_of_uncompiled(joined) == len(joined):
        return list(map(len, paragraphs))
    return list(map(length_of_uncompiled, paragraphs))


def is_shorter(paragraphs: Sequence[str], chars_min: int) -> bool:
    """Tell whether a text is shorter than this number of letters."""
    return sum(map(len, paragraphs)) < chars_min and length_of("".join(paragraphs)) < chars_min
