"""Which items belong to which shard?"""

from collections.abc import Callable, Iterable
from typing import TypeVar

__all__ = ["grouped"]

Item = TypeVar("Item")


def grouped(items: Iterable[Item], shard_of: Callable[[Item], int]) -> dict[int, list[Item]]:
    """Return items by shard, in order."""
    groups: dict[int, list[Item]] = {}
    for item in items:
        groups.setdefault(shard_of(item), []).append(item)
    return groups
