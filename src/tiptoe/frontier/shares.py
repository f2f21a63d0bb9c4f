"""Whose turn is it: pages never visited, or pages that are due again?

Each side has its guaranteed share of the requests while both have work; what one side cannot use goes to the
other and is not owed afterwards.

- *Per host* by credit: a visit gives revisits their share of its requests, and what rounding left over is
  remembered, so that the share is kept even if visits have one request each.
- *Overall* by debt: many hosts wait for one side only, so among the hosts that are ready, those of the side
  that is owed requests come first. While much is owed, a host that has few requests of that side gets only
  as many of the other as its share allows; otherwise hosts with many revisits and a trickle of new pages
  would use up the share of hosts that have only new ones.
"""

from tiptoe.frontier.counters import Learned
from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.priority import REVISITS

__all__ = ["Shares", "divide"]

MUCH_OWED = 5.0
"""Requests owed above which hosts are held to the shares; less comes and goes with every visit."""

DEBT_MAX = 1000.0
"""Maximum number of requests that one side can be owed: a crawl does not make up for the distant past."""


def divide(wanted: int, new: int, revisits: int, share: float, credit: float) -> tuple[int, int, float]:
    """Divide `wanted` requests: return the number of new ones, of revisits, and the credit after that.

    `new` and `revisits` say how many wait; the credit is what revisits are owed.
    """
    total = min(wanted, new + revisits)
    if not revisits or not new:
        return min(total, new), min(total, revisits), credit
    owed = credit + share * total
    given = min(max(round(owed), total - new, 0), revisits, total)
    return total - given, given, min(max(owed - given, -1.0), 1.0)


class Shares:
    """Keeps the shares of new pages and revisits, of each host and of the crawl."""

    def __init__(self, learned: Learned, *, share: float) -> None:
        self._learned = learned
        self.share = share

    @property
    def is_revisit_owed(self) -> bool:
        """Whether it is the turn of revisits."""
        return self._learned.revisits_owed > 0.0

    def divide(
        self, record: HostRecord, wanted: int, room: int, *, is_contested: bool = False
    ) -> tuple[int, int]:
        """Return how many new requests (at most `room`) and how many revisits of a host go into a visit."""
        revisits = record.waiting[REVISITS]
        if not revisits:
            return min(wanted, room), 0
        new = min(record.queued_new, room)
        if is_contested:
            new, revisits = self._evened(new, revisits, record.revisit_credit)
        fresh, given, record.revisit_credit = divide(wanted, new, revisits, self.share, record.revisit_credit)
        return fresh, given

    def _evened(self, new: int, revisits: int, credit: float) -> tuple[int, int]:
        """Limit the side that has had too much to its share relative to what there is of the other."""
        owed = self._learned.revisits_owed
        if owed < -MUCH_OWED and new and self.share < 1.0:
            return new, min(revisits, max(0, round(new * self.share / (1.0 - self.share) + credit)))
        if owed > MUCH_OWED and revisits and self.share > 0.0:
            return min(new, max(0, round(revisits * (1.0 - self.share) / self.share - credit))), revisits
        return new, revisits

    def note(self, new: int, revisits: int, *, is_contested: bool) -> None:
        """Note requests that are handed out; what is owed changes only while both sides compete for them."""
        if is_contested:
            owed = self._learned.revisits_owed + self.share * (new + revisits) - revisits
            self._learned.revisits_owed = min(max(owed, -DEBT_MAX), DEBT_MAX)
