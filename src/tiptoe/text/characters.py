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

_KINDS_COUNT: Final = 8
_SPACE, _DIGIT, _UPPER, _LETTER, _STOP, _COMMA, _MONEY, _OTHER = range(_KINDS_COUNT)
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


_KINDS: Final = np.array([*(_kind(chr(code)) for code in range(_BEYOND)), _LETTER], dtype=np.uint8)


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
    chars = np.array([len(paragraph) for paragraph in paragraphs])
    joined = " ".join(paragraphs)
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    kinds = _KINDS[np.minimum(codes, _BEYOND)]
    count = len(paragraphs)
    # The space after a paragraph counts as part of it: spaces are not asked for.
    owner = np.repeat(np.arange(count), chars + 1)[:-1]
    counts = np.bincount(owner * _KINDS_COUNT + kinds, minlength=count * _KINDS_COUNT)
    of_kind = counts.reshape(count, _KINDS_COUNT).T.astype(np.float64)
    begins = np.flatnonzero(kinds[1:] != _SPACE) + 1
    begins = np.append(begins[kinds[begins - 1] == _SPACE], 0)
    return Characters(
        chars=chars.astype(np.float64),
        words=np.bincount(owner[begins], minlength=count).astype(np.float64),
        lower_words=np.bincount(owner[begins[kinds[begins] == _LETTER]], minlength=count).astype(np.float64),
        digits=of_kind[_DIGIT],
        upper=of_kind[_UPPER],
        stops=of_kind[_STOP],
        commas=of_kind[_COMMA],
        money=of_kind[_MONEY],
    )
