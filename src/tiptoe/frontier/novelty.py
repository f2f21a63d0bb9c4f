"""Does this page say anything that its host has not said lately?

Each host remembers the hashes of some paragraphs: of each page the first new ones, and those that recur. Pure
functions: the memory is passed in and returned. The harvester reports the paragraphs of a page
(`text/prose.py`), so the answer does not depend on which harvester fetched it, or when; the memory is sent
with each visit only to keep that report short.
"""

from typing import Final

from tiptoe.text.prose import NEW_MAX, PROSE_BYTES, PROSE_MAX

__all__ = ["REMEMBERED_MAX", "remember_prose"]

REMEMBERED_MAX: Final = 100
"""Maximum number of paragraphs remembered per host; above it the one least recently met is forgotten.
Paragraphs on every page of a site are met again and again, and so stay."""

_REMEMBERED_BYTES: Final = REMEMBERED_MAX * PROSE_BYTES
_PROSE_BYTES_MAX: Final = PROSE_MAX * PROSE_BYTES


def remember_prose(remembered: bytes, prose: bytes) -> tuple[bytes, bool]:
    """Return what a host remembers after a page with this prose, and whether any of it was new."""
    new: list[bytes] = []
    for at in range(0, min(len(prose), _PROSE_BYTES_MAX), PROSE_BYTES):
        key = prose[at : at + PROSE_BYTES]
        # In one of ten million cases this matches across two hashes; then a new paragraph counts as known.
        found = remembered.find(key)
        if found < 0:
            new.append(key)
            if len(new) == NEW_MAX:
                break
        elif found < _REMEMBERED_BYTES // 2:  # otherwise it would soon be forgotten
            remembered = remembered[:found] + remembered[found + PROSE_BYTES :] + key
    return (remembered + b"".join(new))[-_REMEMBERED_BYTES:], bool(new)
