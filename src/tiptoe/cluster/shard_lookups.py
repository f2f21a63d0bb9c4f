"""Which shards wait for which names to be looked up?

Several may wait for the same name: its home, and a shard that its host has moved to.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TypeVar

__all__ = ["ShardLookups"]

Item = TypeVar("Item")


class ShardLookups:
    """The names that harvesters look up at the moment, each with the shards that want it."""

    def __init__(self) -> None:
        self._wanting: dict[str, dict[int, None]] = {}

    def begin(self, shard: int, names: Iterable[str]) -> None:
        """Note that a shard wants these names to be looked up."""
        for name in names:
            self._wanting.setdefault(name, {})[shard] = None

    def first_of(self, name: str) -> int:
        """Return the shard that was the first to want a name; -1 if none does."""
        return next(iter(self._wanting.get(name, ())), -1)

    def end(self, items: Iterable[Item], name_of: Callable[[Item], str]) -> dict[int, list[Item]]:
        """Return for each shard the items whose names it wants; they are looked up no longer."""
        by_shard: dict[int, list[Item]] = defaultdict(list)
        for item in items:
            for shard in self._wanting.pop(name_of(item), ()):
                by_shard[shard].append(item)
        return by_shard

    def drop(self, shard: int) -> None:
        """Forget what a shard wants."""
        for name, wanting in list(self._wanting.items()):
            wanting.pop(shard, None)
            if not wanting:
                del self._wanting[name]
