"""Which pages of the corpus are no longer what it says?

One JSON line per page that was visited again and had left: not found, forbidden, moved, or
no text for the corpus any more. Whoever wants a mirror of now leaves these out, until a later
version of the page stands in the corpus. Written and committed together with it.
"""

import msgspec

__all__ = ["GonePage"]


class GonePage(msgspec.Struct, kw_only=True, frozen=True):
    """A page whose text stands in the corpus and no longer on the web."""

    url: str
    gone_at: str  # ISO 8601, UTC: when it was asked for
    status: int  # of the answer; 0 when robots.txt forbids to ask
    reason: str = ""  # why its text is no part of the corpus; empty when the status says it
