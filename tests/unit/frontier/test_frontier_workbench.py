"""Whose turn it is, in memory."""

import math
import random
from collections import Counter
from dataclasses import dataclass, replace

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tiptoe.frontier.host import Side
from tiptoe.frontier.priority import LEVELS, favoured_level
from tiptoe.frontier.workbench import Workbench

FOREVER = float("inf")
GATES = ("192.0.2.1", "192.0.2.2", "192.0.2.3")

moments = st.integers(0, 30).map(float)
gates = st.sampled_from(GATES)
sides = st.sampled_from(Side)
levels = st.integers(0, LEVELS - 1)
picks = st.integers(0, 50)


def test_hosts_on_one_address_take_turns() -> None:
    """Virtual hosts share a server; it must not pay for each name."""
    bench = Workbench()
    bench.bench("a.example", "192.0.2.1", at=0.0, free_at=0.0, level=1)
    bench.bench("b.example", "192.0.2.1", at=0.0, free_at=0.0, level=1)
    assert bench.take(0.0, hosts_max=1) == ("192.0.2.1", ["a.example"])
    assert bench.take(9.0, hosts_max=1) is None  # somebody is there
    bench.set_free("192.0.2.1", 10.0)
    assert bench.take(9.9, hosts_max=1) is None
    assert bench.take(10.0, hosts_max=1) == ("192.0.2.1", ["b.example"])


def test_an_address_that_is_closed_after_it_ripened_is_not_taken() -> None:
    """A block must count also for those who are next in line."""
    bench = Workbench()
    bench.bench("a.example", "192.0.2.1", at=0.0, free_at=0.0, level=0)
    bench.bench("b.example", "192.0.2.2", at=0.0, free_at=0.0, level=3)
    assert bench.take(1.0, hosts_max=1) == ("192.0.2.1", ["a.example"])  # both are ready
    bench.set_free("192.0.2.2", FOREVER)
    assert bench.take(2.0, hosts_max=1) is None
    bench.set_free("192.0.2.2", 2.0)
    assert bench.take(3.0, hosts_max=1) == ("192.0.2.2", ["b.example"])


def test_every_level_is_served() -> None:
    """Poor hosts wait longer; they do not wait for ever."""
    bench = Workbench()
    for number in range(400):
        level = number % LEVELS
        bench.bench(f"h{number}", f"gate {number} {level}", at=0.0, free_at=0.0, level=level)
    served = Counter(int(turn[0][-1]) for _ in range(60) if (turn := bench.take(1.0, hosts_max=1)))
    assert served == {0: 32, 1: 16, 2: 8, 3: 4}


def test_the_next_moment_is_known() -> None:
    """The keeper sleeps until then."""
    bench = Workbench()
    assert bench.next_at() is None
    bench.bench("a.example", "192.0.2.1", at=5.0, free_at=7.0, level=1)
    bench.bench("b.example", "192.0.2.2", at=9.0, free_at=0.0, level=1)
    assert bench.next_at() == 7.0
    bench.remove("a.example")
    assert bench.next_at() == 9.0


def test_an_address_that_opens_again_waits_behind_those_that_were_ready_meanwhile() -> None:
    """Else whoever is closed and opened keeps a place that others have waited for."""
    bench = Workbench()
    for host, gate in (("a", "192.0.2.1"), ("b", "192.0.2.2"), ("c", "192.0.2.3")):
        bench.bench(f"{host}.example", gate, at=0.0, free_at=0.0, level=1)
    assert bench.take(1.0, hosts_max=1) == ("192.0.2.1", ["a.example"])  # all are ready
    bench.set_free("192.0.2.2", FOREVER)
    bench.set_free("192.0.2.2", 2.0)
    assert bench.take(3.0, hosts_max=1) == ("192.0.2.3", ["c.example"])
    assert bench.take(3.0, hosts_max=1) == ("192.0.2.2", ["b.example"])


