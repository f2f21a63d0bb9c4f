"""How are the lines of a paragraph joined again, and which of them begin a list entry?

A number or a dash at the beginning of a line may mark a list entry, or it may just continue the sentence:
`28. října`, `s. 15`, `– jak se říká –`. The line before decides.
"""

import re
from collections.abc import Iterable

__all__ = ["FULL_STOPS", "Entries", "join_lines"]

HYPHENS = "-\u2010\u00ad\ufffe\x02"
"""Hyphens at the end of a line; the last two are PDFium's form of one that it takes for soft."""

SOFT_HYPHENS = "\u00ad\ufffe\x02"
FULL_STOPS = (".", "!", "?", ":", "…", ".“", ".”", ".»", '."', "!“", "?“")
MARK = re.compile(
    r"[•▪◦‣●■*·]|[-+](?=\s)|(?P<dash>[–—])"
    r"|(?P<open>\(?)(?:(?P<number>\d{1,3})|(?P<letter>[a-z]))(?P<close>[.)])(?=\s)\s*+(?P<next>.?)"
)


class Entries:
    """Tells line by line which ones begin a list entry.

    A bullet always does. A dash, number or letter does if the line before ends a sentence or is not full,
    or if it continues the list; a number before a lower-case letter or another number never does after a
    full line, unless that ends with a colon or the number is the next in its list.
    """

    def __init__(self) -> None:
        self.is_entry = False  # whether the last line began an entry
        self._last: dict[str, int] = {}  # number of the last entry, by the style of its list

    def begins(self, line: str, before: str, *, is_full: bool) -> bool:
        """Return whether a line begins an entry; `before`: the line before, empty after a paragraph."""
        found = MARK.match(line)
        if found is None and not before:
            self._last.clear()
        self.is_entry = found is not None and self._is_mark(found, before, is_full=is_full)
        return self.is_entry

    def _is_mark(self, found: re.Match[str], before: str, *, is_full: bool) -> bool:
        style, place = _place(found)
        is_next = style in self._last and place - self._last[style] in (0, 1)
        following = found["next"] or ""
        is_going_on = following.islower() or following.isdigit()
        is_announced = before.endswith(":" if is_going_on else FULL_STOPS)
        if before and style and is_full and not is_next and not is_announced:
            return False
        self._last[style] = place
        return True


def _place(found: re.Match[str]) -> tuple[str, int]:
    """Return the style of a mark and its number in the list; an empty style for an unambiguous mark."""
    if found["dash"]:
        return found["dash"], 0
    if found["close"] is None:
        return "", 0
    if found["number"]:
        return f"{found['open']}1{found['close']}", int(found["number"])
    return f"{found['open']}a{found['close']}", ord(found["letter"])


def join_lines(lines: Iterable[str]) -> str:
    """Return lines joined to one text, with hyphenated words put together again."""
    pieces: list[str] = []
    for line in filter(None, lines):
        if pieces:
            pieces[-1] = _leading_to(line, pieces[-1])
        pieces.append(line)
    return "".join(pieces)


def _leading_to(line: str, before: str) -> str:
    """Return the line before with the separator between it and this one."""
    if before[-1] not in HYPHENS or not before[-2:-1].isalpha():
        return f"{before} "
    if line[0].islower():
        return before[:-1]
    return f"{before[:-1]}-" if before[-1] in SOFT_HYPHENS else before
