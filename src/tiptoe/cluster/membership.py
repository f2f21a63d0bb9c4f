"""How does an agent take part in a crawl on many machines?

The shell around pure decisions: it announces the agent to the engine, watches agents and shards, and writes
the leases that `ShardLease` orders. `assignment` decides which shards to hold, `shard_moves` what to do about
it next. The `ShardKeeper` is called when a shard is taken, released or lost.

An agent takes over from others only while it hears itself: if it has not seen its own beats lately, it was
cut off or the engine was unreachable, and the silence of others means nothing.

Rule: no code acts for a shard on the strength of an earlier check. `is_certain` is evaluated at every use,
because the process may have been suspended between one line and the next.
"""

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from typing import Any, Protocol

import msgspec

from tiptoe.cluster.agent_announcer import (
    RETRIES_PER_LEASE,
    AgentAnnouncer,
    decoded,
    in_time,
    trouble_with,
)
from tiptoe.cluster.agent_presence import BEATS_PER_LEASE, AgentPresence, AgentsSeen
from tiptoe.cluster.assignment import UNLABELLED, assign
from tiptoe.cluster.engine import Engine, EngineUnavailable, KeyChange, OutOfDate
from tiptoe.cluster.shard_clock import ClockReading, MachineTime, ShardClock
from tiptoe.cluster.shard_lease import (
    LeaseEvent,
    LeaseRead,
    LeaseRecord,
    LeaseStage,
    LeaseWrite,
    ShardLease,
)
from tiptoe.cluster.shard_moves import next_moves

__all__ = ["Membership", "ShardKeeper"]

GRACE_PART = 1 / 3
"""Fraction of a lease that holders get to renew their leases after the engine was away, when all look old."""

PATIENCE_LEASES = 2.0
"""How long a leaving agent waits for the next holders of its shards to have read one more; it keeps working
meanwhile."""

UNREADABLE = LeaseRecord("?", "?", 0, 0, ClockReading("", 0.0, 0.0, 0.0))
"""Stands for a lease that cannot be decoded: it belongs to another agent until it is unchanged for a whole
lease."""


class ShardKeeper(Protocol):
    """What operates the shards of an agent. Only `release` may take long."""

    def prepare(self, shard: int) -> None:
        """Begin to read a shard and follow its log, because it may be taken soon."""
        ...

    def is_ready(self, shard: int) -> bool:
        """Return whether a followed shard has been read up to the end of its log."""
        ...

    def forget(self, shard: int) -> None:
        """Stop following a shard that will not be taken."""
        ...

    def take(self, shard: int, term: int, clock: ShardClock, *, was_outlasted: bool) -> None:
        """Run a shard from the end of its log, whether it was followed before or not.

        `was_outlasted`: its holder was silent for a whole lease, so its harvesters have stopped as well.
        """
        ...

    async def release(self, shard: int) -> None:
        """Begin no more visits of a shard, wait for those under way, write the rest and close it."""
        ...

    def lost(self, shard: int) -> None:
        """Drop a shard immediately: another agent has it, or this one ends."""
        ...


