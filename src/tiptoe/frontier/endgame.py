"""What is still worth waiting for when nothing else is left?

A name that does not exist is looked up once more after half an hour; a host that never let us in is tried for
more than an hour. While there is other work, waiting costs nothing. But a crawl with nothing else left would
stand still for all that time, only to give them up in the end.

Rule: in that case they are tried again soon, and at most three times (a name that does not exist twice, as
always). This applies only to hosts that never answered, and only to troubles that are certainly not on our
side: the keeper, which watches our own connection, names them.
"""

from collections.abc import Set as AbstractSet

from tiptoe.frontier.due import Deferred
from tiptoe.frontier.front import Front
from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.patience import PATIENCE, Trouble
from tiptoe.frontier.politeness import Politeness, backoff_seconds
from tiptoe.frontier.restraint import Restraint
from tiptoe.frontier.step import Step
from tiptoe.frontier.transitions import Transitions
from tiptoe.protocol.status import Cause
from tiptoe.protocol.work import Purpose
from tiptoe.url.address import host_of

__all__ = ["Endgame"]

FIRST_WAIT = 1.0
"""Time from the first trouble to the next try, in units of `backoff_first`; doubled for the one after it."""

TRIES_MAX = 3
LONGEST_WAIT = FIRST_WAIT * 2 ** (TRIES_MAX - 2)
LOOK_SECONDS = 1.0
HURRIED_MAX = 1000
"""Maximum number of hosts brought forward in one step."""


class Endgame:
    """Brings the last tries forward when there is nothing else to do."""

    def __init__(
        self, step: Step, front: Front, transitions: Transitions, restraint: Restraint, rules: Politeness
    ) -> None:
        self._step = step
        self._front = front
        self._transitions = transitions
        self._restraint = restraint
        self._rules = rules
        self._looked_at = float("-inf")

    def hurry(self, now: float, confirmed_troubles: AbstractSet[Trouble]) -> bool:
        """Bring the next tries forward if only such troubles keep hosts waiting; return whether they do.

        To be called at the start of a step, while no visit is under way and no revisit is awaited.
        """
        if now - self._looked_at < LOOK_SECONDS:
            return False
        self._looked_at = now
        troubles = {trouble.value for trouble in confirmed_troubles}
        gauges = self._step.gauges
        lookups = sum(count for trouble, count in gauges.lookups_due.items() if trouble in troubles)
        hosts = self._silent_hosts(troubles)
        if gauges.new_hosts or gauges.due != lookups or hosts is None or not (hosts or lookups):
            return False
        for record in hosts:
            self._hurry_host(record, now)
        # Whatever is due before this was brought forward already.
        start_at = now + LONGEST_WAIT * self._rules.backoff_first + 0.002
        for deferred in self._step.due.ahead(start_at, HURRIED_MAX):
            self._hurry_name(deferred, now)
        return True

    def _hurry_name(self, deferred: Deferred, now: float) -> None:
        request = deferred.request
        assert request.purpose is Purpose.ADDRESS, f"{request.url} is not a name to look up"
        record = self._step.hosts.obtain(host_of(request.url))
        if record.troubles >= _tries_max(record):
            self._restraint.give_up(record, record.trouble, now)
        else:
            at = max(now, self._tried_at(record, record.troubles))
            self._step.due.bring_forward(self._step.batch, deferred, at)
            record.held_until = record.next_at = min(record.next_at, at)
            self._step.hosts.touch(record)

    def _silent_hosts(self, troubles: AbstractSet[str]) -> list[HostRecord] | None:
        """Return the parked hosts if none of them ever gave its rules; otherwise None."""
        parked = self._step.gauges.parked_hosts
        keys = [
            (key, count) for key, count in self._front.waits if key[0] is Cause.ROBOTS and key[1] in troubles
        ]
        if sum(count for _, count in keys) != parked:
            return None
        names = [host for key, _ in keys for host in self._front.waits.hosts(key)][:HURRIED_MAX]
        records = [self._step.hosts.obtain(host) for host in names]
        is_other = any(record.pages or self._asked_for_peace(record) for record in records)
        return None if is_other else records

    def _asked_for_peace(self, record: HostRecord) -> bool:
        """Whether a host is held for longer than our own backoff would hold it."""
        waits = PATIENCE[Trouble(record.trouble)].hold or 1.0, PATIENCE[Trouble.ROBOTS_UNREACHABLE].hold
        level = max(record.robots_troubles - 1, record.backoff_level)
        own = backoff_seconds(self._rules, max(waits) * self._rules.backoff_first, level, salt=999)
        return record.held_until > record.troubled_at + own + 0.001

    def _hurry_host(self, record: HostRecord, now: float) -> None:
        if record.robots_troubles >= _tries_max(record):
            self._restraint.give_up(record, record.trouble, now)
            return
        tried_at = self._tried_at(record, record.robots_troubles)
        at = max(now, tried_at, self._step.gate.free_at(record.gate))
        if at < record.next_at:
            record.held_until = record.next_at = at
            self._transitions.move_up(record, now)

    def _tried_at(self, record: HostRecord, troubles: int) -> float:
        """Return when a host is tried again after this many troubles."""
        return record.troubled_at + FIRST_WAIT * self._rules.backoff_first * 2.0 ** (troubles - 1)


def _tries_max(record: HostRecord) -> int:
    """Return after how many troubles of its latest kind a host is given up."""
    return min(PATIENCE[Trouble(record.trouble)].give_up_after or TRIES_MAX, TRIES_MAX)
