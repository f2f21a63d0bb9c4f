"""Which reports on a crawl are there, and how are they made?

Statistics, audit and freshness read all files of a crawl, so each is made by a process of its own, on
request, and kept until it is made again. Reports are self-contained pages, shown without scripts or
privileges.
"""

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.control.crawl_registry import KnownCrawl
from tiptoe.control.tiptoe_process import TiptoeProcesses
from tiptoe.control.web_problem import WebProblem

__all__ = ["REPORTS", "CrawlReports", "LanguageCount", "ReportState"]

REPORT_SECONDS: Final = 3600.0
REPORTS: Final[Mapping[str, str]] = {
    "stats": "What was found: types, languages, hosts, sizes, answers, time spent",
    "audit": "Whether every rule of politeness was kept, by the request log",
    "freshness": "How fresh the collection is, and what revisits have found",
}


class ReportState(msgspec.Struct, frozen=True, kw_only=True):
    """One report."""

    kind: str
    title: str
    made_at: float  # 0 = never
    is_building: bool
    fault: str


class LanguageCount(msgspec.Struct, frozen=True):
    """A language, with the number of documents in it."""

    name: str
    count: int  # documents


class _LanguageStatistics(msgspec.Struct):
    """The part of the statistics that is needed here."""

    languages: list[LanguageCount] = []


class CrawlReports:
    """The reports of all crawls, as files in a folder."""

    def __init__(self, folder: Path, clock: Callable[[], float], processes: TiptoeProcesses) -> None:
        self._processes = processes
        self._folder = folder
        self._clock = clock
        self._lock = threading.Lock()
        self._turn = threading.Lock()  # one at a time, so that short processes need not wait for long ones
        self._building: set[tuple[str, str]] = set()
        self._faults: dict[tuple[str, str], str] = {}

    def list_of(self, crawl: KnownCrawl) -> list[ReportState]:
        """Return the state of each report."""
        return [
            ReportState(
                kind=kind,
                title=title,
                made_at=_made_at(self._path(crawl, kind)),
                is_building=(crawl.name, kind) in self._building,
                fault=self._faults.get((crawl.name, kind), ""),
            )
            for kind, title in REPORTS.items()
        ]

    def make(self, crawl: KnownCrawl, kind: str) -> None:
        """Begin to make a report in the background."""
        if kind not in REPORTS:
            raise WebProblem(404, f"there is no report {kind!r}; there are {', '.join(REPORTS)}")
        with self._lock:
            if (crawl.name, kind) in self._building:
                return
            self._building.add((crawl.name, kind))
        threading.Thread(target=self._run, args=(crawl, kind), daemon=True).start()

    def read(self, crawl: KnownCrawl, kind: str) -> bytes:
        """Return the page of a report."""
        try:
            if kind in REPORTS:
                return self._path(crawl, kind).read_bytes()
            raise FileNotFoundError(kind)
        except OSError:
            raise WebProblem(404, "this report was not created yet; create it under Reports") from None

    def figures(self, crawl: KnownCrawl, kind: str) -> msgspec.Raw:
        """Return the figures of a report, as JSON."""
        try:
            if kind in REPORTS:
                return msgspec.Raw(self._path(crawl, kind).with_suffix(".json").read_bytes())
            raise FileNotFoundError(kind)
        except OSError:
            raise WebProblem(404, "this report was not created yet; create it under Reports") from None

    def languages(self, crawl: KnownCrawl) -> list[LanguageCount]:
        """Return the languages of a corpus from the last statistics; empty when there are none yet."""
        path = self._path(crawl, "stats").with_suffix(".json")
        try:
            return msgspec.json.decode(path.read_bytes(), type=_LanguageStatistics).languages
        except (OSError, msgspec.DecodeError):
            return []

    def forget(self, crawl: KnownCrawl) -> None:
        """Delete the reports of a crawl, so that a later one of the same name does not show them."""
        for kind in REPORTS:
            self._faults.pop((crawl.name, kind), None)
            for suffix in (".html", ".json"):
                self._path(crawl, kind).with_suffix(suffix).unlink(missing_ok=True)

    def _run(self, crawl: KnownCrawl, kind: str) -> None:
        key = crawl.name, kind
        part = self._path(crawl, kind).with_suffix(".part")
        try:
            words = [kind, str(crawl.directory), "--html", str(part), "--json"]
            with self._turn:
                part.unlink(missing_ok=True)  # left by a killed process; it must not count as this one's
                done = self._processes.run(words, seconds=REPORT_SECONDS)
            # An audit with findings has another exit code, but a page all the same.
            self._faults[key] = "" if part.exists() else done.fault or f"it ended with code {done.code}"
            if part.exists():
                self._path(crawl, kind).with_suffix(".json").write_bytes(done.output)
                part.replace(self._path(crawl, kind))
        except (WebProblem, OSError) as error:
            self._faults[key] = str(error)
        finally:
            self._building.discard(key)

    def _path(self, crawl: KnownCrawl, kind: str) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self._folder / f"report-{crawl.name}-{kind}.html"


def _made_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
