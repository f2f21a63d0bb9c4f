"""What do the hosts on the workbench wait for?

They are counted by cause as they enter and leave, so that the cost does not depend on the number of hosts.
"""

import heapq
from collections.abc import Iterator

from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.patience import PATIENCE, Trouble
from tiptoe.protocol.status import Cause

__all__ = ["Waits", "cause_of"]

STALE_ENTRIES_MIN = 64
"""Minimum number of outdated entries for which a heap is cleared; they must also outnumber the others."""


OVERLOADED = Trouble.OVERLOADED.value
HOST_TROUBLES = frozenset(trouble.value for trouble, patience in PATIENCE.items() if patience.host_waits)
"""Troubles for which a whole host waits."""


def cause_of(record: HostRecord, free_at: float) -> tuple[Cause, str]:
    """Return what a parked host waits for, and its trouble if that is the cause; `free_at` is of its gate."""
    if record.robots_troubles:
        return Cause.ROBOTS, record.trouble
    if record.troubles and record.trouble in HOST_TROUBLES:
        return (Cause.PEACE, "") if record.trouble == OVERLOADED else (Cause.TROUBLE, record.trouble)
    # Infinity means that the address is being visited, which says nothing about the host's own waiting.
    rested_at = 0.0 if free_at == float("inf") else free_at
    is_held = 0.0 < record.next_at <= record.held_until and record.held_until >= rested_at
    return (Cause.PEACE if is_held else Cause.REST), ""


Key = tuple[Cause, str]


class Waits:
    """Hosts on the workbench by what they wait for; finding the first of a cause costs O(log hosts)."""

    def __init__(self) -> None:
        self._keys: dict[str, tuple[Key, float]] = {}  # host -> cause and time
        self._counts: dict[Key, int] = {}
        self._heaps: dict[Key, list[tuple[float, str]]] = {}

    def __len__(self) -> int:
        return len(self._keys)

    def __repr__(self) -> str:
        text = ", ".join(f"{count} {cause.value} {trouble}".rstrip() for (cause, trouble), count in self)
        return f"<Waits {text or 'for nothing'}>"

    def __iter__(self) -> Iterator[tuple[Key, int]]:
        return iter(self._counts.items())

    def add(self, host: str, key: Key, at: float) -> None:
        """Add a host that waits for this cause until this time."""
        assert host not in self._keys, f"{host} waits already"
        self._keys[host] = (key, at)
        self._counts[key] = self._counts.get(key, 0) + 1
        heapq.heappush(self._heaps.setdefault(key, []), (at, host))

    def remove(self, host: str) -> None:
        """Remove a host that no longer waits."""
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
        """Return the first host that waits for this cause, and until when."""
        heap = self._heaps.get(key, [])
        while heap and self._keys.get(heap[0][1]) != (key, heap[0][0]):
            heapq.heappop(heap)
        return heap[0] if heap else None

    def hosts(self, key: Key) -> list[str]:
        """Return all hosts that wait for this cause."""
        return [host for at, host in self._heaps.get(key, []) if self._keys.get(host) == (key, at)]

    def check(self) -> None:
        """State every invariant."""
        counted: dict[Key, int] = {}
        for key, _ in self._keys.values():
            counted[key] = counted.get(key, 0) + 1
        assert counted == self._counts
        for key, count in counted.items():
            assert len(set(self.hosts(key))) == count, f"{key} has lost a host"
            assert len(self._heaps[key]) <= STALE_ENTRIES_MIN + 2 * count, f"{key} forgets nobody"
