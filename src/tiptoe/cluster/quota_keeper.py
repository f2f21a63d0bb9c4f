"""How do the shards of an agent get their parts of the crawl's limits?

The shell around `quota_book`: it reads the book periodically, revises it for the shards that are held, writes
it by compare-and-set, and passes the quotas to their frontiers. A smaller quota is applied before it is
written, a larger one after: if either fails in between, less is used than the book grants.
"""

import asyncio
import contextlib
from collections import deque
from dataclasses import dataclass, field
from typing import Final

import msgspec

from tiptoe.cluster.engine import Engine, EngineUnavailable, OutOfDate
from tiptoe.cluster.held_shard import HeldShard
from tiptoe.cluster.quota_book import (
    CrawlLimits,
    QuotaBook,
    ShardQuota,
    ShardUse,
    decode_book,
    encode_book,
    revised,
)
from tiptoe.cluster.sharded_frontier import ShardedFrontier
from tiptoe.errors import CrawlerError
from tiptoe.frontier.frontier_limits import Allotment

__all__ = ["QUOTA_KEY", "QuotaKeeper"]

QUOTA_KEY: Final = "crawl.quotas"

LOOK_SECONDS: Final = 1.0
LATELY_LOOKS: Final = 10
"""Rounds over which recent use is measured; a shard is expected to need as much again soon."""

TRIES_MAX: Final = 5
"""Maximum attempts per round to write the book, when others change it first."""

LEAST_SHARE: Final = 1e-6
"""Minimum fraction of the budget of revisits, for shards that watch no page: 0 would mean no budget."""


@dataclass
class _Past:
    """What a shard had used in the last rounds, in this term."""

    term: int
    used: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=LATELY_LOOKS))


class QuotaKeeper:
    """Keeps the quotas of the shards that an agent holds."""

    def __init__(self, engine: Engine, frontier: ShardedFrontier) -> None:
        self._engine = engine
        self._frontier = frontier
        self._revision = 0  # of the book as it was seen last
        self._is_noted = True  # the book may contain entries of ours
        self._past: dict[int, _Past] = {}
        self._told: dict[HeldShard, tuple[ShardQuota, float]] = {}  # with the budget of revisits

    async def run(self) -> None:
        """Revise the book periodically until cancelled."""
        while True:
            with contextlib.suppress(EngineUnavailable):
                await self._look()
            await asyncio.sleep(LOOK_SECONDS)

    def _limits(self) -> CrawlLimits:
        policy = self._frontier.policy
        return CrawlLimits(
            shards=self._frontier.shards,
            pages=policy.pages_max,
            body_bytes=policy.bytes_max,
            has_budget=policy.revisit.strategy == "optimal" and policy.revisit.visits_per_day > 0,
        )

    async def _look(self) -> None:
        self._forget_lost()
        self._note_use()
        for _ in range(TRIES_MAX):
            if not self._limits() and not self._is_noted:
                return
            with contextlib.suppress(OutOfDate):
                await self._revise()
                return

    def _forget_lost(self) -> None:
        held = set(self._frontier.held)
        self._told = {one: line for one, line in self._told.items() if one in held}
        shards = {one.shard for one in held}
        self._past = {shard: past for shard, past in self._past.items() if shard in shards}
        if any(one not in self._told for one in held):
            self._is_noted = True  # the entry of its last holder must be read

    def _note_use(self) -> None:
        for held in self._frontier.held:
            past = self._past.get(held.shard)
            if past is None or past.term != held.term:
                past = self._past[held.shard] = _Past(held.term)
            limits = held.frontier.limits
            past.used.append((limits.pages_used, limits.bytes_expected))

    async def _revise(self) -> None:
        """Read the book and write the revised one; raise OutOfDate when another agent changed it first."""
        found = await self._engine.get(QUOTA_KEY)
        revision = found.revision if found is not None else 0
        if revision < self._revision:
            return  # from a server that is behind
        book = _decoded(found.value) if found is not None and found.value else QuotaBook()
        limits = self._limits()
        holders = {held.shard: held for held in self._frontier.held}
        uses = {shard: self._use(held) for shard, held in holders.items()}
        wanted = revised(book, uses, limits)
        for shard, held in holders.items():
            self._lower(held, wanted.shards[shard])
        self._revision = revision
        if wanted != book and (limits or book.shards):
            self._revision = await self._engine.put(QUOTA_KEY, encode_book(wanted), revision=revision)
        self._is_noted = bool(limits)
        for shard, held in holders.items():
            if held in self._frontier.held:
                self._tell(held, wanted.shards[shard], wanted.share_of(shard))

    def _use(self, held: HeldShard) -> ShardUse:
        limits = held.frontier.limits
        pages, size = limits.pages_used, limits.bytes_expected
        past = self._past.get(held.shard)
        pages_before, size_before = past.used[0] if past is not None and past.used else (pages, size)
        return ShardUse(
            term=held.term,
            pages=pages,
            body_bytes=held.frontier.counters.totals.body_bytes,
            bytes_expected=size,
            page_bytes=limits.page_bytes,
            pages_lately=max(0, pages - pages_before),
            bytes_lately=max(0, size - size_before),
            watched=held.frontier.counters.learned.account.pages,
            is_starved=limits.is_starved,
        )

    def _lower(self, held: HeldShard, quota: ShardQuota) -> None:
        """Reduce a shard's allotment to its future quota before that is written."""
        if quota.term != held.term:
            return  # a later holder has written it; this one will soon learn that it lost the shard
        if held in self._told:
            told, visits = self._told[held]
            pages, size = _less(told.pages, quota.pages), _less(told.body_bytes, quota.body_bytes)
            self._allot(held, msgspec.structs.replace(told, pages=pages, body_bytes=size), visits)

    def _tell(self, held: HeldShard, quota: ShardQuota, share: float) -> None:
        if quota.term == held.term:
            policy = self._frontier.policy.revisit
            visits = policy.visits_per_day * max(share, LEAST_SHARE) if self._limits().has_budget else 0.0
            self._allot(held, quota, visits)

    def _allot(self, held: HeldShard, quota: ShardQuota, visits_per_day: float) -> None:
        if self._told.get(held) != (quota, visits_per_day):
            self._told[held] = (quota, visits_per_day)
            allotment = Allotment(pages=quota.pages, body_bytes=quota.body_bytes)
            self._frontier.allot(held, allotment, visits_per_day=visits_per_day)


def _less(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


def _decoded(value: bytes) -> QuotaBook:
    try:
        return decode_book(value)
    except msgspec.DecodeError as error:
        raise CrawlerError(f"{QUOTA_KEY}: this is no book of quotas ({error})") from error
