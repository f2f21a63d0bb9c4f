"""Which paragraphs of a page read like text, and by what are they known again?

Those that are long, and have a mark at their end, or are very long: titles and menus are not. They are known
by how they begin, without figures, or every day of an empty calendar would say something new.
"""

from collections.abc import Iterable
from typing import Final

import xxhash

from tiptoe.text.density import DENSE_FROM, IDEOGRAPH_LENGTH, length_of

__all__ = ["NEW_MAX", "PROSE_BYTES", "PROSE_MAX", "prose_of"]

PROSE_BYTES: Final = 4
"""Of each hash: they are compared within one host, and a chance in a million does no harm."""

PROSE_MAX: Final = 64
"""Maximum of paragraphs; above it, the first ones speak for a page."""

NEW_MAX: Final = 3
"""Maximum of paragraphs that were not said before; above it the rest is not looked at."""

CHARS_MIN: Final = 50
"""Menus and captions are shorter, sentences longer."""

DENSE_CHARS_MIN: Final = int(CHARS_MIN / IDEOGRAPH_LENGTH)
"""The same in the scripts that say most with a character; what ends in another is not in such a script."""

LONG_CHARS: Final = 200
"""No title is that long; some scripts have no mark at the end of a sentence."""

MARKS: Final = (*".!?…:;。！？؟।۔", '."', ".”", ".“", ".»", ".)")

CHARS_COMPARED: Final = 200
"""What begins alike is alike, as far as this is concerned."""

_DIGITS: Final = b"0123456789"


def prose_of(paragraphs: Iterable[str], said: bytes = b"") -> bytes:
    """Return the hashes of the first paragraphs that read like text, joined, none twice.

    They end with the third that is not among those that were `said` before.
    """
    found: dict[bytes, None] = {}
    new = 0
    for paragraph in paragraphs:
        size = len(paragraph)
        if size < DENSE_CHARS_MIN or (size < CHARS_MIN and paragraph[-1] < DENSE_FROM):
            continue
        if size < CHARS_MIN:
            size = length_of(paragraph)
        if size < CHARS_MIN or (size < LONG_CHARS and not paragraph.endswith(MARKS)):
            continue
        start = paragraph[:CHARS_COMPARED].encode("utf-8", "surrogatepass").translate(None, _DIGITS)
        key = xxhash.xxh32_digest(start)
        if key in found:
            continue
        found[key] = None
        new += key not in said
        if new == NEW_MAX or len(found) == PROSE_MAX:
            break
    return b"".join(found)
