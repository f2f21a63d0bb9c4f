"""Agents that crawl a small web together, on one virtual clock, judged by what its servers saw.

Everything in an agent is real except its keeper's loop and its harvester: membership, runner, logs, mail and
frontiers, over an engine in memory. The clocks of machines run at different speeds, their wall clocks differ
by minutes. Processes die, with or without their disks, are suspended or cut off; answers get lost.
"""

import asyncio
import io
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from types import MappingProxyType

from simulated.agent_harvester import Served, SimulatedHarvester
from simulated.agent_operator import SimulatedOperator
from simulated.agent_web import PAGE_BYTES, SmallWeb
from simulated.lease_world import Machine
from simulated.memory_engine import Broker, Fate
from simulated.virtual import Timeline
from tiptoe.cluster.assignment import UNLABELLED
from tiptoe.cluster.cluster_agent import HARVESTER_LEASES, AgentPlan, ClusterAgent
from tiptoe.cluster.command_follower import CommandCalls
from tiptoe.cluster.crawl_ending import SOWN_KEY
from tiptoe.cluster.engine import EngineUnavailable, OutOfDate
from tiptoe.cluster.log_batch import LogPosition
from tiptoe.cluster.shard_labels import LabelRule, ShardLabels
from tiptoe.cluster.shard_replica import ShardReplica
from tiptoe.cluster.shard_runner import RunnerPlan
from tiptoe.cluster.shard_snapshot import SnapshotNote
from tiptoe.cluster.sharded_frontier import ShardedFrontier
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.observe.eventlog import EventLog
from tiptoe.protocol.work import Report, Request
from tiptoe.store.memory import MemoryStore
from tiptoe.store.partition import Partition

__all__ = ["BRIEF", "LONG", "AgentWorld", "Capacity", "SimulatedAgent"]

BRIEF = Politeness(req_delay=2.0, general_pause=20.0, max_reqs=4, max_hosts=2)
LONG = Politeness(req_delay=9.0, general_pause=10.0, max_reqs=12, max_hosts=3)
"""Rules under which a visit may last for minutes, much longer than a lease."""

ROUNDS_ONLY = RevisitPolicy(strategy="uniform", first_seconds=1e9, max_seconds=1e9)
"""Nothing is ever due by itself."""

LEASE_SECONDS = 30.0
PACE_MAX = 0.01
WALLS_DIFFER_MAX = 580.0
PACES_TOLERANCE = 0.03
"""Of a pause: by so much it may be shorter where two machines count it, one per cent off each."""

TICK_SECONDS = 0.25
LOOKUP_SECONDS = 0.1
SEEDS_PER_STEP = 500

TROUBLES = ("leave", "kill", "burn", "freeze", "freeze", "cut", "cut", "outage", "noise", "start")


@dataclass(frozen=True)
class Capacity:
    """How much an agent does at once; logs and messages are so short that there are many of them."""

    visits: int = 20
    lookups: int = 20
    log_bytes: int = 20_000
    message_bytes: int = 3000

    def is_snapshot_due(self, position: LogPosition, last: SnapshotNote | None) -> bool:
        return position.log_bytes - (last.position.log_bytes if last else 0) >= self.log_bytes


