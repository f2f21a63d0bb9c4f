"""Which hosts are on the workbench, and which wait on disk?

Every host with requests and a known address has an entry in the table PARKED, ordered by its *rank*, which is
its level and what it waits for (new pages, revisits or both: its *side*), and then by the time of its turn.
The *front* is the part of that table that is also on the workbench: of each rank, all entries before its
*edge*. When memory is full, the hosts of the fullest rank that would wait longest spill back to disk; when a
rank runs low, its edge moves on. So a million hosts of one rank do not keep those of another from their turn.

Hosts at a blocked address will not have a turn. So that they do not fill the workbench, they are *barred*:
moved to the end of the table, which is not read until an address is unblocked.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from math import ceil

from tiptoe.frontier.counters import Gauges
from tiptoe.frontier.gate import Gate, address_of
from tiptoe.frontier.host import HostRecord, Hosts, Side
from tiptoe.frontier.priority import LEVELS
from tiptoe.frontier.waits import Waits, cause_of
from tiptoe.frontier.workbench import Workbench
from tiptoe.store.tables import Store, Table, Writes
from tiptoe.url.address import host_key

__all__ = ["BARRED_END", "BARRED_START", "Front", "side_of"]

REFILL_HOSTS = 2000
SPILL_HOSTS = 64
"""Hosts that spill at once: enough to search for the fullest rank rarely, few enough to keep a step short."""

BARRED_HOSTS = 1000
"""Maximum number of hosts barred, or checked for being brought back, in one step."""

BARRED = LEVELS * len(Side)
BARRED_START, BARRED_END = bytes((BARRED,)), bytes((BARRED + 1,))
"""The keys of barred hosts are between these two."""

MOMENT_BYTES = 7
MOMENT = slice(1, 1 + MOMENT_BYTES)
"""Position of the time in a key of PARKED:

    byte 0        rank
    bytes 1 to 7  time in milliseconds, big-endian: enough for two million years
    then          key of the host
