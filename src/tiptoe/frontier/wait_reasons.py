"""What does the frontier wait for, by its tables?"""

from collections.abc import Iterable

from tiptoe.frontier.front import Front
from tiptoe.frontier.step import Step
from tiptoe.protocol.status import Cause, WaitReason
from tiptoe.protocol.work import Purpose
from tiptoe.url.address import host_of

__all__ = ["reasons_in"]

DUE_LOOKED_AT = 50
"""Maximum number of deferred requests that are read to find when they are due."""


def reasons_in(step: Step, front: Front, now: float, *, has_revisits: bool) -> list[WaitReason]:
    """Return every reason, in the order in which they are shown; between steps only."""
    reasons = [*_hosts(front, now), *_names_and_requests(step), *_blocked(step)]
    if has_revisits and step.learned.account.pages:
        at = step.calendar.next_at()
        reasons.append(WaitReason(cause=Cause.REVISIT, count=step.learned.account.pages, next_at=at))
    order = list(Cause)
    return sorted(reasons, key=lambda reason: (order.index(reason.cause), -reason.count))


def _hosts(front: Front, now: float) -> Iterable[WaitReason]:
    """Yield what hosts on the workbench wait for."""
    for (cause, trouble), count in front.waits:
        first = front.waits.first((cause, trouble))
        at, host = first if first is not None else (now, "")
        if cause is Cause.REST:
            at, host = _rested_at(front), ""
        if now < at < float("inf"):
            yield WaitReason(cause=cause, count=count, next_at=at, host=host, trouble=trouble)
        else:
            yield WaitReason(cause=cause, count=count, trouble=trouble)


def _rested_at(front: Front) -> float:
    """Return when the next address on the workbench is ready if it rests; otherwise infinity (unknown)."""
    at = front.bench.next_at()
    host = front.bench.next_host()
    is_rest = host is not None and front.waits.cause(host) is Cause.REST
    return at if at is not None and is_rest else float("inf")


def _names_and_requests(step: Step) -> Iterable[WaitReason]:
    if step.gauges.new_hosts:
        yield WaitReason(cause=Cause.LOOKUP, count=step.gauges.new_hosts)
    firsts: dict[str | None, tuple[float, str]] = {}
    for deferred in step.due.ahead(0.0, DUE_LOOKED_AT) if step.gauges.due else ():
        request = deferred.request
        kind = request.via if request.purpose is Purpose.ADDRESS else None
        firsts.setdefault(kind, (deferred.at, host_of(request.url)))
    for trouble, count in step.gauges.lookups_due.items():
        at, host = firsts.get(trouble, (None, ""))
        yield WaitReason(cause=Cause.LOOKUP_AGAIN, count=count, next_at=at, host=host, trouble=trouble)
    requests = step.gauges.due - sum(step.gauges.lookups_due.values())
    if requests:
        at, host = firsts.get(None, (None, ""))
        record = step.hosts.find(host) if host else None
        trouble = record.trouble if record is not None and record.troubles else ""
        yield WaitReason(cause=Cause.DEFERRED, count=requests, next_at=at, host=host, trouble=trouble)


def _blocked(step: Step) -> Iterable[WaitReason]:
    if count := step.gauges.blocked_hosts + step.gauges.barred_hosts:
        yield WaitReason(cause=Cause.BLOCKED, count=count)
