"""Agents that share the shards of a crawl, on one virtual clock, and a witness who sees the true time.

Each agent is a simulated process with a real `Membership`. The speeds of the machines' clocks differ by up to
two per cent, their wall clocks by minutes. The witness checks after every step of every process, and knows
until when each of them, or one of its harvesters, could still make requests for a shard.
"""

import asyncio
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import cast

from simulated.lease_engine import KeyLine, KeyServer
from simulated.virtual import Timeline
from tiptoe.cluster.assignment import UNLABELLED
from tiptoe.cluster.engine import Engine
from tiptoe.cluster.membership import Membership
from tiptoe.cluster.shard_clock import MachineTime, ShardClock

__all__ = ["LEASE_SECONDS", "LeaseWorld", "PretendedAgent"]

LEASE_SECONDS = 30.0
HARVESTER_PART = 0.2
"""Of a lease: how long harvesters go on when their keeper is silent, 60 % of their own lease of a third."""

PACE_MAX = 0.01
WALLS_DIFFER_MAX = 580.0
TOLERANCE = 1e-6
LOOK_SECONDS = 0.25

TROUBLES = ("leave", "kill", "freeze", "freeze", "cut", "cut", "outage", "noise", "start")


@dataclass(frozen=True)
class Machine:
    """How the clocks of one machine go."""

    name: str
    pace: float
    started_at: float
    wall_ahead: float

    def count(self, true_time: float) -> float:
        return (true_time - self.started_at) * self.pace

    def true_time(self, count: float) -> float:
        return count / self.pace + self.started_at

    def time(self, true_time: float) -> MachineTime:
        return MachineTime(self.name, self.count(true_time), true_time + self.wall_ahead)


@dataclass
class Witness:
    """What is true of each shard, and what must never be."""

    may_ask_until: dict[int, dict[int, float]] = field(default_factory=dict)  # shard -> life -> true time
    moments: dict[int, float] = field(default_factory=dict)  # shard -> latest moment that was used
    old_clocks: dict[int, tuple[int, Machine, float]] = field(default_factory=dict)  # shard -> term, clock
    breaches: list[str] = field(default_factory=list)
    gaps: list[tuple[int, float, float]] = field(default_factory=list)  # shard, from, to: nobody was certain
    held_until: dict[int, float] = field(default_factory=dict)

    def look(self, agent: "PretendedAgent", now: float) -> None:
        """See what one agent believes at this moment."""
        count = agent.machine.count(now)
        for lease in agent.membership.leases:
            if not lease.term or lease.clock is None:
                continue
            shard, until = lease.shard, lease.certain_until
            if count >= until:
                continue
            asks = self.may_ask_until.setdefault(shard, {})
            for life, asks_until in list(asks.items()):
                if asks_until <= now:
                    del asks[life]
                elif life != agent.life:
                    self.breaches.append(f"{now:.3f}: shard {shard}: {agent} and life {life} may both ask")
            asks[agent.life] = agent.machine.true_time(until + HARVESTER_PART * LEASE_SECONDS)
            moment = lease.clock.now(count)
            if moment < self.moments.get(shard, -math.inf) - TOLERANCE:
                self.breaches.append(f"{now:.3f}: shard {shard}: time goes back at {agent}")
            self.moments[shard] = max(moment, self.moments.get(shard, -math.inf))
            if now > self.held_until.get(shard, 0.0) + TOLERANCE:
                self.gaps.append((shard, self.held_until.get(shard, 0.0), now))
            self.held_until[shard] = max(self.held_until.get(shard, 0.0), agent.machine.true_time(until))

    def taken(self, agent: "PretendedAgent", shard: int, clock: ShardClock) -> None:
        """A shard has a new holder: its clock was not ahead of the one before when it was started."""
        record = agent.membership.leases[shard].record
        assert record is not None
        term, machine, offset = self.old_clocks.get(shard, (0, agent.machine, math.inf))
        if record.term <= term:
            return  # who stood still hears only now that it had taken it, before others did
        started_at = agent.machine.true_time(record.clock.count)
        if record.clock.moment > machine.count(started_at) + offset + TOLERANCE:
            self.breaches.append(f"{started_at:.3f}: shard {shard}: the clock of {agent} runs ahead")
        self.old_clocks[shard] = (record.term, agent.machine, clock.offset)

    def released(self, agent: "PretendedAgent", shard: int, now: float) -> None:
        """No visit is under way any more: nobody there asks until the shard is taken again."""
        self.may_ask_until.get(shard, {}).pop(agent.life, None)
        self.held_until[shard] = min(self.held_until.get(shard, now), now)


