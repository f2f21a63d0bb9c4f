"""How is a folded word spelt?

An index that stores words only as they are spelt finds a folded one by a pattern: any of its spellings,
letter by letter. This covers the characters of `plain_text`. In paragraphs with others, every word is stored
with its folded form; of the rest some words are, so that usual spellings are known and can be weighted.
"""

import functools
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from tiptoe.catalog.plain_text import PLAIN
from tiptoe.catalog.words import WORD_CHARS, fold

__all__ = ["NewSpellings", "prefix_pattern", "spelling_pair", "spelling_pattern"]

PAIR_SIGN: Final = "="
"""Separates the two forms of a word; it is in no word."""

KNOWN_MAX: Final = 100_000
OVERLAP_MAX: Final = 6
"""Maximum run of letters of which any two may be written as one; for longer ones not all ways are tried."""


def spelling_pair(folded: str, exact: str = "") -> str:
    """Return both forms of a word as one term; without the second, the prefix of such pairs."""
    return f"{folded}{PAIR_SIGN}{exact}"


class NewSpellings:
    """Gathers new spellings in bounded memory, so that some may be gathered again."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._pairs: list[str] = []

    def learn(self, words: Iterable[str]) -> None:
        """Take in words as they are spelt."""
        new = set(words) - self._known
        if len(self._known) + len(new) > KNOWN_MAX:
            self._known.clear()
        self._known |= new
        self._pairs += [spelling_pair(folded, exact) for exact in new if (folded := fold(exact)) != exact]

    def take(self) -> list[str]:
        """Return the pairs that are new since the last call."""
        pairs, self._pairs = self._pairs, []
        return pairs


@functools.cache
def _letters() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return the letters that fold to each letter, and those that fold to each pair."""
    single: dict[str, str] = defaultdict(str)
    double: dict[str, str] = defaultdict(str)
    is_word = re.compile(f"[{WORD_CHARS}]").match
    for letter in (chr(point) for first, last in PLAIN for point in range(first, last + 1)):
        if is_word(letter) and letter == letter.lower() and (folded := fold(letter)) != letter:
            (single if len(folded) == 1 else double)[folded] += letter
    return single, double


def spelling_pattern(folded: str) -> str:
    """Return a pattern for all spellings of a folded word, in the syntax of the embedded index."""
    parts = []
    place = 0
    while place < len(folded):
        end = place + 1
        while folded[end - 1 : end + 1] in _letters()[1]:
            end += 1
        run = folded[place:end]
        ways = _ways(run) if len(run) <= OVERLAP_MAX else ["".join(map(_letter_class, run))]
        parts.append(ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})")
        place = end
    return "".join(parts)


def prefix_pattern(folded: str) -> str:
    """Return a pattern for all spellings of words whose folded forms have this prefix."""
    whole = spelling_pattern(folded)
    # The last letter may be the first of two that are written as one.
    halves = "".join(letters for pair, letters in _letters()[1].items() if pair[0] == folded[-1])
    return f"(?:{whole}|{spelling_pattern(folded[:-1])}[{halves}]).*" if halves else f"{whole}.*"


def _ways(run: str) -> list[str]:
    """Return all ways to write letters of which some may be written as one."""
    if not run:
        return [""]
    ways = [_letter_class(run[0]) + rest for rest in _ways(run[1:])]
    if joint := _letters()[1].get(run[:2]):
        ways += [f"[{joint}]{rest}" for rest in _ways(run[2:])]
    return ways


def _letter_class(letter: str) -> str:
    others = _letters()[0].get(letter)
    return f"[{letter}{others}]" if others else re.escape(letter)