def test_only_addresses_that_are_ready_make_a_contest() -> None:
    """The places of those that were closed are out of date."""
    bench = Workbench()
    bench.bench("new.example", "192.0.2.1", at=0.0, free_at=0.0, level=1, side=Side.NEW)
    bench.bench("again.example", "192.0.2.2", at=0.0, free_at=0.0, level=1, side=Side.REVISIT)
    assert bench.is_contested(1.0)
    bench.set_free("192.0.2.2", FOREVER)
    assert not bench.is_contested(1.0)


def test_a_host_leaves_a_crowd_without_a_look_at_all_the_others() -> None:
    """A provider has 100 000 hosts at one address; whoever spills them must not hold up a lease."""
    hosts = 4000
    bench = Workbench()
    for number in range(hosts):
        bench.bench(f"h{number}", "192.0.2.1", at=Moment(number), free_at=0.0, level=1)
    Moment.compared = 0
    for number in random.Random(1).sample(range(hosts), hosts // 2):
        bench.remove(f"h{number}")
    assert bench.backlog("192.0.2.1") == hosts // 2
    assert Moment.compared < hosts * 4 * math.log2(hosts)


def test_what_is_out_of_date_takes_no_more_memory_than_what_is_not() -> None:
    """Addresses are held and opened, and hosts come and go, as long as the crawl lasts."""
    bench = Workbench()
    for number in range(1000):
        bench.bench(f"h{number}", f"192.0.2.{number % 10}", at=float(number), free_at=0.0, level=1)
    for number in range(20_000):
        bench.set_free(f"192.0.2.{number % 10}", 1e6 + number)
        bench.remove(f"h{number % 1000}")
        bench.bench(f"h{number % 1000}", f"192.0.2.{number % 10}", at=1e5 + number, free_at=0.0, level=1)
    bench.check()  # which counts them


class Moment(float):
    """A moment that counts how often it is looked at."""

    compared = 0

    def __lt__(self, other: float) -> bool:
        Moment.compared += 1
        return float.__lt__(self, other)

    def __eq__(self, other: object) -> bool:
        Moment.compared += 1
        return float.__eq__(self, other)

    __hash__ = float.__hash__


@dataclass
class Place:
    """Where a host of the model waits."""

    gate: str
    at: float
    side: Side
    level: int


class Model:
    """What a workbench does, by looking at everything each time."""

    def __init__(self) -> None:
        self.hosts: dict[str, Place] = {}
        self.free_at = dict.fromkeys(GATES, 0.0)
        self.ready: dict[str, tuple[int, float, Side, int]] = {}  # gate -> number, since when, side, level
        self._ripened = 0
        self._served_count = 0

    def crowd(self, gate: str) -> list[tuple[float, str]]:
        return sorted((place.at, host) for host, place in self.hosts.items() if place.gate == gate)

    def due(self, gate: str) -> float:
        crowd = self.crowd(gate)
        return max(self.free_at[gate], crowd[0][0]) if crowd else FOREVER

    def committed(self) -> None:
        """Strike off who is ready no longer."""
        self.ready = {gate: place for gate, place in self.ready.items() if self.due(gate) <= place[1]}

    def ripen(self, now: float) -> None:
        for due, gate in sorted((self.due(gate), gate) for gate in GATES if gate not in self.ready):
            if due <= now:
                self._ripened += 1
                first = self.hosts[self.crowd(gate)[0][1]]
                self.ready[gate] = (self._ripened, now, first.side, first.level)

    def take(self, now: float, hosts_max: int, *, is_revisit_owed: bool) -> tuple[str, list[str]] | None:
        self.ripen(now)
        self._served_count += 1
        owed, other = (Side.REVISIT, Side.NEW) if is_revisit_owed else (Side.NEW, Side.REVISIT)
        for sides in ((owed, Side.BOTH), (other,)):
            for level in (favoured_level(self._served_count), *range(LEVELS)):
                there = [
                    (number, gate)
                    for gate, (number, _, side, own) in self.ready.items()
                    if side in sides and own == level
                ]
                if there:
                    gate = min(there)[1]
                    taken = [host for at, host in self.crowd(gate) if at <= now][:hosts_max]
                    for host in taken:
                        del self.hosts[host]
                    del self.ready[gate]
                    self.free_at[gate] = FOREVER
                    return gate, taken
        return None


class Bench(RuleBasedStateMachine):
    """The workbench beside its model."""

    def __init__(self) -> None:
        super().__init__()
        self.bench = Workbench(stale_min=1)
        self.model = Model()
        self.now = 0.0
        self.made = 0
        self.left: list[str] = []

    @rule(gate=gates, at=moments, side=sides, level=levels)
    def come(self, gate: str, at: float, side: Side, level: int) -> None:
        self.made += 1
        self.put(f"h{self.made}", Place(gate, at, side, level))

    @rule(gate=gates, at=moments, side=sides, level=levels)
    def come_back(self, gate: str, at: float, side: Side, level: int) -> None:
        if self.left:
            self.put(self.left.pop(), Place(gate, at, side, level))

    def put(self, host: str, place: Place) -> None:
        free_at = self.model.free_at[place.gate]
        self.bench.bench(host, place.gate, at=place.at, free_at=free_at, level=place.level, side=place.side)
        self.model.hosts[host] = place
        self.model.committed()

    @rule(pick=picks)
    def leave(self, pick: int) -> None:
        if self.model.hosts:
            host = sorted(self.model.hosts)[pick % len(self.model.hosts)]
            self.bench.remove(host)
            del self.model.hosts[host]
            self.model.committed()
            self.left.append(host)

    @rule(pick=picks, side=sides)
    def change_side(self, pick: int, side: Side) -> None:
        """A host leaves and comes back for the same moment."""
        if self.model.hosts:
            host = sorted(self.model.hosts)[pick % len(self.model.hosts)]
            place = self.model.hosts.pop(host)
            self.bench.remove(host)
            self.model.committed()
            self.put(host, replace(place, side=side))

    @rule(gate=gates, free_at=st.one_of(moments, st.just(FOREVER)))
    def set_free(self, gate: str, free_at: float) -> None:
        self.bench.set_free(gate, free_at)
        self.model.free_at[gate] = free_at
        self.model.committed()

    @rule(seconds=st.integers(0, 5))
    def wait(self, seconds: int) -> None:
        self.now += seconds

    @rule(hosts_max=st.integers(1, 3), is_revisit_owed=st.booleans())
    def take(self, hosts_max: int, is_revisit_owed: bool) -> None:
        expected = self.model.take(self.now, hosts_max, is_revisit_owed=is_revisit_owed)
        assert self.bench.take(self.now, hosts_max, is_revisit_owed=is_revisit_owed) == expected
        if expected is not None:
            self.left += expected[1]

    @rule()
    def ask_for_a_contest(self) -> None:
        self.model.ripen(self.now)
        ready = {side for _, _, side, _ in self.model.ready.values()}
        assert self.bench.is_contested(self.now) == (Side.BOTH in ready or {Side.NEW, Side.REVISIT} <= ready)

    @invariant()
    def is_sound(self) -> None:
        self.bench.check()
        assert len(self.bench) == len(self.model.hosts)
        assert all(host in self.bench for host in self.model.hosts)
        for gate in GATES:
            here = sorted(host for _, host in self.model.crowd(gate))
            assert sorted(self.bench.hosts_at(gate)) == here
            assert self.bench.backlog(gate) == len(here)

    @invariant()
    def knows_its_next_moment(self) -> None:
        moments = [self.model.due(gate) for gate in GATES if gate not in self.model.ready]
        expected = min((at for at in moments if at != FOREVER), default=None)
        assert self.bench.next_at() == (-FOREVER if self.model.ready else expected)

    def teardown(self) -> None:
        """Nobody starves: once every gate opens, everybody is served."""
        self.now = 100.0
        while self.model.hosts:
            for gate in GATES:
                self.set_free(gate, 0.0)
            before = len(self.model.hosts)
            self.take(2, is_revisit_owed=False)
            assert len(self.model.hosts) < before


TestBench = Bench.TestCase
TestBench.settings = settings(max_examples=100, stateful_step_count=50, deadline=None)