class PretendedAgent:
    """One life of one agent; also what looks after its shards."""

    def __init__(self, world: "LeaseWorld", machine: Machine, life: int, takes: Sequence[str]) -> None:
        self.machine = machine
        self.life = life
        self.world = world
        self.loop = world.timeline.loop(machine.name)
        self.line = KeyLine(world.server, self.loop, world.chance, delay_max=world.delay_max)
        self.held: set[int] = set()
        self.followed: dict[int, float] = {}  # since when, or from when, it is ready
        self.membership = Membership(
            cast(Engine, self.line),
            self,
            agent=machine.name,
            incarnation=f"{machine.name}-{life}",
            labels=world.labels,
            takes=takes,
            machine_time=lambda: machine.time(world.timeline.now),
            lease_seconds=LEASE_SECONDS,
        )
        self.loop.after_step = lambda: world.witness.look(self, world.timeline.now)
        self.loop.on_death = self._died
        self.task = self.loop.create_task(self.membership.run())
        self.leaving: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        return f"<{self.machine.name} life {self.life}>"

    def _died(self) -> None:
        self.loop.after_step = None
        self.line.close()

    def leave(self) -> None:
        self.leaving = self.loop.create_task(self.membership.leave())

    @property
    def is_over(self) -> bool:
        return self.loop.is_dead or self.task.done()

    # -- what looks after shards -----------------------------------------

    def prepare(self, shard: int) -> None:
        assert shard not in self.followed
        assert shard not in self.held
        seconds = self.world.chance.uniform(0.1, 3.0)
        self.followed[shard] = self.loop.time() + seconds
        self.loop.call_later(seconds, self.membership.look_again)

    def is_ready(self, shard: int) -> bool:
        return self.followed[shard] <= self.loop.time()

    def forget(self, shard: int) -> None:
        del self.followed[shard]

    def take(self, shard: int, term: int, clock: ShardClock, *, was_outlasted: bool) -> None:
        assert shard not in self.held
        self.followed.pop(shard, None)
        self.held.add(shard)
        self.world.witness.taken(self, shard, clock)

    async def release(self, shard: int) -> None:
        assert shard in self.held
        await asyncio.sleep(self.world.chance.uniform(0.0, 2.0))
        self.held.remove(shard)
        self.world.witness.released(self, shard, self.loop.time())

    def lost(self, shard: int) -> None:
        self.held.discard(shard)