class Membership:
    """One agent among others, from joining to leaving."""

    def __init__(
        self,
        engine: Engine,
        keeper: ShardKeeper,
        *,
        agent: str,
        incarnation: str,
        labels: Sequence[str],
        machine_time: Callable[[], MachineTime],
        lease_seconds: float = 30.0,
        weight: int = 1,
        takes: Sequence[str] = (UNLABELLED,),
    ) -> None:
        self.agents = AgentsSeen(lease_seconds)
        self.leases = [
            ShardLease(shard, agent=agent, incarnation=incarnation, seconds=lease_seconds)
            for shard in range(len(labels))
        ]
        self._by_key = {f"shard.{lease.shard}": lease for lease in self.leases}
        self._engine = engine
        self._keeper = keeper
        self._agent = agent
        self._labels = labels
        self._time = machine_time
        self._lease_seconds = lease_seconds
        presence = AgentPresence(agent, incarnation, 0, weight, tuple(takes))
        self._announcer = AgentAnnouncer(engine, presence, lease_seconds)
        self._answer_seconds = lease_seconds / BEATS_PER_LEASE
        self._retry_seconds = lease_seconds / RETRIES_PER_LEASE
        self._leaves_at = math.inf  # when it was asked to leave
        self._patient_until = math.inf
        self._ready_elsewhere: set[int] = set()  # since this agent began to leave
        self._has_room = True  # on its disk
        self._trouble = ""  # why the last order about a lease was not answered; empty if it was
        self._takes_from = -math.inf
        self._decided_until = -math.inf
        self._followed: set[int] = set()
        self._releases: dict[int, asyncio.Task[None]] = {}
        self._tasks: dict[asyncio.Task[None], None] = {}  # in the order in which they began
        self._fault: BaseException | None = None
        self._wake = asyncio.Event()  # a change that may require a decision
        self._has_ended = asyncio.Event()

    # -- for callers -------------------------------------------------

    def is_certain(self, shard: int) -> bool:
        """Return whether this agent certainly holds a shard at this moment."""
        return self.leases[shard].is_certain(self._time().count)

    def may_begin(self, shard: int) -> bool:
        """Return whether visits of a shard may begin: it is certainly held, and not being given away."""
        return self.leases[shard].stage is LeaseStage.HELD and self.is_certain(shard)

    @property
    def holders(self) -> int:
        """The number of agents that hold shards, as far as this one knows."""
        return len({lease.holder for lease in self.leases if lease.holder})

    @property
    def trouble(self) -> str:
        """Why the engine does not confirm this agent's presence or its shards; empty if it does."""
        return self._trouble or self._announcer.trouble

    def look_again(self) -> None:
        """Decide again after a change that no watch reports, such as a shard that is ready to be taken."""
        self._decided_until = -math.inf
        self._wake.set()

    def announce_room(self, has_room: bool) -> None:
        """Note whether there is room here; without it, shards go to other agents that have some."""
        if has_room != self._has_room:
            self._has_room = has_room
            self.look_again()

    async def leave(self) -> None:
        """Hand over all shards; return when `run` has ended."""
        if self._leaves_at == math.inf:
            self._leaves_at = self._time().count
            self._patient_until = self._leaves_at + PATIENCE_LEASES * self._lease_seconds
            self._announcer.say(is_leaving=True, ready=())
            self.look_again()
        await self._has_ended.wait()

    # -- life ------------------------------------------------------------

    async def run(self) -> None:
        """Take part until `leave`; raise AgentNameTaken when another process has this agent's name."""
        try:
            self._spawn(self._watch("agent", self._agents_told))
            self._spawn(self._watch("shard", self._shards_told))
            await self._announcer.claim_name()
            beats = self._spawn(self._announcer.beat())
            await self._tend()
            beats.cancel()
            await self._announcer.announce_leaving()
        finally:
            for task in list(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            for lease in self.leases:
                if lease.term:
                    self._keeper.lost(lease.shard)
            self._has_ended.set()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks[task] = None
        task.add_done_callback(self._is_done)
        return task

    def _is_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.pop(task, None)
        if not task.cancelled() and (fault := task.exception()) is not None:
            self._fault = self._fault or fault
            self._wake.set()

    # -- watching --------------------------------------------------------

    async def _watch(
        self, prefix: str, told: Callable[[AsyncIterator[KeyChange | None]], Awaitable[None]]
    ) -> None:
        while True:
            with contextlib.suppress(EngineUnavailable):
                async with self._engine.watch(prefix) as changes:
                    await told(changes)
            await asyncio.sleep(self._retry_seconds)

    async def _agents_told(self, changes: AsyncIterator[KeyChange | None]) -> None:
        known: set[str] = set()
        async for change in changes:
            now = self._time().count
            if change is None:  # the end of the list: agents that are not on it have left
                for name in self.agents.names() - known:
                    self.agents.seen(name, None, 0, now)
                known.clear()
                self.look_again()
                continue
            name = change.key.partition(".")[2]
            known.add(name)
            before = self.agents.contender_of(name)
            if name == self._agent and not self.agents.is_heard(name, now):
                self._takes_from = now + self._lease_seconds * GRACE_PART
                self.look_again()
            presence = decoded(change.value, AgentPresence)
            if presence is None or presence.name == name:
                self.agents.seen(name, presence, change.revision, now)
            if self.agents.contender_of(name) != before:
                self.look_again()

    async def _shards_told(self, changes: AsyncIterator[KeyChange | None]) -> None:
        async for change in changes:
            if change is None:
                for lease in self.leases:
                    if lease.stage is LeaseStage.UNKNOWN:
                        self._seen(lease, None, 0)
                continue
            if change.key in self._by_key:
                self._seen(self._by_key[change.key], change.value, change.revision)

    def _seen(self, lease: ShardLease, value: bytes | None, revision: int) -> None:
        record = None if value is None else decoded(value, LeaseRecord) or UNREADABLE
        before = lease.stage, lease.holder
        event = lease.seen(record, revision, self._time().count)
        if event is LeaseEvent.TAKEN and lease.clock is not None:
            self._followed.discard(lease.shard)
            self._keeper.take(lease.shard, lease.term, lease.clock, was_outlasted=lease.was_outlasted)
        elif event is LeaseEvent.LOST:
            if lease.shard in self._releases:
                self._releases.pop(lease.shard).cancel()
            self._keeper.lost(lease.shard)
        if (lease.stage, lease.holder) != before:
            self.look_again()

    # -- deciding and doing ----------------------------------------------

    async def _tend(self) -> None:
        """Decide, carry out, wait for the next change; return when all shards are given away."""
        while True:
            self._wake.clear()
            if self._fault is not None:
                raise self._fault
            now = self._time()
            if self._is_over(now.count):
                return
            if now.count >= self._decided_until:
                self._decide(now.count)
            for lease in self.leases:
                if (order := lease.next_step(now)) is not None:
                    self._spawn(self._carry_out(lease, order))
            wakes_at = min(self._decided_until, *(lease.wakes_at for lease in self.leases))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(max(0.0, wakes_at - now.count), self._lease_seconds)):
                    await self._wake.wait()

    def _is_over(self, now: float) -> bool:
        """Return whether the agent has left: it holds nothing, or is late and certain of nothing."""
        if self._leaves_at == math.inf:
            return False
        held = [lease for lease in self.leases if lease.term or lease.is_waiting]
        is_late = now > self._leaves_at + self._lease_seconds
        return not held or (is_late and not any(lease.is_certain(now) for lease in held))

    def _decide(self, now: float) -> None:
        is_leaving = self._leaves_at < math.inf
        others = [seen for seen in self.agents.contenders(now) if seen.name != self._agent]
        own = msgspec.structs.replace(self._announcer.presence, has_room=self._has_room)
        present = others if is_leaving else [*others, own]
        contenders = [presence for presence in present if presence.has_room] or present
        holders = {lease.shard: lease.holder for lease in self.leases}
        if is_leaving:
            self._be_patient(others, now)
        ready_here = {shard for shard in self._followed if self._keeper.is_ready(shard)}
        moves = next_moves(
            self._agent,
            self.leases,
            assign(self._labels, [presence.contender() for presence in contenders], holders),
            ready={self._agent: ready_here, **{seen.name: seen.ready for seen in others}},
            followed=self._followed,
            is_leaving=is_leaving,
            is_patient=now < self._patient_until,
        )
        for lease in self.leases:
            lease.is_wanted = lease.shard in moves.wanted
            lease.takes_from = self._takes_from if self.agents.is_heard(self._agent, now) else math.inf
            if lease.shard in moves.given:
                self._give(lease, moves.given[lease.shard])
        for shard in sorted(self._followed - moves.followed):
            self._keeper.forget(shard)
        for shard in sorted(moves.followed - self._followed):
            self._keeper.prepare(shard)
        self._followed = set(moves.followed)
        if not is_leaving:
            ready = tuple(sorted(self._followed & ready_here))
            self._announcer.say(is_leaving=False, ready=ready, has_room=self._has_room)
        again_at = self._patient_until if self._patient_until > now else now + self._retry_seconds
        self._decided_until = min(self.agents.changes_at(now), again_at)

    def _be_patient(self, others: Sequence[AgentPresence], now: float) -> None:
        """Extend the wait while the next holders make progress; each shard counts once."""
        ready = {shard for seen in others for shard in seen.ready} - self._ready_elsewhere
        if ready:
            self._ready_elsewhere |= ready
            self._patient_until = max(self._patient_until, now + PATIENCE_LEASES * self._lease_seconds)

    def _give(self, lease: ShardLease, receiver: str) -> None:
        is_new = lease.stage is LeaseStage.HELD
        lease.give(receiver)
        if is_new:
            self._releases[lease.shard] = self._spawn(self._release(lease, lease.term))

    async def _release(self, lease: ShardLease, term: int) -> None:
        await self._keeper.release(lease.shard)
        self._releases.pop(lease.shard, None)
        if lease.term == term:
            lease.released()
        self._wake.set()

    async def _carry_out(self, lease: ShardLease, order: LeaseWrite | LeaseRead) -> None:
        try:
            value, revision = await in_time(self._answer_seconds, self._answer(f"shard.{lease.shard}", order))
        except OutOfDate:
            self._trouble = ""
            lease.refused(self._time().count)
        except EngineUnavailable as error:
            self._trouble = trouble_with(f"shard.{lease.shard}", error)
            lease.unanswered(self._time().count)
        else:
            self._trouble = ""
            lease.answered()
            self._seen(lease, value, revision)
        self._wake.set()

    async def _answer(self, key: str, order: LeaseWrite | LeaseRead) -> tuple[bytes | None, int]:
        """Carry out an order; return the value of the key after it, and its revision."""
        if isinstance(order, LeaseWrite):
            value = msgspec.msgpack.encode(order.record)
            return value, await self._engine.put(key, value, revision=order.revision)
        found = await self._engine.get(key)
        return (None, 0) if found is None else (found.value, found.revision)
