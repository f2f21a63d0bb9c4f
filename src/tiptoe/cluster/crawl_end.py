"""Is a crawl on many machines over, why, or how does it go on?

Pure: decided from what all shards report, and from what the operator wants for the whole crawl.
"""

import enum
from collections.abc import Collection

import msgspec

from tiptoe.frontier.policy import FrontierPolicy
from tiptoe.keeper.ending import Sequel

__all__ = ["Continuation", "CrawlEnd", "EndRecord", "IdleShard", "continuation_of", "end_of"]


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
    on_end: str = ""  # the setting, if nothing is left

    def holds(self, policy: FrontierPolicy, seconds_max: float, on_end: str) -> bool:
        """Return whether the crawl is also over by the current settings, which may have changed since."""
        if self.because is CrawlEnd.FINISHED:
            return on_end not in (Sequel.IDLE.value, Sequel.LOOP.value) or on_end == self.on_end
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
    requests: int = 0
    rounds: int = 0  # the number of the last one that has begun here
    can_loop: bool = False  # another round makes sense here


class Continuation(msgspec.Struct, frozen=True, array_like=True):
    """The key's value for a crawl that goes on although nothing is left."""

    number: int = 0  # how often it has gone on
    requests: int = 0  # that had been made by then
    rounds: int = 0  # the number of the round that all shards are to begin


def end_of(shards: Collection[IdleShard], policy: FrontierPolicy, on_end: str = "") -> EndRecord | None:
    """Return why a crawl with only idle shards is over; None when quotas have yet to be shared out."""
    pages = sum(shard.pages for shard in shards)
    size = sum(shard.body_bytes for shard in shards)
    if 0 < policy.bytes_max <= size:
        return EndRecord(CrawlEnd.BYTES, policy.bytes_max, pages)
    if 0 < policy.pages_max <= pages:
        return EndRecord(CrawlEnd.PAGES, policy.pages_max, pages)
    if any(shard.is_held_back for shard in shards):
        return None
    return EndRecord(CrawlEnd.FINISHED, 0.0, pages, on_end)


def continuation_of(shards: Collection[IdleShard], on_end: str, before: Continuation) -> Continuation | None:
    """Return how a crawl with nothing left goes on; None if it ends.

    One that has idled since it last went on is told nothing new. `before` is how it last went on.
    """
    requests = sum(shard.requests for shard in shards)
    if on_end == Sequel.IDLE.value:
        has_worked = not before.number or requests > before.requests
        return Continuation(before.number + 1, requests, before.rounds) if has_worked else before
    if on_end == Sequel.LOOP.value and any(shard.can_loop for shard in shards):
        begun = max(before.rounds, *(shard.rounds for shard in shards))
        return Continuation(before.number + 1, requests, begun + 1)
    return None
