"""How much may this frontier still ask for?

As much as the operator wants of the whole crawl; or, where the crawl has several frontiers, as much of it as
was allotted to this one. An allotment counts from the beginning, like a limit: pages and bytes that were had
are part of it. It may be lowered to what is used, at any time, and nothing that is under way exceeds it.
"""

from dataclasses import dataclass

from tiptoe.frontier.policy import FrontierPolicy
from tiptoe.frontier.step import Step

__all__ = ["Allotment", "FrontierLimits"]

PAGE_BYTES_GUESS = 20_000
"""What a page is thought to have before the first one is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allotment:
    """What one frontier of several may have of the whole crawl; None: no limit."""

    pages: int | None = None
    body_bytes: int | None = None


class FrontierLimits:
    """The limits of one frontier."""

    def __init__(self, step: Step, policy: FrontierPolicy) -> None:
        self._step = step
        self._policy = policy
        self._allotment: Allotment | None = None
        self._has_waited = False  # something could have been asked for, since the last allotment

    def reconfigure(self, policy: FrontierPolicy) -> None:
        """Go by other limits of the crawl."""
        self._policy = policy

    def allot(self, allotment: Allotment) -> None:
        """Go by a part of the limits from now on."""
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
        """Pages that were had, and those that may come of what is under way."""
        return self._step.totals.pages + self.new_leased

    @property
    def bytes_expected(self) -> int:
        """Bytes that were received, and those to be expected of what is under way."""
        return self._step.totals.body_bytes + self.new_leased * self.page_bytes

    @property
    def page_bytes(self) -> int:
        """Bytes that a page has on average."""
        totals = self._step.totals
        return max(1, (totals.body_bytes + PAGE_BYTES_GUESS) // (totals.pages + 1))

    def room(self) -> int:
        """Return how many more new requests may be made."""
        rules = self._policy.politeness
        rooms = [room for room in (self._pages_room(), self._bytes_room()) if room is not None]
        return min(rooms, default=rules.max_reqs * rules.max_hosts)

    def note_wait(self, ready_at: float | None, now: float) -> None:
        """Note whether something that could be asked for has to wait for a larger allotment."""
        if ready_at is not None and ready_at <= now:
            self._has_waited = True

    @property
    def is_starved(self) -> bool:
        """Whether something could be asked for, were it not for the limits."""
        return self._has_waited and not self.room()

    def has_bytes_enough(self) -> bool:
        """Whether as much was received as is wanted."""
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
        """Return as many requests as bytes are allotted for, by what a page has on average.

        Of several frontiers each would have a bit too much under way in the end; of one that is not much.
        """
        if self._allotment is None or self._allotment.body_bytes is None:
            return None
        left = self._allotment.body_bytes - self._step.totals.body_bytes
        if left <= 0:
            return 0
        return max(left // self.page_bytes - self.new_leased, 0 if self.new_leased else 1)
