"""How is a crawler run on the simulated web, and how are its costs measured?

What `crawl_speed.py`, `real_pages.py` and `compare.py` share: the command of a complete tiptoe crawl, the
seeds, and the CPU and memory of a process with all its children.
"""

import contextlib
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import psutil
from selectolax.lexbor import LexborHTMLParser

from tiptoe.testing.served import SpawnedWeb

CONTACT = "https://example.org/bot"
ENDING_SECONDS = 60.0
"""Maximum time for a crawler to end cleanly; after it, the crawler is killed."""


class Reachable(Protocol):
    """A web on loopback, as a crawler reaches it."""

    @property
    def proxy_url(self) -> str | None: ...
    @property
    def dns_address(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """The politeness settings of a crawl; everything else has its default."""

    req_delay: float = 1.0
    general_pause: float = 1.0
    max_reqs: int = 50
    max_hosts: int = 2


@dataclass(frozen=True, slots=True)
class Spent:
    """What a process and its descendants have used up to a moment."""

    cpu_seconds: float
    memory_bytes: int
    starved_seconds: float  # waited for a core in use by others


PLAIN = (
    "text.extraction=all", "text.detect_language=false", "text.duplicity=false", "segmenter.off=true",
)  # fmt: skip
"""Settings of a crawl that fetches, reads, cleans and archives, but does not judge text."""


def end_on_sigterm() -> None:
    """Let SIGTERM end this script as Ctrl-C does: what it has started must not stay behind."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))


def write_seeds(web: SpawnedWeb, path: Path, count: int) -> Path:
    """Write the homes of the first hosts into a file."""
    path.write_text("\n".join(web.web.home_of(index) for index in range(count)) + "\n")
    return path


def tiptoe_command(
    web: Reachable, seeds: Path, out: Path, *, seconds: float, pace: Pace, harvesters: int = 1,
    more: Sequence[str] = (),
) -> list[str]:  # fmt: skip
    """Return the command of a complete crawl of a web on loopback; `more` are further settings."""
    settings = [
        "crawl.rehearsal=true",
        f"fetch.proxy={web.proxy_url}",
        f"fetch.nameservers={web.dns_address}",
        "fetch.allow_networks=198.18.0.0/15",
        "harvest.visits=3000",
        *more,
    ]
    command = [
        sys.executable, "-m", "tiptoe", "crawl", str(seeds), "--quiet", "--out", str(out),
        "--contact", CONTACT, "--harvesters", str(harvesters), "--max-seconds", f"{seconds:g}s",
        "--req-delay", f"{pace.req_delay:g}s", "--general-pause", f"{pace.general_pause:g}s",
        "--max-reqs", str(pace.max_reqs), "--max-hosts", str(pace.max_hosts),
    ]  # fmt: skip
    for assignment in settings:
        command += ["--set", assignment]
    return command


def cpu_seconds(process: psutil.Process) -> float:
    """Return the CPU time of a process, with that of its children that have ended."""
    return float(sum(process.cpu_times()[:4]))


def spent_by(process: psutil.Process) -> Spent:
    """Return what a process and all its descendants have used; those about to end count as nothing."""
    cpu, memory, starved = 0.0, 0, 0.0
    for member in [process, *process.children(recursive=True)]:
        with contextlib.suppress(psutil.NoSuchProcess):
            cpu += cpu_seconds(member)
            memory += member.memory_info().rss
            starved += starved_seconds(member.pid)
    return Spent(cpu, memory, starved)


def starved_seconds(pid: int) -> float:
    """Return how long the threads of a process were ready and no core was free; 0 if unknown."""
    waited = 0
    for path in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):  # the thread has just ended
            waited += int(path.read_text().split()[1])
    return waited / 1e9


@contextlib.contextmanager
def started(
    command: Sequence[str], *, environment: dict[str, str] | None = None, errors: Path | None = None
) -> Iterator[psutil.Popen]:
    """Run a crawler while the `with` lasts, then end it and its descendants."""
    with contextlib.ExitStack() as stack:
        complaints = stack.enter_context(errors.open("wb")) if errors else None
        crawler = psutil.Popen(list(command), env=environment, stdout=complaints, stderr=complaints)
        try:
            yield crawler
        finally:
            end(crawler)


def end(crawler: psutil.Popen) -> None:
    """Ask a process to stop; kill those of its descendants that remain."""
    with contextlib.suppress(psutil.NoSuchProcess):
        family = crawler.children(recursive=True)
        crawler.send_signal(signal.SIGTERM)
        with contextlib.suppress(psutil.TimeoutExpired, subprocess.TimeoutExpired):
            crawler.wait(ENDING_SECONDS)
        for member in [crawler, *family]:
            with contextlib.suppress(psutil.NoSuchProcess):
                member.kill()
        psutil.wait_procs([crawler, *family], timeout=5.0)


def parse_seconds(page: bytes) -> float:
    """Return the mean CPU time of parsing a page: a yardstick for the current speed of the machine."""
    began = time.process_time()
    for _ in range(20):
        LexborHTMLParser(page)
    return (time.process_time() - began) / 20
