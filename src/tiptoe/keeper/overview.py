"""How does a crawl stand now? Gathered from keeper, frontier and process."""

from typing import Final

import psutil

from tiptoe.frontier.counters import Counters
from tiptoe.keeper.keeper import Keeper
from tiptoe.keeper.standstill import waiting_of
from tiptoe.protocol.status import Status

__all__ = ["LINE", "status_of"]

LINE: Final = "line"
"""Among the reasons for which nothing is asked: we seem to be cut off."""


def status_of(keeper: Keeper, counters: Counters | None = None) -> Status:
    """Return the figures of the crawl as they are now, or of a part of it that was counted by itself."""
    counters = counters or keeper.frontier.counters
    members = keeper.roster.members.values()
    process = psutil.Process()
    now = keeper.clock.now()
    return Status(
        pages=counters.totals.pages,
        requests=counters.totals.requests,
        bytes=counters.totals.body_bytes,
        documents=counters.totals.documents,
        text_chars=counters.totals.text_chars,
        usable_chars=counters.totals.usable_chars,
        urls=counters.totals.urls,
        queued=counters.gauges.queued,
        leased=counters.gauges.leased,
        due=counters.gauges.due,
        hosts=counters.totals.hosts,
        parked_hosts=counters.gauges.parked_hosts,
        new_hosts=counters.gauges.new_hosts,
        unproductive_hosts=counters.gauges.unproductive_hosts,
        unproductive=counters.gauges.unproductive,
        visits=counters.totals.visits,
        watched=counters.learned.account.pages,
        revisits=counters.totals.revisits,
        revisits_changed=counters.totals.revisits_changed,
        revisits_unchanged=counters.totals.revisits_unchanged,
        revisits_gone=counters.totals.revisits_gone,
        revisits_queued=counters.gauges.revisits_queued,
        watched_seconds=counters.totals.watched_seconds,
        fresh_seconds=counters.totals.fresh_seconds,
        aged_seconds=counters.totals.aged_seconds,
        rounds=counters.totals.rounds,
        open_visits=sum(len(member.visits) for member in members),
        harvesters=len(members),
        lost_harvesters=keeper.figures.lost_harvesters,
        refused_peers=keeper.reception.refusals.count,
        holds=sorted(keeper.holds | ({LINE} if keeper.outage_guard.outage_detector.is_cut_off else set())),
        troubles=sorted({member.trouble for member in members if member.trouble}),
        waiting=waiting_of(keeper, now),
        gone_hosts=dict(counters.gauges.gone_hosts),
        unjudged=counters.totals.unjudged,
        segmenter=keeper.segmenter.fault,
        login_faults=dict(keeper.figures.login_faults),
        outcomes=dict(counters.totals.outcomes),
        discards=dict(counters.totals.discards),
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
