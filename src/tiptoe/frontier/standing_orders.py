"""What has the operator ordered about hosts and addresses, in a crawl with several frontiers?

Every order has a number and goes to all frontiers. Each frontier carries them out by number, for the hosts
that live there at that time, and notes how far it has come. A host may move from or to a frontier that is
behind, so its record contains the number of the last order about it; where it arrives, later ones are carried
out before it is parked.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

import msgspec

from tiptoe.frontier.host import HostRecord

__all__ = ["StandingOrder", "StandingOrders"]


class StandingOrder(msgspec.Struct, frozen=True, gc=False):
    """An order about a host or an address; None: unchanged."""

    number: int
    target: str
    is_address: bool = False
    is_blocked: bool | None = None
    slowed_to: float | None = None  # 0 = as configured

    @property
    def is_restrictive(self) -> bool:
        """Whether it must be noted even for a host that is not known yet."""
        return bool(self.is_blocked or self.slowed_to)


class StandingOrders:
    """All orders in force, as far as this process knows them; its frontiers share them."""

    def __init__(self) -> None:
        self.last = 0
        self._orders: list[StandingOrder] = []  # by number
        self._by_host: dict[str, tuple[StandingOrder, ...]] = {}

    def __len__(self) -> int:
        return len(self._orders)

    def know(self, orders: Iterable[StandingOrder], last: int) -> None:
        """Replace the orders by these, which are complete up to number `last`."""
        self._orders = sorted(orders, key=lambda order: order.number)
        self.last = max(self.last, last)
        self._by_host = {}
        for order in self._orders:
            if not order.is_address:
                self._by_host[order.target] = (*self._by_host.get(order.target, ()), order)

    def after(self, number: int) -> Sequence[StandingOrder]:
        """Return the orders with a higher number."""
        return self._orders[bisect_right(self._orders, number, key=lambda order: order.number) :]

    def brief(self, record: HostRecord) -> None:
        """Apply later orders about a host to its record, which has arrived from another frontier."""
        for order in self._by_host.get(record.host, ()):
            if order.number > record.ordered:
                record.ordered = order.number
                if order.is_blocked is not None:
                    record.is_blocked = order.is_blocked
                if order.slowed_to is not None:
                    record.slowed_to = order.slowed_to
