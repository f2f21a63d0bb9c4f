"""What are the current figures of a crawl? Gathered from keeper, frontier and process."""

from typing import Final

import msgspec
import psutil

from tiptoe.frontier.counters import Counters
from tiptoe.keeper.keeper import Keeper
from tiptoe.keeper.standstill import waiting_of
from tiptoe.protocol.status import Status

__all__ = ["LINE", "status_of"]

LINE: Final = "line"
"""Reason to make no requests: we seem to be cut off."""


def status_of(keeper: Keeper, counters: Counters | None = None) -> Status:
    """Return the current figures of the crawl, or of a part of it that is counted separately."""
    counters = counters or keeper.frontier.counters
    members = keeper.roster.members.values()
    process = psutil.Process()
    now = keeper.clock.now()
    # Counters that have the same name in `Status` are copied.
    kept = msgspec.to_builtins(counters.totals) | msgspec.to_builtins(counters.gauges)
    return Status(
        **{name: kept[name] for name in Status.__struct_fields__ if name in kept},
        bytes=counters.totals.body_bytes,
        watched=counters.learned.account.pages,
        open_visits=sum(len(member.visits) for member in members),
        harvesters=len(members),
        lost_harvesters=keeper.figures.lost_harvesters,
        refused_peers=keeper.reception.refusals.count,
        holds=sorted(keeper.holds | ({LINE} if keeper.outage_guard.outage_detector.is_cut_off else set())),
        troubles=sorted({member.trouble for member in members if member.trouble}),
        waiting=waiting_of(keeper, now),
        segmenter=keeper.segmenter.fault,
        login_faults=dict(keeper.figures.login_faults),
        activities=dict(keeper.figures.activities),
        repaired=list(keeper.figures.repaired),
        now=now,
        seconds=now - keeper.figures.started_at,
        memory_bytes=process.memory_info().rss,
        cpu_seconds=sum(process.cpu_times()[:2]),
        stopped_because=keeper.figures.stopped_because or "",
        started_at=keeper.figures.started_at,
        encoding=str(keeper.plan.settings.get("write", {}).get("encoding", "utf-8")),
    )
