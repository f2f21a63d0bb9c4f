"""How does a frontier carry out the operator's orders about hosts and addresses?

A single frontier carries out each order when it is given. One of several carries out the `StandingOrders`
after the last one it has carried out, and notes the new last one in the same step, so that the next agent to
hold its shard continues there.
"""

from typing import Final

from tiptoe.frontier.correspondence import Correspondence
from tiptoe.frontier.dispatch import Dispatch
from tiptoe.frontier.effect import HostOrdered
from tiptoe.frontier.effects import Effects
from tiptoe.frontier.front import Front
from tiptoe.frontier.standing_orders import StandingOrder
from tiptoe.frontier.step import Step
from tiptoe.store.tables import Rows, Table
from tiptoe.url.address import host_key

__all__ = ["OBEYED", "HostOrders", "last_obeyed"]

OBEYED: Final = b"obeyed"
"""Key in META of the number of the last order that was carried out."""

NUMBER_BYTES: Final = 8


def last_obeyed(rows: Rows) -> int:
    """Return the number of the last order that a frontier has carried out."""
    return int.from_bytes(rows.get(Table.META, OBEYED) or b"", "big")


class HostOrders:
    """Carries out orders; every method that changes something is a step."""

    def __init__(
        self, step: Step, front: Front, effects: Effects, dispatch: Dispatch, others: Correspondence | None
    ) -> None:
        self._step = step
        self._front = front
        self._effects = effects
        self._dispatch = dispatch
        self._others = others
        self._obeyed = last_obeyed(step.store)

    def order(self, order: HostOrdered, now: float) -> None:
        """Carry out an order about a host, if it concerns this frontier (every frontier receives it)."""
        if self._others is None or self._others.routing.concerns(order.host):
            self._effects.apply([order], now)
            self._step.commit()

    def block_address(self, gate: str, *, is_blocked: bool) -> None:
        """Block an address at once, or unblock it."""
        self._block_address(gate, is_blocked=is_blocked)
        self._step.commit()

    def rest_address(self, gate: str, until: float) -> None:
        """Let an address rest at least until this time, because it was visited apart from this crawl."""
        self._step.gate.hold(self._step.batch, gate, free_at=until)
        self._front.bench.set_free(gate, self._step.gate.free_at(gate))
        self._step.commit()

    def slow_address(self, gate: str, delay: float) -> None:
        """Set a minimum delay for the hosts of an address; 0 = as configured."""
        self._step.gate.slow(self._step.batch, gate, delay)
        self._step.commit()

    def obey(self, now: float) -> list[str]:
        """Carry out standing orders that are new here; return the hosts whose visits must end."""
        orders = self._step.orders
        if orders.last <= self._obeyed:
            return []
        ended = [host for order in orders.after(self._obeyed) for host in self._carry_out(order, now)]
        self._obeyed = orders.last
        self._step.batch.put(Table.META, OBEYED, self._obeyed.to_bytes(NUMBER_BYTES, "big"))
        self._step.commit()
        return list(dict.fromkeys(ended))

    def _carry_out(self, order: StandingOrder, now: float) -> list[str]:
        if order.is_address:
            if order.is_blocked is not None:
                # The hosts at an address are read from the stored tables. If a crash comes before the number
                # of the last order is noted, earlier orders are carried out again, which does no harm.
                self._step.commit()
                self._block_address(order.target, is_blocked=order.is_blocked)
            if order.slowed_to is not None:
                self._step.gate.slow(self._step.batch, order.target, order.slowed_to)
            return self._dispatch.hosts_at(order.target)
        # Not forwarded to a host that lives elsewhere: its shard carries out the same order.
        is_here = self._others is None or self._others.routing.is_here(host_key(order.target), order.target)
        if is_here and (order.is_restrictive or self._step.hosts.find(order.target) is not None):
            told = HostOrdered(order.target, order.is_blocked, order.slowed_to, order.number)
            self._effects.apply([told], now)
            return [order.target]
        return []

    def _block_address(self, gate: str, *, is_blocked: bool) -> None:
        self._step.gate.block(self._step.batch, gate, is_blocked=is_blocked)
        self._front.apply_block(self._step.batch, gate, is_blocked=is_blocked)
