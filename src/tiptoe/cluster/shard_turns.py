"""Which of the shards that an agent holds is to be looked at now?

Pure. An agent holds many shards, and most of them wait at any moment: for each it is noted when something
becomes possible in it, and which were changed since. Only those are looked at that are due or were changed.
Those that have something now take turns.
"""

import heapq

__all__ = ["ShardTurns"]


class ShardTurns:
    """When each shard is looked at, and whose turn it is to hand something out."""

    def __init__(self) -> None:
        self._changed: dict[int, None] = {}
        self._next_at: dict[int, float | None] = {}
        self._heap: list[tuple[float, int]] = []  # some of it out of date: `_next_at` is what counts
        self._ready: dict[int, None] = {}  # in the order of their turns

    def touch(self, shard: int) -> None:
        """Something was changed in a shard, or it is new."""
        self._changed[shard] = None

    def forget(self, shard: int) -> None:
        """A shard is no longer held."""
        for known in (self._changed, self._next_at, self._ready):
            known.pop(shard, None)

    def take_due(self, now: float) -> list[int]:
        """Return the shards to be looked at now; each is to be `looked` at then."""
        due, self._changed = self._changed, {}
        while self._heap and self._heap[0][0] <= now:
            at, shard = heapq.heappop(self._heap)
            if self._next_at.get(shard) == at:
                due[shard] = None
        return list(due)

    def looked(self, shard: int, next_at: float | None, now: float) -> None:
        """A shard was looked at: the next moment at which something becomes possible in it."""
        if next_at is not None and (next_at != self._next_at.get(shard) or next_at <= now):
            heapq.heappush(self._heap, (next_at, shard))
        self._next_at[shard] = next_at
        if next_at is not None and next_at <= now:
            self._ready[shard] = None

    def in_turn(self) -> list[int]:
        """Return the shards that may have something to hand out, the one whose turn it is first."""
        return list(self._ready)

    def had_turn(self, shard: int) -> None:
        """A shard has handed something out: others come first now."""
        del self._ready[shard]
        self._ready[shard] = None

    def has_nothing(self, shard: int) -> None:
        """A shard has nothing more to hand out until it is looked at again."""
        self._ready.pop(shard, None)

    def next_at(self) -> float | None:
        """Return when the next shard is to be looked at; those that were changed are not waited for."""
        if self._changed:
            return float("-inf")
        while self._heap and self._next_at.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None
