"""What is the state of a crawl that several agents work on?

Pure. Each agent counts the shards that it holds, so their figures add up to those of the crawl. Times are by
the clock of the agent that reports them, and clocks differ: only the difference between a time and `now` of
the same status can be compared with that of others.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from tiptoe.protocol.status import Status, Waiting, WaitReason

__all__ = ["sum_statuses", "sum_waits"]

ADDED: Final = tuple(
    field.name
    for field in msgspec.structs.fields(Status)
    if field.type in (int, float) and field.name not in ("now", "seconds", "started_at")
)
"""Fields that are plain counts and are added up."""

ADDED_BY_NAME: Final = ("gone_hosts", "outcomes", "discards", "activities")


def sum_statuses(statuses: Sequence[Status]) -> Status:
    """Return the figures of all statuses together; times are by the clock of the first."""
    if not statuses:
        return Status()
    first = statuses[0]
    words = {
        name: list(dict.fromkeys(word for status in statuses for word in getattr(status, name)))
        for name in ("holds", "troubles", "repaired")
    }
    has_ended = all(status.stopped_because for status in statuses)
    return msgspec.structs.replace(
        first,
        **{name: sum(getattr(status, name) for status in statuses) for name in ADDED},
        **{name: _added_by_name(getattr(status, name) for status in statuses) for name in ADDED_BY_NAME},
        **words,
        waiting=sum_waits(((status.waiting, status.now) for status in statuses), first.now),
        segmenter=next((status.segmenter for status in statuses if status.segmenter), ""),
        login_faults={host: why for status in statuses for host, why in status.login_faults.items()},
        seconds=max(status.seconds for status in statuses),
        stopped_because=first.stopped_because if has_ended else "",
    )


def _added_by_name(counts: Iterable[dict[str, Any]]) -> dict[str, Any]:
    total: Counter[str] = Counter()
    for count in counts:
        total.update(count)
    return dict(total)


def sum_waits(waits: Iterable[tuple[Waiting, float]], now: float) -> Waiting:
    """Return what several agents wait for, each given with its own time; times are converted to `now`."""
    reasons: dict[tuple[str, str], WaitReason] = {}
    moments: list[float] = []
    more_hosts = 0
    for waiting, told_at in waits:
        for one in waiting.reasons:
            reason = msgspec.structs.replace(one, next_at=_moved(one.next_at, told_at, now))
            key = reason.cause.value, reason.trouble
            reasons[key] = _both(reasons[key], reason) if key in reasons else reason
        if (moment := _moved(waiting.next_at, told_at, now)) is not None:
            moments.append(moment)
        more_hosts += waiting.more_hosts
    return Waiting(reasons=list(reasons.values()), next_at=min(moments, default=None), more_hosts=more_hosts)


def _both(one: WaitReason, other: WaitReason) -> WaitReason:
    """Return one cause, reported by two agents, with the earlier time and its host."""
    first = min(
        (reason for reason in (one, other) if reason.next_at is not None),
        key=lambda reason: reason.next_at or 0.0,
        default=one,
    )
    return msgspec.structs.replace(first, count=one.count + other.count)


def _moved(moment: float | None, told_at: float, now: float) -> float | None:
    """Convert a time from one clock to another; `told_at` and `now` are the same time by each clock."""
    return None if moment is None else moment - told_at + now
