"""The bench in memory and the parked hosts on disk behind it."""

from collections.abc import Mapping

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tiptoe.frontier.counters import Gauges
from tiptoe.frontier.front import Front
from tiptoe.frontier.gate import Gate
from tiptoe.frontier.host import HostRecord, Hosts
from tiptoe.frontier.priority import LEVELS
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table, Writes

GENERAL_PAUSE = 60.0
ADDRESSES = tuple(f"192.0.2.{number}" for number in range(4))


class Street:
    """Hosts with their gates and a front of so many places."""

    def __init__(self, hosts_max: int, levels: Mapping[str, int] | None = None) -> None:
        self.store = MemoryStore()
        self.hosts = Hosts(self.store)
        self.gate = Gate(self.store)
        self.front = Front(
            self.store,
            self.hosts,
            self.gate,
            Gauges(),
            hosts_max=hosts_max,
            turn_seconds=lambda ahead: ahead * GENERAL_PAUSE,
            level=lambda record: (levels or {}).get(record.host, 1),
        )

    def commit(self, batch: Writes) -> None:
        self.hosts.write(batch)
        self.store.write(batch)
        self.hosts.committed()
        self.gate.committed()
        self.front.check()

    def park(self, host: str, address: str, *, next_at: float, now: float) -> HostRecord:
        batch = Writes()
        record = self.hosts.obtain(host)
        record.gate, record.next_at = address, next_at
        self.front.park(batch, record, now)
        self.commit(batch)
        return record

    def take(self, now: float, hosts_max: int = 1) -> list[str]:
        batch = Writes()
        turn = self.front.take(now, hosts_max)
        if turn is not None:
            for record in turn[1]:
                self.front.unpark(batch, record)
            self.gate.open(batch, turn[0], visit=1, now=now)
            self.front.bench.set_free(turn[0], self.gate.free_at(turn[0]))
        self.commit(batch)
        return [record.host for record in turn[1]] if turn else []

    def leave(self, address: str, now: float) -> None:
        batch = Writes()
        self.gate.close(batch, address, free_at=now + GENERAL_PAUSE)
        self.front.bench.set_free(address, self.gate.free_at(address))
        self.commit(batch)


def test_hosts_beyond_the_memory_budget_come_back_in_the_order_of_their_moments() -> None:
    """Memory is bounded, the crawl is not."""
    street = Street(hosts_max=4)
    for number in range(20):
        street.park(f"h{number}.example", f"192.0.2.{number}", next_at=100.0 - number, now=0.0)
    taken: list[str] = []
    for _ in range(40):
        street.front.refill()
        assert len(street.front.bench) <= 4
        taken += street.take(now=200.0)
    assert sorted(taken) == sorted(f"h{number}.example" for number in range(20))
    assert taken[0] == "h19.example"


def test_better_hosts_come_first_however_many_others_wait_on_disk() -> None:
    """Else a large crawl would ask each of its million hosts once before it came back to the best."""
    good = {f"good{number}.example" for number in range(20)}
    street = Street(8, dict.fromkeys(good, 0))
    for number in range(100):
        street.park(f"h{number}.example", f"192.0.2.{number}", next_at=0.0, now=0.0)
    for number, host in enumerate(sorted(good)):
        street.park(host, f"198.51.100.{number}", next_at=10.0, now=0.0)
    taken: list[str] = []
    for _ in range(30):
        street.front.refill()
        assert len(street.front.bench) <= 8
        taken += street.take(now=20.0)
    assert good < set(taken)
    assert len(set(taken) - good) == 10, "every level has its share"


def test_a_rank_that_needs_the_memory_gets_it_from_the_fullest() -> None:
    """While there is only one rank it has all of it."""
    street = Street(8, {"good.example": 0})
    street.front.refill()
    for number in range(8):
        street.park(f"h{number}.example", f"192.0.2.{number}", next_at=float(number), now=0.0)
    assert len(street.front.bench) == 8
    street.park("good.example", "198.51.100.1", next_at=100.0, now=0.0)
    assert len(street.front.bench) == 7
    assert "good.example" in street.front.bench
    assert "h7.example" not in street.front.bench


