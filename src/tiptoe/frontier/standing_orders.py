"""What has the operator ordered about hosts and addresses, in a crawl with several frontiers?

Every order has a number, and goes to all frontiers. Each carries them out in the order of their numbers, for
the hosts that live there at that moment, and notes how far it has come. A host that moves may come from a
frontier that is behind, or leave for one: its record says which was the last order about it, and where it
arrives the later ones are carried out before it waits for its turn.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

import msgspec

from tiptoe.frontier.host import HostRecord

__all__ = ["StandingOrder", "StandingOrders"]


class StandingOrder(msgspec.Struct, frozen=True, gc=False):
    """An order about a host or an address; None: as before."""

    number: int
    target: str
    is_address: bool = False
    is_blocked: bool | None = None
    slowed_to: float | None = None  # 0 = as configured

    @property
    def is_restrictive(self) -> bool:
        """Whether it concerns hosts, too, that nobody has met yet."""
        return bool(self.is_blocked or self.slowed_to)


class StandingOrders:
    """All orders that are in force, as far as they are known to a process; its frontiers share them."""

    def __init__(self) -> None:
        self.last = 0
        self._orders: list[StandingOrder] = []  # by number
        self._by_host: dict[str, tuple[StandingOrder, ...]] = {}

    def __len__(self) -> int:
        return len(self._orders)

    def know(self, orders: Iterable[StandingOrder], last: int) -> None:
        """Know these orders, and no others, up to a number; they are told whenever one is added."""
        self._orders = sorted(orders, key=lambda order: order.number)
        self.last = max(self.last, last)
        self._by_host = {}
        for order in self._orders:
            if not order.is_address:
                self._by_host[order.target] = (*self._by_host.get(order.target, ()), order)

    def after(self, number: int) -> Sequence[StandingOrder]:
        """Return the orders behind a number."""
        return self._orders[bisect_right(self._orders, number, key=lambda order: order.number) :]

    def brief(self, record: HostRecord) -> None:
        """Put into the record of a host that comes from elsewhere what was ordered since its last order."""
        for order in self._by_host.get(record.host, ()):
            if order.number > record.ordered:
                record.ordered = order.number
                if order.is_blocked is not None:
                    record.is_blocked = order.is_blocked
                if order.slowed_to is not None:
                    record.slowed_to = order.slowed_to
