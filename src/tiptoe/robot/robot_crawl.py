"""How does a robot make its crawl do what the server says?

With the code that runs the crawls of a control server: `tiptoe crawl` in a process of its own, controlled
over the operator's socket and watched in the same way. After a crash a command may be carried out a second
time: all of them are idempotent.
"""

import os
import shutil
import signal
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final, assert_never

from tiptoe.cluster.private_files import write_private
from tiptoe.control.crawl_facts import crawl_summary
from tiptoe.control.crawl_launch import launch
from tiptoe.control.crawl_registry import KnownCrawl
from tiptoe.control.crawl_watch import CrawlWatch, WatchedCrawl
from tiptoe.control.setting_guard import FROM_HERE_ONLY
from tiptoe.control.tiptoe_process import TiptoeProcesses
from tiptoe.control.web_problem import WebProblem
from tiptoe.errors import CrawlerError
from tiptoe.filters.filter_directory import files_elsewhere, read_robot
from tiptoe.keeper.directory import find_keeper
from tiptoe.keeper.host_commands import carry_out_stopped
from tiptoe.keeper.running_crawl import ask
from tiptoe.observe.crawl_marker import MARKER
from tiptoe.observe.operator_log import log_order
from tiptoe.observe.stops import Stop
from tiptoe.protocol import operator
from tiptoe.protocol.robot_messages import (
    FILTER_FILES,
    CommandOutcome,
    CrawlFigures,
    OrderedCommand,
    RobotConfiguration,
)
from tiptoe.robot.corpus_lines import committed_sizes
from tiptoe.robot.robot_journal import RobotJournal

__all__ = ["RobotCrawl"]

CRAWL_FOLDER: Final = "crawl"
END_SECONDS: Final = 120.0
"""Maximum wait, in seconds, for a crawl that was told to stop, before it is started again."""

MESSAGE_CHARS_MAX: Final = 1000
UNFINISHED: Final = frozenset({"", Stop.INTERRUPTED.value, Stop.NO_HARVESTERS.value})
"""Ends that were not intended: it was killed, the machine went down, its harvesters kept dying."""


