"""Whose turn it is, in memory."""

from collections import Counter

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tiptoe.frontier.priority import LEVELS
from tiptoe.frontier.workbench import Workbench

FOREVER = float("inf")
GATES = ("192.0.2.1", "192.0.2.2", "192.0.2.3")

moments = st.integers(0, 30).map(float)
gates = st.sampled_from(GATES)


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
    assert bench.take(1.0, hosts_max=1) == ("192.0.2.1", ["a.example"])  # both have ripened
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


class Bench(RuleBasedStateMachine):
    """The workbench beside a model that looks at everything each time."""

    def __init__(self) -> None:
        super().__init__()
        self.bench = Workbench()
        self.now = 0.0
        self.made = 0
        self.hosts: dict[str, tuple[str, float]] = {}  # host -> gate and moment
        self.free_at = dict.fromkeys(GATES, 0.0)

    @rule(gate=gates, at=moments, level=st.integers(0, LEVELS - 1))
    def put(self, gate: str, at: float, level: int) -> None:
        self.made += 1
        host = f"h{self.made}"
        self.bench.bench(host, gate, at=at, free_at=self.free_at[gate], level=level)
        self.hosts[host] = (gate, at)

    @rule(pick=st.integers(0, 50))
    def remove(self, pick: int) -> None:
        if self.hosts:
            host = sorted(self.hosts)[pick % len(self.hosts)]
            self.bench.remove(host)
            del self.hosts[host]

    @rule(gate=gates, free_at=st.one_of(moments, st.just(FOREVER)))
    def set_free(self, gate: str, free_at: float) -> None:
        self.bench.set_free(gate, free_at)
        self.free_at[gate] = free_at

    @rule(seconds=st.integers(0, 5))
    def wait(self, seconds: int) -> None:
        self.now += seconds

    @rule(hosts_max=st.integers(1, 3))
    def take(self, hosts_max: int) -> None:
        due = self.due()
        turn = self.bench.take(self.now, hosts_max)
        assert (turn is None) == (not due)
        if turn is not None:
            gate, taken = turn
            assert self.free_at[gate] <= self.now, f"{gate} is closed"
            there = sorted((at, host) for host, (own, at) in self.hosts.items() if own == gate)
            first = [(at, host) for at, host in there if at <= self.now][:hosts_max]
            assert taken == [host for _, host in first]
            for host in taken:
                del self.hosts[host]
            self.free_at[gate] = FOREVER

    def due(self) -> set[str]:
        return {gate for gate, at in self.hosts.values() if at <= self.now and self.free_at[gate] <= self.now}

    @invariant()
    def is_sound(self) -> None:
        self.bench.check()
        assert len(self.bench) == len(self.hosts)
        assert all(host in self.bench for host in self.hosts)
        for gate in GATES:
            here = sorted(host for host, (own, _) in self.hosts.items() if own == gate)
            assert sorted(self.bench.hosts_at(gate)) == here
            assert self.bench.backlog(gate) == len(here)

    @invariant()
    def knows_its_next_moment(self) -> None:
        next_at = self.bench.next_at()
        moments = [max(at, self.free_at[gate]) for gate, at in self.hosts.values()]
        expected = min((at for at in moments if at != FOREVER), default=None)
        if expected is None or expected > self.now:
            assert next_at == expected
        else:
            assert next_at is not None
            assert next_at <= self.now

    def teardown(self) -> None:
        """Nobody starves: once every gate opens, everybody is served."""
        self.now = 100.0
        for gate in GATES:
            self.set_free(gate, 0.0)
        while self.hosts:
            before = len(self.hosts)
            self.take(2)
            assert len(self.hosts) < before
            for gate in GATES:
                self.set_free(gate, 0.0)


TestBench = Bench.TestCase
TestBench.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
