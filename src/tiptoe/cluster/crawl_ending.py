"""Is the whole crawl finished, and does it go on all the same?

No agent sees all of it: a shard with nothing left may get mail from another one. The holder of shard 0 asks
all holders, twice, which of their shards are idle, and how many mails each has sent and read since the crawl
began. If all were idle both times, and as many mails had been read by the first time as had been sent by the
second, none was under way in between, and nothing can happen any more (Mattern's four counters).

A shard that has used up its quota is idle, too. The crawl is over then only if the shards have reached the
limit together: otherwise others have quota left, and the shard waits for some of that.

If nothing is left and the operator wants the crawl to go on (`crawl.on_end`), the holder of shard 0 says so
in a key that all agents watch. The crawl is not finished before all shards have begun the round named there.

If something is still to be forgotten, no visit begins any more, and the agents end when that is done.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final

import msgspec

from tiptoe.cluster.crawl_end import (
    Continuation,
    CrawlEnd,
    EndRecord,
    IdleShard,
    continuation_of,
    end_of,
)
from tiptoe.cluster.engine import Engine, EngineUnavailable, KeyChange, NoResponse, OutOfDate
from tiptoe.cluster.held_shard import HeldShard
from tiptoe.cluster.running_time import RunningTime
from tiptoe.cluster.shard_clock import MachineTime
from tiptoe.cluster.shard_erasing import erased_by_shard
from tiptoe.cluster.shard_lease import ShardLease
from tiptoe.cluster.sharded_frontier import ShardedFrontier
from tiptoe.errors import CrawlerError
from tiptoe.frontier.mail import mail_counts
from tiptoe.keeper.ending import Sequel

__all__ = ["CONTINUED_KEY", "ENDED_KEY", "SOWN_KEY", "CrawlEnding", "read_end"]

ENDED_KEY: Final = "crawl.ended"
CONTINUED_KEY: Final = "crawl.continued"
SOWN_KEY: Final = "crawl.sown"
"""Exists as soon as the seeds of the crawl are in its shards; before that, idle shards prove nothing."""

ANSWER_SECONDS: Final = 2.0
RETRY_SECONDS: Final = 1.0


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[IdleShard]).decode


class CrawlEnding:
    """Finds out, together with the other agents, when the crawl is over, and tells the frontier."""

    def __init__(
        self,
        engine: Engine,
        frontier: ShardedFrontier,
        leases: list[ShardLease],
        *,
        agent: str,
        look_seconds: float,
        ended: Callable[[], object],
        machine_time: Callable[[], MachineTime],
        seconds_max: Callable[[], float] = lambda: 0.0,
        on_end: Callable[[], str] = lambda: Sequel.QUIT.value,
        continued: Callable[[], object] = lambda: None,
        has_to_forget: Callable[[], bool] = lambda: False,
    ) -> None:
        """`on_end` is the operator's setting; `continued` is called when the crawl goes on because of it.

        `has_to_forget` says whether this agent has yet to remove something from its own disk.
        """
        self._engine = engine
        self._frontier = frontier
        self._leases = leases
        self._agent = agent
        self._look_seconds = look_seconds
        self._ended = ended
        self._seconds_max = seconds_max
        self._on_end = on_end
        self._continued = continued
        self._continuation: Continuation | None = None  # as it is known here; None: not read yet
        self._machine_time = machine_time
        self._has_to_forget = has_to_forget
        self._late_by = 0.0  # the time limit that was reached
        self.pages = 0  # in the whole crawl when it ended
        self._wake = asyncio.Event()
        self.running = RunningTime(
            engine,
            count=lambda: machine_time().count,
            holds_first=lambda: bool(leases[0].term),
            seconds_max=seconds_max,
            reached=self._is_late,
        )

    async def run(self) -> None:
        """Answer other agents, and check periodically whether the crawl has ended."""
        async with (
            self._engine.serve(f"agent.{self._agent}.idle", self._answer),
            asyncio.TaskGroup() as group,
        ):
            group.create_task(self._watch(ENDED_KEY))
            group.create_task(self._watch(CONTINUED_KEY))
            group.create_task(self.running.run())
            while self._frontier.ending is None:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(self._look_seconds):
                        await self._wake.wait()
                self._wake.clear()
                with contextlib.suppress(EngineUnavailable, NoResponse, OutOfDate):
                    await self._look()
            self._ended()
            await asyncio.Event().wait()  # other agents may still have to be answered

    def _is_late(self, limit: float) -> None:
        self._late_by = limit
        self._wake.set()

    async def _watch(self, key: str) -> None:
        """Notice that a key was written, as soon as any agent has done it."""
        while True:
            with contextlib.suppress(EngineUnavailable):
                async with self._engine.watch(key) as changes:
                    async for change in changes:
                        if change is not None and change.value is not None:
                            self._wake.set()
            await asyncio.sleep(RETRY_SECONDS)

    async def _look(self) -> None:
        found = await self._engine.get(ENDED_KEY)
        if found is not None:
            await self._accept(found)
            return
        self._frontier.is_over = False
        await self._follow()
        end = await self._find_end()
        if end is not None:
            await self._engine.put(ENDED_KEY, _encode(end))
            await self._end(end)

    async def _follow(self) -> None:
        """Begin the round that the whole crawl is in, with all shards that have not begun it."""
        found = await self._engine.get(CONTINUED_KEY)
        continuation = _decoded_continuation(found)
        before, self._continuation = self._continuation, continuation
        self._frontier.join_round(continuation.rounds, self._machine_time().count)
        if before is not None and continuation.number > before.number:
            self._continued()

    async def _accept(self, found: KeyChange) -> None:
        """Accept that the crawl is over, or delete the key if the operator wants more since."""
        end = _decoded_end(found)
        if end.holds(self._frontier.policy, self._seconds_max(), self._on_end()):
            await self._end(end)
        else:
            await self._engine.delete(ENDED_KEY, revision=found.revision)

    async def _end(self, end: EndRecord) -> None:
        """End, unless something is still to be forgotten that only agents can forget."""
        self._frontier.is_over = True
        if not (self._has_to_forget() or await self._have_shards_to_forget()):
            self._frontier.ending, self.pages = end.because, end.pages

    async def _have_shards_to_forget(self) -> bool:
        if not self._frontier.wishes:
            return False
        erased, last = await erased_by_shard(self._engine), self._frontier.wishes.last
        return any(erased.get(shard, 0) < last for shard in range(len(self._leases)))

    async def _find_end(self) -> EndRecord | None:
        if self._late_by:
            limit, self._late_by = self._late_by, 0.0
            return EndRecord(CrawlEnd.TIME, limit)
        if self._leases[0].term:
            return await self._end_of_all()
        self._frontier.is_idle = False  # others say so
        return None

    async def _answer(self, question: bytes) -> bytes:
        return _encode(self._idle())

    def _idle(self) -> list[IdleShard]:
        return [
            _idle_shard(held)
            for held in self._frontier.held
            if held.is_certain and not held.log.pending_rows and held.frontier.is_finished()
        ]

    async def _end_of_all(self) -> EndRecord | None:
        on_end = self._on_end()
        shards = await self._idle_shards()
        end = end_of(shards, self._frontier.policy, on_end) if shards is not None else None
        goes_on = shards is not None and end is not None and await self._goes_on(end, shards)
        self._frontier.is_idle = goes_on and on_end == Sequel.IDLE.value
        return None if goes_on else end

    async def _goes_on(self, end: EndRecord, shards: list[IdleShard]) -> bool:
        """Let the crawl go on if nothing is left and the operator wants that."""
        if end.because is not CrawlEnd.FINISHED:
            return False
        found = await self._engine.get(CONTINUED_KEY)
        before = _decoded_continuation(found)
        after = continuation_of(shards, end.on_end, before)
        if after is None:
            return False
        is_begun = all(shard.rounds >= before.rounds for shard in shards)
        if is_begun and after != before:
            revision = found.revision if found is not None else 0
            await self._engine.put(CONTINUED_KEY, _encode(after), revision=revision)
        return True

    async def _idle_shards(self) -> list[IdleShard] | None:
        """Return the reports of all shards if nothing can happen any more, else None."""
        if await self._engine.get(SOWN_KEY) is None:
            return None
        first = await self._wave()
        second = await self._wave() if first is not None else None
        if first is None or second is None:
            return None
        read, sent = sum(shard.read for shard in first), sum(shard.sent for shard in second)
        return second if read == sent else None

    async def _wave(self) -> list[IdleShard] | None:
        """Return the reports of all shards; None when not all of them are idle."""
        idle = {shard.shard: shard for shard in self._idle()}
        for holder in {lease.holder for lease in self._leases} - {self._agent}:
            if not holder:
                return None
            answer = await self._engine.request(f"agent.{holder}.idle", b"", seconds=ANSWER_SECONDS)
            idle.update((shard.shard, shard) for shard in _decode(answer))
        return list(idle.values()) if len(idle) == len(self._leases) else None


async def read_end(engine: Engine) -> EndRecord | None:
    """Return why a crawl is over, as one of its agents has found out; None while it is not."""
    found = await engine.get(ENDED_KEY)
    return None if found is None else _decoded_end(found)


def _idle_shard(held: HeldShard) -> IdleShard:
    totals, rounds = held.frontier.counters.totals, held.frontier.rounds
    return IdleShard(
        held.shard, *mail_counts(held.log.store), totals.pages, totals.body_bytes,
        held.frontier.is_held_back(), totals.requests, rounds.number, rounds.is_possible,
    )  # fmt: skip


def _decoded_continuation(found: KeyChange | None) -> Continuation:
    if found is None:
        return Continuation()
    try:
        return msgspec.msgpack.decode(found.value or b"", type=Continuation)
    except msgspec.DecodeError as error:
        raise CrawlerError(f"{CONTINUED_KEY}: this does not say how a crawl goes on ({error})") from error


def _decoded_end(found: KeyChange) -> EndRecord:
    try:
        return msgspec.msgpack.decode(found.value or b"", type=EndRecord)
    except msgspec.DecodeError as error:
        raise CrawlerError(f"{ENDED_KEY}: this does not say why a crawl is over ({error})") from error
