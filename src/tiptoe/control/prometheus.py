"""What does Prometheus read? The figures of all crawls in its text format."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from tiptoe.control.crawl_state import CrawlState
from tiptoe.control.crawl_watch import WatchedCrawl
from tiptoe.protocol.status import Status

__all__ = ["metrics_text"]

COUNTERS: Final[Mapping[str, tuple[str, Callable[[Status], float]]]] = {
    "pages_total": ("Pages brought.", lambda status: status.pages),
    "requests_total": ("Requests made.", lambda status: status.requests),
    "received_bytes_total": ("Bytes received.", lambda status: status.bytes),
    "documents_total": ("Pages whose text stands in the corpus.", lambda status: status.documents),
    "text_chars_total": ("Characters of text.", lambda status: status.text_chars),
    "visits_total": ("Visits to addresses.", lambda status: status.visits),
    "revisits_total": ("Pages visited again.", lambda status: status.revisits),
    "lost_harvesters_total": ("Harvesters that died.", lambda status: status.lost_harvesters),
}
GAUGES: Final[Mapping[str, tuple[str, Callable[[Status], float]]]] = {
    "queued_urls": ("Addresses that wait.", lambda status: status.queued),
    "due_urls": ("Addresses to be tried again.", lambda status: status.due),
    "known_urls": ("Addresses known.", lambda status: status.urls),
    "known_hosts": ("Hosts known.", lambda status: status.hosts),
    "parked_hosts": ("Hosts that wait for their moment.", lambda status: status.parked_hosts),
    "open_visits": ("Visits under way.", lambda status: status.open_visits),
    "harvesters": ("Harvesters at work.", lambda status: status.harvesters),
    "keeper_memory_bytes": ("Memory of the keeper.", lambda status: status.memory_bytes),
}
BY_REASON: Final[Mapping[str, tuple[str, str, Callable[[Status], Mapping[str, float]]]]] = {
    "outcomes_total": ("outcome", "What came of requests.", lambda status: status.outcomes),
    "discards_total": ("reason", "Pages and links that were left out.", lambda status: status.discards),
    "gone_hosts": ("reason", "Hosts given up.", lambda status: status.gone_hosts),
}
ESCAPED: Final = re.compile(r'[\\"\n]')


def metrics_text(crawls: Iterable[WatchedCrawl], *, events: int = 0) -> str:
    """Return all figures."""
    seen = list(crawls)
    known = [(one.name, one.status) for one in seen if one.status is not None]
    lines: list[str] = []
    for kind, table in (("counter", COUNTERS), ("gauge", GAUGES)):
        for name, (help, value_of) in table.items():
            lines += _head(name, kind, help)
            lines += [_line(name, {"crawl": crawl}, value_of(status)) for crawl, status in known]
    for name, (label, help, values_of) in BY_REASON.items():
        lines += _head(name, "counter" if name.endswith("_total") else "gauge", help)
        for crawl, status in known:
            values = values_of(status).items()
            lines += [_line(name, {"crawl": crawl, label: word}, value) for word, value in values]
    lines += _head("crawl_state", "gauge", "1 for the state that a crawl is in.")
    lines += [
        _line("crawl_state", {"crawl": one.name, "state": state.value}, one.state is state)
        for one in seen
        for state in CrawlState
    ]
    lines += _head("disk_free_bytes", "gauge", "Room on the disk of a crawl.")
    lines += [_line("disk_free_bytes", {"crawl": one.name}, one.disk_free) for one in seen]
    lines += [*_head("control_event_streams", "gauge", "Event streams that are open.")]
    lines.append(_line("control_event_streams", {}, events))
    return "\n".join(lines) + "\n"


def _head(name: str, kind: str, help: str) -> list[str]:
    return [f"# HELP tiptoe_{name} {help}", f"# TYPE tiptoe_{name} {kind}"]


def _line(name: str, labels: Mapping[str, str], value: float) -> str:
    message = ",".join(f'{key}="{ESCAPED.sub(_escape, text)}"' for key, text in labels.items())
    return f"tiptoe_{name}{{{message}}} {value:.12g}" if message else f"tiptoe_{name} {value:.12g}"


def _escape(found: re.Match[str]) -> str:
    return "\\n" if found[0] == "\n" else "\\" + found[0]