def test_hosts_of_a_crowded_address_wait_for_those_ahead() -> None:
    """Else ten thousand sites of one provider would fill the bench for nothing."""
    street = Street(hosts_max=100)
    street.front.refill()
    keys = [street.park(f"h{n}.example", "192.0.2.1", next_at=0.0, now=0.0).parked_key for n in range(3)]
    moments = [int.from_bytes(key[1:8], "big") / 1000 for key in keys]
    assert moments == [0.0, GENERAL_PAUSE, 2 * GENERAL_PAUSE]


def test_no_host_is_benched_before_its_moment() -> None:
    """Moments on disk are milliseconds; they are rounded to the later one."""
    street = Street(hosts_max=100)
    street.front.refill()
    street.park("a.example", "192.0.2.1", next_at=10.0004, now=0.0)
    assert street.take(now=10.0003) == []
    assert street.take(now=10.001) == ["a.example"]


class Neighbourhood(RuleBasedStateMachine):
    """Hosts come and go; none is lost and none is visited too early."""

    @initialize(hosts_max=st.integers(1, 5))
    def begin(self, hosts_max: int) -> None:
        self.hosts_max = hosts_max
        self.levels: dict[str, int] = {}
        self.street = Street(hosts_max, self.levels)
        self.now = 0.0
        self.parked: dict[str, float] = {}  # host -> its moment
        self.addresses: dict[str, str] = {}
        self.visiting: dict[str, list[str]] = {}  # address -> hosts
        self.made = 0

    @rule(address=st.sampled_from(ADDRESSES), wait=st.integers(-5, 50), level=st.integers(0, LEVELS - 1))
    def come(self, address: str, wait: int, level: int) -> None:
        self.made += 1
        self.levels[f"h{self.made}"] = level
        self.addresses[f"h{self.made}"] = address
        self.park(f"h{self.made}", max(0.0, self.now + wait))

    def park(self, host: str, next_at: float) -> None:
        self.street.park(host, self.addresses[host], next_at=next_at, now=self.now)
        self.parked[host] = next_at

    @rule(pick=st.integers(0, 30), level=st.integers(0, LEVELS - 1))
    def judge(self, pick: int, level: int) -> None:
        """A host is found better or worse than it was, wherever it is."""
        if self.levels:
            self.levels[sorted(self.levels)[pick % len(self.levels)]] = level

    @rule(pick=st.integers(0, 30))
    def go(self, pick: int) -> None:
        if self.parked:
            host = sorted(self.parked)[pick % len(self.parked)]
            batch = Writes()
            self.street.front.unpark(batch, self.street.hosts.obtain(host))
            self.street.commit(batch)
            del self.parked[host]

    @rule()
    def refill(self) -> None:
        self.street.front.refill()

    @rule(hosts_max=st.integers(1, 2))
    def visit(self, hosts_max: int) -> None:
        taken = self.street.take(self.now, hosts_max)
        assert len(taken) <= hosts_max
        for host in taken:
            assert self.parked.pop(host) <= self.now
        if taken:
            address = self.addresses[taken[0]]
            assert address not in self.visiting, "somebody is there"
            self.visiting[address] = taken

    @rule(pick=st.integers(0, 3), returns=st.booleans())
    def leave(self, pick: int, returns: bool) -> None:
        if self.visiting:
            address = sorted(self.visiting)[pick % len(self.visiting)]
            hosts = self.visiting.pop(address)
            self.street.leave(address, self.now)
            for host in hosts:
                if returns:
                    self.park(host, self.now)

    @rule(seconds=st.integers(0, 100))
    def wait(self, seconds: int) -> None:
        self.now += seconds

    @invariant()
    def no_host_is_lost(self) -> None:
        if hasattr(self, "street"):
            self.street.front.check()
            assert len(self.street.front.bench) <= self.hosts_max
            on_disk = sorted(host.decode() for _, host in self.street.store.scan(Table.PARKED))
            assert on_disk == sorted(self.parked)

    def teardown(self) -> None:
        """Everybody who waits gets a turn."""
        if not hasattr(self, "street"):
            return
        for _ in range(300):
            self.wait(10_000)
            self.refill()
            self.visit(2)
            self.leave(0, False)
            if not self.parked:
                return
        raise AssertionError(f"{self.parked} never had their turn")


TestNeighbourhood = Neighbourhood.TestCase
TestNeighbourhood.settings = settings(max_examples=50, stateful_step_count=30, deadline=None)
