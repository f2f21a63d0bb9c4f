"""Whose turn is it?

Hosts that have requests, grouped by gate (address) and ordered by the time at which the address may be
contacted. Among those that may be contacted now, the side that is owed requests comes first (see `shares`),
then the better level. In memory only: see `front` for what is on disk.
"""

import heapq
from collections import deque
from dataclasses import dataclass, field

from tiptoe.frontier.host import Side
from tiptoe.frontier.priority import LEVELS, favoured_level

__all__ = ["AddressSlot", "Workbench"]


STALE_MIN = 64
"""Minimum number of outdated entries for which a heap or queue is worth clearing."""


@dataclass(slots=True)
class AddressSlot:
    """One address and its waiting hosts; BUbiNG calls it a workbench entry."""

    gate: str
    free_at: float
    hosts: list[tuple[float, str]] = field(default_factory=list)  # heap of (time, host); some outdated
    waiting: int = 0  # entries in the heap that are not outdated
    queued_for: float | None = None  # time of its entry in the workbench's heap; None = no entry
    ready_since: float | None = None  # None = it is not ready
    place_number: int = 0  # its place among the ready; lower numbers became ready earlier


ReadyQueue = deque[tuple[int, str]]
"""Addresses that may be contacted now, each with the number of its place."""


class Workbench:
    """Hosts with requests to make, ordered by the time at which they may be visited.

    A host is *benched* or unknown here; an address is *queued* while it has
    benched hosts and is not being visited, *ready* once it may be contacted.

    Invariants, see `check()`:
        - a benched host belongs to exactly one address;
        - an address is queued or ready exactly when it has hosts and is free;
        - the first host of an address is not outdated;
        - apart from a few entries, at most half of any heap or queue is outdated.

    A host or address that leaves a heap or queue from its middle leaves an outdated entry behind, until that
    comes to the front or there are too many. So each operation costs O(log hosts), however many hosts share
    an address; clearing costs O(1) per outdated entry.
    """

    def __init__(self, *, stale_min: int = STALE_MIN) -> None:
        self._stale_min = stale_min
        self._slots: dict[str, AddressSlot] = {}
        self._gates: dict[str, tuple[str, float]] = {}  # host -> its gate and time
        self._side_and_level: dict[str, tuple[Side, int]] = {}  # by host
        self._heap: list[tuple[float, str]] = []
        self._ready: dict[Side, list[ReadyQueue]] = {side: [deque() for _ in range(LEVELS)] for side in Side}
        self._served_count = 0  # how often a ready address was requested
        self._last_place = 0  # the last place number that was assigned
        self._stale_ready = 0  # outdated places in the ready queues

    def __len__(self) -> int:
        return len(self._gates)

    def __contains__(self, host: str) -> bool:
        return host in self._gates

    def __repr__(self) -> str:
        return f"<Workbench {len(self._gates)} hosts on {len(self._slots)} addresses>"

    def backlog(self, gate: str) -> int:
        """Return how many hosts wait for this address."""
        slot = self._slots.get(gate)
        return slot.waiting if slot else 0

    def bench(
        self, host: str, gate: str, *, at: float, free_at: float, level: int, side: Side = Side.NEW
    ) -> None:
        """Put a host on the workbench; `free_at` is when its gate may be contacted."""
        assert host not in self._gates, f"{host} is benched already"
        slot = self._slots.get(gate)
        if slot is None:
            slot = self._slots[gate] = AddressSlot(gate, free_at)
        slot.free_at = free_at
        heapq.heappush(slot.hosts, (at, host))
        slot.waiting += 1
        self._gates[host] = (gate, at)
        self._side_and_level[host] = (side, level)
        self._queue(slot)

    def remove(self, host: str) -> None:
        """Take a host off the workbench."""
        gate, _ = self._gates.pop(host)
        del self._side_and_level[host]
        slot = self._slots[gate]
        slot.waiting -= 1
        self._clear_hosts(slot)
        self._queue(slot)

    def set_free(self, gate: str, free_at: float) -> None:
        """Note when a gate may be contacted, after it was opened, closed, held or blocked."""
        slot = self._slots.get(gate)
        if slot is not None:
            slot.free_at = free_at
            self._queue(slot)

    def take(
        self, now: float, hosts_max: int, *, is_revisit_owed: bool = False
    ) -> tuple[str, list[str]] | None:
        """Remove and return up to `hosts_max` hosts of the next ready address; the caller opens its gate."""
        self._collect_ready(now)
        gate = self._next_ready(is_revisit_owed=is_revisit_owed)
        if gate is None:
            return None
        slot = self._slots[gate]
        taken: list[str] = []
        while slot.hosts and slot.hosts[0][0] <= now and len(taken) < hosts_max:
            host = slot.hosts[0][1]
            del self._gates[host], self._side_and_level[host]
            slot.waiting -= 1
            self._clear_hosts(slot)
            taken.append(host)
        slot.free_at = float("inf")
        self._queue(slot)
        return gate, taken

    def next_at(self) -> float | None:
        """Return when the next address becomes ready; -infinity if one is ready, None if none will be."""
        if any(self._first_number(queue) != float("inf") for queue in self._queues()):
            return float("-inf")
        while self._heap and not self._is_current(*self._heap[0]):
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def next_host(self) -> str | None:
        """Return the first host of the next address to become ready; None if one is, or none will be."""
        at = self.next_at()
        if at is None or at == float("-inf"):
            return None
        return self._slots[self._heap[0][1]].hosts[0][1]

    def is_contested(self, now: float) -> bool:
        """Whether both hosts with revisits and hosts with new pages are ready (or one with both)."""
        self._collect_ready(now)
        new, both, revisits = (
            any(self._first_number(queue) != float("inf") for queue in self._ready[side]) for side in Side
        )
        return both or (new and revisits)

    def gates(self) -> list[str]:
        """Return the gates that hosts wait for."""
        return list(self._slots)

    def hosts_at(self, gate: str) -> list[str]:
        """Return the hosts that wait for this address."""
        slot = self._slots.get(gate)
        return [host for _, host in self._still_there(slot)] if slot else []

    def first_at(self, gate: str) -> str | None:
        """Return the host whose turn at this address comes first."""
        slot = self._slots.get(gate)
        return slot.hosts[0][1] if slot else None

    def check(self) -> None:
        """State every invariant."""
        benched = [host for gate in self._slots for host in self.hosts_at(gate)]
        assert len(benched) == len(set(benched)), "a host stands with two addresses"
        assert set(benched) == set(self._gates) == set(self._side_and_level)
        places = [place for queue in self._queues() for place in queue]
        in_ready = {place[1] for place in places if self._is_ready(place)}
        in_heap = {gate for at, gate in self._heap if self._is_current(at, gate)}
        assert self._stale_ready == len(places) - len(in_ready), "the ready have been miscounted"
        for entries in (self._heap, places):
            assert len(entries) <= 2 * len(self._slots) + self._stale_min, "too much is out of date"
        for gate, slot in self._slots.items():
            assert slot.hosts, f"{gate} has no hosts"
            assert self._is_there(gate, slot.hosts[0]), f"the first host of {gate} is gone"
            assert slot.waiting == len(self.hosts_at(gate)), f"{gate} has miscounted"
            assert len(slot.hosts) <= 2 * slot.waiting + self._stale_min, f"too many of {gate} are gone"
            assert slot.queued_for is None or slot.ready_since is None, f"{gate} is queued and ready"
            assert (slot.queued_for is not None) <= (gate in in_heap), f"{gate} is missing in the heap"
            assert (slot.ready_since is not None) <= (gate in in_ready), f"{gate} is missing among the ready"
            is_somewhere = slot.queued_for is not None or slot.ready_since is not None
            assert is_somewhere == (slot.free_at != float("inf")), f"{gate} is not where it should be"

    def _queue(self, slot: AddressSlot) -> None:
        """Move an address to where it belongs after a change."""
        if not slot.hosts:
            self._slots.pop(slot.gate, None)
            slot.queued_for = None
            self._leave_ready(slot)
            self._clear_heap()
            return
        due = max(slot.free_at, slot.hosts[0][0])
        if slot.ready_since is not None and due <= slot.ready_since:
            return
        self._leave_ready(slot)
        if due == float("inf"):
            slot.queued_for = None
        elif slot.queued_for != due:
            slot.queued_for = due
            heapq.heappush(self._heap, (due, slot.gate))
            self._clear_heap()

    def _is_there(self, gate: str, entry: tuple[float, str]) -> bool:
        """Whether the entry of a host is not outdated."""
        at, host = entry
        return self._gates.get(host) == (gate, at)

    def _is_current(self, at: float, gate: str) -> bool:
        slot = self._slots.get(gate)
        return slot is not None and slot.queued_for == at

    def _is_ready(self, place: tuple[int, str]) -> bool:
        number, gate = place
        slot = self._slots.get(gate)
        return slot is not None and slot.place_number == number and slot.ready_since is not None

    def _still_there(self, slot: AddressSlot) -> list[tuple[float, str]]:
        # Without duplicates: a host that left and came back for the same time has two entries.
        return [entry for entry in dict.fromkeys(slot.hosts) if self._is_there(slot.gate, entry)]

    def _clear_hosts(self, slot: AddressSlot) -> None:
        """Restore the invariants of an address's heap after one of its hosts has left."""
        while slot.hosts and not self._is_there(slot.gate, slot.hosts[0]):
            heapq.heappop(slot.hosts)
        if len(slot.hosts) > 2 * slot.waiting + self._stale_min:
            slot.hosts = self._still_there(slot)
            heapq.heapify(slot.hosts)

    def _clear_heap(self) -> None:
        if len(self._heap) > 2 * len(self._slots) + self._stale_min:
            slots = self._slots.values()
            self._heap = [(slot.queued_for, slot.gate) for slot in slots if slot.queued_for is not None]
            heapq.heapify(self._heap)

    def _leave_ready(self, slot: AddressSlot) -> None:
        """Make an address not ready; if it was, its place becomes outdated."""
        if slot.ready_since is not None:
            slot.ready_since = None
            self._stale_ready += 1
        if self._stale_ready > len(self._slots) + self._stale_min:
            for queue in self._queues():
                ready = [place for place in queue if self._is_ready(place)]
                queue.clear()
                queue.extend(ready)
            self._stale_ready = 0

    def _collect_ready(self, now: float) -> None:
        """Move addresses that may be contacted now to the ready queues, by the level of their first host."""
        while self._heap and self._heap[0][0] <= now:
            at, gate = heapq.heappop(self._heap)
            if self._is_current(at, gate):
                slot = self._slots[gate]
                slot.queued_for = None
                slot.ready_since = now
                self._last_place += 1
                slot.place_number = self._last_place
                side, level = self._side_and_level[slot.hosts[0][1]]
                self._ready[side][level].append((slot.place_number, gate))

    def _next_ready(self, *, is_revisit_owed: bool) -> str | None:
        """Remove and return a ready address: of the side that is owed, if any, otherwise of the other."""
        self._served_count += 1
        owed, other = (Side.REVISIT, Side.NEW) if is_revisit_owed else (Side.NEW, Side.REVISIT)
        return self._next_of((owed, Side.BOTH)) or self._next_of((other,))

    def _next_of(self, sides: tuple[Side, ...]) -> str | None:
        """Remove and return a ready address: of the level whose turn it is, if any, otherwise of the best."""
        favoured = favoured_level(self._served_count)
        for level in (favoured, *range(LEVELS)):
            queues = [self._ready[side][level] for side in sides]
            # Hosts with both sides get no preference: the address that has been ready longer comes first.
            firsts = [self._first_number(queue) for queue in queues]
            earliest = min(firsts)
            if earliest != float("inf"):
                gate: str = queues[firsts.index(earliest)].popleft()[1]
                self._slots[gate].ready_since = None
                return gate
        return None

    def _first_number(self, queue: ReadyQueue) -> float:
        """Return the place number of the first address that is still ready; infinity if there is none."""
        while queue and not self._is_ready(queue[0]):
            queue.popleft()  # outdated
            self._stale_ready -= 1
        return queue[0][0] if queue else float("inf")

    def _queues(self) -> list[ReadyQueue]:
        return [queue for queues in self._ready.values() for queue in queues]
