"""Why is nothing asked for at the moment, and when does it go on?

A `Waiting` is a value: reasons with counts, each with the moment of the first one it holds for. The frontier
knows those that lie in its tables, the keeper adds its own; how they are said is for `keeper/wording.py`.

Rule: it costs the same however many hosts there are. Hosts on the workbench are counted by cause as they come
and go (`Waits`), names to look up again by trouble (`Counters`). Of ordered tables only first rows are read.
"""

import enum
import heapq
from collections.abc import Iterator

import msgspec

from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.patience import PATIENCE, Trouble

__all__ = ["HELD_CAUSES", "Cause", "WaitReason", "Waiting", "Waits", "cause_of"]

STALE_ENTRIES_MIN = 64
"""Entries of hosts that have left are cleared away when they are this many, and more than the others."""


OVERLOADED = Trouble.OVERLOADED.value
HOST_TROUBLES = frozenset(trouble.value for trouble, patience in PATIENCE.items() if patience.host_waits)
"""Those for which a whole host waits."""


class Cause(enum.Enum):
    """What is waited for; in the order in which it is told."""

    OPERATOR = "operator"  # paused
    DISK = "disk"  # paused until there is room
    LINE = "line"  # paused: we seem to be cut off
    RESTART = "restart"  # everybody rests once, since nobody knows when they were asked last
    NAMES = "names"  # our name server does not answer
    HARVESTERS = "harvesters"  # nobody is there to make a visit, or all have their hands full
    LIMIT = "limit"  # as many pages or bytes as the operator wants
    LOOKUP = "lookup"  # names being looked up
    REST = "rest"  # an address rests after a visit, or other hosts of it come first
    PEACE = "peace"  # a server asked for it: 429, 503, Retry-After
    TROUBLE = "trouble"
    ROBOTS = "robots"  # robots.txt could not be had
    LOOKUP_AGAIN = "lookup_again"  # names that could not be looked up
    DEFERRED = "deferred"  # single requests that are to be repeated
    BLOCKED = "blocked"  # by the operator
    REVISIT = "revisit"  # pages that are not due yet


HELD_CAUSES = frozenset({Cause.OPERATOR, Cause.DISK, Cause.LINE})
"""Those that keep everything from being asked."""


class WaitReason(msgspec.Struct, frozen=True, kw_only=True):
    """One cause, and for how many hosts, names or requests it holds."""

    cause: Cause
    count: int = 0  # 0 = it is not about so many of something
    next_at: float | None = None  # when the first of them is over; None = nobody can say
    host: str = ""  # whose moment that is
    trouble: str = ""  # value of `patience.Trouble`


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is waited for at a moment."""

    reasons: list[WaitReason] = []
    next_at: float | None = None  # when something can be asked for again; in the past: now
    more_hosts: int = 0  # that wait behind those counted, on disk


def cause_of(record: HostRecord, free_at: float) -> tuple[Cause, str]:
    """Return what a parked host waits for, and its trouble if it is one; `free_at` is what its gate says."""
    if record.robots_troubles:
        return Cause.ROBOTS, record.trouble
    if record.troubles and record.trouble in HOST_TROUBLES:
        return (Cause.PEACE, "") if record.trouble == OVERLOADED else (Cause.TROUBLE, record.trouble)
    # Infinity says that somebody is there now: that decides nothing about the host's own moment.
    rested_at = 0.0 if free_at == float("inf") else free_at
    is_held = 0.0 < record.next_at <= record.held_until and record.held_until >= rested_at
    return (Cause.PEACE if is_held else Cause.REST), ""


Key = tuple[Cause, str]


class Waits:
    """Hosts on the workbench by what they wait for; the first of each cause costs O(log hosts)."""

    def __init__(self) -> None:
        self._keys: dict[str, tuple[Key, float]] = {}  # host -> cause and moment
        self._counts: dict[Key, int] = {}
        self._heaps: dict[Key, list[tuple[float, str]]] = {}

    def __len__(self) -> int:
        return len(self._keys)

    def __repr__(self) -> str:
        told = ", ".join(f"{count} {cause.value} {trouble}".rstrip() for (cause, trouble), count in self)
        return f"<Waits {told or 'for nothing'}>"

    def __iter__(self) -> Iterator[tuple[Key, int]]:
        return iter(self._counts.items())

    def add(self, host: str, key: Key, at: float) -> None:
        """A host waits for this, until then."""
        assert host not in self._keys, f"{host} waits already"
        self._keys[host] = (key, at)
        self._counts[key] = self._counts.get(key, 0) + 1
        heapq.heappush(self._heaps.setdefault(key, []), (at, host))

    def remove(self, host: str) -> None:
        """A host waits no longer."""
        key, _ = self._keys.pop(host)
        left = self._counts[key] - 1
        if not left:
            del self._counts[key], self._heaps[key]
            return
        self._counts[key] = left
        heap = self._heaps[key]
        if len(heap) > STALE_ENTRIES_MIN + 2 * left:
            heap[:] = [(at, host) for at, host in heap if self._keys.get(host) == (key, at)]
            heapq.heapify(heap)

    def cause(self, host: str) -> Cause:
        """Return what a host waits for."""
        return self._keys[host][0][0]

    def first(self, key: Key) -> tuple[float, str] | None:
        """Return the first host that waits for this, and its moment."""
        heap = self._heaps.get(key, [])
        while heap and self._keys.get(heap[0][1]) != (key, heap[0][0]):
            heapq.heappop(heap)
        return heap[0] if heap else None

    def hosts(self, key: Key) -> list[str]:
        """Return all that wait for this."""
        return [host for at, host in self._heaps.get(key, []) if self._keys.get(host) == (key, at)]

    def check(self) -> None:
        """State every invariant."""
        counted: dict[Key, int] = {}
        for key, _ in self._keys.values():
            counted[key] = counted.get(key, 0) + 1
        assert counted == self._counts
        for key, count in counted.items():
            assert len(set(self.hosts(key))) == count, f"{key} has lost a host"
