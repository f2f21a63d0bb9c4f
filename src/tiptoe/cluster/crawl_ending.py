"""Is the whole crawl finished?

No agent sees all of it: a shard that has nothing left may get mail from another one. Whoever holds shard 0
asks all holders, twice, which of their shards are idle, and how many mails each has sent and read since the
crawl began. If all were idle both times, and as many mails had been read at the first time as had been sent
at the second, none was on its way between the two, and nothing can happen any more (Mattern's four counters).
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final

import msgspec

from tiptoe.cluster.engine import Engine, EngineUnavailable, NoResponse, OutOfDate
from tiptoe.cluster.shard_lease import ShardLease
from tiptoe.cluster.sharded_frontier import ShardedFrontier
from tiptoe.frontier.mail import mail_counts

__all__ = ["SOWN_KEY", "CrawlEnding"]

ENDED_KEY: Final = "crawl.ended"
SOWN_KEY: Final = "crawl.sown"
"""Is there as soon as the seeds of the crawl are in its shards: before, nothing to do means nothing."""

ANSWER_SECONDS: Final = 2.0


class IdleShard(msgspec.Struct, frozen=True, array_like=True):
    """A shard with nothing left to do but to read mail, all of whose steps are stored."""

    shard: int
    sent: int
    read: int


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[IdleShard]).decode


class CrawlEnding:
    """Finds out together with the other agents when there is nothing left, and tells the frontier."""

    def __init__(
        self,
        engine: Engine,
        frontier: ShardedFrontier,
        leases: list[ShardLease],
        *,
        agent: str,
        look_seconds: float,
        ended: Callable[[], object],
    ) -> None:
        self._engine = engine
        self._frontier = frontier
        self._leases = leases
        self._agent = agent
        self._look_seconds = look_seconds
        self._ended = ended

    async def run(self) -> None:
        """Answer others, and look every now and then, until the crawl has ended."""
        async with self._engine.serve(f"agent.{self._agent}.idle", self._answer):
            while not self._frontier.is_over:
                await asyncio.sleep(self._look_seconds)
                with contextlib.suppress(EngineUnavailable, NoResponse, OutOfDate):
                    if await self._engine.get(ENDED_KEY) is not None:
                        self._frontier.is_over = True
                    elif self._leases[0].term and await self._is_all_done():
                        await self._engine.put(ENDED_KEY, b"")
            self._ended()
            await asyncio.Event().wait()  # others may still have to be answered

    async def _answer(self, question: bytes) -> bytes:
        return _encode(self._idle())

    def _idle(self) -> list[IdleShard]:
        return [
            IdleShard(held.shard, *mail_counts(held.log.store))
            for held in self._frontier.held
            if held.is_certain and not held.log.pending_rows and held.frontier.is_finished()
        ]

    async def _is_all_done(self) -> bool:
        if await self._engine.get(SOWN_KEY) is None:
            return False
        first = await self._wave()
        if first is None:
            return False
        second = await self._wave()
        return second is not None and first[1] == second[0]

    async def _wave(self) -> tuple[int, int] | None:
        """Return how many mails all shards have sent and read; None when not all of them are idle."""
        idle = {shard.shard: shard for shard in self._idle()}
        for holder in {lease.holder for lease in self._leases} - {self._agent}:
            if not holder:
                return None
            answer = await self._engine.request(f"agent.{holder}.idle", b"", seconds=ANSWER_SECONDS)
            idle.update((shard.shard, shard) for shard in _decode(answer))
        if len(idle) < len(self._leases):
            return None
        return sum(shard.sent for shard in idle.values()), sum(shard.read for shard in idle.values())
