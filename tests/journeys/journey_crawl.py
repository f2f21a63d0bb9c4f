"""A simulated web, and the real `tiptoe` command let loose on it.

    with simulated_web(tmp_path, SMALL) as web:
        crawl = web.crawl()
        crawl.run()
    assert web.violations() == []

Whatever a crawl started is killed when the `with` ends.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import psutil

import nursery
from forked_harvesters import KEPT_NAME
from simulated.proofs import read_requests
from simulated.truth import reachable
from simulated.unkind import UnkindProxy, spawn_unkind_web
from tiptoe.cli.exits import Exit
from tiptoe.cluster.member_file import read_member
from tiptoe.errors import CrawlerError
from tiptoe.keeper.directory import find_keeper
from tiptoe.keeper.running_crawl import ask
from tiptoe.protocol.operator import ShowStatus, StatusReply
from tiptoe.testing.judge import Breach, Rules, judge
from tiptoe.testing.recorder import Arrival, read_arrivals
from tiptoe.testing.served import ServedWeb, SpawnedWeb
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb
from tiptoe.write.logentries import RequestEntry

PATIENCE_SECONDS = 300.0
"""Longest wait for anything; the machine may be busy with other things."""

SMALL = WebShape(
    seed=7, hosts=8, hosts_per_address=2, pages_per_host=12, pages_spread=0.0, page_bytes=3_000,
    links_per_page=12, external_share=0.2, redirect_share=0.05, gone_share=0.05,
)  # fmt: skip
"""Eight friendly hosts on four addresses, a hundred pages."""


WITHOUT_MODELS: dict[str, object] = {"text.extraction": "all", "text.detect_language": "false"}
"""For journeys that are not about text: a harvester loads models for as long as all the rest of its start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """The four rules of politeness, in seconds and counts."""

    req_delay: float = 0.02
    max_hosts: int = 2
    max_reqs: int = 20
    general_pause: float = 0.1
    retry_after_max: float = 1.0

    def settings(self) -> dict[str, object]:
        return {
            "politeness.req_delay": f"{self.req_delay}s",
            "politeness.max_hosts": self.max_hosts,
            "politeness.max_reqs": self.max_reqs,
            "politeness.general_pause": f"{self.general_pause}s",
            "politeness.retry_after_max": f"{self.retry_after_max}s",
            "politeness.backoff_first": "50ms",
            "politeness.backoff_max": "400ms",
            "politeness.backoff_forgive": "1s",
            "harvest.report_every": "50ms",
        }


