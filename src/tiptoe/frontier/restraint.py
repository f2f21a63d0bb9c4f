"""How is a host left alone, for a while or for good?

The one place where a host is held or given up, or a request deferred.
"""

from tiptoe.frontier.front import Front
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.intake import Intake
from tiptoe.frontier.patience import PATIENCE, HoldTarget, Patience, Trouble
from tiptoe.frontier.politeness import Politeness
from tiptoe.frontier.revisit_scheduler import RevisitScheduler
from tiptoe.frontier.step import Step
from tiptoe.frontier.transitions import Transitions
from tiptoe.frontier.troubles import record_trouble
from tiptoe.protocol.work import Request

__all__ = ["Restraint"]

ADDRESS_HOLD_PAUSES = 10
"""Maximum number of general pauses for which one overloaded host holds its whole address."""


class Restraint:
    """Holds hosts and gives them up."""

    def __init__(
        self, step: Step, front: Front, transitions: Transitions, intake: Intake, rules: Politeness,
        revisit_scheduler: RevisitScheduler,
    ) -> None:  # fmt: skip
        self._step = step
        self._front = front
        self._transitions = transitions
        self._intake = intake
        self._rules = rules
        self._revisit_scheduler = revisit_scheduler

    def hold(self, record: HostRecord, patience: Patience, until: float) -> None:
        """Leave a host alone until this time, and its address too if the table says so."""
        self.leave_alone(record, until)
        if patience.held is HoldTarget.ADDRESS and record.gate:
            cap = record.troubled_at + ADDRESS_HOLD_PAUSES * self._rules.general_pause
            self._step.gate.hold(self._step.batch, record.gate, free_at=min(until, cap))
            self._front.bench.set_free(record.gate, self._step.gate.free_at(record.gate))

    def leave_alone(self, record: HostRecord, until: float) -> None:
        """Make no request to a host until this time."""
        record.held_until = max(record.held_until, until)
        record.next_at = max(record.next_at, until)
        self._step.hosts.touch(record)

    def defer(self, request: Request, at: float) -> None:
        """Defer a request until this time."""
        self._step.due.put(self._step.batch, request, at)

    def give_up(self, record: HostRecord, reason: str, now: float) -> None:
        """Give up a host, for good unless it is to get another chance later."""
        if record.state is HostState.GONE:
            return
        self._transitions.give_up(record, reason)
        self._step.outcome(record.refusal)
        self._intake.read_inbox(record, now)  # so that its links are counted as dropped
        self._revisit_scheduler.lose(record, now)

    def host_trouble(self, record: HostRecord, trouble: Trouble, now: float) -> None:
        """Handle trouble that concerns no particular URL: a name lookup, or robots.txt."""
        measures = record_trouble(record, trouble, self._rules, now, is_news=True)
        self._step.outcome(trouble.value)
        if measures.gives_up:
            self.give_up(record, trouble.value, now)
        else:
            self.hold(record, PATIENCE[trouble], now + measures.wait)
