"""What have several frontiers counted together?"""

from collections.abc import Iterable
from typing import Any

import msgspec

from tiptoe.frontier.counters import Counters

__all__ = ["summed"]


def summed(counters: Iterable[Counters]) -> Counters:
    """Return the numbers of several frontiers as those of one; what each has learned does not add up."""
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
