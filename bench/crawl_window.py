"""What does a complete tiptoe crawl spend per page?

Samples a running crawl once per second: its own figures, and the CPU time of keeper, harvesters and web. A
`Window` is what happened between two samples. The first seconds are left out, and so is the end, when pages
that were read earlier are reported and would seem to have cost nothing.
"""

import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

import psutil
from rig import cpu_seconds

from tiptoe.cli.exits import Exit
from tiptoe.errors import CrawlerError
from tiptoe.keeper.running_crawl import ask
from tiptoe.protocol.operator import ShowStatus, StatusReply
from tiptoe.protocol.status import Status

LOOK_SECONDS: Final = 1.0
SETTLED_REQUESTS: Final = 1.05  # maximum requests per page once settled
WARM_UP_SECONDS: Final = 15
"""Time left out at the start, when names are looked up and most requests are for robots.txt."""


class Sample(NamedTuple):
    """The figures at one moment."""

    at: float
    pages: int
    spent: dict[str, float]  # CPU seconds
    memory_bytes: int
    harvesters: int  # processes whose time is in `spent`
    requests: int = 0
    body_bytes: int = 0  # as received, compressed
    discards: Mapping[str, int] = MappingProxyType({})
    lost_harvesters: int = 0


@dataclass(frozen=True, slots=True)
class Window:
    """What happened between two samples of one crawl."""

    seconds: float
    pages: int
    requests: int
    body_bytes: int
    spent: dict[str, float]
    memory_bytes: int  # of the keeper, at the end
    discards: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def between(cls, first: Sample, last: Sample) -> "Window":
        """Return the window between two samples."""
        return cls(
            last.at - first.at,
            last.pages - first.pages,
            last.requests - first.requests,
            last.body_bytes - first.body_bytes,
            {name: last.spent[name] - first.spent[name] for name in last.spent},
            last.memory_bytes,
            {name: count - first.discards.get(name, 0) for name, count in last.discards.items()},
        )

    def __repr__(self) -> str:
        return f"<Window {self.pages} pages in {self.seconds:.1f} s, {self.ours_ms:.3f} ms CPU a page>"

    @property
    def pages_per_second(self) -> float:
        return self.pages / self.seconds

    def ms(self, name: str) -> float:
        """Return the CPU time that one kind of process spent per page, in milliseconds."""
        return self.spent[name] / self.pages * 1000

    @property
    def ours_ms(self) -> float:
        """CPU milliseconds per page of all tiptoe processes."""
        return self.ms("keeper") + self.ms("harvesters")


def watch(
    crawl: "subprocess.Popen[bytes]", web_pid: int, out: Path, *,
    is_to_settle: bool = False, on_look: Callable[[], None] = lambda: None,
) -> Window:  # fmt: skip
    """Watch until the crawl ends; return what it did between warm-up and stop.

    If all hosts are seeds, it can wait until the rules of the last of them are known.
    """
    samples = with_everybody(list(_looks(crawl, psutil.Process(web_pid), out, on_look)))
    if is_to_settle:
        samples = when_settled(samples)
    if crawl.wait() not in (Exit.DONE, Exit.LIMIT):
        raise CrawlerError(f"the crawl failed with exit code {crawl.returncode}; its own message says why")
    if any(sample.lost_harvesters for sample in samples):
        # Its successor starts at zero, and its own time is added to the keeper's from then on.
        raise CrawlerError(
            "a harvester was lost on the way, so nothing is measured; the machine may be too busy"
        )
    if len(samples) < 2 or samples[0].pages == samples[-1].pages:
        raise CrawlerError(f"too short to measure: let it run for more than {WARM_UP_SECONDS + 5} seconds")
    return Window.between(samples[0], samples[-1])


def _looks(
    crawl: "subprocess.Popen[bytes]", web: psutil.Process, out: Path, on_look: Callable[[], None]
) -> Iterator[Sample]:
    keeper = psutil.Process(crawl.pid)
    begins_at = time.monotonic() + WARM_UP_SECONDS
    while crawl.poll() is None:
        time.sleep(LOOK_SECONDS)
        if time.monotonic() < begins_at:
            continue
        try:
            status = ask(out, ShowStatus(), StatusReply).status
            if status.stopped_because:
                return
            yield _sample(status, keeper, web)
        except (CrawlerError, psutil.Error, OSError):
            continue  # it is about to end
        on_look()


def when_settled(samples: list[Sample]) -> list[Sample]:
    """Return the samples from when nearly all requests are for pages.

    Until then a page seems to cost more, the more so the slower the machine is at the moment.
    """
    for place, (before, after) in enumerate(pairwise(samples)):
        if after.requests - before.requests <= SETTLED_REQUESTS * (after.pages - before.pages):
            return samples[place:]
    return []


def with_everybody(samples: list[Sample]) -> list[Sample]:
    """Return the samples with all harvesters: at the end of a crawl they leave one by one."""
    most = max((sample.harvesters for sample in samples), default=0)
    return [sample for sample in samples if sample.harvesters == most]


def _sample(status: Status, keeper: psutil.Process, web: psutil.Process) -> Sample:
    harvesters = keeper.children()
    spent = {
        "keeper": cpu_seconds(keeper),
        "harvesters": sum(map(cpu_seconds, harvesters)),
        "web": cpu_seconds(web),
    }
    return Sample(
        time.monotonic(), status.pages, spent, keeper.memory_info().rss, len(harvesters), status.requests,
        status.bytes, status.discards, status.lost_harvesters,
    )  # fmt: skip
