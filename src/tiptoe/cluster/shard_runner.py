"""How does an agent run the shards that it holds?

    prepare ─▶ follows the log ─▶ take ─▶ claims it ─▶ frontier, mail, snapshots ─▶ release or lost
                                                  ▲                 │
                                                  └─ erases rows ◀──┘ when something is to be forgotten

The frontier of a shard starts at the end of its log. Leases that it finds there are those of the previous
holder: their addresses rest as if visited just now. No other address needs to rest, unlike after a crash on
one machine: no visit begins before its lease is in the log, and the clock of the shard continues with the
shard's lease, whichever agent holds it.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from tiptoe.cluster.batch_appender import ShardLost
from tiptoe.cluster.beat import SharedBeat
from tiptoe.cluster.companions import first_of
from tiptoe.cluster.direct_mail import DirectMail
from tiptoe.cluster.engine import MESSAGE_BYTES_MAX, Engine, EngineUnavailable
from tiptoe.cluster.far_mail import FarMail
from tiptoe.cluster.held_shard import HeldShard
from tiptoe.cluster.log_batch import LogAuthor, LogPosition
from tiptoe.cluster.mail_pump import MailPump
from tiptoe.cluster.neighbour_mail import NeighbourMail
from tiptoe.cluster.shard_clock import MachineTime, ShardClock
from tiptoe.cluster.shard_erasing import erase_wishes, withdraw_purged
from tiptoe.cluster.shard_log import ShardLog
from tiptoe.cluster.shard_replica import ShardReplica
from tiptoe.cluster.shard_snapshot import GiveWay, SnapshotNote, is_snapshot_due, no_hurry
from tiptoe.cluster.sharded_frontier import ShardedFrontier
from tiptoe.cluster.snapshot_keeper import SnapshotKeeper
from tiptoe.frontier.frontier import Frontier
from tiptoe.frontier.host_orders import last_obeyed
from tiptoe.frontier.mail import ShardMail
from tiptoe.frontier.policy import FrontierPolicy
from tiptoe.frontier.wishes import NumberedWish, hosts_to_erase_again, last_erased
from tiptoe.observe.eventlog import EventLog
from tiptoe.store.partition import DividedStore, Partition

__all__ = ["RunnerCalls", "RunnerPlan", "ShardRunner"]

CLOCK_OF_LEASE: Final = "lease"
"""Given in place of a machine's boot id: the clock of a shard continues whichever agent holds it."""

FRONT_HOSTS_MIN: Final = 500
"""Minimum hosts in memory per shard, however many shards share an agent's room."""

CLAIM_SECONDS: Final = 0.5


@dataclass(frozen=True, kw_only=True)
class RunnerPlan:
    """How the shards of an agent are run."""

    agent: str
    grace_seconds: float  # how long abandoned visits may go on at the previous holder's harvesters
    release_seconds: float = 10.0  # the longest wait for visits under way
    snapshot_look_seconds: float = 10.0
    gather_seconds: float = 0.0  # from one sending to the logs to the next
    message_bytes_max: int = MESSAGE_BYTES_MAX
    is_snapshot_due: Callable[[LogPosition, SnapshotNote | None], bool] = is_snapshot_due


@dataclass(frozen=True, kw_only=True)
class RunnerCalls:
    """Callbacks of the runner."""

    machine_time: Callable[[], MachineTime]
    is_certain: Callable[[int], bool]
    look_again: Callable[[], object]  # a shard is ready to be taken
    end_visits: Callable[[Iterable[str]], object]  # of these hosts: return the requests not made yet
    revoke: Callable[[int, Iterable[int]], object]  # a shard is lost, and these visits of it
    mend_files: Callable[
        [int, Frontier, float], object
    ]  # those of a shard that was just taken, by its moment
    fail: Callable[[BaseException], object]  # an error that cannot be handled here
    are_known: Callable[[int], Awaitable[None]]  # waits for the operator's commands up to a number
    agents: Callable[[], int]  # how many agents hold shards
    holder_of: Callable[[int], str] = lambda shard: ""  # the agent that holds a shard; empty if unknown