"""

STALE_MIN = 64
REVERSE_ORDER = bytes(range(255, -1, -1))
"""Translates keys of equal length so that their order is reversed, because a heap has the smallest on top."""


@dataclass(slots=True)
class Rank:
    """The front for one level and side."""

    number: int  # the first byte of the keys of its hosts
    side: Side = field(init=False)  # what its hosts wait for
    edge: bytes = b""
    benched: dict[str, bytes] = field(default_factory=dict)  # host -> its key in PARKED
    farthest: list[tuple[bytes, str]] = field(default_factory=list)  # heap of reversed keys, some outdated

    def __post_init__(self) -> None:
        self.side = Side(self.number % len(Side))
        self.edge = bytes((self.number,))

    def put(self, host: str, key: bytes) -> None:
        """Note that a host is on the workbench."""
        self.benched[host] = key
        heapq.heappush(self.farthest, (key.translate(REVERSE_ORDER), host))
        if len(self.farthest) > 2 * len(self.benched) + STALE_MIN:
            self.farthest = [(key.translate(REVERSE_ORDER), host) for host, key in self.benched.items()]
            heapq.heapify(self.farthest)

    def drop_farthest(self) -> str:
        """Remove and return the host that would wait longest; its key becomes the edge."""
        while True:
            reversed_key, host = heapq.heappop(self.farthest)
            key = reversed_key.translate(REVERSE_ORDER)
            if self.benched.get(host) == key:
                del self.benched[host]
                self.edge = key
                return host

    @property
    def end(self) -> bytes:
        """The first key after all keys of this rank."""
        return bytes((self.number + 1,))


class Front:
    """The workbench and the parked hosts behind it."""

    def __init__(
        self, store: Store, hosts: Hosts, gate: Gate, gauges: Gauges, *, hosts_max: int,
        turn_seconds: Callable[[int], float], level: Callable[[HostRecord], int], has_revisits: bool = False,
    ) -> None:  # fmt: skip
        self._store = store
        self._hosts = hosts
        self._gate = gate
        self._gauges = gauges
        sides = len(Side) if has_revisits else 1
        self._hosts_max = hosts_max
        self._side_max = max(1, hosts_max // sides)
        self._rank_part = max(1, hosts_max // (sides * LEVELS))  # each rank's fair part of the workbench
        self._turn_seconds = turn_seconds  # how long it takes to visit this many hosts at one address
        self._level = level
        self._ranks = [Rank(number) for number in range(BARRED)]
        self._new_ranks = [rank for rank in self._ranks if rank.side is Side.NEW]
        self._blocked: dict[str, None] = {}  # blocked gates that have hosts on the workbench
        # Barred hosts before this key have been checked and stay barred. The last run may not have finished.
        has_some = next(iter(store.scan(Table.PARKED, BARRED_START, BARRED_END)), None) is not None
        self._barred_edge = BARRED_START if has_some else BARRED_END
        self.bench = Workbench()
        self.waits = Waits()

    @property
    def has_room(self) -> bool:
        """Whether the workbench can take more hosts with new pages."""
        return sum([len(rank.benched) for rank in self._new_ranks]) < self._side_max

    def park(self, batch: Writes, record: HostRecord, now: float) -> None:
        """Park a host until its turn."""
        assert not record.parked_key, f"{record} is parked already"
        free_at = self._gate.free_at(record.gate)
        at = max(record.next_at, now if free_at == float("inf") else free_at)
        # Hosts of a crowded address wait behind those ahead; otherwise they would fill the workbench in vain.
        at += self._turn_seconds(self.bench.backlog(record.gate))
        self._put(batch, record, _moment(at))

    def change_side(self, batch: Writes, record: HostRecord) -> None:
        """Move a parked host that has got other kinds of requests to the rank of its new side."""
        if record.parked_key[0] != BARRED and side_of(record.parked_key) is not record.side:
            moment = record.parked_key[MOMENT]
            self.unpark(batch, record)
            self._put(batch, record, moment)

    def take(
        self, now: float, hosts_max: int, *, is_revisit_owed: bool = False
    ) -> tuple[str, list[HostRecord]] | None:
        """Take the hosts of one address whose turn it is; the caller unparks them and updates the gate."""
        taken = self.bench.take(now, hosts_max, is_revisit_owed=is_revisit_owed)
        if taken is None:
            return None
        gate, names = taken
        return gate, [self._record(name) for name in names]

    def refill(self) -> int:
        """Move the edges on for ranks that have run low; return how many hosts were added.

        To be called at the start of a step, because it reads the table as stored.
        """
        return sum(self._refill(rank) for rank in self._ranks if rank.edge != rank.end)

    def apply_block(self, batch: Writes, blocked: str, *, is_blocked: bool) -> None:
        """Have the hosts of a gate or address that was blocked barred, or brought back if it was unblocked.

        To be called at the start of a step.
        """
        for gate in self.bench.gates():
            if blocked in (gate, address_of(gate)):
                self.bench.set_free(gate, self._gate.free_at(gate))
                if is_blocked:
                    self._blocked[gate] = None
        if not is_blocked:
            self._barred_edge = BARRED_START
            self.bring_back(batch)

    def look_at_gates(self) -> None:
        """Update the gates on the workbench after a change of settings: addresses may have to rest longer."""
        for gate in self.bench.gates():
            self.bench.set_free(gate, self._gate.free_at(gate))

    def bar_hosts(self, batch: Writes) -> None:
        """Take hosts of blocked addresses off the workbench, some at a time."""
        for _ in range(BARRED_HOSTS):
            gate = next(iter(self._blocked), None)
            if gate is None:
                return
            host = self.bench.first_at(gate) if self._gate.is_blocked(gate) else None
            if host is None:
                del self._blocked[gate]
                continue
            record = self._record(host)
            moment = record.parked_key[MOMENT]
            self.unpark(batch, record)
            record.parked_key = BARRED_START + moment + host_key(host)
            self._gauges.barred_hosts += 1
            batch.put(Table.PARKED, record.parked_key, host.encode())

    def bring_back(self, batch: Writes) -> None:
        """Let barred hosts wait for their turn again if their address was unblocked.

        To be called at the start of a step, after `refill`.
        """
        if self._barred_edge == BARRED_END:
            return
        rows = list(islice(self._store.scan(Table.PARKED, self._barred_edge, BARRED_END), BARRED_HOSTS + 1))
        self._barred_edge = rows.pop()[0] if len(rows) > BARRED_HOSTS else BARRED_END
        names = [host.decode() for _, host in rows]
        self._hosts.fetch(names)
        for name in names:
            record = self._record(name)
            if not self._gate.is_blocked(record.gate):
                moment = record.parked_key[MOMENT]
                self.unpark(batch, record)
                self._put(batch, record, moment)

    def _record(self, host: str) -> HostRecord:
        record = self._hosts.find(host)
        assert record is not None, f"{host} is parked but has no record"
        return record

    def _refill(self, rank: Rank) -> int:
        # A rank is refilled to three quarters when it is half empty. A spill leaves more than that; otherwise
        # refilling and spilling would undo each other.
        if len(rank.benched) > self._rank_part // 2:
            return 0
        room = min(max(1, self._rank_part * 3 // 4 - len(rank.benched)), REFILL_HOSTS)
        parked = list(islice(self._store.scan(Table.PARKED, rank.edge, rank.end), room + 1))
        rank.edge = parked.pop()[0] if len(parked) > room else rank.end
        names = [host.decode() for _, host in parked]
        self._hosts.fetch(names)
        for name in names:
            record = self._record(name)
            self._bench(rank, record, self._level(record))
        self._spill()
        return len(names)

    def _put(self, batch: Writes, record: HostRecord, moment: bytes) -> None:
        side, level = record.side, self._level(record)
        rank = self._ranks[level * len(Side) + side]
        record.parked_key = bytes((rank.number,)) + moment + host_key(record.host)
        batch.put(Table.PARKED, record.parked_key, record.host.encode())
        self._hosts.touch(record)
        if side is not Side.NEW:
            self._gauges.parked_with_revisits += 1
        if record.parked_key < rank.edge:
            self._bench(rank, record, level)
            self._spill()

    def unpark(self, batch: Writes, record: HostRecord) -> None:
        """Remove a host from the table and the workbench."""
        key, record.parked_key = record.parked_key, b""
        batch.delete(Table.PARKED, key)
        self._hosts.touch(record)
        if side_of(key) is not Side.NEW:
            self._gauges.parked_with_revisits -= 1
        if key[0] == BARRED:
            self._gauges.barred_hosts -= 1
        elif self._ranks[key[0]].benched.pop(record.host, None) is not None:
            self.waits.remove(record.host)
        if record.host in self.bench:
            self.bench.remove(record.host)

    def _bench(self, rank: Rank, record: HostRecord, level: int) -> None:
        at = int.from_bytes(record.parked_key[MOMENT], "big") / 1000
        free_at = self._gate.free_at(record.gate)
        self.bench.bench(record.host, record.gate, at=at, free_at=free_at, level=level, side=rank.side)
        rank.put(record.host, record.parked_key)
        self.waits.add(record.host, cause_of(record, free_at), at)
        if free_at == float("inf") and self._gate.is_blocked(record.gate):
            self._blocked[record.gate] = None

    def _spill(self) -> None:
        """Keep the workbench within its size: spill the hosts of the fullest rank that would wait longest."""
        while len(self.bench) > self._hosts_max:
            rank = max(self._ranks, key=lambda rank: len(rank.benched))
            for _ in range(min(ceil(len(rank.benched) / 4), SPILL_HOSTS)):
                host = rank.drop_farthest()
                self.bench.remove(host)
                self.waits.remove(host)

    @property
    def is_stuck(self) -> bool:
        """Whether no parked host will ever have its turn; only while nothing is visited."""
        is_all_known = self._barred_edge == BARRED_END and all(rank.edge == rank.end for rank in self._ranks)
        return is_all_known and self.bench.next_at() is None

    def check(self) -> None:
        """State every invariant; between steps only."""
        self.bench.check()
        benched = [host for rank in self._ranks for host in rank.benched]
        assert len(benched) == len(set(benched)) == len(self.bench)
        assert all(host in self.bench for host in benched)
        self.waits.check()
        assert len(self.waits) == len(benched)
        parked = list(self._store.scan(Table.PARKED))
        assert self._gauges.parked_with_revisits == sum(side_of(key) is not Side.NEW for key, _ in parked)
        for rank in self._ranks:
            here = {host.decode() for key, host in parked if key[0] == rank.number and key < rank.edge}
            assert here == set(rank.benched), f"rank {rank.number} is not what lies before its edge"


def side_of(parked_key: bytes) -> Side:
    """Return what a parked host waits for, read from its key."""
    return Side(parked_key[0] % len(Side))


def _moment(at: float) -> bytes:
    """Return a time in whole milliseconds, rounded up."""
    return ceil(at * 1000).to_bytes(MOMENT_BYTES, "big")
