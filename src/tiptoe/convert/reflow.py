"""Which lines of printed pages make a paragraph?

Pure geometry: lines with their boxes in, paragraphs out. A paragraph ends
where the gap to the next line is wider than usual, where the type size changes, where
a line is indented, or where the next word would still have fitted. It does not end at
the foot of a column or page if its sentence continues.
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from tiptoe.convert.line_joining import FULL_STOPS, Entries, join_lines

__all__ = ["Line", "reflow"]

GAP_FACTOR = 1.35
SIZE_CHANGE = 0.12
INDENT_EMS = 0.8
LEADING_EMS = 1.15
"""Minimum line spacing in type sizes; a type size may be given in other units than those of the page."""

NEARBY_LINES = 4
EDGE_LINES = 2
PAGE_LINES_MIN = 6
"""Minimum number of lines on a page whose edges are examined: slides consist of little else, and what they
repeat may be text."""

REPEATS_MIN, REPEATS_SHARE = 3, 0.1  # a running head may appear in one chapter only
DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Line:
    """One printed line: its text, its position in points from the bottom of the page, its type size."""

    text: str
    left: float
    right: float
    bottom: float
    size: float


def reflow(pages: list[list[Line]]) -> Iterator[str]:
    """Yield the paragraphs of a document, without lines that are repeated on its pages."""
    repeated = _repeated(pages)
    entries = Entries()
    kept: list[str] = []
    before: Line | None = None
    for page in pages:
        lines = [line for place, line in enumerate(page) if _key(page, place) not in repeated]
        for column in _columns(lines):
            is_end = _is_apart(before, column[0], entries)
            for line, is_end_after in zip(column, [*_ends(column, entries), False], strict=True):
                if is_end:
                    yield join_lines(kept)
                    kept = []
                kept.append(line.text)
                is_end = is_end_after
            before = column[-1]
    if kept:
        yield join_lines(kept)


def _columns(lines: list[Line]) -> list[list[Line]]:
    """Split a page where a line is higher than the one before it."""
    columns: list[list[Line]] = []
    for line in lines:
        if not columns or line.bottom > columns[-1][-1].bottom + 0.5 * line.size:
            columns.append([])
        columns[-1].append(line)
    return columns


def _is_apart(before: Line | None, line: Line, entries: Entries) -> bool:
    """Return whether a paragraph ends at the foot of a column or page."""
    if before is None:
        entries.begins(line.text, "", is_full=False)
        return False
    if entries.begins(line.text, before.text, is_full=True) or _is_other(before, line):
        return True
    return before.text.endswith(FULL_STOPS) or not line.text[:1].islower()


def _is_other(before: Line, line: Line) -> bool:
    """Return whether the type size of a line differs from that of the line before."""
    return abs(line.size - before.size) > SIZE_CHANGE * max(before.size, 1.0)


def _ends(lines: list[Line], entries: Entries) -> list[bool]:
    """Return for each line but the last of a column whether a paragraph ends with it."""
    leading = _leading(lines)
    edge = _edge(lines)
    ends = []
    was_entry = entries.is_entry
    for place, (before, line) in enumerate(itertools.pairwise(lines)):
        em = max(min(before.size, leading / LEADING_EMS), 1.0)
        step = before.bottom - line.bottom
        is_beside = step < 0.3 * em or line.right < before.left or line.left > before.right  # as cells are
        if is_beside or _is_other(before, line) or step > GAP_FACTOR * leading:
            was_entry = entries.begins(line.text, "", is_full=False)
            ends.append(True)
            continue
        # The text after the mark of an entry is indented.
        is_set_in = line.left - before.left > INDENT_EMS * em and not was_entry
        is_full = not is_set_in and not _has_room(before, line, edge)
        was_entry = entries.begins(line.text, before.text, is_full=is_full)
        is_going_on = line.text[:1].islower() and not before.text.endswith(FULL_STOPS)
        # Beside a picture many lines are short although sentences continue.
        near = _edge(lines[max(place - NEARBY_LINES, 0) : place + NEARBY_LINES + 2]) if is_going_on else edge
        ends.append(was_entry or is_set_in or _has_room(before, line, near))
    return ends


def _has_room(before: Line, line: Line, edge: float) -> bool:
    """Return whether the next word would have fitted: then the line was ended on purpose."""
    char_width = (before.right - before.left) / max(len(before.text), 1)
    word = line.text.partition(" ")[0]
    return before.right + (len(word) + 2) * char_width < edge


def _leading(lines: list[Line]) -> float:
    """Return the usual distance between two lines."""
    steps = [
        step
        for one, two in itertools.pairwise(lines)
        if 0.3 * one.size < (step := one.bottom - two.bottom) < 3 * max(one.size, 1.0)
    ]
    return median(steps) if steps else 1e9


def _edge(lines: list[Line]) -> float:
    """Return how far full lines reach."""
    edges = sorted(line.right for line in lines)
    return edges[len(edges) * 3 // 4]


def _key(page: list[Line], place: int) -> str:
    """Return a line at the edge of its page with its numbers replaced; empty for other lines."""
    if EDGE_LINES <= place < len(page) - EDGE_LINES:
        return ""
    return DIGITS.sub("#", page[place].text)


def _repeated(pages: list[list[Line]]) -> set[str]:
    """Return the lines that are at the edge of many pages: running heads, page numbers."""
    filled = [page for page in pages if len(page) >= PAGE_LINES_MIN]
    seen = Counter(key for page in filled for key in {_key(page, place) for place in range(len(page))})
    least = max(REPEATS_MIN, REPEATS_SHARE * len(pages))
    return {key for key, count in seen.items() if key and count >= least}
