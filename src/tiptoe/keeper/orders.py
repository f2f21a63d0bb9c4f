"""How are orders given to all harvesters, and when are they obeyed?

An order has a number. Once a harvester has confirmed it, it begins no request that the order forbids. An
order is sent after everything that came before it, even messages that still wait for their step to be
committed: otherwise a visit could arrive after the order that forbids it.
"""

from collections.abc import Callable

from tiptoe.keeper.crawl_frontier import CrawlFrontier
from tiptoe.keeper.roster import Roster
from tiptoe.protocol.messages import Amend, Cancel, Hold, Revoke

__all__ = ["Orders"]

UNNUMBERED = 0
"""Number of the first copy of an order that is sent again later, with its real number."""


class Orders:
    """The orders of one run."""

    def __init__(self, frontier: CrawlFrontier, roster: Roster, tell_all: Callable[[object], None]) -> None:
        self._frontier = frontier
        self._roster = roster
        self._tell_all = tell_all
        self._given = 0
        self.last = 0  # number of the order to be confirmed before an operator is answered

    @property
    def are_obeyed(self) -> bool:
        """Whether every harvester has confirmed the last order.

        One that is not ready yet has no work, and receives the order before it gets any.
        """
        members = self._roster.members.values()
        return all(member.obeyed >= self.last for member in members if member.is_ready)

    def give(self, numbered: Callable[[int], Hold | Amend | Cancel]) -> None:
        """Send every harvester an order that it has to confirm."""
        self._given += 1
        self.last = self._given
        order = numbered(self.last)
        is_told = False

        def tell() -> None:
            nonlocal is_told
            is_told = True
            self._tell_all(order)

        self._frontier.after_commit(tell, or_lost=True)
        if not is_told and _only_stops(order):  # stopping need not wait for the commit
            self._tell_all(numbered(UNNUMBERED))

    def revoke(self, shard: int) -> None:
        """Break off the visits of a shard that is no longer ours at once.

        What harvesters report about it before they receive this is ignored: see `revocation`. Must be called
        before anything is sent that waited for a commit of this shard.
        """
        self._given += 1
        for member in self._roster.members.values():
            member.revoke(shard, self._given)
        self._tell_all(Revoke(shard, self._given))


def _only_stops(order: Hold | Amend | Cancel) -> bool:
    return isinstance(order, Cancel) or (isinstance(order, Hold) and order.is_held)