@dataclass(slots=True)
class Crawl:
    """One directory and the commands that work on it."""

    out: Path
    seeds: list[str]
    settings: dict[str, object]
    folder: Path | None = None  # where the console goes; beside the directory unless given
    process: "subprocess.Popen[bytes] | nursery.Forked | None" = None
    _started: set[int] = field(default_factory=set)

    @property
    def console(self) -> str:
        """What the last run printed."""
        return self._console_file.read_text(encoding="utf-8")

    @property
    def _console_file(self) -> Path:
        return (self.folder or self.out.parent) / "console.txt"

    def command(self, *options: str) -> list[str]:
        return [sys.executable, "-m", "tiptoe", *self._words(*options)]

    def _words(self, *options: str) -> list[str]:
        words = ["crawl", *self.seeds, "--out", str(self.out), *options]
        for name, value in self.settings.items():
            words += ["--set", f"{name}={value}"]
        return words

    def start(self, *options: str) -> None:
        """Begin a run, or go on."""
        assert self.process is None or self.process.poll() is not None
        with self._console_file.open("wb") as console:
            self.process = nursery.start(
                "tiptoe", self._words(*options), stdout=console, env={**os.environ, "COLUMNS": "200"}
            )
        self._started.add(self.process.pid)

    def run(self, *options: str, ends: Exit = Exit.DONE) -> str:
        """Crawl until it ends well, or as it is to; return what was printed."""
        self.start(*options)
        code = self.wait()
        assert code == ends, self.console
        return self.console

    def go_on(self, *options: str, ends: Exit = Exit.DONE) -> str:
        """Go on with the directory alone, as somebody who remembers nothing else; return what was printed."""
        done = tiptoe("crawl", "--out", str(self.out), *options)
        assert done.returncode == ends, done.stdout + done.stderr
        return done.stdout

    def wait(self) -> int:
        """Wait for the end of the run and return its exit code."""
        assert self.process is not None
        try:
            return self.process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the crawl does not end: {self.status()}\n{self.console}") from None

    def tell(self, verb: str, *words: str) -> str:
        """Say one of the control commands and return what it printed."""
        done = self.try_tell(verb, *words)
        assert done.returncode == 0, done.stderr
        if verb == "stop" and self.process is not None:
            self.wait()  # the directory is free a moment before the process has ended
        return done.stdout

    def try_tell(self, verb: str, *words: str) -> "subprocess.CompletedProcess[str]":
        return tiptoe(verb, *words, str(self.out))

    def status(self) -> dict[str, Any]:
        """Return the figures of a running crawl, as `tiptoe status --json`; empty when it cannot be asked.

        Whoever waits for a moment asks many times; a process each time would take its time from the crawl.
        """
        if read_member(self.out) is not None:
            done = tiptoe("status", str(self.out), "--json")
            return json.loads(done.stdout) if done.returncode == 0 else {}
        try:
            found = ask(self.out, ShowStatus(), StatusReply).status
        except CrawlerError:
            return {}
        figures: dict[str, Any] = msgspec.to_builtins(found)
        return figures

    def status_when(self, holds: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        """Wait until the figures of the running crawl fulfil a condition."""
        seen: dict[str, Any] = {}

        def is_so() -> bool:
            seen.update(self.status())
            return bool(seen) and holds(seen)

        self._wait_until(is_so, what, pause=0.05)
        return seen

    def wait_for_lines(self, count: int, host: str = "") -> None:
        """Wait until the request logs have so many lines; cheap enough to catch a moment."""
        self._wait_until(lambda: self.request_lines(host) >= count, f"{count} requests")

    def _wait_until(self, holds: Callable[[], bool], what: str, *, pause: float = 0.01) -> None:
        def is_over() -> bool:
            if holds():
                return True
            is_running = self.process is not None and self.process.poll() is None
            assert is_running or find_keeper(self.out), f"ended before: {what}\n{self.console}"
            return False

        wait_until(is_over, what, pause=pause)

    def harvesters(self) -> list[psutil.Process]:
        """Return the harvester processes of the run."""
        assert self.process is not None
        try:
            beside = psutil.Process(self.process.pid).children()
            children = [child for child in beside if child.name() != KEPT_NAME]
        except psutil.NoSuchProcess:
            return []
        self._started.update(child.pid for child in children)
        return children

    def kill(self) -> None:
        """Kill the keeper."""
        assert self.process is not None
        helpers = self.harvesters()
        self.process.kill()
        self.process.wait()
        _end(helpers)

    def kill_all(self) -> None:
        """Kill the keeper and its harvesters at once."""
        assert self.process is not None
        helpers = self.harvesters()
        for process in helpers:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        self.process.kill()
        self.process.wait()
        _end(helpers)

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)

    def interrupt_again(self) -> bool:
        """Press Ctrl-C once more; return whether the run has ended."""
        self.interrupt()
        return self.process is not None and self.process.poll() is not None

    def end(self) -> None:
        """Leave no process behind."""
        keeper = find_keeper(self.out)
        known = {*self._started, *([keeper] if keeper else [])}
        processes = []
        for pid in known:
            with contextlib.suppress(psutil.NoSuchProcess):
                process = psutil.Process(pid)
                words = process.cmdline()
                if str(self.out) in " ".join(words) or {"tiptoe.harvest", nursery.__file__} & {*words}:
                    processes += [process, *process.children(recursive=True)]
        for process in processes:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        if self.process is not None:
            self.process.wait()

    # -- what it brought -------------------------------------------------

    def documents(self) -> list[dict[str, Any]]:
        """Return every line of the corpus."""
        files = sorted((self.out / "corpus").glob("*.jsonl"))
        return [json.loads(line) for file in files for line in file.read_bytes().splitlines()]

    def urls(self) -> list[str]:
        """Return the address of every document, sorted."""
        return sorted(document["url"] for document in self.documents())

    def requests(self) -> list[RequestEntry]:
        """Return every line of the request logs."""
        logs = sorted((self.out / "log").glob("requests-*.jsonl"))
        return [entry for log in logs for entry in read_requests(log)]

    def request_lines(self, host: str = "") -> int:
        """Count the requests of which a log tells, all or those to one host."""
        logs = (self.out / "log").glob("requests-*.jsonl")
        mark = f'"host":"{host}","address"'.encode() if host else b'"started_at":'
        return sum(log.read_bytes().count(mark) for log in logs)

    def open_files(self) -> list[Path]:
        """Return the output files that are not finished."""
        return [*(self.out / "warc").glob("*.open"), *(self.out / "corpus").glob("*.open")]


