"""What has been seen of how often a page changes?

A visit tells only whether a page has changed since the one before, not how often.
So three sums are kept, enough for an estimate whatever the intervals were.
"""

import msgspec

__all__ = ["Evidence"]


class Evidence(msgspec.Struct, array_like=True, gc=False):
    """Sums over the visits of one page, or of all pages of a host."""

    changes: float = 0.0  # visits that found a change
    changed_seconds: float = 0.0  # intervals that ended with one of those, together
    unchanged_seconds: float = 0.0  # the others
