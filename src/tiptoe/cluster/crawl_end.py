"""Why is a crawl on many machines over?

Pure: what all shards say of themselves, and what the operator wants of the whole.
"""

import enum
from collections.abc import Collection

import msgspec

from tiptoe.frontier.policy import FrontierPolicy

__all__ = ["CrawlEnd", "EndRecord", "IdleShard", "end_of"]


class CrawlEnd(enum.Enum):
    """Why nothing is asked for any more."""

    FINISHED = "finished"  # nothing is left
    PAGES = "pages"  # as many as were wanted
    BYTES = "bytes"
    TIME = "time"


class EndRecord(msgspec.Struct, frozen=True, array_like=True):
    """What the key says of a crawl that is over."""

    because: CrawlEnd
    limit: float = 0.0  # that was reached
    pages: int = 0  # of the whole crawl, if they were counted

    def holds(self, policy: FrontierPolicy, seconds_max: float) -> bool:
        """Whether it is over by the limits of today, too: the operator may want more by now."""
        limits = {
            CrawlEnd.PAGES: float(policy.pages_max),
            CrawlEnd.BYTES: float(policy.bytes_max),
            CrawlEnd.TIME: seconds_max,
        }
        limit = limits.get(self.because)
        return limit is None or 0 < limit <= self.limit


class IdleShard(msgspec.Struct, frozen=True, array_like=True):
    """A shard with nothing to do but to read mail, all of whose steps are stored."""

    shard: int
    sent: int  # mails, since the crawl began
    read: int
    pages: int = 0
    body_bytes: int = 0
    is_held_back: bool = False  # it would go on, had it not used up its quota


def end_of(shards: Collection[IdleShard], policy: FrontierPolicy) -> EndRecord | None:
    """Return why a crawl is over of which every shard is idle; None when quotas have yet to be shared out."""
    pages = sum(shard.pages for shard in shards)
    size = sum(shard.body_bytes for shard in shards)
    if 0 < policy.bytes_max <= size:
        return EndRecord(CrawlEnd.BYTES, policy.bytes_max, pages)
    if 0 < policy.pages_max <= pages:
        return EndRecord(CrawlEnd.PAGES, policy.pages_max, pages)
    return None if any(shard.is_held_back for shard in shards) else EndRecord(CrawlEnd.FINISHED, 0.0, pages)