def tiptoe(*words: str, timeout: float = PATIENCE_SECONDS) -> "subprocess.CompletedProcess[str]":
    """Run the command to its end, whatever that is."""
    return nursery.run("tiptoe", words, timeout=timeout, env={**os.environ, "COLUMNS": "200"})


def whole_lines(files: Iterable[Path]) -> list[bytes]:
    """Return the lines of files that may be written, finished and renamed meanwhile; half a line is none."""
    lines: list[bytes] = []
    for file in files:
        with contextlib.suppress(FileNotFoundError):
            lines += file.read_bytes().rpartition(b"\n")[0].splitlines()
    return lines


def wait_until(holds: Callable[[], bool], what: str, *, pause: float = 0.01) -> None:
    """Wait for a condition, not for a time."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline, f"waited in vain for: {what}"
        time.sleep(pause)


def _end(processes: Iterable[psutil.Process]) -> None:
    _, alive = psutil.wait_procs(list(processes), timeout=PATIENCE_SECONDS)
    assert not alive, f"still there: {alive}"


@dataclass(slots=True)
class Stage:
    """A simulated web with its record, and the crawls that visit it."""

    spawned: SpawnedWeb
    folder: Path
    crawls: list[Crawl] = field(default_factory=list)

    @property
    def web(self) -> SimulatedWeb:
        return self.spawned.web

    @property
    def record(self) -> Path:
        return self.folder / "arrivals.jsonl"

    def crawl(
        self, seeds: Iterable[str] | None = None, *, name: str = "crawl", pace: Pace | None = None,
        has_models: bool = False, **settings: object,
    ) -> Crawl:  # fmt: skip
        """Return a crawl of this web that is yet to start; settings are named section__key."""
        known = {
            **self._surroundings(),
            **(pace or Pace()).settings(),
            **({} if has_models else WITHOUT_MODELS),
        }
        known.update((setting.replace("__", "."), value) for setting, value in settings.items())
        crawl = Crawl(self.folder / name, list(seeds if seeds is not None else self.homes()), known)
        self.crawls.append(crawl)
        return crawl

    def homes(self) -> list[str]:
        """Return the home of every host, dead ones too."""
        return [self.web.home_of(index) for index in range(self.web.shape.hosts)]

    def _surroundings(self) -> dict[str, object]:
        settings: dict[str, object] = {
            "crawl.contact": "https://example.org/bot",
            "crawl.rehearsal": "true",
            "fetch.nameservers": self.spawned.dns_address,
        }
        if self.spawned.proxy_url:
            return settings | {
                "fetch.proxy": self.spawned.proxy_url,
                "fetch.allow_networks": "198.18.0.0/15",
            }
        return settings | {"fetch.allow_networks": "127.0.0.0/8"}

    def truth(self, **bounds: Any) -> list[str]:
        """Return the pages that a full crawl ends with, sorted."""
        return sorted(reachable(self.web, self.homes(), **bounds))

    def arrivals(self) -> list[Arrival]:
        """Return what the servers saw; whole once the web has closed."""
        return read_arrivals(self.record)

    def violations(
        self, pace: Pace | None = None, *, cdn: tuple[str, ...] = (), tolerance: float = 0.0
    ) -> list[Breach]:
        """Return every breach of politeness in the servers' record."""
        pace = pace or Pace()
        arrivals = self.arrivals()
        assert arrivals, "nobody came"
        return judge(
            arrivals,
            Rules(
                req_delay=pace.req_delay,
                max_hosts=pace.max_hosts,
                max_reqs=pace.max_reqs,
                general_pause=pace.general_pause,
                retry_after_max=pace.retry_after_max,
                crawl_delays=self.web.crawl_delay_of,
                is_allowed=self.web.is_allowed,
                cdn_addresses=cdn,
                tolerance=tolerance,
            ),
        )


@contextlib.contextmanager
def simulated_web(
    folder: Path,
    shape: WebShape = SMALL,
    *,
    served: type[ServedWeb] = UnkindProxy,
    seconds: float = 600.0,
) -> Iterator[Stage]:
    """Serve a web while the `with` lasts; its record can be read afterwards."""
    record = folder / "arrivals.jsonl"
    with spawn_unkind_web(shape, served=served, record=record, seconds=seconds) as spawned:
        stage = Stage(spawned, folder)
        try:
            yield stage
        finally:
            for crawl in stage.crawls:
                crawl.end()
