"""What do the counters of several frontiers add up to?"""

from collections.abc import Iterable
from typing import Any

import msgspec

from tiptoe.frontier.counters import Counters

__all__ = ["summed"]


def summed(counters: Iterable[Counters]) -> Counters:
    """Return the sums of several frontiers' counters; of what they learned only the pages add up."""
    total = Counters()
    for each in counters:
        for kind in ("totals", "gauges", "ids"):
            _add(getattr(total, kind), getattr(each, kind))
        total.learned.account.pages += each.learned.account.pages
    return total


def _add(total: msgspec.Struct, more: msgspec.Struct) -> None:
    for name in total.__struct_fields__:
        setattr(total, name, _sum(getattr(total, name), getattr(more, name)))


def _sum(one: Any, other: Any) -> Any:
    if not isinstance(one, dict):
        return one + other
    return {name: one.get(name, 0) + other.get(name, 0) for name in (*one, *(set(other) - set(one)))}
