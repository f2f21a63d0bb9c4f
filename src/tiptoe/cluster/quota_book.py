"""How much of the whole crawl's limits does each shard get?

Pure. One key of the engine, the book, says how many pages and bytes each shard may have in total since the
crawl began; the grants together never exceed the limit. A shard takes portions while it has work, smaller
ones as the rest shrinks; once nothing is left and a shard has to wait, all others give back what they will
not use soon. Nothing is recorded in the shards, so no grant is made twice or lost when an agent dies: the
next holder finds it in the book.

Each entry has the term of the holder that wrote it. A new holder writes its own term before it uses anything,
which makes every concurrent change out of date: so an earlier holder that does not know yet that it has lost
the shard cannot give back what is being used.

A shard without an entry has an unknown part of the limit: nothing is granted until all have entries. So
limits can be set, removed and changed at any time.

The budget of revisits is shared out in proportion to the pages that each shard watches, according to the
book: so the shares add up to the budget even if these numbers have changed since.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

__all__ = [
    "CrawlLimits", "QuotaBook", "ShardQuota", "ShardUse", "decode_book", "encode_book", "revised",
]  # fmt: skip

PORTIONS_PER_SHARD = 2
"""Portions per active shard into which the rest is divided; one portion is granted at a time."""

PAGES_MIN, BYTES_MIN = 4, 64_000
"""Minimum portions, unless less is left; also the minimum that a shard with work keeps when others have to
wait."""

LOW_PART = 4
"""A shard whose quota falls below a portion divided by this gets more before it has to wait."""

WATCHED_PART = 50
"""The number of pages that a shard watches is written again when it has changed by more than 1/50."""


class ShardQuota(msgspec.Struct, frozen=True, array_like=True):
    """What one shard may have in total since the crawl began; None: there is no such limit."""

    term: int  # of the holder that wrote it
    pages: int | None = None
    body_bytes: int | None = None
    watched: int = 0  # pages that are to be visited again


class QuotaBook(msgspec.Struct, frozen=True, array_like=True):
    """The quotas of all shards, and which shards have work but must wait for quota."""

    shards: dict[int, ShardQuota] = {}
    wanting: tuple[int, ...] = ()

    def share_of(self, shard: int) -> float:
        """Return a shard's fraction of the budget of revisits."""
        watched = sum(quota.watched for quota in self.shards.values())
        return self.shards[shard].watched / watched if watched and shard in self.shards else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlLimits:
    """The operator's limits for the whole crawl; 0 = no limit."""

    shards: int
    pages: int = 0
    body_bytes: int = 0
    has_budget: bool = False  # of revisits

    def __bool__(self) -> bool:
        return bool(self.pages or self.body_bytes or self.has_budget)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardUse:
    """What a shard that is held has used, in total and lately."""

    term: int
    pages: int = 0  # including those that may result from requests under way
    body_bytes: int = 0  # received
    bytes_expected: int = 0  # the same, including requests under way
    page_bytes: int = 1  # the average size of a page
    pages_lately: int = 0
    bytes_lately: int = 0
    watched: int = 0
    is_starved: bool = False  # it could make a request if it had more quota


encode_book = msgspec.msgpack.Encoder().encode
decode_book = msgspec.msgpack.Decoder(QuotaBook).decode


@dataclass(frozen=True, slots=True)
class _Need:
    """The use of one limit by one shard."""

    had: int
    used: int  # including requests under way
    lately: int
    unit: int  # it cannot go on with less
    is_starved: bool

    def is_short(self, granted: int | None) -> bool:
        return self.is_starved and granted is not None and granted - self.used < self.unit


def revised(book: QuotaBook, uses: Mapping[int, ShardUse], limits: CrawlLimits) -> QuotaBook:
    """Return the book as the holder of these shards would change it; the entries of others stay."""
    ours = {shard: use for shard, use in uses.items() if _term(book, shard) <= use.term}
    wanting = set(book.wanting) - ours.keys()
    page_needs = {
        shard: _Need(use.pages, use.pages, use.pages_lately, 1, use.is_starved) for shard, use in ours.items()
    }
    byte_needs = {
        shard: _Need(
            use.body_bytes,
            max(use.body_bytes, use.bytes_expected),
            use.bytes_lately,
            use.page_bytes,
            use.is_starved,
        )
        for shard, use in ours.items()
    }
    pages = {shard: quota.pages for shard, quota in book.shards.items()}
    sizes = {shard: quota.body_bytes for shard, quota in book.shards.items()}
    _divide(pages, page_needs, limits.pages, limits.shards, PAGES_MIN, others_want=bool(wanting))
    _divide(sizes, byte_needs, limits.body_bytes, limits.shards, BYTES_MIN, others_want=bool(wanting))
    shards = dict(book.shards)
    for shard, use in ours.items():
        known = book.shards[shard].watched if shard in book.shards else 0
        watched = _watched(known, use.watched) if limits.has_budget else 0
        shards[shard] = ShardQuota(use.term, pages[shard], sizes[shard], watched)
        if page_needs[shard].is_short(pages[shard]) or byte_needs[shard].is_short(sizes[shard]):
            wanting.add(shard)
    return QuotaBook(dict(sorted(shards.items())), tuple(sorted(wanting)))


def _term(book: QuotaBook, shard: int) -> int:
    return book.shards[shard].term if shard in book.shards else 0


def _watched(known: int, watched: int) -> int:
    return watched if abs(watched - known) > known // WATCHED_PART else known


def _divide(
    granted: dict[int, int | None], needs: Mapping[int, _Need], limit: int, shards: int, least: int, *,
    others_want: bool,
) -> None:  # fmt: skip
    """Change the grants of some shards under one limit, given those of all."""
    if not limit:
        granted.update(dict.fromkeys(needs))
        return
    # What was used beyond a grant counts at once; what is only expected may turn out to be less.
    ours = {shard: max(granted.get(shard) or 0, need.had) for shard, need in needs.items()}
    others = {shard: quota for shard, quota in granted.items() if shard not in ours}
    rest = limit - sum(ours.values()) - sum(quota or 0 for quota in others.values())
    is_wanted = others_want or any(need.is_short(ours[shard]) for shard, need in needs.items())
    if rest < 0 or (rest < least and is_wanted):
        for shard, need in needs.items():
            kept = need.used if rest < 0 or not need.lately else need.used + max(least, need.lately)
            given = max(0, ours[shard] - kept)
            ours[shard] -= given
            rest += given
    if len(ours) + len(others) == shards and None not in others.values():
        active = sum(1 for quota in others.values() if quota)
        active += sum(1 for shard, need in needs.items() if ours[shard] or need.is_starved)
        _hand_out(ours, needs, rest, active, least)
    granted.update(ours)


def _hand_out(ours: dict[int, int], needs: Mapping[int, _Need], rest: int, active: int, least: int) -> None:
    """Give portions to the shards that need some, beginning with those that have to wait."""
    low = max(least, rest // (PORTIONS_PER_SHARD * max(1, active))) // LOW_PART
    takers = [
        shard
        for shard, need in needs.items()
        if need.is_short(ours[shard]) or (need.lately and ours[shard] - need.used < low)
    ]
    for shard in sorted(takers, key=lambda shard: not needs[shard].is_short(ours[shard])):
        portion = min(rest, max(least, rest // (PORTIONS_PER_SHARD * max(1, active))))
        if portion > 0:
            ours[shard] += portion
            rest -= portion
