"""What is the current state of all crawls?

One task checks every crawl once a second: running ones are asked over their socket, the figures of the others
are read when their files change. Pages and event streams use the latest result, so a crawl is asked once,
however many people watch it."""

import asyncio
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

import msgspec

from tiptoe.control.crawl_registry import KnownCrawl
from tiptoe.control.crawl_state import Attention, CrawlState, attention_of, failed_requests, state_of
from tiptoe.control.figure_history import FigureHistory, FigureSample
from tiptoe.errors import CrawlerError
from tiptoe.keeper.directory import find_keeper
from tiptoe.keeper.running_crawl import ask_running
from tiptoe.observe.crawl_members import member_directories
from tiptoe.observe.run_figures import read_runs
from tiptoe.protocol.operator import ShowStatus, StatusReply
from tiptoe.protocol.status import Status

__all__ = ["CrawlWatch", "WatchedCrawl"]

LOOK_SECONDS: Final = 1.0
ANSWER_SECONDS: Final = 5.0
DISK_SECONDS: Final = 10.0
ASKED_AT_ONCE: Final = 16


class WatchedCrawl(msgspec.Struct, frozen=True, kw_only=True):
    """A crawl as it was seen last."""

    crawl: KnownCrawl
    state: CrawlState
    status: Status | None = None
    attention: list[Attention] = []
    pid: int | None = None
    runs: int = 0
    disk_free: int = 0
    disk_total: int = 0
    sample: FigureSample | None = None  # of the moment, while it runs
    seen_at: float = 0.0

    @property
    def name(self) -> str:
        return self.crawl.name

    @property
    def failed(self) -> int:
        """The number of requests that got no answer, or an error."""
        return failed_requests(self.status) if self.status else 0

    @property
    def pace(self) -> float:
        """The current number of pages per second."""
        return self.sample.pace if self.sample is not None and self.state.is_alive else 0.0


class ListsCrawls(Protocol):
    """Something that lists the managed crawls."""

    def list_all(self) -> list[KnownCrawl]: ...


class CrawlWatch:
    """The last known state of each crawl, and the history of its figures."""

    def __init__(self, registry: ListsCrawls, clock: Callable[[], float] = time.time) -> None:
        self._registry = registry
        self._clock = clock
        self._seen: dict[str, WatchedCrawl] = {}
        self._histories: dict[str, FigureHistory] = {}
        self._stamps: dict[str, tuple[int, int]] = {}
        self._disks: dict[str, tuple[float, int, int]] = {}
        self._turn = asyncio.Event()

    def list_all(self) -> list[WatchedCrawl]:
        """Return all crawls: first those that need attention, then those at work, then by name."""
        seen = [self.find(crawl) for crawl in self._registry.list_all()]
        return sorted(seen, key=_importance)

    def find(self, crawl: KnownCrawl) -> WatchedCrawl:
        """Return a crawl as it was seen last; a new one is examined now, by its files only."""
        seen = self._seen.get(crawl.name)
        if seen is None or seen.crawl.directory != crawl.directory:
            seen = self._at_rest(crawl, self._clock())
        if seen.pid is None and (pid := find_keeper(crawl.directory)) is not None:
            # Its last figures belong to an earlier run, or do not show the start yet.
            seen = msgspec.structs.replace(seen, state=CrawlState.STARTING, attention=[], pid=pid)
        return msgspec.structs.replace(seen, crawl=crawl)

    def history(self, name: str) -> FigureHistory:
        """Return the history of a crawl's figures."""
        return self._histories.setdefault(name, FigureHistory())

    async def run(self) -> None:
        """Check all crawls periodically until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_SECONDS)

    async def look(self) -> None:
        """Check all crawls once."""
        crawls = await asyncio.to_thread(self._registry.list_all)
        turns = asyncio.Semaphore(ASKED_AT_ONCE)
        await asyncio.gather(*(self._look_at(crawl, turns) for crawl in crawls))
        for name in self._seen.keys() - {crawl.name for crawl in crawls}:
            for table in (self._seen, self._histories, self._stamps, self._disks):
                table.pop(name, None)
        turn, self._turn = self._turn, asyncio.Event()
        turn.set()

    async def next_turn(self, seconds: float) -> None:
        """Wait until all crawls were checked once more, or for this long."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._turn.wait(), seconds)

    async def _look_at(self, crawl: KnownCrawl, turns: asyncio.Semaphore) -> None:
        async with turns:
            pid = find_keeper(crawl.directory)
            if pid is None:
                self._seen[crawl.name] = await asyncio.to_thread(self._at_rest, crawl, self._clock())
                return
            status: Status | None = None
            with suppress(CrawlerError, OSError):
                reply = await ask_running(crawl.directory, ShowStatus(), StatusReply, seconds=ANSWER_SECONDS)
                status = reply.status
            self._seen[crawl.name] = self._at_work(crawl, status, pid)

    def _at_work(self, crawl: KnownCrawl, status: Status | None, pid: int) -> WatchedCrawl:
        now = self._clock()
        before = self._seen.get(crawl.name)
        sample = self.history(crawl.name).add(status, now) if status is not None else None
        known = status or (before.status if before else None)
        pace = sample.pace if sample else 0.0
        state = state_of(known, is_running=True, is_answering=status is not None, pace=pace)
        free, total = self._disk(crawl, now)
        return WatchedCrawl(
            crawl=crawl,
            state=state,
            status=known,
            attention=attention_of(state, known, disk_free_share=free / total if total else 1.0),
            pid=pid,
            runs=before.runs if before else 0,
            disk_free=free,
            disk_total=total,
            sample=sample,
            seen_at=now,
        )

    def _at_rest(self, crawl: KnownCrawl, now: float) -> WatchedCrawl:
        before = self._seen.get(crawl.name)
        stamp = _stamp(crawl.directory)
        if before is not None and before.pid is None and self._stamps.get(crawl.name) == stamp:
            return msgspec.structs.replace(before, crawl=crawl, seen_at=now)
        self._stamps[crawl.name] = stamp
        runs = read_runs(crawl.directory, *member_directories(crawl.directory))
        state = state_of(runs.last, is_running=False)
        if state is CrawlState.PLANNED and crawl.has_begun:
            state = CrawlState.STOPPED
        elif not crawl.directory.exists() and not crawl.seeds:
            state = CrawlState.LOST
        free, total = self._disk(crawl, now)
        return WatchedCrawl(
            crawl=crawl,
            state=state,
            status=runs.last,
            attention=attention_of(state, runs.last),
            runs=runs.count,
            disk_free=free,
            disk_total=total,
            seen_at=now,
        )

    def _disk(self, crawl: KnownCrawl, now: float) -> tuple[int, int]:
        """Return the free and total bytes of a crawl's disk, cached for a while."""
        at, free, total = self._disks.get(crawl.name, (0.0, 0, 0))
        if now - at > DISK_SECONDS:
            with suppress(OSError):
                usage = shutil.disk_usage(crawl.directory)
                free, total = usage.free, usage.total
            self._disks[crawl.name] = (now, free, total)
        return free, total


def _importance(seen: WatchedCrawl) -> tuple[int, bool, str]:
    urgency = max((one.urgency for one in seen.attention), default=0)
    return -urgency, not seen.state.is_alive, seen.name


def _stamp(directory: Path) -> tuple[int, int]:
    """Return a value that changes whenever the figures of a stopped crawl change."""
    try:
        return (directory / "log").stat().st_mtime_ns, (directory / "state").stat().st_mtime_ns
    except OSError:
        return 0, 0
