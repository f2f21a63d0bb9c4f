"""Which pages of the corpus no longer exist as it shows them?

One JSON line per page that was gone when it was visited again: not found, forbidden, moved, or
without text for the corpus. To mirror the current web, leave these pages out unless the corpus
has a later version of them. Written and committed together with the corpus.
"""

import msgspec

__all__ = ["GonePage"]


class GonePage(msgspec.Struct, kw_only=True, frozen=True):
    """A page whose text is in the corpus and no longer on the web."""

    url: str
    gone_at: str  # ISO 8601, UTC: when it was requested
    status: int  # of the answer; 0 if robots.txt forbids the request
    reason: str = ""  # why its text does not belong in the corpus; empty if the status says so
