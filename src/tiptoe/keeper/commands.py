"""What can an operator ask of a running crawl?

One function per verb. Commands come over the keeper's socket, which only its
owner can open; they act at once, also on visits under way.
"""

from collections.abc import Callable
from typing import Final

import msgspec
import psutil

from tiptoe.errors import ProtocolError
from tiptoe.keeper.document_links import take_links
from tiptoe.keeper.document_lists import document_lists
from tiptoe.keeper.document_texts import take_texts
from tiptoe.keeper.service import Keeper
from tiptoe.keeper.standstill import waiting_of
from tiptoe.keeper.wishes import WISHES, fulfil, target_of
from tiptoe.observe.stops import Stop
from tiptoe.protocol.messages import Command
from tiptoe.write.dropbox import waiting_links

__all__ = ["VERBS", "answer", "status"]


LINE: Final = "line"
"""Among the reasons for which nothing is asked: we seem to be cut off."""


def answer(keeper: Keeper, command: Command) -> dict[str, object]:
    """Carry out a command and return what there is to say."""
    verb = VERBS.get(command.verb)
    if verb is None:
        raise ProtocolError(f"unknown command {command.verb!r}; known are {', '.join(sorted(VERBS))}")
    return verb(keeper, command)


def status(keeper: Keeper, command: Command | None = None) -> dict[str, object]:
    """Return the figures of the crawl as they are now."""
    counters = keeper.frontier.counters
    process = psutil.Process()
    return {
        "pages": counters.totals.pages,
        "requests": counters.totals.requests,
        "bytes": counters.totals.body_bytes,
        "documents": counters.totals.documents,
        "text_chars": counters.totals.text_chars,
        "usable_chars": counters.totals.usable_chars,
        "urls": counters.totals.urls,
        "queued": counters.gauges.queued,
        "leased": counters.gauges.leased,
        "due": counters.gauges.due,
        "hosts": counters.totals.hosts,
        "parked_hosts": counters.gauges.parked_hosts,
        "new_hosts": counters.gauges.new_hosts,
        "unproductive_hosts": counters.gauges.unproductive_hosts,
        "unproductive": counters.gauges.unproductive,
        "visits": counters.totals.visits,
        "watched": counters.learned.account.pages,
        "revisits": counters.totals.revisits,
        "revisits_changed": counters.totals.revisits_changed,
        "revisits_unchanged": counters.totals.revisits_unchanged,
        "revisits_gone": counters.totals.revisits_gone,
        "revisits_queued": counters.gauges.revisits_queued,
        "watched_seconds": counters.totals.watched_seconds,
        "fresh_seconds": counters.totals.fresh_seconds,
        "aged_seconds": counters.totals.aged_seconds,
        "open_visits": sum(len(member.visits) for member in keeper.roster.members.values()),
        "harvesters": len(keeper.roster.members),
        "lost_harvesters": keeper.figures.lost_harvesters,
        "refused_peers": keeper.reception.refusals.count,
        "holds": sorted(keeper.holds | ({LINE} if keeper.outage_guard.outage_detector.is_cut_off else set())),
        "troubles": sorted({member.trouble for member in keeper.roster.members.values() if member.trouble}),
        "waiting": msgspec.to_builtins(waiting_of(keeper, keeper.clock.now())),
        "gone_hosts": dict(counters.gauges.gone_hosts),
        "unjudged": counters.totals.unjudged,
        "segmenter": keeper.segmenter.fault,
        "outcomes": dict(counters.totals.outcomes),
        "discards": dict(counters.totals.discards),
        "activities": dict(keeper.figures.activities),
        "repaired": list(keeper.figures.repaired),
        "now": keeper.clock.now(),
        "seconds": keeper.clock.now() - keeper.figures.started_at,
        "memory_bytes": process.memory_info().rss,
        "cpu_seconds": sum(process.cpu_times()[:2]),
        "stopped_because": keeper.figures.stopped_because or "",
    }


def _pause(keeper: Keeper, command: Command) -> dict[str, object]:
    keeper.hold("operator")
    return {"said": "no further request is made until `tiptoe resume`"}


def _resume(keeper: Keeper, command: Command) -> dict[str, object]:
    keeper.go_on("operator")
    keeper.outage_guard.overrule()
    left = f"; still held: {', '.join(sorted(keeper.holds))}" if keeper.holds else ""
    return {"said": f"the crawl goes on{left}"}


def _wish(keeper: Keeper, command: Command) -> dict[str, object]:
    said, hosts = fulfil(keeper.frontier, command, keeper.clock.now())
    for host in hosts:
        keeper.cancel(host)
    return {"said": said}


def _documents(keeper: Keeper, command: Command) -> dict[str, object]:
    return {"lists": document_lists(keeper.frontier.outputs.marks())}


def _links(keeper: Keeper, command: Command) -> dict[str, object]:
    take_texts(keeper.frontier, keeper.plan.directory)
    taken = take_links(keeper.frontier, keeper.plan.directory, keeper.clock.now())
    return {"taken": taken, "left": len(waiting_links(keeper.plan.directory))}


def _known(keeper: Keeper, command: Command) -> dict[str, object]:
    take_texts(keeper.frontier, keeper.plan.directory)
    return {"marks": keeper.frontier.look(command.questions)}


def _host(keeper: Keeper, command: Command) -> dict[str, object]:
    record = keeper.frontier.host(target_of(command))
    if record is None:
        raise ProtocolError(f"{command.argument}: never heard of")
    return {"said": repr(record)}


def _stop(keeper: Keeper, command: Command) -> dict[str, object]:
    keeper.stop(Stop.OPERATOR)
    return {"said": "requests under way are finished, then the crawl stops"}


VERBS: Final[dict[str, Callable[[Keeper, Command], dict[str, object]]]] = {
    "status": status,
    "pause": _pause,
    "resume": _resume,
    **dict.fromkeys(WISHES, _wish),
    "documents": _documents,
    "links": _links,
    "known": _known,
    "host": _host,
    "stop": _stop,
}
