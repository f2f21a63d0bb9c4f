"""How much of the limits of the whole crawl does each shard get?

Pure. One key of the engine, the book, says for each shard how many pages and bytes it may have in all, since
the crawl began; what is granted to all together is never more than the limit. A shard asks for portions while
it has work, smaller ones as the rest shrinks; once nothing is left and somebody goes without, all others give
back what they do not use soon. Nothing is noted in the shards, so nothing is granted twice or lost, whoever
dies: the next holder finds the grant in the book.

Each entry has the term of the holder that wrote it. Who takes a shard puts its own term there before it uses
anything, which makes every change under way out of date: so a holder from before, that does not know yet
that it has lost the shard, cannot give back what is being used.

A shard whose entry is missing has an unknown part of the limit: nothing is granted until all are entered. So
limits can come, go and change at any time.

The budget of revisits is shared out by the pages that each shard watches, as the book has them: the shares
add up to the budget whatever has changed since.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

__all__ = [
    "CrawlLimits", "QuotaBook", "ShardQuota", "ShardUse", "decode_book", "encode_book", "revised",
]  # fmt: skip

PORTIONS_PER_SHARD = 2
"""The rest is thought to be shared out in so many portions to each shard that has had any."""

PAGES_MIN, BYTES_MIN = 4, 64_000
"""Smallest portions, unless less is left; and what a shard that has something to ask for keeps at least
when others go without."""

LOW_PART = 4
"""A shard with less than this part of a portion asks before it has to wait."""

WATCHED_PART = 50
"""The number of pages that a shard watches is written anew when it has changed by such a part."""


class ShardQuota(msgspec.Struct, frozen=True, array_like=True):
    """What one shard may have, since the crawl began; None: there is no such limit."""

    term: int  # of the holder that wrote it
    pages: int | None = None
    body_bytes: int | None = None
    watched: int = 0  # pages that are to be visited again


class QuotaBook(msgspec.Struct, frozen=True, array_like=True):
    """What all shards may have, and which of them go without although they have something to ask for."""

    shards: dict[int, ShardQuota] = {}
    wanting: tuple[int, ...] = ()

    def share_of(self, shard: int) -> float:
        """Return which part of the budget of revisits is that of a shard."""
        watched = sum(quota.watched for quota in self.shards.values())
        return self.shards[shard].watched / watched if watched and shard in self.shards else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlLimits:
    """What the operator wants of the whole crawl; 0 = no limit."""

    shards: int
    pages: int = 0
    body_bytes: int = 0
    has_budget: bool = False  # of revisits

    def __bool__(self) -> bool:
        return bool(self.pages or self.body_bytes or self.has_budget)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardUse:
    """What a shard that is held has used, and lately."""

    term: int
    pages: int = 0  # with those that may come of what is under way
    body_bytes: int = 0  # received
    bytes_expected: int = 0  # the same, with what is under way
    page_bytes: int = 1  # of a page, on average
    pages_lately: int = 0
    bytes_lately: int = 0
    watched: int = 0
    is_starved: bool = False  # it could ask for something, were it not for its quota


encode_book = msgspec.msgpack.Encoder().encode
decode_book = msgspec.msgpack.Decoder(QuotaBook).decode


@dataclass(frozen=True, slots=True)
class _Need:
    """How a shard stands with one of the limits."""

    had: int
    used: int  # with what is under way
    lately: int
    unit: int  # it cannot go on with less
    is_starved: bool

    def is_short(self, granted: int | None) -> bool:
        return self.is_starved and granted is not None and granted - self.used < self.unit


def revised(book: QuotaBook, uses: Mapping[int, ShardUse], limits: CrawlLimits) -> QuotaBook:
    """Return the book as the holder of some shards would have it; those it does not hold stay as they are."""
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
    """Change what some shards have of one limit, given what all have."""
    if not limit:
        granted.update(dict.fromkeys(needs))
        return
    # What was had beyond a grant counts at once; what is expected may turn out to be less.
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
    """Give portions to those that need some, those first that have to wait."""
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
