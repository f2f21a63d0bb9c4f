"""How much may this frontier still request?

Up to the limits of the crawl or, if the crawl has several frontiers, up to what was allotted to this one. An
allotment, like a limit, counts from the beginning of the crawl: it includes the pages and bytes already
fetched. It may be lowered at any time to what is used, which includes what is under way.
"""

from dataclasses import dataclass

from tiptoe.frontier.policy import FrontierPolicy
from tiptoe.frontier.step import Step

__all__ = ["Allotment", "FrontierLimits"]

PAGE_BYTES_GUESS = 20_000
"""Assumed bytes of a page before the first one was fetched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allotment:
    """One frontier's part of the limits of the crawl; None: no limit."""

    pages: int | None = None
    body_bytes: int | None = None


class FrontierLimits:
    """The limits of one frontier."""

    def __init__(self, step: Step, policy: FrontierPolicy) -> None:
        self._step = step
        self._policy = policy
        self._allotment: Allotment | None = None
        self._has_waited = False  # since the last allotment, a host was ready but there was no room

    def reconfigure(self, policy: FrontierPolicy) -> None:
        """Apply changed limits of the crawl."""
        self._policy = policy

    def allot(self, allotment: Allotment) -> None:
        """Set the part of the limits that applies from now on."""
        if allotment != self._allotment:
            self._allotment = allotment
            self._has_waited = False

    @property
    def new_leased(self) -> int:
        """Requests under way that may become pages."""
        gauges = self._step.gauges
        return gauges.leased - gauges.revisits_leased

    @property
    def pages_used(self) -> int:
        """Pages fetched, and those that may result from requests under way."""
        return self._step.totals.pages + self.new_leased

    @property
    def bytes_expected(self) -> int:
        """Bytes received, and those expected from requests under way."""
        return self._step.totals.body_bytes + self.new_leased * self.page_bytes

    @property
    def page_bytes(self) -> int:
        """Average bytes of a page."""
        totals = self._step.totals
        return max(1, (totals.body_bytes + PAGE_BYTES_GUESS) // (totals.pages + 1))

    def room(self) -> int:
        """Return how many more new requests may be made."""
        rules = self._policy.politeness
        rooms = [room for room in (self._pages_room(), self._bytes_room()) if room is not None]
        return min(rooms, default=rules.max_reqs * rules.max_hosts)

    def note_wait(self, ready_at: float | None, now: float) -> None:
        """Note whether a host that is ready has to wait for a larger allotment."""
        if ready_at is not None and ready_at <= now:
            self._has_waited = True

    @property
    def is_starved(self) -> bool:
        """Whether only the limits keep something from being requested."""
        return self._has_waited and not self.room()

    def has_bytes_enough(self) -> bool:
        """Whether the limit of bytes has been reached."""
        bytes_max = self._bytes_max()
        return bytes_max is not None and self._step.totals.body_bytes >= bytes_max

    def is_reached(self) -> bool:
        """Whether a limit has been reached."""
        pages_max = self._pages_max()
        return self.has_bytes_enough() or (pages_max is not None and self._step.totals.pages >= pages_max)

    def _pages_max(self) -> int | None:
        return self._policy.pages_max or None if self._allotment is None else self._allotment.pages

    def _bytes_max(self) -> int | None:
        return self._policy.bytes_max or None if self._allotment is None else self._allotment.body_bytes

    def _pages_room(self) -> int | None:
        pages_max = self._pages_max()
        return None if pages_max is None else max(0, pages_max - self.pages_used)

    def _bytes_room(self) -> int | None:
        """Return the number of average pages for which allotted bytes are left.

        Only with an allotment: several frontiers together would exceed the limit noticeably in the end, a
        single one only by a little.
        """
        if self._allotment is None or self._allotment.body_bytes is None:
            return None
        left = self._allotment.body_bytes - self._step.totals.body_bytes
        if left <= 0:
            return 0
        return max(left // self.page_bytes - self.new_leased, 0 if self.new_leased else 1)
