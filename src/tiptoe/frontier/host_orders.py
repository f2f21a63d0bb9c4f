"""How does a frontier obey the operator about hosts and addresses?

Alone it is told once. One of several carries out what stands among the `StandingOrders` behind the last that
it has carried out, and notes that with the same step: whoever holds it next goes on there.
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
        """Obey an order about a host: every frontier gets it, and sees whether it concerns one of its own."""
        if self._others is None or self._others.routing.concerns(order.host):
            self._effects.apply([order], now)
            self._step.commit()

    def block_address(self, gate: str, *, is_blocked: bool) -> None:
        """Leave an address alone at once, or no longer."""
        self._block_address(gate, is_blocked=is_blocked)
        self._step.commit()

    def rest_address(self, gate: str, until: float) -> None:
        """Let an address rest until then, at least: somebody has asked it apart from this crawl."""
        self._step.gate.hold(self._step.batch, gate, free_at=until)
        self._front.bench.set_free(gate, self._step.gate.free_at(gate))
        self._step.commit()

    def slow_address(self, gate: str, delay: float) -> None:
        """Ask the hosts of an address at most this often; 0 = as configured."""
        self._step.gate.slow(self._step.batch, gate, delay)
        self._step.commit()

    def obey(self, now: float) -> list[str]:
        """Carry out the standing orders that are new here; return the hosts whose visits have to end."""
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
                # Hosts at an address are found in the tables as they are written. That earlier orders are
                # carried out again if nobody comes to note that they were does no harm.
                self._step.commit()
                self._block_address(order.target, is_blocked=order.is_blocked)
            if order.slowed_to is not None:
                self._step.gate.slow(self._step.batch, order.target, order.slowed_to)
            return self._dispatch.hosts_at(order.target)
        # Not sent after a host that lives elsewhere: it is told there, or when it arrives.
        is_here = self._others is None or self._others.routing.is_here(host_key(order.target), order.target)
        if is_here and (order.is_restrictive or self._step.hosts.find(order.target) is not None):
            told = HostOrdered(order.target, order.is_blocked, order.slowed_to, order.number)
            self._effects.apply([told], now)
            return [order.target]
        return []

    def _block_address(self, gate: str, *, is_blocked: bool) -> None:
        self._step.gate.block(self._step.batch, gate, is_blocked=is_blocked)
        self._front.heed_block(self._step.batch, gate, is_blocked=is_blocked)
