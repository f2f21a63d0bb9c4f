"""How does a keeper take part in a crawl on many machines?

    join ─▶ shards come and go; the holder of shard 0 sows ─▶ … ─▶ give all shards away ─▶ leave

The frontier of the keeper consists of the shards that are held here; everything committed is in their logs,
so there is nothing to recover on this machine: it takes over shards as they are.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from tiptoe.cluster.cluster_agent import AgentPlan, ClusterAgent
from tiptoe.cluster.command_follower import CommandCalls
from tiptoe.cluster.companions import side_by_side
from tiptoe.cluster.copy_cleaner import CopyCleaner
from tiptoe.cluster.counter_sum import summed
from tiptoe.cluster.crawl_ending import SOWN_KEY
from tiptoe.cluster.crawl_record import are_all_seeded, note_seeded, read_urls
from tiptoe.cluster.damage_notes import damage_reader
from tiptoe.cluster.disk_room import DiskRoom
from tiptoe.cluster.engine import Engine, EngineUnavailable, OutOfDate
from tiptoe.cluster.file_service import FileService
from tiptoe.cluster.forgotten_notes import forgotten_reader
from tiptoe.cluster.freshness_service import FreshnessService
from tiptoe.cluster.locating_service import serve_whereabouts
from tiptoe.cluster.lost_members import LostMembers
from tiptoe.cluster.member_files import MemberFiles
from tiptoe.cluster.member_services import serve_drain
from tiptoe.cluster.shard_clock import MachineTime
from tiptoe.cluster.sharded_frontier import ShardedFrontier
from tiptoe.cluster.status_service import serve_status
from tiptoe.cluster.whole_view import WholeView
from tiptoe.forget.member_wishes import note_waiting, withheld_because
from tiptoe.frontier.frontier import Frontier
from tiptoe.frontier.policy import FrontierPolicy
from tiptoe.frontier.residence import ShardPlan
from tiptoe.frontier.wishes import NumberedWish
from tiptoe.keeper.clock import Clock
from tiptoe.keeper.crawl_frontier import CrawlFrontier
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.document_links import take_link_file
from tiptoe.keeper.document_texts import take_texts
from tiptoe.keeper.keeper import Keeper
from tiptoe.keeper.locating import locate
from tiptoe.keeper.overview import status_of
from tiptoe.keeper.sowing import batches
from tiptoe.observe.eventlog import EventLog
from tiptoe.observe.stops import Stop
from tiptoe.protocol.status import Cause, Status
from tiptoe.protocol.work import Request
from tiptoe.store.rocks import RocksStore
from tiptoe.write.dropbox import waiting_links
from tiptoe.write.logclock import machine_boot, machine_count
from tiptoe.write.output_kinds import shard_of_file

__all__ = ["ClusterMember", "MemberPlan"]

SOWING_SHARD: Final = 0
LOOK_SECONDS: Final = 0.5
SOWN_SECONDS: Final = 5.0
"""Time between two checks whether there is more to sow."""
RETRY_SECONDS: Final = 1.0
COMMIT_SECONDS: Final = 30.0
FILES_SECONDS: Final = 60.0
OPERATOR: Final = Cause.OPERATOR.value


@dataclass(frozen=True, kw_only=True)
class MemberPlan:
    """The plan of one run of a member."""

    agent: AgentPlan
    robot: str  # the name in its files; the crawl may have another one on the servers
    identity: str
    shards: ShardPlan
    disk_wait_seconds: float = 60.0  # how long a disk may be full before the shards are given away
    seconds_max: Callable[[], float] = lambda: 0.0  # how long the whole crawl may run; 0 = no limit
    remember: Callable[[], None] = lambda: None  # notes the settings for the next run


class ClusterMember:
    """A run of a keeper whose frontier consists of the shards that it holds: a `Lifecycle`."""

    def __init__(
        self, directory: CrawlDirectory, engine: Engine, store: RocksStore, policy: FrontierPolicy,
        plan: MemberPlan, log: EventLog,
    ) -> None:  # fmt: skip
        self.clock = Clock()
        self.frontier = ShardedFrontier(
            policy, shards=len(plan.agent.labels), plan=plan.shards, offset=self.clock.offset,
            shard_of_file=shard_of_file,
        )  # fmt: skip
        self._directory = directory
        self._engine = engine
        self._store = store
        self._plan = plan
        self._log = log
        self._keeper: Keeper | None = None
        self.agent = ClusterAgent(
            engine, store, self.frontier, plan.agent, log, machine_time=machine_clocks(),
            end_visits=self._end_visits, revoke=self._revoke, ended=self._ended, mend_files=self._taken,
            commands=CommandCalls(
                pause=self._pause, reconfigure=self._reconfigure, stop=self._stop, forget=self._forget,
                are_obeyed=lambda: self._at_work.orders.are_obeyed,
            ),
            seconds_max=plan.seconds_max, on_end=lambda: self._at_work.plan.on_end, continued=self._continued,
            has_to_forget=lambda: self._cleaner.is_due,
        )  # fmt: skip
        self._files = MemberFiles(
            directory.path, engine, self.frontier, self.agent.membership.leases, agent=plan.agent.agent,
            live=lambda: self._at_work.roster.members, log=log,
        )  # fmt: skip
        self.whole = WholeView(engine, self.agent.membership, plan.agent.agent, self._status)
        self._readers = FileService(
            engine, plan.agent.agent, directory.path, withheld=lambda: withheld_because(directory.path)
        )
        self._freshness = FreshnessService(
            engine, plan.agent.agent, lambda: self.frontier.held, machine_count
        )
        self._damage = damage_reader(engine, self.frontier, directory.path, machine_count, log)
        self._forgotten = forgotten_reader(engine, self.frontier, log)
        shards = len(plan.agent.labels)
        self._cleaner = CopyCleaner(
            engine, directory.path, store, agent=plan.agent.agent, shards=shards, log=log,
            drop_unused=lambda: self.agent.runner.drop_unused(shards),
        )  # fmt: skip
        self._lost = LostMembers(
            engine, self.frontier, directory.path, agent=plan.agent.agent, robot=plan.robot,
            count=machine_count, log=log,
        )  # fmt: skip

    # -- called by the session -------------------------------------------

    def repair(self, frontier: CrawlFrontier, live: Collection[str], *, now: float, reads: bool) -> list[str]:
        return self._files.repair_held(live)

    def may_echo(self, incarnation: str) -> bool:
        return self.frontier.may_go_on(incarnation)

    def can_loop(self) -> bool:
        return False  # members end together: how the whole crawl goes on is decided by `CrawlEnding`

    def loop(self) -> None:
        """Do nothing: rounds are those of the whole crawl."""

    async def begin(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._plan.remember()

    async def accompany(self, keeper: Keeper) -> None:
        async with serve_drain(self._engine, self._plan.agent.agent, self._stop):
            await side_by_side(
                self._take_part(), self._sow(), self._take_documents(), self._files.run(), self._lost.run(),
                self._readers.run(), self._freshness.run(), self._watch_disk(), self._damage.run(),
                self._forgotten.run(), self._cleaner.run(),
                serve_status(self._engine, self._plan.agent.agent, self._status), self.whole.run(),
                serve_whereabouts(self._engine, self._plan.agent.agent, partial(locate, keeper)),
            )  # fmt: skip

    async def _take_part(self) -> None:
        await self.agent.run()
        await asyncio.Event().wait()  # the agent has left, but the keeper may still be at work

    async def leave(self) -> None:
        await self.whole.look_last()
        self.frontier.keep_counters()
        await self.agent.leave()

    async def end(self, keeper: Keeper) -> None:
        """Finish the files; the record of the run was written in each shard before it was given away."""
        try:
            async with asyncio.timeout(FILES_SECONDS):
                await self._files.settle_rest(self._store)
                await self._readers.announce_leaving()
        except (TimeoutError, EngineUnavailable) as error:  # the next run does it
            self._log.note("files.left", error=repr(error))

    # -- called by the agent ---------------------------------------------

    @property
    def _at_work(self) -> Keeper:
        assert self._keeper is not None, "the keeper has not begun"
        return self._keeper

    @property
    def pages(self) -> int:
        """Pages of the whole crawl if it has ended, otherwise of the shards that are held."""
        return self.agent.ending.pages or self.frontier.counters.totals.pages

    def _status(self) -> Status:
        """Return the status of the shards that are held; other agents report those that were given away."""
        return status_of(self._at_work, summed(held.frontier.counters for held in self.frontier.held))

    def _end_visits(self, hosts: Iterable[str]) -> None:
        for host in hosts:
            self._at_work.cancel(host)

    def _revoke(self, shard: int, visits: Iterable[int]) -> None:
        self._at_work.orders.revoke(shard)

    def _ended(self) -> None:
        if self.frontier.is_late:
            self._at_work.stop(Stop.TIME_LIMIT)

    def _continued(self) -> None:
        self._log.note("crawl.continued", on_end=self._at_work.plan.on_end)
        self._at_work.afterwards.run_command(Stop.FINISHED)

    def _pause(self, is_paused: bool) -> None:
        if is_paused:
            self._at_work.hold(OPERATOR)
        else:
            self._at_work.go_on(OPERATOR)

    def _reconfigure(self, settings: dict[str, str]) -> None:
        self._at_work.reconfigure(settings)

    def _stop(self) -> None:
        self._at_work.stop(Stop.OPERATOR)

    def _forget(self, wishes: Sequence[NumberedWish]) -> None:
        note_waiting(self._directory.path, wishes)

    def _taken(self, shard: int, frontier: Frontier, moment: float) -> None:
        """Repair the output files of a shard that was taken."""
        for one in self._files.repair_shard(shard, frontier, (), now=moment):
            self._log.note("output.repaired", what=one)
        self._lost.settle(shard, frontier, moment)

    async def _watch_disk(self) -> None:
        """Leave shards to other agents while the keeper waits for room on its disk."""
        room = DiskRoom(self._plan.disk_wait_seconds)
        while True:
            before = room.is_there
            has_room = room.look(is_full=Cause.DISK.value in self._at_work.holds, now=machine_count())
            if has_room != before:
                self._log.note("disk.takes_shards" if has_room else "disk.gives_shards")
            self.agent.membership.announce_room(has_room)
            await asyncio.sleep(LOOK_SECONDS)

    # -- seeds -----------------------------------------------------------------

    async def _sow(self) -> None:
        """Add the seeds of the crawl if this agent holds the shard whose holder does that.

        Operators may add more later: then the key that says that all is sown is deleted.
        """
        has_compared = False  # the note about sown seeds with the list, since the shard is held
        while True:
            if SOWING_SHARD not in {held.shard for held in self.frontier.held}:
                has_compared = False
            elif await self._is_seeded(compares=not has_compared):
                has_compared = True
                await asyncio.sleep(SOWN_SECONDS)
                continue
            else:
                has_compared = False
                await self._add_seeds()
            await asyncio.sleep(LOOK_SECONDS)

    async def _is_seeded(self, *, compares: bool) -> bool:
        while True:
            with contextlib.suppress(EngineUnavailable):
                if compares:
                    return await are_all_seeded(self._engine, self._plan.identity)
                return await self._engine.get(SOWN_KEY) is not None
            await asyncio.sleep(RETRY_SECONDS)

    async def _add_seeds(self) -> None:
        # If this agent dies here, the next one starts over: no URL is queued twice.
        identity, now = self._plan.identity, self.clock.now
        with contextlib.suppress(EngineUnavailable, OutOfDate, TimeoutError):
            for batch in batches(await read_urls(self._engine, f"downloaded.{identity}")):
                await self._step(partial(self.frontier.mark_downloaded, batch, now()))
            seeds = await read_urls(self._engine, f"seeds.{identity}")
            for batch in batches(seeds):
                await self._step(partial(self.frontier.add, [Request(url) for url in batch], now()))
            await note_seeded(self._engine, len(seeds))
            self._log.note("crawl.sown")

    async def _step(self, step: Callable[[], object]) -> None:
        """Make one step and wait until it is committed; raise EngineUnavailable if a shard was lost."""
        held = list(self.frontier.held)
        if not held:
            raise EngineUnavailable("no shard is held")
        step()
        stored = asyncio.Event()
        self.frontier.after_commit(stored.set)
        async with asyncio.timeout(COMMIT_SECONDS):
            await stored.wait()
        if not set(held) <= set(self.frontier.held):
            raise EngineUnavailable("a shard was lost with what was added to it")

    async def _take_documents(self) -> None:
        """Take in what conversions of earlier runs have left on this machine."""
        while not self.frontier.held:
            await asyncio.sleep(LOOK_SECONDS)
        take_texts(self.frontier, self._directory.path)
        for path in waiting_links(self._directory.path):
            take_link_file(self.frontier, path, self.clock.now())


def machine_clocks() -> Callable[[], MachineTime]:
    """Return a function that reads the clocks of this machine."""
    boot = machine_boot()  # which stays the same as long as this process lives
    return lambda: MachineTime(boot, machine_count(), time.time())
