"""Does this page say anything that its host has not said lately?

Each host remembers some paragraphs, by their hashes: of each page the first ones that were new, and what is
met again and again. Pure: what is remembered goes in and comes out. A harvester tells what stands on a page
(`text/prose.py`), so that the answer is the same whoever fetched it, and when; what is remembered travels
with each visit, only to make that short.
"""

from typing import Final

from tiptoe.text.prose import NEW_MAX, PROSE_BYTES, PROSE_MAX

__all__ = ["REMEMBERED_MAX", "remember_prose"]

REMEMBERED_MAX: Final = 100
"""Maximum of paragraphs of a host; above it those go that were met longest ago. What stands on every page of
a site is met on each, and so stays."""

_REMEMBERED_BYTES: Final = REMEMBERED_MAX * PROSE_BYTES
_PROSE_BYTES_MAX: Final = PROSE_MAX * PROSE_BYTES


def remember_prose(remembered: bytes, prose: bytes) -> tuple[bytes, bool]:
    """Return what a host remembers after a page with this prose, and whether any of it was new."""
    new: list[bytes] = []
    for at in range(0, min(len(prose), _PROSE_BYTES_MAX), PROSE_BYTES):
        key = prose[at : at + PROSE_BYTES]
        # Also between two hashes, in one of ten million cases: then a paragraph passes for known.
        found = remembered.find(key)
        if found < 0:
            new.append(key)
            if len(new) == NEW_MAX:
                break
        elif found < _REMEMBERED_BYTES // 2:  # it would be forgotten before long
            remembered = remembered[:found] + remembered[found + PROSE_BYTES :] + key
    return (remembered + b"".join(new))[-_REMEMBERED_BYTES:], bool(new)
