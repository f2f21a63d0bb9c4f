"""What does the server tell programs, and scripts on a page, about a crawl?"""

from collections.abc import Iterable

import msgspec

from tiptoe.control.crawl_watch import WatchedCrawl
from tiptoe.control.figure_history import FigureSample
from tiptoe.keeper.phrases import reason_texts
from tiptoe.protocol.status import Status

__all__ = [
    "AttentionFact",
    "CrawlEvent",
    "CrawlFacts",
    "CrawlSummary",
    "crawl_event",
    "crawl_facts",
    "crawl_summary",
    "overview_event",
    "waits_text",
]


class AttentionFact(msgspec.Struct, frozen=True):
    """Something that needs attention: note, warning or fault."""

    urgency: str
    message: str


class CrawlSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A crawl in a few figures."""

    name: str
    state: str
    is_alive: bool
    pages: int = 0
    pace: float = 0.0  # pages a second
    documents: int = 0
    text_chars: int = 0
    text_pace: float = 0.0
    hosts: int = 0
    queued: int = 0
    requests: int = 0
    failed: int = 0
    attention: list[AttentionFact] = []


class CrawlFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The current state of a crawl, in full."""

    summary: CrawlSummary
    directory: str
    note: str
    has_begun: bool
    runs: int
    pid: int | None
    disk_free: int
    disk_total: int
    seen_at: float
    waits: list[str]  # what is waited for, in words
    status: Status | None  # its last figures


class CrawlEvent(msgspec.Struct, frozen=True, kw_only=True):
    """What an event stream sends about a crawl every second."""

    summary: CrawlSummary
    sample: FigureSample | None
    waits: list[str]
    outcomes: dict[str, int]
    discards: dict[str, int]
    queued: int
    due: int
    leased: int
    open_visits: int
    harvesters: int
    seconds: float
    memory_bytes: int
    bytes: int


def crawl_summary(seen: WatchedCrawl) -> CrawlSummary:
    """Return the summary of a crawl."""
    status = seen.status or Status()
    sample = seen.sample
    return CrawlSummary(
        name=seen.name,
        state=seen.state.value,
        is_alive=seen.state.is_alive,
        pages=status.pages,
        pace=seen.pace,
        documents=status.documents,
        text_chars=status.text_chars,
        text_pace=sample.text_pace if sample and seen.state.is_alive else 0.0,
        hosts=status.hosts,
        queued=status.queued,
        requests=status.requests,
        failed=seen.failed,
        attention=[AttentionFact(one.urgency.word, one.message) for one in seen.attention],
    )


def crawl_facts(seen: WatchedCrawl) -> CrawlFacts:
    """Return the full state of a crawl."""
    return CrawlFacts(
        summary=crawl_summary(seen),
        directory=str(seen.crawl.directory),
        note=seen.crawl.note,
        has_begun=seen.crawl.has_begun,
        runs=seen.runs,
        pid=seen.pid,
        disk_free=seen.disk_free,
        disk_total=seen.disk_total,
        seen_at=seen.seen_at,
        waits=waits_text(seen),
        status=seen.status,
    )


def crawl_event(seen: WatchedCrawl) -> CrawlEvent:
    """Return the event about a crawl."""
    status = seen.status or Status()
    return CrawlEvent(
        summary=crawl_summary(seen),
        sample=seen.sample if seen.state.is_alive else None,
        waits=waits_text(seen),
        outcomes=status.outcomes,
        discards=status.discards,
        queued=status.queued,
        due=status.due,
        leased=status.leased,
        open_visits=status.open_visits if seen.state.is_alive else 0,
        harvesters=status.harvesters if seen.state.is_alive else 0,
        seconds=status.seconds,
        memory_bytes=status.memory_bytes,
        bytes=status.bytes,
    )


def overview_event(crawls: Iterable[WatchedCrawl]) -> list[CrawlSummary]:
    """Return the event about all crawls."""
    return [crawl_summary(seen) for seen in crawls]


def waits_text(seen: WatchedCrawl) -> list[str]:
    """Return what a crawl waits for, in words; empty when it does not run."""
    if seen.status is None or not seen.state.is_alive:
        return []
    return reason_texts(seen.status.waiting, seen.status.now)
