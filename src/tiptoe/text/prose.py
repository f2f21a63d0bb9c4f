"""Which paragraphs of a page read like text, and how are they recognised again?

Those that are long and end with a punctuation mark, or are very long, unlike titles and menus. They are
recognised by their beginnings, without digits; otherwise every day of an empty calendar would be new.
"""

from collections.abc import Iterable
from typing import Final

import xxhash

from tiptoe.text.density import DENSE_FROM, IDEOGRAPH_LENGTH, length_of

__all__ = ["NEW_MAX", "PROSE_BYTES", "PROSE_MAX", "prose_of"]

PROSE_BYTES: Final = 4
"""Length of a hash: hashes are only compared within one host, and rare collisions do no harm."""

PROSE_MAX: Final = 64
"""Maximum number of paragraphs; of pages with more, only the first ones count."""

NEW_MAX: Final = 3
"""Maximum number of new paragraphs; after them the rest of the page is not examined."""

CHARS_MIN: Final = 50
"""Minimum length of a paragraph that ends with a mark: menus and captions are shorter."""

DENSE_CHARS_MIN: Final = int(CHARS_MIN / IDEOGRAPH_LENGTH)
"""The same for the densest scripts, in which a paragraph ends with a mark of that script."""

LONG_CHARS: Final = 200
"""Minimum length of a paragraph without a mark at its end, as in some scripts; no title is so long."""

MARKS: Final = (*".!?…:;。！？؟।۔", '."', ".”", ".“", ".»", ".)")

CHARS_COMPARED: Final = 200
"""Number of characters that are compared; paragraphs with the same beginning count as the same."""

_DIGITS: Final = b"0123456789"


def prose_of(paragraphs: Iterable[str], said: bytes = b"") -> bytes:
    """Return the hashes of the first paragraphs that read like text, joined, each once.

    They end with the third one that is not among those already `said`.
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
