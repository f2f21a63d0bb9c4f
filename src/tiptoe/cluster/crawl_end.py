"""Why is a crawl on many machines over?

Pure: decided from what all shards report, and from the limits that the operator set for the whole crawl.
"""

import enum
from collections.abc import Collection

import msgspec

from tiptoe.frontier.policy import FrontierPolicy

__all__ = ["CrawlEnd", "EndRecord", "IdleShard", "end_of"]


class CrawlEnd(enum.Enum):
    """Why no more requests are made."""

    FINISHED = "finished"  # nothing is left
    PAGES = "pages"  # the limit was reached
    BYTES = "bytes"
    TIME = "time"


class EndRecord(msgspec.Struct, frozen=True, array_like=True):
    """The key's value for a crawl that is over."""

    because: CrawlEnd
    limit: float = 0.0  # that was reached
    pages: int = 0  # in the whole crawl, if they were counted

    def holds(self, policy: FrontierPolicy, seconds_max: float) -> bool:
        """Return whether the crawl is also over by the current limits, which may have been raised."""
        limits = {
            CrawlEnd.PAGES: float(policy.pages_max),
            CrawlEnd.BYTES: float(policy.bytes_max),
            CrawlEnd.TIME: seconds_max,
        }
        limit = limits.get(self.because)
        return limit is None or 0 < limit <= self.limit


class IdleShard(msgspec.Struct, frozen=True, array_like=True):
    """A shard that has nothing to do but read mail, and whose steps are all stored."""

    shard: int
    sent: int  # mails, since the crawl began
    read: int
    pages: int = 0
    body_bytes: int = 0
    is_held_back: bool = False  # it would go on if it had not used up its quota


def end_of(shards: Collection[IdleShard], policy: FrontierPolicy) -> EndRecord | None:
    """Return why a crawl with only idle shards is over; None when quotas have yet to be shared out."""
    pages = sum(shard.pages for shard in shards)
    size = sum(shard.body_bytes for shard in shards)
    if 0 < policy.bytes_max <= size:
        return EndRecord(CrawlEnd.BYTES, policy.bytes_max, pages)
    if 0 < policy.pages_max <= pages:
        return EndRecord(CrawlEnd.PAGES, policy.pages_max, pages)
    return None if any(shard.is_held_back for shard in shards) else EndRecord(CrawlEnd.FINISHED, 0.0, pages)
