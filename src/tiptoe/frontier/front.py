"""Which hosts are on the bench, and which wait on disk?

Every host with requests and a known address has an entry in the PARKED table,
ordered by its moment. The *front* is the part of that table which is also on
the workbench: all entries before the *edge*. When memory is full, the farthest
spill back to disk; when the bench empties, the edge moves on.
"""

from collections.abc import Callable
from math import ceil

from tiptoe.frontier.gate import Gate
from tiptoe.frontier.host import HostRecord, Hosts, HostState
from tiptoe.frontier.workbench import Workbench
from tiptoe.store.tables import Batch, Store, Table
from tiptoe.url.address import host_key

__all__ = ["Front"]

END = b"\xff" * 17
REFILL_HOSTS = 2000


class Front:
    """The workbench and the parked hosts behind it."""

    def __init__(
        self, store: Store, hosts: Hosts, gate: Gate, *,
        hosts_max: int, turn_seconds: Callable[[int], float], level: Callable[[HostRecord], int],
    ) -> None:  # fmt: skip
        self._store = store
        self._hosts = hosts
        self._gate = gate
        self._hosts_max = hosts_max
        self._turn_seconds = turn_seconds  # how long so many hosts ahead at one address take
        self._level = level
        self._edge = b""
        self._benched: dict[str, bytes] = {}  # host -> its key in PARKED
        self.bench = Workbench()

    def park(self, batch: Batch, record: HostRecord, now: float) -> None:
        """Let a host wait for its moment."""
        assert record.state is not HostState.PARKED, f"{record} is parked already"
        free_at = self._gate.free_at(record.gate)
        at = max(record.next_at, now if free_at == float("inf") else free_at)
        # Hosts of a crowded address wait for those ahead; else they would fill the bench for nothing.
        at += self._turn_seconds(self.bench.backlog(record.gate))
        record.state = HostState.PARKED
        record.parked_key = _moment(at) + host_key(record.host)
        batch.put(Table.PARKED, record.parked_key, record.host.encode())
        self._hosts.touch(record)
        if record.parked_key < self._edge:
            self._bench(record)
            if len(self.bench) > self._hosts_max:
                self._spill()

    def unpark(self, batch: Batch, record: HostRecord, state: HostState) -> None:
        """A host leaves the parking: it is visited, blocked, or has nothing to ask for."""
        assert record.state is HostState.PARKED, f"{record} is not parked"
        batch.delete(Table.PARKED, record.parked_key)
        record.parked_key = b""
        record.state = state
        self._hosts.touch(record)
        self._benched.pop(record.host, None)
        if record.host in self.bench:
            self.bench.remove(record.host)

    def take(self, batch: Batch, now: float, hosts_max: int) -> tuple[str, list[HostRecord]] | None:
        """Remove the hosts whose turn it is at one address; the caller opens its gate or frees it."""
        turn = self.bench.take(now, hosts_max)
        if turn is None:
            return None
        gate, names = turn
        taken = []
        for name in names:
            record = self._hosts.find(name)
            assert record is not None, f"{name} is benched but has no record"
            self.unpark(batch, record, HostState.VISITED)
            taken.append(record)
        return gate, taken

    def refill(self) -> int:
        """Move the edge on when the bench has emptied; return how many hosts came.

        To be called at the start of a step: it reads the table as it is written.
        """
        # Half empty before it is filled to three quarters, where a spill ends: else the two chase each other.
        if self._edge == END or len(self.bench) > self._hosts_max // 2:
            return 0
        room = min(max(1, self._hosts_max * 3 // 4 - len(self.bench)), REFILL_HOSTS)
        came = 0
        for key, host in self._store.scan(Table.PARKED, self._edge):
            if came == room:
                self._edge = key
                return came
            record = self._hosts.find(host.decode())
            assert record is not None, f"{host!r} is parked but has no record"
            self._bench(record)
            came += 1
        self._edge = END
        return came

    def _bench(self, record: HostRecord) -> None:
        at = int.from_bytes(record.parked_key[:8], "big") / 1000
        free_at = self._gate.free_at(record.gate)
        self.bench.bench(record.host, record.gate, at=at, free_at=free_at, level=self._level(record))
        self._benched[record.host] = record.parked_key

    def _spill(self) -> None:
        by_key = sorted(self._benched, key=self._benched.__getitem__)
        dropped = by_key[self._hosts_max * 3 // 4 :]
        self._edge = self._benched[dropped[0]]
        for host in dropped:
            self.bench.remove(host)
            del self._benched[host]

    @property
    def is_stuck(self) -> bool:
        """Whether no parked host will ever have its moment; only while nothing is visited."""
        return self._edge == END and self.bench.next_at() is None

    def check(self) -> None:
        """State every invariant; between steps only."""
        self.bench.check()
        assert set(self._benched) == {host for host in self._benched if host in self.bench}
        assert len(self._benched) == len(self.bench)
        before_edge = {host.decode() for key, host in self._store.scan(Table.PARKED) if key < self._edge}
        assert before_edge == set(self._benched), "the front is not what lies before the edge"


def _moment(at: float) -> bytes:
    """Return a moment in whole milliseconds, never earlier than it is."""
    return ceil(at * 1000).to_bytes(8, "big")