class ShardRunner:
    """Operates shards, from reading their logs to handing them over."""

    def __init__(
        self,
        engine: Engine,
        store: DividedStore,
        frontier: ShardedFrontier,
        plan: RunnerPlan,
        calls: RunnerCalls,
        events: EventLog,
    ) -> None:
        self._engine = engine
        self._store = store
        self._frontier = frontier
        self._plan = plan
        self._calls = calls
        self._events = events
        self._replicas: dict[int, ShardReplica] = {}
        self._following: dict[int, asyncio.Task[None]] = {}
        self._running: dict[int, asyncio.Task[None]] = {}
        self._wishes_of: dict[int, asyncio.Event] = {}  # set when there may be something to be erased
        self._erased: dict[int, int] = {}  # shard that is run -> number of the last wish carried out in it
        self._claims = 0  # shards of ours that stand still until they have been read
        self._is_unhurried = asyncio.Event()  # there are no such shards
        self._is_unhurried.set()
        self._neighbours = NeighbourMail(self._neighbour, self._receive)
        self._others = FarMail(engine)
        self.mail = DirectMail(engine, self._neighbours, agent=plan.agent, holder_of=calls.holder_of)
        self._beat = SharedBeat(plan.gather_seconds)

    # -- called by the membership --------------------------------------

    def prepare(self, shard: int) -> None:
        """Begin to read a shard and follow its log, because it may be taken soon."""
        replica = self._replica(shard, give_way=self._give_way)
        self._replicas[shard] = replica
        self._following[shard] = self._spawn(replica.follow())

    def is_ready(self, shard: int) -> bool:
        """Return whether a followed shard has been read up to the end of its log."""
        return shard in self._replicas and self._replicas[shard].is_caught_up

    def forget(self, shard: int) -> None:
        """Stop following a shard; what was read of it stays on the disk."""
        self._replicas.pop(shard, None)
        if task := self._following.pop(shard, None):
            task.cancel()

    def take(self, shard: int, term: int, clock: ShardClock, *, was_outlasted: bool) -> None:
        """Run a shard from the end of its log, whether it was followed before or not."""
        following, before = self._following.get(shard), self._running.get(shard)
        self._drop(shard)
        # The last request of a holder that was outlasted is over, so its addresses need no extra rest.
        grace = 0.0 if was_outlasted else self._plan.grace_seconds
        self._running[shard] = self._spawn(self._run(shard, term, clock, grace, [following, before]))

    async def release(self, shard: int) -> None:
        """Begin no more visits of a shard, wait for those under way, write the rest and close it."""
        held = self._frontier.held_shard(shard)
        if held is not None:
            await self._end_visits(held)
            if self._frontier.held_shard(shard) is held:  # otherwise its frontier was stopped, to erase rows
                with contextlib.suppress(ShardLost):
                    await self._close(held)
        self._drop(shard)

    async def _end_visits(self, held: HeldShard) -> None:
        """Begin no more visits of a shard, and wait for those under way, though not for ever."""
        held.is_closing = True
        self._calls.end_visits(held.frontier.visited_hosts())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._plan.release_seconds):
                while held.visits:
                    held.changed.clear()
                    await held.changed.wait()

    async def _close(self, held: HeldShard) -> None:
        now = self._calls.machine_time()
        moment = held.clock.now(now.count)
        held.frontier.runs.end(now=moment, wall_ahead=now.wall - moment)
        await held.log.committed()
        self._events.note("shard.given", shard=held.shard, visits=len(held.visits))

    def lost(self, shard: int) -> None:
        """Drop a shard immediately: another agent has it, or this one ends."""
        self._drop(shard)

    async def close(self) -> None:
        """Drop all shards, and return when no task is running any more."""
        tasks = [*self._following.values(), *self._running.values()]
        for shard in {*self._following, *self._running}:
            self._drop(shard)
        await asyncio.gather(*tasks, return_exceptions=True)

    # -- what is to be forgotten -------------------------------------------

    def wishes_came(self) -> None:
        """Look which wishes are to be carried out in the shards that are run."""
        for event in self._wishes_of.values():
            event.set()

    def are_erased(self) -> bool:
        """Return whether every shard that is run has carried out all wishes that are known."""
        last = self._frontier.wishes.last
        return all(
            self._erased.get(shard, 0) >= last for shard, task in self._running.items() if not task.done()
        )

    def drop_unused(self, shards: int) -> bool:
        """Drop the copies of shards, of this many, that are neither run nor followed here.

        Return whether the others have all that was committed.
        """
        for shard in range(shards):
            task = self._running.get(shard)
            if shard not in self._replicas and (task is None or task.done()):
                Partition(self._store, shard).drop()
        return all(replica.is_caught_up for replica in self._replicas.values())

    async def _erase(self, shard: int, log: ShardLog) -> None:
        """Erase what is to be forgotten from a shard whose frontier does not run."""
        wishes, began_at = self._frontier.wishes, asyncio.get_running_loop().time()
        if wishes.to_erase(log.store) and hosts_to_erase_again(log.store):
            await withdraw_purged(self._engine, shard)

        def tell(one: NumberedWish) -> None:
            seconds = asyncio.get_running_loop().time() - began_at
            self._events.note("shard.erased", shard=shard, number=one.number, seconds=seconds)

        await erase_wishes(log, wishes, tell)
        self._erased[shard] = last_erased(log.store)

    async def _until_wished(self, held: HeldShard) -> None:
        """Return when something is to be erased from a shard, and its visits have ended."""
        event = self._wishes_of[held.shard]
        while not self._frontier.wishes.to_erase(held.store):
            event.clear()
            await event.wait()
        if held.is_closing:  # it is being given away: the next holder does it
            await asyncio.Event().wait()
        await self._end_visits(held)

    # -- inside ------------------------------------------------------------

    def _replica(self, shard: int, give_way: GiveWay = no_hurry) -> ShardReplica:
        partition = Partition(self._store, shard)
        return ShardReplica(
            self._engine, shard, partition, caught_up=self._calls.look_again, give_way=give_way
        )

    async def _give_way(self) -> None:
        """Wait while shards of ours are being read: they come before those that others still hold."""
        await self._is_unhurried.wait()

    @contextlib.contextmanager
    def _hurrying(self) -> Iterator[None]:
        self._claims += 1
        self._is_unhurried.clear()
        try:
            yield
        finally:
            self._claims -= 1
            if not self._claims:
                self._is_unhurried.set()

    def _neighbour(self, shard: int) -> HeldShard | None:
        """Return a shard that can be given mail here and now."""
        held = self._frontier.held_shard(shard)
        return held if held is not None and held.is_certain and not held.is_closing else None

    def _receive(self, held: HeldShard, mails: list[ShardMail]) -> None:
        held.frontier.receive(mails, held.clock.now(self._calls.machine_time().count))
        self._frontier.mail_came(held)
        wishes = self._frontier.wishes
        if wishes and hosts_to_erase_again(held.store) and wishes.to_erase(held.store):
            self._erased.pop(held.shard, None)
            self._wishes_of[held.shard].set()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        task.add_done_callback(self._is_done)
        return task

    def _is_done(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self._calls.fail(error)

    def _drop(self, shard: int) -> None:
        self.forget(shard)
        if held := self._frontier.held_shard(shard):
            self._let_go(held)
        if task := self._running.get(shard):
            task.cancel()

    def _let_go(self, held: HeldShard) -> None:
        """Make sure that no further step or request is made for a shard."""
        if self._frontier.held_shard(held.shard) is held:
            # Before anything is released that concerns other shards too.
            self._calls.revoke(held.shard, list(held.visits))
            self._frontier.drop(held.shard)

    async def _store_steps(self, shard: int, log: ShardLog) -> None:
        try:
            await log.run()
        finally:
            held = self._frontier.held_shard(shard)
            if held is not None and held.log is log:
                self._let_go(held)  # at once: its store takes no further step

    async def _run(
        self, shard: int, term: int, clock: ShardClock, grace: float,
        before: Iterable[asyncio.Task[None] | None],
    ) -> None:  # fmt: skip
        # Two tasks writing the same rows on the disk would corrupt them.
        await asyncio.gather(*filter(None, before), return_exceptions=True)
        self._wishes_of[shard] = asyncio.Event()
        self._erased.pop(shard, None)
        try:
            with self._hurrying():
                log = await self._claim(shard, LogAuthor(self._plan.agent, term))
            log.beat = self._beat
            await self._calls.are_known(last_obeyed(log.store))
            async with asyncio.TaskGroup() as group:
                group.create_task(self._store_steps(shard, log))
                await self._hold(shard, log, clock, grace)
        except* ShardLost as error:
            self._events.note("shard.gone", shard=shard, term=term, error=repr(error))

    async def _hold(self, shard: int, log: ShardLog, clock: ShardClock, grace: float) -> None:
        """Run the frontier of a shard, and start it anew whenever something is to be forgotten."""
        while True:
            await self._erase(shard, log)
            held = self._begin(shard, log, clock, grace)
            try:
                self._frontier.take(held)
                await first_of(self._pump(held).run(), self._snapshots(held).run(), self._until_wished(held))
            finally:
                self._let_go(held)
            grace = self._plan.grace_seconds  # for visits that did not end in time

    async def _claim(self, shard: int, author: LogAuthor) -> ShardLog:
        replica = self._replica(shard)
        while True:
            try:
                return await replica.claim(
                    author, self._events, message_bytes_max=self._plan.message_bytes_max
                )
            except EngineUnavailable:
                await asyncio.sleep(CLAIM_SECONDS)

    def _begin(self, shard: int, log: ShardLog, clock: ShardClock, grace: float) -> HeldShard:
        """Start the frontier of a shard whose log was claimed."""
        policy = self._policy()
        frontier = Frontier(
            log.store, policy, shard=shard, plan=self._frontier.plan, orders=self._frontier.orders,
            shares_texts=self._frontier.texts.is_shared,
        )  # fmt: skip
        now = self._calls.machine_time()
        moment = clock.now(now.count)
        rests_until = frontier.runs.begin(
            CLOCK_OF_LEASE, clock.offset, now=moment, rest=policy.politeness.general_pause,
            ranges=policy.cdn_ranges, wall_ahead=now.wall - moment,
        )  # fmt: skip
        returned = frontier.recover(moment, grace=grace)
        self._calls.mend_files(shard, frontier, moment)
        self._events.note("shard.taken", shard=shard, returned=returned, rests=max(0.0, rests_until - moment))
        held = HeldShard(
            shard, frontier, log, clock, rests_until=rests_until, boot=now.boot,
            is_certain=lambda: self._calls.is_certain(shard),
        )  # fmt: skip
        held.obey(moment)
        return held

    def _policy(self) -> FrontierPolicy:
        """Return the policy of one shard: all shards share the agent's room for hosts in memory."""
        policy = self._frontier.policy
        return replace(policy, front_hosts=max(FRONT_HOSTS_MIN, policy.front_hosts // self._frontier.shards))

    def _pump(self, held: HeldShard) -> MailPump:
        return MailPump(
            self._engine, held, receive=self._receive, neighbours=self._neighbours, others=self._others,
            direct=self.mail, agents=self._calls.agents,
        )  # fmt: skip

    def _snapshots(self, held: HeldShard) -> SnapshotKeeper:
        return SnapshotKeeper(
            self._engine, held, self._frontier.texts, Partition(self._store, held.shard), self._events,
            look_seconds=self._plan.snapshot_look_seconds, is_due=self._plan.is_snapshot_due,
        )  # fmt: skip
