"""Which pages of the corpus are no longer what it says?

One JSON line per page that was visited again and had left: not found, forbidden, moved, or
no text for the corpus any more. Whoever wants a mirror of now leaves these out, until a later
version of the page stands in the corpus. Written and committed together with it.
"""

import os
from pathlib import Path

import msgspec

from tiptoe.write.appendfile import Write
from tiptoe.write.series import Series

__all__ = ["GONE_FOLDER", "GoneList", "GonePage", "gone_line"]

_encode = msgspec.json.Encoder().encode

GONE_FOLDER = "gone"
LIST_BYTES_MAX = 64_000_000


class GonePage(msgspec.Struct, kw_only=True, frozen=True):
    """A page whose text stands in the corpus and no longer on the web."""

    url: str
    gone_at: str  # ISO 8601, UTC: when it was asked for
    status: int  # of the answer; 0 when robots.txt forbids to ask
    reason: str = ""  # why its text is no part of the corpus; empty when the status says it


def gone_line(page: GonePage) -> bytes:
    """Return a page as a line of the list."""
    return _encode(page) + b"\n"


class GoneList:
    """Writes the list to `gone/<prefix>-00001.jsonl` and on."""

    def __init__(self, directory: Path, prefix: str, *, write: Write = os.write) -> None:
        self.series = Series(
            directory, f"{GONE_FOLDER}/{prefix}", ".jsonl", size_max=LIST_BYTES_MAX, write=write
        )

    def add(self, page: GonePage) -> int:
        """Add one page; return the checksum of its line."""
        return self.series.append_line(_encode(page))
