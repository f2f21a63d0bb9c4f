"""What are the paragraphs of a plain text file?

A file is either *wrapped*, with lines broken at some width and paragraphs ended by
empty or short lines, or it has one paragraph per line.
"""

from collections.abc import Iterator

from tiptoe.convert.line_joining import Entries, join_lines
from tiptoe.convert.reading import Reason, TextDocument, Unreadable, document
from tiptoe.parse.charset import decode

__all__ = ["read_plain"]

WRAP_CHARS_MAX = 100
WRAP_CHARS_MIN = 40
SHORT_SHARE = 0.6
"""Minimum length of a line within a paragraph, as a share of the width; below it the paragraph ends."""

FULL_SHARE = 0.8
"""Minimum length of a line, as a share of the width, that may have had no room for the next word."""


def read_plain(data: bytes, charset: str) -> TextDocument:
    """Read a text; `charset` is the one that its server declares."""
    decoded = decode(data, charset or None, is_html=False)
    if decoded.is_garbled:
        raise Unreadable(Reason.BROKEN)
    lines = [line.rstrip() for line in decoded.text.expandtabs().splitlines()]
    return document(_paragraphs(lines), charset=decoded.charset)


def _paragraphs(lines: list[str]) -> Iterator[str]:
    width = _width(lines)
    if not width:
        yield from lines
        return
    entries = Entries()
    kept: list[str] = []
    indent = 0
    for line in lines:
        own = line.strip()
        before, indent = indent, len(line) - len(own)
        # An indented line begins a paragraph.
        if kept and (not own or indent > before):
            yield join_lines(kept)
            kept = []
        is_full = bool(kept) and before + len(kept[-1]) >= FULL_SHARE * width
        if own and entries.begins(own, kept[-1] if kept else "", is_full=is_full) and kept:
            yield join_lines(kept)
            kept = []
        kept += [own] if own else []
        if own and len(line) < SHORT_SHARE * width:
            yield join_lines(kept)
            kept = []
    yield join_lines(kept)


def _width(lines: list[str]) -> int:
    """Return the width at which lines are broken; 0 if each line is a paragraph."""
    lengths = sorted(len(line) for line in lines if line)
    if len(lengths) < 2 or lengths[-1] > 2 * WRAP_CHARS_MAX:
        return 0
    width = lengths[len(lengths) * 9 // 10]
    return width if WRAP_CHARS_MIN <= width <= WRAP_CHARS_MAX else 0