class LeaseWorld:
    """Machines, their agents and what happens to them."""

    def __init__(
        self,
        seed: int,
        *,
        machines: int = 4,
        shards: int = 6,
        labels: Sequence[str] = (),
        takes: Mapping[int, Sequence[str]] | None = None,
    ) -> None:
        self.chance = random.Random(seed)
        self.timeline = Timeline()
        self.server = KeyServer(self.timeline)
        self.stagehand = self.timeline.loop("stagehand")
        self.witness = Witness()
        self.labels = labels or [UNLABELLED] * shards
        self.takes = takes or {}  # by number of the machine, where it is not what has no label
        self.shards = len(self.labels)
        self.delay_max = self.chance.choice([0.01, 0.05, 1.0])
        self.lives: list[PretendedAgent] = []
        self.machines = [
            Machine(
                f"m{number}",
                1 + self.chance.uniform(-PACE_MAX, PACE_MAX),
                self.chance.uniform(-1e5, 0),
                self.chance.uniform(0, WALLS_DIFFER_MAX),
            )
            for number in range(machines + 1)  # the last one is spared all trouble
        ]

    def at(self, moment: float, action: Callable[[], object]) -> None:
        self.stagehand.call_at(moment, action)

    def run(self, until: float) -> None:
        self.timeline.run(until=until)

    def start(self, number: int) -> PretendedAgent | None:
        """Start an agent on a machine, unless one is there."""
        return None if self.agent_on(number) is not None else self.start_double(number)

    def start_double(self, number: int) -> PretendedAgent:
        """Start an agent on a machine, whoever is there."""
        takes = self.takes.get(number, (UNLABELLED,))
        agent = PretendedAgent(self, self.machines[number], len(self.lives), takes)
        self.lives.append(agent)
        return agent

    def agent_on(self, number: int) -> PretendedAgent | None:
        name = self.machines[number].name
        return next((life for life in self.living() if life.machine.name == name), None)

    def living(self) -> list[PretendedAgent]:
        return [life for life in self.lives if not life.is_over]

    def certain_of(self, shard: int) -> list[PretendedAgent]:
        return [life for life in self.living() if life.membership.is_certain(shard)]

    def wait_until_held(self, until: float) -> float:
        """Go on until somebody is certain of each shard; return when that was, or infinity."""
        while self.timeline.now < until:
            if all(self.certain_of(shard) for shard in range(self.shards)):
                return self.timeline.now
            looked_at = self.timeline.now + LOOK_SECONDS
            self.at(looked_at, lambda: None)
            self.run(looked_at)
        return math.inf

    def end(self) -> list[str]:
        """End all processes; return what went wrong in any of them, and what the witness has seen."""
        wrong = list(self.witness.breaches)
        for life in self.lives:
            wrong += [f"{life}: {fault}" for fault in life.loop.faults]
            if life.task.done() and not life.task.cancelled() and life.task.exception() is not None:
                wrong.append(f"{life}: {life.task.exception()!r}")
            life.loop.kill()
        return wrong

    def __enter__(self) -> "LeaseWorld":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    # -- trouble ---------------------------------------------------------

    def trouble(self, until: float) -> None:
        """Plan joins, leaves, deaths, standstills, cuts and bad lines at random moments."""
        chance = self.chance
        for number in range(len(self.machines) - 1):
            self.at(chance.choice([0.0, chance.uniform(0, until / 2)]), partial(self.start, number))
        for _ in range(chance.randint(3, 16)):
            moment, number = chance.uniform(0, until), chance.randrange(len(self.machines) - 1)
            kind = chance.choice(TROUBLES)
            seconds = chance.choice([2.0, 10.0, 20.0, 40.0, 80.0]) * chance.uniform(0.5, 1.1)
            self.at(moment, partial(self._begin, kind, number))
            self.at(min(until, moment + seconds), partial(self._end, kind, number))
        self.at(until, self._settle)

    def _begin(self, kind: str, number: int) -> None:
        agent = self.agent_on(number)
        if kind == "outage":
            for life in self.living():
                life.line.cut()
        elif kind == "noise":
            for life in self.living():
                life.line.loss, life.line.lateness = self.chance.choice([(0.3, 0.0), (0.05, 0.1), (0.6, 0.3)])
        elif kind == "start" or agent is None:
            self.start(number)
        elif kind == "leave" and not agent.loop.is_frozen:
            agent.leave()
        elif kind == "kill":
            agent.loop.kill()
        elif kind == "freeze":
            agent.loop.freeze()
        elif kind == "cut":
            agent.line.cut()

    def _end(self, kind: str, number: int) -> None:
        agent = self.agent_on(number)
        if kind == "outage":
            for life in self.living():
                life.line.mend()
        elif kind == "noise":
            for life in self.living():
                life.line.loss = life.line.lateness = 0.0
        elif kind == "kill":
            self.start(number)
        elif agent is not None and kind == "freeze" and agent.loop.is_frozen:
            agent.loop.thaw()
        elif agent is not None and kind == "cut":
            agent.line.mend()

    def _settle(self) -> None:
        """From now on everything works."""
        for life in self.living():
            life.line.loss = life.line.lateness = 0.0
            life.line.mend()
            if life.loop.is_frozen:
                life.loop.thaw()
        if all(life.leaving is not None for life in self.living()):
            self.start(len(self.machines) - 1)