class SimulatedAgent:
    """One life of one agent."""

    def __init__(self, world: "AgentWorld", number: int, life: int) -> None:
        self.world = world
        self.number = number
        self.machine = machine = world.machines[number]
        self.name = f"{machine.name}-{life}"
        self.loop = world.timeline.loop(self.name)
        self.loop.on_death = self._died
        self.engine = world.broker.connect(self.name, seconds=3.0, trouble=world.fate)
        self.events = io.StringIO()
        now = machine.time(world.timeline.now)
        self._offset = now.wall - now.count
        self.frontier = ShardedFrontier(
            world.policy, shards=world.shards, offset=self._offset,
            plan=world.plan,
            shard_of_file=lambda name: None,
        )  # fmt: skip
        plan = AgentPlan(
            agent=machine.name, incarnation=self.name, labels=world.plan.labels,
            takes=world.takes.get(number, (UNLABELLED,)), lease_seconds=LEASE_SECONDS,
            runner=RunnerPlan(
                agent=machine.name,  grace_seconds=LEASE_SECONDS / HARVESTER_LEASES,
                is_snapshot_due=world.capacity.is_snapshot_due,
                message_bytes_max=world.capacity.message_bytes,
            ),
        )  # fmt: skip
        self.agent = ClusterAgent(
            self.engine, world.disks[number], self.frontier, plan, EventLog(self.name, self.events),
            machine_time=lambda: machine.time(world.timeline.now),
            end_visits=self._end_visits, revoke=self._revoke, ended=self._ended,
            commands=CommandCalls(
                pause=self._pause, reconfigure=self._reconfigure, stop=self.leave,
                are_obeyed=lambda: self._heard == self._given,
            ),
            seconds_max=lambda: world.seconds_max, on_end=lambda: self._on_end, continued=self._continued,
        )  # fmt: skip
        self.harvester = SimulatedHarvester(
            f"{self.name}.h", world.timeline, world.web, world.served, LEASE_SECONDS / HARVESTER_LEASES,
            tell=lambda report: self.hear(lambda: self._take_report(report)),
            beat=lambda sent_at: self.hear(lambda: self._take_beat(sent_at)),
        )  # fmt: skip
        self.has_ended = False
        self.continued = 0  # how often the crawl has gone on although nothing was left
        self._on_end = world.on_end
        self.has_sown = False  # what it was told to begin with is stored, all of it
        self.leaving: asyncio.Task[None] | None = None
        self._under_way: set[int] = set()
        self._is_paused = False
        self._given = self._heard = 0  # orders to the harvester
        self.task = self.loop.create_task(self.agent.run())
        self._ticks = self.loop.create_task(self._tick())
        self._sowing = self.loop.create_task(self._sow())

    def __repr__(self) -> str:
        return f"<SimulatedAgent {self.name} {self.frontier!r}>"

    def _died(self) -> None:
        self.engine.vanish()

    @property
    def is_over(self) -> bool:
        return self.loop.is_dead or self.task.done()

    def leave(self) -> None:
        if self.leaving is None:
            self.leaving = self.loop.create_task(self.agent.leave())

    def kill(self) -> None:
        """Die; the harvester, as one on another machine would, goes on as long as its lease allows."""
        self.loop.kill()
        self.world.stagehand.call_later(self.world.chance.uniform(0, LEASE_SECONDS), self.harvester.loop.kill)

    def _now(self) -> float:
        return self.machine.count(self.world.timeline.now) + self._offset

    # -- a keeper ----------------------------------------------------------

    def hear(self, said: Callable[[], object]) -> None:
        if not self.loop.is_dead:
            self.loop.call_later(0.005, said)

    async def _sow(self) -> None:
        while not self.frontier.held or not self.world.may_sow():
            await asyncio.sleep(1.0)
        if await self._is_seeded():
            return
        seeds = [Request(url) for url in self.world.seeds_of(self)]
        for first in range(0, len(seeds), SEEDS_PER_STEP):
            self.frontier.add(seeds[first : first + SEEDS_PER_STEP], self._now())
            stored = self.loop.create_future()
            self.frontier.after_commit(partial(stored.set_result, None))
            await stored
        self.has_sown = True
        while not await self._is_seeded():
            try:
                await self.engine.put(SOWN_KEY, b"")
            except (EngineUnavailable, OutOfDate):
                await asyncio.sleep(1.0)

    async def _is_seeded(self) -> bool:
        while True:
            try:
                return await self.engine.get(SOWN_KEY) is not None
            except EngineUnavailable:
                await asyncio.sleep(1.0)

    async def _tick(self) -> None:
        while True:
            self._hand_out()
            await asyncio.sleep(TICK_SECONDS)

    def _hand_out(self) -> None:
        frontier, now = self.frontier, self._now()
        frontier.tick(now)
        if self._is_paused:
            return
        if frontier.wants_hosts() and (names := frontier.new_hosts(self.world.capacity.lookups)):
            found = [(name, self.world.web.address_of(name), "") for name in names]
            self.loop.call_later(LOOKUP_SECONDS, lambda: frontier.resolved_all(found, self._now()))
        while len(self._under_way) < self.world.capacity.visits:
            visits = frontier.visits(4, self.harvester.name, now)
            if not visits:
                break
            self._under_way.update(visit.id for visit in visits)
            frontier.after_commit(partial(self.harvester.hear, partial(self.harvester.begin, visits)))

    def _take_report(self, report: Report) -> None:
        for visit, works in self.frontier.report([report], {}, self._now()).items():
            if not works:
                self._under_way.discard(visit)
            self.frontier.after_commit(
                partial(self.harvester.hear, partial(self.harvester.go_on, visit, works))
            )

    def _take_beat(self, sent_at: float) -> None:
        if self.frontier.may_go_on(self.harvester.name):
            self.harvester.hear(lambda: self.harvester.echo(sent_at))

    # -- orders --------------------------------------------------------------

    def _order(self, act: Callable[[], object]) -> None:
        """Have the harvester do something, before and behind the visits that wait for a commit."""
        self._given += 1
        self.harvester.hear(act)
        told = partial(self.harvester.hear, partial(self._do, act, self._given))
        self.frontier.after_commit(told, or_lost=True)

    def _do(self, act: Callable[[], object], number: int) -> None:
        act()
        self.hear(partial(self._confirm, number))

    def _confirm(self, number: int) -> None:
        self._heard = max(self._heard, number)

    def _end_visits(self, hosts: Iterable[str]) -> None:
        self._order(partial(self.harvester.cancel, list(hosts)))

    def _pause(self, is_paused: bool) -> None:
        self._is_paused = is_paused
        self._order(partial(setattr, self.harvester, "is_held", is_paused))

    def _reconfigure(self, settings: dict[str, str]) -> None:
        self._on_end = settings.get("crawl.on_end", self._on_end)
        if "crawl.max_pages" in settings:
            pages_max = int(settings["crawl.max_pages"])
            self.frontier.reconfigure(replace(self.frontier.policy, pages_max=pages_max))

    def _revoke(self, shard: int, visits: object) -> None:
        assert isinstance(visits, list)
        self._under_way.difference_update(visits)
        self.harvester.hear(lambda: self.harvester.revoke(shard))

    def _continued(self) -> None:
        self.continued += 1

    def _ended(self) -> None:
        self.has_ended = self.world.has_ended = True
        self.leave()


