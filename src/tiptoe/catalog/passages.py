"""Where in a text are the words of a search?

Used for snippets and concordances, which are made from the text itself, with the same words as in an index.
White space and control characters are shown as blanks.
"""

import bisect
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final

from tiptoe.catalog.query import HasWords
from tiptoe.catalog.search import ConcordanceLine, Passage
from tiptoe.catalog.word_patterns import needs_comparison, word_pattern
from tiptoe.catalog.words import CHARS_MAX, FoundWord, folded_words, found_words

__all__ = ["Occurrence", "lines_of", "occurrences", "snippet", "sorted_lines"]

Occurrence = tuple[int, int]
"""The places of the first character and of the one after the last."""

SORT_WORDS: Final = 5
LEAD_CHARS: Final = 60
"""Characters of a snippet before the first word found."""

MORE: Final = "…"
"""Marks where a snippet leaves something out."""

_CONTROLS: Final = (
    *range(32),
    *range(127, 160),
    0x2028,
    0x2029,
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
)
_BLANKS: Final = dict.fromkeys(_CONTROLS, " ")
"""Characters that end lines, move cursors or change the text direction."""


def occurrences(text: str, sought: Iterable[HasWords]) -> list[Occurrence]:
    """Return the places of words or phrases in a text, in order and without overlaps."""
    is_simple = not needs_comparison(text)
    words: list[FoundWord] | None = None
    found: set[Occurrence] = set()
    for one in dict.fromkeys(sought):
        pattern = word_pattern(one) if is_simple else None
        if pattern is not None:
            found.update(match.span() for match in pattern.finditer(text, 0, CHARS_MAX))
            continue
        words = list(found_words(text)) if words is None else words
        found.update(_places(words, one))
    kept: list[Occurrence] = []
    for place in sorted(found):
        if not kept or place[0] >= kept[-1][1]:
            kept.append(place)
    return kept


def _places(words: Sequence[FoundWord], pattern: HasWords) -> Iterator[Occurrence]:
    spelt = [word.exact if pattern.is_exact else word.folded for word in words]
    first, *rest = pattern.words
    begins = (lambda word: word.startswith(first)) if pattern.is_prefix and not rest else first.__eq__
    size = len(pattern.words)
    for place, word in enumerate(spelt):
        if begins(word) and (size == 1 or tuple(spelt[place : place + size]) == pattern.words):
            yield words[place].start, words[place + size - 1].end


def snippet(text: str, sought: Iterable[HasWords], chars: int) -> Passage:
    """Return the piece of a text with the most occurrences; its beginning if there are none."""
    found = occurrences(text, sought)
    if not found:
        end = _word_end(text, chars)
        return Passage(_shown(text[:end]).rstrip() + _more(text, end))
    starts = [start for start, _ in found]
    best = max(
        range(len(found)),
        key=lambda place: (bisect.bisect(starts, starts[place] + chars - LEAD_CHARS) - place, -place),
    )
    first = _word_begin(text, max(starts[best] - min(LEAD_CHARS, chars // 3), 0))
    end = _word_end(text, first + chars, found[best][1])
    lead = f"{MORE} " if first else ""
    shift = len(lead) - first
    marks = tuple((start + shift, stop + shift) for start, stop in found if start >= first and stop <= end)
    return Passage(lead + _shown(text[first:end]).rstrip() + _more(text, end), marks)


def _word_begin(text: str, place: int) -> int:
    """Return the beginning of a word at or soon after a place."""
    if place == 0 or not text[place - 1 : place].strip():
        return place
    blank = text.find(" ", place, place + LEAD_CHARS // 2)
    return blank + 1 if blank >= 0 else place


def _word_end(text: str, place: int, least: int = 0) -> int:
    """Return the end of a word at or soon before a place, but not before `least`."""
    if not text[place : place + 1].strip():
        return min(place, len(text))
    blank = text.rfind(" ", max(place - LEAD_CHARS // 2, least), place)
    return blank if blank > 0 else place


def _more(text: str, end: int) -> str:
    return f" {MORE}" if text[end:].strip() else ""


def lines_of(
    text: str, places: Iterable[Occurrence], width: int, *, id: str, url: str, title: str
) -> Iterator[ConcordanceLine]:
    """Yield each occurrence with this many characters of context, within its paragraph."""
    for start, end in places:
        left = text[max(start - width, 0) : start].rpartition("\n")[2]
        right = text[end : end + width].partition("\n")[0]
        yield ConcordanceLine(_shown(left), _shown(text[start:end]), _shown(right), id, url, title)


def sorted_lines(lines: Iterable[ConcordanceLine], sort: str) -> list[ConcordanceLine]:
    """Return lines sorted by the words beside the occurrence: to the right, or to the left."""
    if sort == "none":
        return list(lines)

    def right(line: ConcordanceLine) -> list[str]:
        return folded_words(line.right)[:SORT_WORDS]

    def left(line: ConcordanceLine) -> list[str]:
        return folded_words(line.left)[::-1][:SORT_WORDS]

    first, second = (left, right) if sort == "left" else (right, left)
    keyed = sorted(((first(line), line) for line in lines), key=itemgetter(0))
    ordered: list[ConcordanceLine] = []
    # Few lines have the same words on the first side; only these are compared by those on the other.
    for _, group in groupby(keyed, key=itemgetter(0)):
        alike = [line for _, line in group]
        ordered += sorted(alike, key=second) if len(alike) > 1 else alike
    return ordered


def _shown(text: str) -> str:
    return text if text.isprintable() else text.translate(_BLANKS)
