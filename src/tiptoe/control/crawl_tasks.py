"""Which long tasks does the server run for a crawl, and how far are they?

Building a catalog and rehearsing a start are done by commands of ours, each in a process of its own, one of a
kind per crawl and few at a time. Their output is kept, within bounds; JSON lines report the progress. A task
can be cancelled at any time, and ends with the server.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from tiptoe.control.crawl_registry import KnownCrawl
from tiptoe.control.rehearsal import REHEARSAL_SECONDS, rehearsal_words, remove_rehearsal
from tiptoe.control.web_problem import WebProblem

__all__ = ["TASKS", "CrawlTasks", "TaskKind", "TaskState"]

AT_ONCE: Final = 2
LINES_MAX: Final = 300
LINE_CHARS_MAX: Final = 500
LINE_BYTES_MAX: Final = 64 << 10
GRACE_SECONDS: Final = 15.0
"""Time between the request to end a process and killing it."""


class TaskKind(NamedTuple):
    """A kind of task: its title, its time limit, its command, and how to clean up."""

    title: str
    seconds: float
    words: Callable[[KnownCrawl, Path], list[str]]
    tidy: Callable[[KnownCrawl, Path], None] = lambda crawl, folder: None


def _catalog_words(crawl: KnownCrawl, folder: Path) -> list[str]:
    return ["catalog", "build", str(crawl.directory), "--progress"]


TASKS: Final[Mapping[str, TaskKind]] = {
    "catalog": TaskKind("Building the catalog", 24 * 3600.0, _catalog_words),
    "rehearsal": TaskKind("Rehearsal", REHEARSAL_SECONDS, rehearsal_words, remove_rehearsal),
}


class TaskState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a task."""

    kind: str
    title: str
    is_running: bool
    began_at: float = 0.0  # 0 = never
    ended_at: float = 0.0
    done: int = 0  # bytes read so far
    total: int = 0  # bytes to be read; 0 = unknown
    lines: list[str] = []  # the last ones of its output
    fault: str = ""  # why it failed
    is_cancelled: bool = False


class CrawlTasks:
    """The tasks of all crawls; may be used from any thread."""

    def __init__(
        self,
        folder: Path,
        clock: Callable[[], float],
        *,
        program: Sequence[str] = (sys.executable, "-m", "tiptoe"),
        at_once: int = AT_ONCE,
        grace_seconds: float = GRACE_SECONDS,
    ) -> None:
        self._folder = folder
        self._clock = clock
        self._program = list(program)
        self._at_once = at_once
        self._grace_seconds = grace_seconds
        self._lock = threading.Lock()
        self._tasks: dict[tuple[str, str], _TaskRun] = {}

    def state(self, crawl: KnownCrawl, kind: str) -> TaskState:
        """Return the state of a task."""
        title = _expect(kind).title
        with self._lock:
            task = self._tasks.get((crawl.name, kind))
        if task is None:
            return TaskState(kind=kind, title=title, is_running=False)
        return task.state(kind, title)

    def start(self, crawl: KnownCrawl, kind: str) -> None:
        """Begin a task; raise WebProblem when it is running, or when too many are."""
        work = _expect(kind)
        with self._lock:
            running = [key for key, task in self._tasks.items() if task.is_running]
            if (crawl.name, kind) in running:
                raise WebProblem(409, f"{work.title}: it is under way already")
            if len(running) >= self._at_once:
                raise WebProblem(503, "the server is busy with other work; try again when some of it is done")
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            words = [*self._program, *work.words(crawl, self._folder)]
            task = _TaskRun(words, work.seconds, self._grace_seconds, self._clock)
            self._tasks[crawl.name, kind] = task
        task.begin(lambda: work.tidy(crawl, self._folder))

    def cancel(self, crawl: KnownCrawl, kind: str) -> None:
        """Cancel a task; raise WebProblem when it is not running."""
        _expect(kind)
        with self._lock:
            task = self._tasks.get((crawl.name, kind))
        if task is None or not task.is_running:
            raise WebProblem(409, "there is nothing under way that could be cancelled")
        task.cancel()

    def forget(self, crawl: KnownCrawl) -> None:
        """Cancel all tasks of a crawl, and forget them."""
        with self._lock:
            dropped = [self._tasks.pop((crawl.name, kind), None) for kind in TASKS]
        for task in dropped:
            if task is not None:
                task.cancel()

    def close(self) -> None:
        """Cancel all running tasks, and wait for them to end."""
        with self._lock:
            tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        for task in tasks:
            task.join()


