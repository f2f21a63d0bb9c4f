"""Is there anything left to do for this frontier?"""

from tiptoe.frontier.dispatch import Dispatch
from tiptoe.frontier.front import Front
from tiptoe.frontier.frontier_limits import FrontierLimits
from tiptoe.frontier.policy import FrontierPolicy, RevisitPolicy
from tiptoe.frontier.revisit_scheduler import RevisitScheduler
from tiptoe.frontier.rounds import Rounds
from tiptoe.frontier.step import Step

__all__ = ["Completion"]


class Completion:
    """Tells whether a frontier has finished; between steps only."""

    def __init__(
        self, step: Step, front: Front, dispatch: Dispatch, scheduler: RevisitScheduler,
        limits: FrontierLimits, rounds: Rounds, policy: FrontierPolicy,
    ) -> None:  # fmt: skip
        self._step = step
        self._front = front
        self._dispatch = dispatch
        self._scheduler = scheduler
        self._limits = limits
        self._rounds = rounds
        self._is_endless = policy.revisit.is_endless

    def reconfigure(self, revisit: RevisitPolicy) -> None:
        """Wait for pages to become due again, or stop waiting for them."""
        self._is_endless = revisit.is_endless

    def awaits_pages(self) -> bool:
        """Whether pages are due again, or will be in a crawl that goes on when nothing else is left."""
        return self._scheduler.awaits_pages(is_endless=self._is_endless)

    def is_finished(self) -> bool:
        """Whether nothing is left to do here; visits due later count only in an endless crawl."""
        step = self._step
        if self._dispatch.open or step.mail or step.in_transit or step.text_outbox:
            return False
        if self._limits.has_bytes_enough():
            return True
        if self.awaits_pages() or self._rounds.is_open:
            return False
        if self._limits.is_reached():
            if self._step.gauges.parked_with_revisits and not self._front.is_stuck:
                return False
            # While the workbench is full of hosts that may not be visited any more, no names are looked up.
            return not (self._front.has_room and self._scheduler.awaits_address())
        return not self._has_new()

    def is_held_back(self) -> bool:
        """Whether the frontier has work that only a limit keeps it from doing."""
        return self._limits.is_reached() and self._has_new()

    def _has_new(self) -> bool:
        """Whether hosts wait for their addresses or their turn, or requests for another try."""
        gauges = self._step.gauges
        # Hosts at a blocked address wait for the operator, not for their turn.
        return bool(gauges.new_hosts or (gauges.parked_hosts and not self._front.is_stuck) or gauges.due)
