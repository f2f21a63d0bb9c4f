"""How long is a text, whatever script it is written in?

Thresholds are meant in characters of an alphabet that parts its words by spaces: fifty of them are some eight
words. A Chinese character or a kana says as much as two or three letters, and neither these scripts nor Thai,
Lao, Khmer, Burmese and Tibetan part their words. Whoever counts characters or words counts by this module.

Everything is counted in UTF-8, by the first bytes of characters: a pass in C, and none at all for ASCII.
"""

from collections.abc import Sequence
from typing import Final

__all__ = [
    "DENSE_FROM",
    "IDEOGRAPH_LENGTH",
    "IDEOGRAPH_WORDS",
    "UNSPACED_WORDS",
    "count_ideographs",
    "count_unspaced",
    "is_shorter",
    "length_of",
    "lengths_of",
    "may_be_dense",
]

IDEOGRAPH_LENGTH: Final = 2.5
"""Letters for which a Chinese character or a kana stands."""

IDEOGRAPH_WORDS: Final = 0.5
"""Most words of Chinese and Japanese have two characters."""

UNSPACED_WORDS: Final = 0.2
"""Words of alphabets without spaces have about five letters, as others do."""

_IDEOGRAPHIC_LEADS: Final = bytes(range(0xE3, 0xEA))
"""U+3000 to U+9FFF: kana, Chinese characters (but for rare ones), and some punctuation that is as wide."""

_UNSPACED_LEADS: Final = (
    b"\xe0\xb8", b"\xe0\xb9",  # Thai
    b"\xe0\xba", b"\xe0\xbb",  # Lao
    b"\xe0\xbc", b"\xe0\xbd", b"\xe0\xbe", b"\xe0\xbf",  # Tibetan
    b"\xe1\x80", b"\xe1\x81", b"\xe1\x82",  # Burmese
    b"\xe1\x9e", b"\xe1\x9f",  # Khmer
)  # fmt: skip

DENSE_FROM: Final = "\u0e00"
"""Before this character stands nothing that is counted here."""


def may_be_dense(paragraph: str) -> bool:
    """Tell whether a paragraph, which is not empty, could be in such a script: a look at three characters."""
    if paragraph.isascii():  # which a text knows of itself
        return False
    middle = paragraph[len(paragraph) >> 1]
    return middle >= DENSE_FROM or paragraph[-1] >= DENSE_FROM or paragraph[0] >= DENSE_FROM


def count_ideographs(utf8: bytes) -> int:
    """Count Chinese characters and kana, with their punctuation."""
    return len(utf8) - len(utf8.translate(None, _IDEOGRAPHIC_LEADS))


def count_unspaced(utf8: bytes) -> int:
    """Count letters of alphabets whose words are not parted by spaces."""
    if b"\xe0" not in utf8 and b"\xe1" not in utf8:
        return 0
    return sum(map(utf8.count, _UNSPACED_LEADS))


def length_of(text: str) -> int:
    """Return the length of a text in letters."""
    if text.isascii():
        return len(text)
    ideographs = count_ideographs(text.encode("utf-8", "surrogatepass"))
    return len(text) + round(ideographs * (IDEOGRAPH_LENGTH - 1)) if ideographs else len(text)


def lengths_of(paragraphs: Sequence[str]) -> list[int]:
    """Return the length of each paragraph in letters."""
    # One pass over all tells whether any has to be looked at.
    joined = "".join(paragraphs)
    if length_of(joined) == len(joined):
        return list(map(len, paragraphs))
    return list(map(length_of, paragraphs))


def is_shorter(paragraphs: Sequence[str], chars_min: int) -> bool:
    """Tell whether a text is shorter than this number of letters."""
    return sum(map(len, paragraphs)) < chars_min and length_of("".join(paragraphs)) < chars_min