class AgentWorld:
    """Machines, their agents, one web, and what happens to them."""

    def __init__(
        self, seed: int, *, machines: int = 3, shards: int = 4, hosts: int = 12, web: SmallWeb | None = None,
        pages_max: int = 0, bytes_max: int = 0, seconds_max: float = 0.0,
        labels: Sequence[LabelRule] = (), takes: Mapping[int, Sequence[str]] = MappingProxyType({}),
        capacity: Capacity | None = None, on_end: str = "quit",
    ) -> None:  # fmt: skip
        self.capacity = capacity or Capacity()
        self.plan = ShardLabels(shards, labels)
        self.takes = takes  # what the agents of these machines take, if not what has no label
        self.chance = random.Random(seed)
        self.pages_max = pages_max
        self.bytes_max = bytes_max
        self.seconds_max = seconds_max
        self.on_end = on_end
        self.web = web or SmallWeb(seed, hosts)
        self.shards = shards
        self.rules = self.chance.choice([BRIEF, LONG])
        self.delay_max = self.chance.choice([0.02, 0.3])
        self.timeline = Timeline()
        self.stagehand = self.timeline.loop("stagehand")
        self.broker = Broker(self.stagehand)
        self.served: list[Served] = []
        self.loss = 0.0
        self.lives: list[SimulatedAgent] = []
        self.has_ended = False  # as one of them has found out
        self.operator = SimulatedOperator(self.timeline, self.broker, self.served, self.web)
        self.disks = [MemoryStore() for _ in range(machines + 1)]
        self.machines = [
            Machine(
                f"m{number}", 1 + self.chance.uniform(-PACE_MAX, PACE_MAX), self.chance.uniform(-1e5, 0),
                1e9 + self.chance.uniform(0, WALLS_DIFFER_MAX),
            )
            for number in range(machines + 1)  # the last one is spared all trouble
        ]  # fmt: skip

    @property
    def policy(self) -> FrontierPolicy:
        """What agents begin with."""
        revisit = ROUNDS_ONLY if self.on_end == "loop" else RevisitPolicy()
        return FrontierPolicy(
            politeness=self.rules, pages_max=self.pages_max, bytes_max=self.bytes_max, revisit=revisit
        )

    def fate(self, operation: str, name: str) -> Fate:
        """Choose what becomes of one operation."""
        chance, before, after = self.chance, self._delay(), self._delay()
        if operation in ("watch", "follow"):
            return Fate(before=before)
        if chance.random() < self.loss:
            kind = chance.randrange(3)
            return Fate(before=before + 5.0 * (kind == 0), is_done=kind != 1, is_answered=kind != 2)
        return Fate(before=before, after=after)

    def _delay(self) -> float:
        return self.chance.uniform(0.001, self.delay_max)

    # -- processes ---------------------------------------------------------

    def start(self, number: int) -> SimulatedAgent | None:
        if self.agent_on(number) is not None:
            return None
        self.lives.append(SimulatedAgent(self, number, len(self.lives)))
        self.started(self.lives[-1])
        return self.lives[-1]

    def started(self, agent: SimulatedAgent) -> None:
        """An agent has begun: for worlds in which there is more to it."""

    def may_sow(self) -> bool:
        """Whether an agent that holds something may add its seeds."""
        return True

    def seeds_of(self, agent: SimulatedAgent) -> list[str]:
        """Return what an agent is told to begin with: all have the same command, and the same seeds."""
        return self.web.seeds()

    @property
    def is_seeded(self) -> bool:
        """Whether all seeds are stored."""
        return self.broker.get(SOWN_KEY) is not None

    def agent_on(self, number: int) -> SimulatedAgent | None:
        return next((life for life in self.living() if life.number == number), None)

    def living(self) -> list[SimulatedAgent]:
        return [life for life in self.lives if not life.is_over]

    def at(self, moment: float, action: Callable[[], object]) -> None:
        self.stagehand.call_at(moment, action)

    def run(self, until: float) -> bool:
        """Crawl; return whether it has come to its end before that time."""
        return self.timeline.run(until=until, is_over=lambda: self.has_ended)

    def close(self) -> None:
        for life in self.lives:
            life.loop.kill()
            life.harvester.loop.kill()
        self.operator.loop.kill()

    # -- trouble -----------------------------------------------------------

    def trouble(self, until: float) -> None:
        """Plan joins, leaves, deaths, standstills, cuts and bad lines at random moments, and commands."""
        chance = self.chance
        for number in range(len(self.machines) - 1):
            self.at(chance.choice([0.0, chance.uniform(0, until / 2)]), partial(self.start, number))
        for _ in range(chance.randint(3, 14)):
            moment, number = chance.uniform(0, until), chance.randrange(len(self.machines) - 1)
            kind = chance.choice(TROUBLES)
            seconds = chance.choice([2.0, 10.0, 20.0, 40.0, 80.0]) * chance.uniform(0.5, 1.1)
            self.at(moment, partial(self.begin, kind, number))
            self.at(min(until, moment + seconds), partial(self._end, kind, number))
        self.operator.plan(self.chance, until)
        self.at(until, self._settle)

    def begin(self, kind: str, number: int) -> None:
        agent = self.agent_on(number)
        if kind == "outage":
            self.broker.stop()
        elif kind == "noise":
            self.loss = self.chance.choice([0.05, 0.3])
        elif kind == "start" or agent is None:
            self.start(number)
        elif kind == "leave" and not agent.loop.is_frozen:
            agent.leave()
        elif kind in ("kill", "burn"):
            agent.kill()
            if kind == "burn":
                self.disks[number] = MemoryStore()
        elif kind == "freeze":
            agent.loop.freeze()
            if self.chance.random() < 0.3:
                agent.harvester.loop.freeze()
        elif kind == "cut":
            agent.engine.cut_off()

    def _end(self, kind: str, number: int) -> None:
        agent = self.agent_on(number)
        if kind == "outage" and self.broker.is_down:
            self.broker.start()
        elif kind == "noise":
            self.loss = 0.0
        elif kind in ("kill", "burn", "leave"):
            self.start(number)
        elif agent is not None and kind == "freeze":
            self._thaw(agent)
        elif agent is not None and kind == "cut":
            agent.engine.join()

    def _thaw(self, agent: SimulatedAgent) -> None:
        for loop in (agent.loop, agent.harvester.loop):
            if loop.is_frozen:
                loop.thaw()

    def _settle(self) -> None:
        """From now on everything works."""
        self.loss = 0.0
        if self.broker.is_down:
            self.broker.start()
        for life in self.living():
            if life.engine.is_cut:
                life.engine.join()
            self._thaw(life)
        if all(life.leaving is not None for life in self.living()):
            self.start(len(self.machines) - 1)

    # -- judgement ---------------------------------------------------------

    def judge(self) -> list[str]:
        """Return what went wrong: in a process, with the rules, or with the pages."""
        wrong = [*self._faults(), *self.rudeness(), *self._pages(), *self.operator.disobedience()]
        return wrong + (self.operator.remains(self.stored_frontiers()) if self.operator.forgotten else [])

    def _faults(self) -> list[str]:
        wrong = []
        for life in self.lives:
            if not life.is_over:
                life.frontier.check()
            wrong += [f"{life}: {fault}" for fault in [*life.loop.faults, *life.harvester.loop.faults]]
            if life.task.done() and not life.task.cancelled() and life.task.exception() is not None:
                wrong.append(f"{life}: {life.task.exception()!r}")
        return wrong

    def rudeness(self) -> list[str]:
        """Return the requests that came sooner than the rules allow."""
        by_address: dict[str, list[Served]] = defaultdict(list)
        by_host: dict[str, list[Served]] = defaultdict(list)
        for served in sorted(self.served, key=lambda served: served.at):
            by_address[served.address].append(served)
            by_host[served.host].append(served)
        wrong, least = [], 1 - PACES_TOLERANCE
        for requests in by_address.values():
            for before, later in pairwise(requests):
                pause = self.rules.general_pause * least if before.visit != later.visit else 0.0
                if later.at < before.ended_at + pause:
                    wrong.append(f"address: {before} {later}")
        for requests in by_host.values():
            for before, later in pairwise(requests):
                if later.at < before.ended_at + self.rules.req_delay * least:
                    wrong.append(f"host: {before} {later}")
        return wrong

    def _pages(self) -> list[str]:
        wanted, wrong = self.web.pages(), []
        by_url: dict[str, list[Served]] = defaultdict(list)
        for served in self.served:
            if not served.url.endswith("robots.txt"):
                by_url[served.url].append(served)
        is_limited = self.pages_max or self.bytes_max or self.seconds_max
        is_all_wanted = not (is_limited or self.operator.keeps_out)
        if not by_url.keys() <= wanted or (is_all_wanted and by_url.keys() != wanted):
            wrong.append(f"missed {wanted - by_url.keys()}, invented {by_url.keys() - wanted}")
        wrong += [
            f"asked for again although it was stored: {requests}"
            for requests in by_url.values()
            if any(served.is_settled for served in requests[:-1])
        ]
        pages, size = self.stored()
        if self.pages_max and not self.operator.keeps_out and pages != min(self.pages_max, len(wanted)):
            wrong.append(f"{pages} pages are stored, of {self.pages_max} of {len(wanted)}")
        least, most = self.bytes_max, 1.01 * self.bytes_max + self.shards * PAGE_BYTES
        if pages > self.pages_max > 0:
            wrong.append(f"{pages} pages are stored, of {self.pages_max}")
        is_enough = size >= least or pages == len(wanted) or bool(self.operator.keeps_out)
        if self.bytes_max and (size > most or not is_enough):
            wrong.append(f"{size} bytes were received, of {self.bytes_max}")
        if is_all_wanted and pages != len(wanted):
            wrong.append(f"{pages} pages are stored, of {len(wanted)}")
        return wrong

    def repeated(self) -> int:
        """Return how many requests were for pages that had been asked for before."""
        pages = [served.url for served in self.served if not served.url.endswith("robots.txt")]
        return len(pages) - len(set(pages))

    def stored(self) -> tuple[int, int]:
        """Return how many pages and bytes have been settled in all shards, by what their logs say."""
        totals = [frontier.counters.totals for frontier in self.stored_frontiers()]
        return sum(total.pages for total in totals), sum(total.body_bytes for total in totals)

    def stored_frontiers(self) -> list[Frontier]:
        """Return the frontiers of all shards, as their logs have them."""
        loop, disk = self.timeline.loop("reader"), MemoryStore()
        engine = self.broker.connect("reader")
        frontiers = []
        for shard in range(self.shards):
            partition = Partition(disk, shard)
            reading = loop.create_task(ShardReplica(engine, shard, partition).catch_up())
            assert self.timeline.run(until=self.timeline.now + 60.0, is_over=reading.done)
            reading.result()
            frontier = Frontier(partition, FrontierPolicy(politeness=self.rules), shard=shard, plan=self.plan)
            frontier.recover(1e9)
            frontier.check()
            frontiers.append(frontier)
        return frontiers