class _TaskRun:
    """One run of a command."""

    def __init__(
        self, words: list[str], seconds: float, grace_seconds: float, clock: Callable[[], float]
    ) -> None:
        self._words = words
        self._seconds = seconds
        self._grace_seconds = grace_seconds
        self._clock = clock
        self._lines: deque[str] = deque(maxlen=LINES_MAX)
        self._done = self._total = 0
        self._began_at = clock()
        self._ended_at = 0.0
        self._fault = ""
        self._is_cancelled = False
        self._process: subprocess.Popen[bytes] | None = None
        self._changing = threading.Lock()
        self._thread: threading.Thread | None = None
        self.is_running = True

    def begin(self, tidy: Callable[[], None]) -> None:
        self._thread = threading.Thread(target=self._run, args=(tidy,), daemon=True)
        self._thread.start()

    def join(self) -> None:
        if self._thread is not None:
            self._thread.join(2 * self._grace_seconds)

    def cancel(self) -> None:
        with self._changing:
            self._is_cancelled = self._is_cancelled or self.is_running
            self._end(self._process)

    def state(self, kind: str, title: str) -> TaskState:
        with self._changing:
            lines = list(self._lines)
        return TaskState(
            kind=kind, title=title, is_running=self.is_running, began_at=self._began_at,
            ended_at=self._ended_at, done=self._done, total=self._total, lines=lines,
            fault=self._fault, is_cancelled=self._is_cancelled,
        )  # fmt: skip

    def _run(self, tidy: Callable[[], None]) -> None:
        try:
            self._attend()
        except OSError as error:
            self._fault = f"it could not be started: {error.strerror}"
        finally:
            with suppress(OSError):
                tidy()
            self._ended_at = self._clock()
            self.is_running = False

    def _attend(self) -> None:
        with self._changing:
            if self._is_cancelled:
                return
            self._process = process = subprocess.Popen(  # noqa: S603  our own command
                self._words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                env={**os.environ, "PYTHONUNBUFFERED": "1", "COLUMNS": "100"}, start_new_session=True,
            )  # fmt: skip
        limit = threading.Timer(self._seconds, self._overrun)
        limit.daemon = True
        limit.start()
        try:
            assert process.stdout is not None
            with process.stdout:
                while line := process.stdout.readline(LINE_BYTES_MAX):
                    self._take(line.decode("utf-8", "replace").rstrip())
            code = process.wait()
        finally:
            limit.cancel()
        if code and not self._is_cancelled and not self._fault:
            self._fault = f"it ended with code {code}"

    def _take(self, line: str) -> None:
        """Keep a line of output, or take the progress from it."""
        with suppress(ValueError, KeyError, TypeError):
            told = json.loads(line) if line.startswith('{"done"') else {}
            self._done, self._total = int(told["done"]), int(told["total"])
            return
        if line:
            with self._changing:
                self._lines.append(line[:LINE_CHARS_MAX])

    def _overrun(self) -> None:
        self._fault = f"it took more than {self._seconds:g} s, and was ended"
        self._end(self._process)

    def _end(self, process: "subprocess.Popen[bytes] | None") -> None:
        """Ask a process to end, and make sure that it and its children do."""
        if process is None or process.poll() is not None:
            return
        process.terminate()
        killer = threading.Timer(self._grace_seconds, _kill_group, (process,))
        killer.daemon = True
        killer.start()


def _kill_group(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def _expect(kind: str) -> TaskKind:
    if kind not in TASKS:
        raise WebProblem(404, f"there is no such work; there are {', '.join(TASKS)}")
    return TASKS[kind]
