"""How much do words or groups of letters weigh for each class, and all those of a text together?

The weights of all classes are fields of one integer, so that summing the words of a text sums all classes at
once, at the speed of C.
"""

from itertools import repeat
from typing import TypeAlias

try:
    from tiptoe.text.compiled_weights import Weights
except ImportError:  # see setup.py
    IS_COMPILED = False
else:
    IS_COMPILED = True

__all__ = [
    "IS_COMPILED",
    "KeyGroups",
    "SomeWeights",
    "UncompiledWeights",
    "grams_of",
    "make_weights",
    "short_grams_of",
]

KeyGroups: TypeAlias = list[tuple[bytes, str]]
"""Weights, with 16 bits for each class, and the keys that have them, separated by spaces."""


class UncompiledWeights:
    """The weights of keys, a field for each class."""

    def __init__(self, groups: KeyGroups) -> None:
        self._table: dict[str, int] = {}
        for fields, keys in groups:
            self._table.update(dict.fromkeys(keys.split(" "), int.from_bytes(fields, "little")))

    def __contains__(self, key: str) -> bool:
        return key in self._table

    def total(self, keys: list[str]) -> int:
        """Return the sum of the weights of keys, as one integer; unknown ones weigh nothing."""
        return sum(map(self._table.get, keys, repeat(0)))

    def total_of_grams(self, words: list[str]) -> int:
        """Return the same for the groups of three and four letters of words."""
        return self.total([gram for word in words for gram in grams_of(word)])


SomeWeights: TypeAlias = "Weights | UncompiledWeights"


def make_weights(groups: KeyGroups, classes: int) -> SomeWeights:
    """Return the weights of keys for this number of classes."""
    return Weights(groups, classes) if IS_COMPILED else UncompiledWeights(groups)


def grams_of(word: str) -> list[str]:
    """Return the groups of three and four letters of a word, including its edges."""
    # Groups of four distinguish similar languages; only those that do are in a lexicon.
    ended = f"{word}$"
    return short_grams_of(word) + [ended[start : start + 4] for start in range(len(word) - 2)]


def short_grams_of(word: str) -> list[str]:
    """Return the groups of three letters of a word."""
    edged = f"^{word}$"
    return [edged[start : start + 3] for start in range(len(word))]