class RobotCrawl:
    """The one crawl of a robot."""

    def __init__(
        self, directory: Path, journal: RobotJournal, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.directory = directory / CRAWL_FOLDER
        self._journal = journal
        self._sleep = sleep
        self._is_stopping = False
        self._watch = CrawlWatch(self)
        self._processes = TiptoeProcesses()

    @property
    def _filters(self) -> Path:
        return self.directory.parent / "filters"

    def list_all(self) -> list[KnownCrawl]:
        """Return the crawls to watch."""
        return [self._known(self._journal.runs_with)]

    async def look(self) -> WatchedCrawl:
        """Look at the crawl, and return its state."""
        await self._watch.look()
        return self._watch.find(self.list_all()[0])

    def figures(self, seen: WatchedCrawl) -> CrawlFigures:
        """Return the figures of the crawl, for the server."""
        if not self._journal.runs_with.version and seen.pid is None:
            return CrawlFigures()  # it has not been started yet, so nothing is missing
        summary = crawl_summary(seen)
        return CrawlFigures(
            state=summary.state, pages=summary.pages, pace=summary.pace, requests=summary.requests,
            failed=summary.failed, bytes=seen.status.bytes if seen.status else 0, documents=summary.documents,
            text_chars=summary.text_chars, hosts=summary.hosts, queued=summary.queued,
            attention=[one.message for one in summary.attention],
        )  # fmt: skip

    def has_ended(self, seen: WatchedCrawl) -> bool:
        """Whether it came to its end, or was stopped on purpose."""
        has_begun = (self.directory / MARKER).is_file()
        return has_begun and seen.status is not None and seen.status.stopped_because not in UNFINISHED

    def carry_out(self, command: OrderedCommand) -> CommandOutcome:
        """Carry out a command, and return its result."""
        try:
            said, is_done = self._do(command), True
        except WebProblem as problem:
            said, is_done = problem.detail, False
        except (CrawlerError, OSError) as error:
            said, is_done = str(error), False
        return CommandOutcome(number=command.number, is_done=is_done, message=said[:MESSAGE_CHARS_MAX])

    def start(self) -> str:
        """Start or continue the crawl with the stored configuration."""
        configuration = self._journal.configuration
        if not configuration.version:
            raise CrawlerError("there is no configuration yet; give the robot seeds and settings first")
        _refuse(configuration.settings)
        if self._is_stopping:
            self._await_end()
        if find_keeper(self.directory) is not None:
            return "it is crawling already"
        before = self._journal.runs_with
        has_begun = (self.directory / MARKER).is_file()
        adds_seeds = has_begun and configuration.seeds != before.seeds
        self._write_filters(configuration)
        if configuration.filters:
            _refuse_filters(self._filters)
        launch(self._processes, self._known(configuration), adds_seeds=adds_seeds)
        self._journal.note_start(configuration)
        return f"it is crawling, with configuration {configuration.version}"

    def interrupt(self) -> None:
        """Stop the crawl along with the robot: it continues when the robot is started again."""
        pid = find_keeper(self.directory)
        if pid is not None:
            with suppress(OSError):
                os.kill(pid, signal.SIGTERM)
            self._await_end()

    def committed(self) -> dict[str, int]:
        """Return how much of each file is committed."""
        sizes: dict[str, int] = {}
        if find_keeper(self.directory) is not None:
            with suppress(CrawlerError, OSError):
                sizes = ask(self.directory, operator.ListOutputs(), operator.OutputSizes).sizes
        return committed_sizes(self.directory, sizes)

    def _do(self, command: OrderedCommand) -> str:
        match command.verb:
            case "start":
                said = self.start()
                self._journal.is_wanted = True  # a start reported as failed must not happen later by itself
                return said
            case "stop":
                self._journal.is_wanted = False
                if find_keeper(self.directory) is None:
                    return "it was not running"
                self._is_stopping = True
                return ask(self.directory, operator.StopCrawl(), operator.Done).message
            case "pause":
                return ask(self.directory, operator.PauseCrawl(), operator.Done).message
            case "resume":
                return ask(self.directory, operator.ResumeCrawl(), operator.Done).message
            case "block":
                return self._order_host(operator.BlockHost(command.target))
            case "unblock":
                return self._order_host(operator.UnblockHost(command.target))
            case "slow":
                return self._order_host(operator.SlowHost(command.target, command.delay))
            case "set":
                _refuse(command.settings)
                reply = ask(self.directory, operator.Reconfigure(command.settings), operator.Reconfigured)
                changes = [f"{name}: {before} -> {after}" for name, (before, after) in reply.changes.items()]
                return "; ".join(changes) or "nothing has changed"
            case _:
                assert_never(command.verb)

    def _order_host(self, command: operator.HostCommand) -> str:
        if find_keeper(self.directory) is not None:
            return ask(self.directory, command, operator.Done).message
        said = carry_out_stopped(self.directory, command)
        if not isinstance(command, operator.UnblockHost):
            log_order(self.directory, "leave", command.target)
        return said

    def _known(self, configuration: RobotConfiguration) -> KnownCrawl:
        settings: dict[str, object] = dict(configuration.settings)
        if configuration.filters:
            settings["filters.dir"] = str(self._filters)
        return KnownCrawl(
            name=CRAWL_FOLDER,
            directory=self.directory,
            settings=settings,
            seeds=configuration.seeds,
        )

    def _write_filters(self, configuration: RobotConfiguration) -> None:
        shutil.rmtree(self._filters, ignore_errors=True)
        for name in FILTER_FILES:
            if name in configuration.filters:
                write_private(self._filters / name, configuration.filters[name])

    def _await_end(self) -> None:
        waited = 0.0
        while find_keeper(self.directory) is not None and waited < END_SECONDS:
            self._sleep(0.1)
            waited += 0.1
        self._is_stopping = False


def _refuse_filters(directory: Path) -> None:
    """Raise CrawlerError for filter files with forbidden settings, or naming other files of this machine."""
    found = read_robot(directory, is_confined=True)
    _refuse(wanted.name for wanted in found.wanted)
    if elsewhere := files_elsewhere(found.definition):
        place, name = elsewhere[0]
        raise CrawlerError(f"{place}: {name[:200]}: a control server names no files of this machine")


def _refuse(settings: Iterable[str]) -> None:
    """Raise CrawlerError for settings that name files or programs: a server must not control the machine."""
    refused = sorted(FROM_HERE_ONLY.intersection(settings))
    if refused:
        raise CrawlerError(f"{', '.join(refused)}: set on this machine only, not by a control server")
