"""Whose turn is it?

Hosts that have requests, grouped by gate (address) and ordered by the moment
the address may be contacted. Of those that may be contacted now, the side that is owed requests comes first
(see `shares`), then the better level. In memory only: see `front` for what lies on disk.
"""

import heapq
from collections import deque
from dataclasses import dataclass, field

from tiptoe.frontier.host import Side
from tiptoe.frontier.priority import LEVELS, turn_order

__all__ = ["Turn", "Workbench"]


@dataclass(slots=True)
class Turn:
    """One address and its hosts that wait."""

    gate: str
    free_at: float
    hosts: list[tuple[float, str]] = field(default_factory=list)  # heap of (moment, host)
    queued_for: float | None = None  # moment under which it stands in the heap; None = not there
    ripened_at: float | None = None  # since when it is ready; None = it is not
    number: int = 0  # so many became ready before it


class Workbench:
    """Hosts with requests to make, ordered by the moment they may be asked.

    A host is *benched* or unknown here; an address is *queued* while it has
    benched hosts and nobody visits it, *ready* once its moment has come.

    Invariants, see `check()`:
        - a benched host stands with exactly one address;
        - an address is queued or ready exactly when it has hosts and is free.

    `bench` and `take` cost O(log hosts).
    """

    def __init__(self) -> None:
        self._turns: dict[str, Turn] = {}
        self._gates: dict[str, tuple[str, float]] = {}  # host -> its gate and moment
        self._ranks: dict[str, tuple[Side, int]] = {}  # host -> its side and level
        self._heap: list[tuple[float, str]] = []
        self._ready: dict[Side, list[deque[str]]] = {side: [deque() for _ in range(LEVELS)] for side in Side}
        self._turn = 0
        self._ripened = 0

    def __len__(self) -> int:
        return len(self._gates)

    def __contains__(self, host: str) -> bool:
        return host in self._gates

    def __repr__(self) -> str:
        return f"<Workbench {len(self._gates)} hosts on {len(self._turns)} addresses>"

    def backlog(self, gate: str) -> int:
        """Return how many hosts wait for this address."""
        turn = self._turns.get(gate)
        return len(turn.hosts) if turn else 0

    def bench(
        self, host: str, gate: str, *, at: float, free_at: float, level: int, side: Side = Side.NEW
    ) -> None:
        """Put a host on the bench; `free_at` is what its gate says."""
        assert host not in self._gates, f"{host} is benched already"
        turn = self._turns.get(gate)
        if turn is None:
            turn = self._turns[gate] = Turn(gate, free_at)
        turn.free_at = free_at
        heapq.heappush(turn.hosts, (at, host))
        self._gates[host] = (gate, at)
        self._ranks[host] = (side, level)
        self._queue(turn)

    def remove(self, host: str) -> None:
        """Take a host off the bench, wherever it stands."""
        gate, at = self._gates.pop(host)
        del self._ranks[host]
        turn = self._turns[gate]
        turn.hosts.remove((at, host))
        heapq.heapify(turn.hosts)
        self._queue(turn)

    def set_free(self, gate: str, free_at: float) -> None:
        """The gate's moment has changed: opened, closed, held or blocked."""
        turn = self._turns.get(gate)
        if turn is not None:
            turn.free_at = free_at
            self._queue(turn)

    def take(
        self, now: float, hosts_max: int, *, is_again_owed: bool = False
    ) -> tuple[str, list[str]] | None:
        """Remove the next address's due hosts, at most so many; the caller opens its gate."""
        self._ripen(now)
        gate = self._next_ready(is_again_owed=is_again_owed)
        if gate is None:
            return None
        turn = self._turns[gate]
        taken: list[str] = []
        while turn.hosts and turn.hosts[0][0] <= now and len(taken) < hosts_max:
            _, host = heapq.heappop(turn.hosts)
            del self._gates[host], self._ranks[host]
            taken.append(host)
        turn.free_at = float("inf")
        self._queue(turn)
        return gate, taken

    def next_at(self) -> float | None:
        """Return when the next address becomes ready (in the past: one is)."""
        if any(self._is_ready(gate) for queue in self._queues() for gate in queue):
            return float("-inf")
        while self._heap and not self._is_current(*self._heap[0]):
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def next_host(self) -> str | None:
        """Return the first host of the next address to become ready; None when one is, or none will be."""
        at = self.next_at()
        if at is None or at == float("-inf"):
            return None
        return self._turns[self._heap[0][1]].hosts[0][1]

    def is_contested(self, now: float) -> bool:
        """Whether hosts that have revisits and hosts that have new pages are ready."""
        self._ripen(now)
        new, both, again = (any(self._ready[side]) for side in Side)
        return both or (new and again)

    def gates(self) -> list[str]:
        """Return the addresses that hosts wait for."""
        return list(self._turns)

    def hosts_at(self, gate: str) -> list[str]:
        """Return the hosts that wait for this address."""
        turn = self._turns.get(gate)
        return [host for _, host in turn.hosts] if turn else []

    def check(self) -> None:
        """State every invariant."""
        benched = {host for turn in self._turns.values() for _, host in turn.hosts}
        assert benched == set(self._gates) == set(self._ranks)
        in_ready = {gate for queue in self._queues() for gate in queue}
        in_heap = {gate for at, gate in self._heap if self._is_current(at, gate)}
        for gate, turn in self._turns.items():
            assert turn.hosts, f"{gate} has no hosts"
            assert turn.queued_for is None or turn.ripened_at is None, f"{gate} is queued and ready"
            assert (turn.queued_for is not None) <= (gate in in_heap), f"{gate} is missing in the heap"
            assert (turn.ripened_at is not None) <= (gate in in_ready), f"{gate} is missing among the ready"
            is_somewhere = turn.queued_for is not None or turn.ripened_at is not None
            assert is_somewhere == (turn.free_at != float("inf")), f"{gate} is not where it should be"

    def _queue(self, turn: Turn) -> None:
        """Put an address where it belongs after any change."""
        if not turn.hosts:
            self._turns.pop(turn.gate, None)
            turn.queued_for = turn.ripened_at = None
            return
        due = max(turn.free_at, turn.hosts[0][0])
        if turn.ripened_at is not None and due <= turn.ripened_at:
            return
        turn.ripened_at = None
        if due == float("inf"):
            turn.queued_for = None
        elif turn.queued_for != due:
            turn.queued_for = due
            heapq.heappush(self._heap, (due, turn.gate))

    def _is_current(self, at: float, gate: str) -> bool:
        turn = self._turns.get(gate)
        return turn is not None and turn.queued_for == at

    def _is_ready(self, gate: str) -> bool:
        turn = self._turns.get(gate)
        return turn is not None and turn.ripened_at is not None

    def _ripen(self, now: float) -> None:
        """Move addresses whose moment has come to the ready queues, by the level of their first host."""
        while self._heap and self._heap[0][0] <= now:
            at, gate = heapq.heappop(self._heap)
            if self._is_current(at, gate):
                turn = self._turns[gate]
                turn.queued_for = None
                turn.ripened_at = now
                turn.number = self._ripened
                self._ripened += 1
                side, level = self._ranks[turn.hosts[0][1]]
                self._ready[side][level].append(gate)

    def _next_ready(self, *, is_again_owed: bool) -> str | None:
        """Remove one ready address of the side that is owed, else of the other."""
        self._turn += 1
        owed, other = (Side.AGAIN, Side.NEW) if is_again_owed else (Side.NEW, Side.AGAIN)
        return self._next_of((owed, Side.BOTH)) or self._next_of((other,))

    def _next_of(self, sides: tuple[Side, ...]) -> str | None:
        """Remove one ready address: the level whose turn it is, else the best there is."""
        favoured = turn_order(self._turn)
        for level in (favoured, *range(LEVELS)):
            queues = [self._ready[side][level] for side in sides]
            # Hosts that have both are no better than those of one side: who is ready longer comes first.
            firsts = [self._first_number(queue) for queue in queues]
            earliest = min(firsts)
            if earliest != float("inf"):
                gate: str = queues[firsts.index(earliest)].popleft()
                self._turns[gate].ripened_at = None
                return gate
        return None

    def _first_number(self, queue: deque[str]) -> float:
        """Return the number of the first address that is still ready; infinite when there is none."""
        while queue:
            turn = self._turns.get(queue[0])
            if turn is not None and turn.ripened_at is not None:
                return turn.number
            queue.popleft()  # it was emptied or closed meanwhile
        return float("inf")

    def _queues(self) -> list[deque[str]]:
        return [queue for queues in self._ready.values() for queue in queues]
