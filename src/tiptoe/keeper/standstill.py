"""Why does a crawl stand still?

Because of what the frontier waits for, and of what the keeper knows besides. A line is logged when a crawl
begins to stand still, when the reasons change, and now and then while they do not.
"""

from datetime import UTC
from typing import Final

from tiptoe.keeper.keeper import Keeper
from tiptoe.keeper.phrases import waiting_text
from tiptoe.observe.eventlog import EventLog
from tiptoe.protocol.status import Cause, Waiting, WaitReason

__all__ = ["Standstill", "waiting_of"]

STILL_SECONDS: Final = 5.0
"""Minimum pause that is reported; shorter ones are normal for a polite crawl."""

REPEAT_SECONDS: Final = 600.0


def waiting_of(keeper: Keeper, now: float) -> Waiting:
    """Return everything that a crawl waits for."""
    waiting = keeper.frontier.waiting(now)
    reasons = [*_own_reasons(keeper, waiting, now), *waiting.reasons]
    at = waiting.next_at
    if _is_at_work(keeper):
        at = now  # pages are coming in, whatever else waits
    elif at is not None:
        at = max(at, *(held for held in (keeper.rests_until, keeper.opens_at) if held and held > now), at)
    return Waiting(reasons=reasons, next_at=at, more_hosts=waiting.more_hosts)


def _own_reasons(keeper: Keeper, waiting: Waiting, now: float) -> list[WaitReason]:
    holds = set(keeper.holds)
    if any(member.trouble for member in keeper.roster.members.values()):
        holds.add(Cause.DISK.value)  # the full disk is that of a harvester on another machine
    found = [WaitReason(cause=cause) for cause in (Cause.OPERATOR, Cause.DISK) if cause.value in holds]
    if Cause.SCHEDULE.value in holds:
        found.append(WaitReason(cause=Cause.SCHEDULE, next_at=keeper.opens_at))
    if keeper.afterwards.cause is not None:
        found.append(WaitReason(cause=keeper.afterwards.cause))
    if keeper.outage_guard.outage_detector.is_cut_off:
        found.append(WaitReason(cause=Cause.LINE, next_at=keeper.outage_guard.outage_detector.try_at))
    if keeper.rests_until > now:
        found.append(WaitReason(cause=Cause.RESTART, next_at=keeper.rests_until))
    if keeper.outage_guard.names.are_down:
        found.append(WaitReason(cause=Cause.NAMES, next_at=keeper.outage_guard.names.try_at))
    is_ready = waiting.next_at is not None and waiting.next_at <= now
    if is_ready and not found and not keeper.roster.by_room():
        found.append(WaitReason(cause=Cause.HARVESTERS))
    is_queued = bool(keeper.frontier.counters.gauges.queued)
    if keeper.frontier.policy.awaits_exchanges and is_queued and not _is_at_work(keeper):
        found.append(WaitReason(cause=Cause.EXCHANGE))
    if keeper.frontier.is_limited():
        found.append(WaitReason(cause=Cause.LIMIT))
    return found


def _is_at_work(keeper: Keeper) -> bool:
    return any(member.visits for member in keeper.roster.members.values())


class Standstill:
    """Logs what a crawl waits for while it makes no requests."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._told: frozenset[tuple[Cause, str]] | None = None  # None: it goes on
        self._told_at = 0.0
        self._since: float | None = None

    def watch(self, keeper: Keeper) -> None:
        """Check the state of a crawl; to be called every few seconds."""
        now = keeper.clock.now()
        waiting = waiting_of(keeper, now)
        # Even visits under way stand still while nothing confirms that they may go on.
        is_held_up = any(reason.cause is Cause.SERVERS for reason in waiting.reasons)
        is_still = is_held_up or not _is_at_work(keeper)
        self.note(waiting, now, is_still=is_still and bool(waiting.reasons))

    def note(self, waiting: Waiting, now: float, *, is_still: bool) -> None:
        """Log what the crawl waits for if that is worth a line."""
        if not is_still:
            if self._told is not None:
                self._log.note("crawl.goes_on")
            self._since = self._told = None
            return
        self._since = now if self._since is None else self._since
        kinds = frozenset((reason.cause, reason.trouble) for reason in waiting.reasons)
        is_news = kinds != self._told or now - self._told_at >= REPEAT_SECONDS
        if now - self._since >= STILL_SECONDS and is_news:
            self._told, self._told_at = kinds, now
            self._log.note("crawl.waits", why=waiting_text(waiting, now, zone=UTC))
