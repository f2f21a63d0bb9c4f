"""What does one crawler do in one window of time?

The web is fresh for every run, records what arrives, and is the only source: pages are the answers it gave,
manners are judged from its record. Only CPU and memory are measured on the crawler's processes.
"""

import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil
from compare_crawlers import Starter
from compare_report import Run
from rig import Pace, Spent, cpu_seconds, spent_by, started, write_seeds

from tiptoe.errors import CrawlerError
from tiptoe.testing.judge import Rules, judge
from tiptoe.testing.recorder import Arrival, read_arrivals
from tiptoe.testing.served import SpawnedWeb, spawn_web
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb

LOOK_SECONDS: Final = 0.5
ENDING_SECONDS: Final = 300.0
"""Time after the window when web and crawlers end by themselves, whatever happens here."""

WORDS_MAX: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The time of measurement: it begins after the crawler has started, and lasts this long."""

    warm_up: float
    seconds: float

    @property
    def longest(self) -> float:
        return self.warm_up + self.seconds + ENDING_SECONDS


@dataclass(frozen=True, slots=True)
class Look:
    """What had been used up to a moment."""

    at: float
    crawler: Spent
    web_cpu_seconds: float


@dataclass(frozen=True, slots=True)
class Witness:
    """A run as the web saw it, with two samples of the crawler's use of resources."""

    first: Look
    last: Look
    memory_bytes: int
    arrivals: list[Arrival]

    @property
    def in_window(self) -> list[Arrival]:
        return [one for one in self.arrivals if self.first.at <= one.answered_at < self.last.at]


def watch(starter: Starter, shape: WebShape, window: Window, *, seeds: int, scratch: Path | None) -> Witness:
    """Run a crawler on a fresh web; what it writes is removed."""
    folder = Path(tempfile.mkdtemp(prefix="compare-", dir=scratch))
    record, errors = folder / "arrivals.jsonl", folder / "errors.txt"
    try:
        with spawn_web(shape, record=record, seconds=window.longest) as web:
            launch = starter(
                web, write_seeds(web, folder / "seeds.txt", seeds), folder / "out", window.longest
            )
            with started(launch.command, environment=launch.environment, errors=errors) as crawler:
                first, last, memory = _look_on(crawler, web, window, errors)
        return Witness(first, last, memory, read_arrivals(record))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run_of(name: str, place: int, seen: Witness, pace: Pace, web: SimulatedWeb) -> Run:
    """Return the figures of a run."""
    in_window = seen.in_window
    return Run(
        crawler=name,
        round=place,
        seconds=seen.last.at - seen.first.at,
        pages=sum(map(is_page, in_window)),
        requests=len(in_window),
        cpu_seconds=seen.last.crawler.cpu_seconds - seen.first.crawler.cpu_seconds,
        web_cpu_seconds=seen.last.web_cpu_seconds - seen.first.web_cpu_seconds,
        memory_bytes=seen.memory_bytes,
        judged=len(seen.arrivals),
        rude=rude_requests(seen.arrivals, pace, web),
    )


def is_page(arrival: Arrival) -> bool:
    """Whether an answer was a page; the webs used here have nothing else but robots.txt."""
    return arrival.status == 200 and arrival.target != "/robots.txt"


def rude_requests(arrivals: Sequence[Arrival], pace: Pace, web: SimulatedWeb) -> int:
    """Return how many requests broke at least one rule of the pace, or robots.txt."""
    rules = Rules(
        req_delay=pace.req_delay,
        max_hosts=pace.max_hosts,
        max_reqs=pace.max_reqs,
        general_pause=pace.general_pause,
        crawl_delays=web.crawl_delay_of,
        is_allowed=web.is_allowed,
    )
    return len({violation.lines[-1] for violation in judge(arrivals, rules)})


def _look_on(crawler: psutil.Popen, web: SpawnedWeb, window: Window, errors: Path) -> tuple[Look, Look, int]:
    """Wait for the window to pass; return the samples at its ends and the peak memory."""
    served = psutil.Process(web.pid)
    begins_at = time.time() + window.warm_up
    first: Look | None = None
    memory = 0
    while True:
        if crawler.poll() is not None:
            raise CrawlerError(f"a crawler ended before its time: {_last_words(errors)}")
        look = Look(time.time(), spent_by(crawler), cpu_seconds(served))
        memory = max(memory, look.crawler.memory_bytes)
        if first is None and look.at >= begins_at:
            first = look
        if first is not None and look.at >= first.at + window.seconds:
            return first, look, memory
        time.sleep(LOOK_SECONDS)


def _last_words(errors: Path) -> str:
    """Return the last output of a crawler; tiptoe writes it to its logs instead."""
    logs = (
        errors,
        *(errors.with_name("out") / "log" / name for name in ("harvester-errors.log", "keeper.log")),
    )
    told = [log.read_text(errors="replace").strip()[-WORDS_MAX:] for log in logs if log.exists()]
    return " / ".join(" ".join(words.split()) for words in told if words) or "it said nothing"


def tell(line: str) -> None:
    """Print progress, apart from the results."""
    print(line, file=sys.stderr, flush=True)
