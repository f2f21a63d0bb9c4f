"""Which of an agent's shards must be examined now?

Pure. An agent holds many shards, and at any moment most of them are waiting. This module records when
something next becomes possible in each, and which have changed since; only due or changed shards are
examined. Those that have something to hand out take turns.
"""

import heapq

__all__ = ["ShardTurns"]


class ShardTurns:
    """When each shard is examined, and whose turn it is to hand out visits."""

    def __init__(self) -> None:
        self._changed: dict[int, None] = {}
        self._next_at: dict[int, float | None] = {}
        self._heap: list[tuple[float, int]] = []  # may contain outdated entries; `_next_at` decides
        self._ready: dict[int, None] = {}  # in the order of their turns

    def touch(self, shard: int) -> None:
        """Note that a shard is new or was changed."""
        self._changed[shard] = None

    def forget(self, shard: int) -> None:
        """Forget a shard that is no longer held."""
        for known in (self._changed, self._next_at, self._ready):
            known.pop(shard, None)

    def take_due(self, now: float) -> list[int]:
        """Return the shards to be examined now; call `looked` for each."""
        due, self._changed = self._changed, {}
        while self._heap and self._heap[0][0] <= now:
            at, shard = heapq.heappop(self._heap)
            if self._next_at.get(shard) == at:
                due[shard] = None
        return list(due)

    def looked(self, shard: int, next_at: float | None, now: float) -> None:
        """Note that a shard was examined, and the next moment at which something becomes possible in it."""
        if next_at is not None and (next_at != self._next_at.get(shard) or next_at <= now):
            heapq.heappush(self._heap, (next_at, shard))
        self._next_at[shard] = next_at
        if next_at is not None and next_at <= now:
            self._ready[shard] = None

    def in_turn(self) -> list[int]:
        """Return the shards that may have something to hand out, in the order of their turns."""
        return list(self._ready)

    def had_turn(self, shard: int) -> None:
        """Move a shard that has handed something out behind the others."""
        del self._ready[shard]
        self._ready[shard] = None

    def has_nothing(self, shard: int) -> None:
        """Note that a shard has nothing more to hand out until it is examined again."""
        self._ready.pop(shard, None)

    def next_at(self) -> float | None:
        """Return when the next shard is to be examined: at once if any was changed."""
        if self._changed:
            return float("-inf")
        while self._heap and self._next_at.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None
