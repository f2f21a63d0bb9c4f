"""Which paragraphs does a marked text contain?

The parser puts marks into the text where a block begins or ends; here the text is
cut at the marks and cleaned, and lines broken in the middle of a sentence are joined
(`line_breaks.py`). Marks are control characters. A page can write them too, but only
makes a paragraph end early: marks never decide what is text, only where it is cut.
"""

import re
from typing import Final

from tiptoe.text.line_breaks import join

try:
    from tiptoe.text.compiled_paragraphs import collapse, cut_at_marks
except ImportError:  # see setup.py
    IS_COMPILED = False
else:
    IS_COMPILED = True

__all__ = [
    "IS_COMPILED",
    "LINE",
    "LINES_MAX",
    "MARK",
    "PIECES_MAX",
    "VERBATIM_BEGIN",
    "VERBATIM_END",
    "clean",
    "clean_uncompiled",
    "cut_by_pieces",
    "join_lines",
    "split_paragraphs",
]

MARK: Final = "\x1e"
LINE: Final = "\x1d"
"""Marks the end of a line, which may be in the middle of a sentence."""

VERBATIM_BEGIN: Final = "\x1e\x0e"
VERBATIM_END: Final = "\x0f\x1e"

PIECES_MAX: Final = 250_000
"""Maximum number of pieces into which a text is cut at a time: each is an object, and a page may consist of
marks alone."""

LINES_MAX: Final = 50_000
"""Maximum number of line breaks; a text with more is taken for a list, and each line for an entry."""

_VERBATIM = re.compile("\x0e[^\x0e\x0f]*")

_INVISIBLE = re.compile(
    "["
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"  # control characters, except white space, which never gets here
    "\u00ad\u200b\u2060\ufeff"  # places where a line may or may not break
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # direction of writing
    "\u206a-\u206f\ufff9-\ufffc\ufffe\uffff"  # annotation and object anchors, non-characters
    "\U000e0000-\U000e007f"  # tag characters, which are invisible
    "]"
)
"""Removed everywhere. U+200C and U+200D stay: they are part of words in Persian and Hindi."""


def clean(text: str) -> str:
    """Collapse white space (including no-break and other odd spaces), remove invisible characters."""
    found = collapse(text) if IS_COMPILED else None
    return clean_uncompiled(text) if found is None else found


def clean_uncompiled(text: str) -> str:
    """Return the same as `clean`, without the compiled module."""
    text = " ".join(text.split())
    # isprintable() is a cheap check that there are none.
    if text.isprintable():
        return text
    return " ".join(_INVISIBLE.sub("", text).split())


def split_paragraphs(marked: str, count_max: int) -> list[str]:
    """Cut a text at its marks; return the first non-empty paragraphs, up to a maximum."""
    if "\x0e" in marked:
        marked = _VERBATIM.sub(_break_lines, marked)
    if LINE in marked and marked.count(LINE) > LINES_MAX:
        marked = marked.replace(LINE, MARK)
    if IS_COMPILED:
        return cut_at_marks(marked, count_max, clean_uncompiled, join_lines)
    return cut_by_pieces(marked, count_max)


def cut_by_pieces(marked: str, count_max: int) -> list[str]:
    """Cut a text without the compiled module."""
    has_lines = LINE in marked
    paragraphs: list[str] = []
    pieces = marked.split(MARK, PIECES_MAX)
    while len(pieces) > PIECES_MAX and len(paragraphs) < count_max:
        rest = pieces.pop()
        paragraphs += _cleaned(pieces, has_lines)
        pieces = rest.split(MARK, PIECES_MAX)
    if len(paragraphs) < count_max:
        paragraphs += _cleaned(pieces, has_lines)
    return paragraphs[:count_max]


def _cleaned(pieces: list[str], has_lines: bool) -> list[str]:
    """Return the paragraphs that are left of the pieces of a text."""
    paragraphs = []
    for piece in pieces:
        piece = piece.strip()
        if not piece:
            continue
        # Most are already clean. (A line break is not printable.)
        if "  " not in piece and piece.isprintable():
            paragraphs.append(piece)
        elif has_lines and LINE in piece:
            paragraphs += join_lines(piece)
        elif piece := clean(piece):
            paragraphs.append(piece)
    return paragraphs


def join_lines(piece: str) -> list[str]:
    """Return the paragraphs of a piece with line breaks in it; an empty line ends one."""
    paragraphs: list[str] = []
    lines: list[str] = []
    for line in [*piece.split(LINE), ""]:
        line = line.strip()
        if line and ("  " in line or not line.isprintable()):
            line = clean(line)
        if line:
            lines.append(line)
        elif lines:
            paragraphs += join(lines)
            lines.clear()
    return paragraphs


def _break_lines(verbatim: re.Match[str]) -> str:
    return verbatim[0].replace("\n", MARK).replace(LINE, MARK)
