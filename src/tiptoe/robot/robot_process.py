"""How does a robot run?

Five concurrent loops: one waits for news from the server, one carries out commands and keeps the crawl
alive, one reports, one sends descriptions, one takes part in rounds. A failed call is repeated later without
blocking anything else.
"""

import asyncio
import random
import sqlite3
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tiptoe.control.crawl_watch import WatchedCrawl
from tiptoe.control.web_problem import WebProblem
from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.protocol.robot_messages import (
    ROBOT_ROOT,
    BatchTaken,
    CrawlFigures,
    DescriptionBatch,
    ReportTaken,
    RobotHello,
    RobotNews,
    RobotPoll,
    RobotReport,
    RobotWelcome,
    RoundCall,
)
from tiptoe.robot.batch_plan import plan_batch, waiting_bytes
from tiptoe.robot.control_line import ControlLine, LineCut, LineRefused
from tiptoe.robot.corpus_lines import at_line_ends, read_batch
from tiptoe.robot.line_patience import LinePatience
from tiptoe.robot.list_rounds import ListRounds
from tiptoe.robot.robot_crawl import RobotCrawl
from tiptoe.robot.robot_journal import RobotJournal
from tiptoe.robot.wanted_crawl import WantedCrawl

__all__ = ["RobotPace", "RobotProcess"]

LAST_WORDS_SECONDS: Final = 10.0
TAKEN: Final = 409
"""Status with which the server answers when another robot is using this id."""


@dataclass(frozen=True, slots=True)
class RobotPace:
    """How often a robot does each thing, in seconds."""

    report: float = 5.0
    look: float = 1.0
    describe: float = 2.0
    poll_wait: float = 25.0


class RobotProcess:
    """One robot, which works until it is told to end."""

    def __init__(
        self,
        name: str,
        directory: Path,
        journal: RobotJournal,
        line: Callable[[], ControlLine],
        *,
        hello: RobotHello,
        tell: Callable[[str], None],
        closing: threading.Event,
        pace: RobotPace | None = None,
    ) -> None:
        """`line` makes connections, which end when `closing` is set; `tell` is called with messages."""
        self._name = name
        self._journal = journal
        self._line = line
        self._hello = hello
        self._tell = tell
        self._closing = closing
        self._pace = pace or RobotPace()
        self._crawl = RobotCrawl(directory, journal)
        self._rounds = ListRounds(name, directory, self._crawl.directory, journal)
        self._told_round = self._taken_round = 0
        self._round_wishes: asyncio.Queue[RoundCall] = asyncio.Queue()
        self._wanted = WantedCrawl(is_wanted=journal.is_wanted)
        self._figures = CrawlFigures()
        self._told: dict[str, str] = {}
        self._is_known = asyncio.Event()
        self._has_commands = asyncio.Event()
        self._has_fates = asyncio.Event()
        self._ending = asyncio.Event()

    async def run(self) -> None:
        """Work until `end` is called; raise CrawlerError when another robot has taken the id."""
        loops = [self._commands(), self._work(), self._reports(), self._descriptions(), self._exchanges()]
        tasks = [asyncio.create_task(loop) for loop in loops]
        ending = asyncio.create_task(self._ending.wait())
        await asyncio.wait([*tasks, ending], return_when=asyncio.FIRST_COMPLETED)
        self._ending.set()
        self._closing.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        ending.cancel()
        await asyncio.to_thread(self._crawl.interrupt)
        for result in results:
            if isinstance(result, BaseException):
                raise result
        await self._last_words()

    def end(self) -> None:
        """Stop the crawl, tell the server, and end; the next start continues."""
        self._ending.set()
        self._closing.set()

    # -- the loops --------------------------------------------------------

    async def _commands(self) -> None:
        """Say hello, then ask for news repeatedly."""
        with closing(self._line()) as line:
            await self._again_and_again("hello", lambda: self._send_hello(line), until=self._is_known)
            await self._again_and_again("poll", lambda: self._ask_for_news(line))

    async def _send_hello(self, line: ControlLine) -> None:
        welcome = await asyncio.to_thread(line.call, f"{ROBOT_ROOT}/hello", self._hello, RobotWelcome)
        if welcome.robot != self._name:
            raise SettingsError(
                f"says the server, this is the secret of {welcome.robot}, not of {self._name}; say --id "
                f"{welcome.robot}, or give the secret of {self._name}"
            )
        if await asyncio.to_thread(self._journal.meet, welcome.made_at):
            self._tell("the server has made this robot anew: what it had said before counts no longer")
        self._is_known.set()

    async def _ask_for_news(self, line: ControlLine) -> None:
        asked = RobotPoll(
            incarnation=self._journal.incarnation,
            after=self._journal.last_command,
            given_until=self._journal.given_until,
            configuration=self._journal.held_version,
            wait=self._pace.poll_wait,
            told_round=self._told_round,
            taken_round=self._taken_round,
        )
        news = await asyncio.to_thread(line.call, f"{ROBOT_ROOT}/poll", asked, RobotNews, seconds=asked.wait)
        if news.configuration is not None:
            await asyncio.to_thread(self._journal.take_configuration, news.configuration)
            self._tell(f"got configuration {news.configuration.version}")
        if news.commands:
            await asyncio.to_thread(self._journal.take_commands, news.commands)
            self._has_commands.set()
        if news.round is not None:
            if news.round.step == "tell":
                self._told_round = news.round.number
            else:
                self._taken_round = news.round.number
            self._round_wishes.put_nowait(news.round)

    async def _exchanges(self) -> None:
        """Take part in the rounds; a failed one is skipped."""
        line = self._line()
        ending = asyncio.create_task(self._ending.wait())
        try:
            while not self._ending.is_set():
                next_wish = asyncio.create_task(self._round_wishes.get())
                await asyncio.wait([next_wish, ending], return_when=asyncio.FIRST_COMPLETED)
                if not next_wish.done():
                    next_wish.cancel()
                    return
                await self._take_part(line, next_wish.result())
        finally:
            ending.cancel()
            line.close()

    async def _take_part(self, line: ControlLine, call: RoundCall) -> None:
        try:
            if call.step == "tell":
                count = await asyncio.to_thread(self._rounds.send, line, call.number, self._closing)
                self._tell(f"round {call.number}: told of {count} addresses")
            else:
                count = await asyncio.to_thread(self._rounds.take, line, call.number)
                self._tell(f"round {call.number}: {count} addresses of others were news")
        except (CrawlerError, OSError) as fault:
            self._tell(f"round {call.number}: {fault}; the next one makes up for it")

    async def _work(self) -> None:
        """Carry out commands in order; check on the crawl in between."""
        await self._again_and_again("work", self._work_once)

    async def _work_once(self) -> None:
        self._has_commands.clear()
        await self._carry_out_all()
        seen = await self._crawl.look()
        self._figures = self._crawl.figures(seen)
        await self._keep_alive(seen)
        await self._either(self._has_commands, self._pace.look)

    async def _carry_out_all(self) -> None:
        while not self._ending.is_set() and (command := self._journal.next_command()) is not None:
            fate = await asyncio.to_thread(self._crawl.carry_out, command)
            await asyncio.to_thread(self._journal.settle, fate)
            if command.verb == "start" and fate.is_done:
                self._wanted.want()
                self._wanted.note_try(time.time())
            elif command.verb == "stop":
                self._wanted.leave()
            self._tell(f"command {command.number}, {command.verb}: {fate.message}")
            self._has_fates.set()

    async def _keep_alive(self, seen: WatchedCrawl) -> None:
        is_alive, has_ended = seen.pid is not None, self._crawl.has_ended(seen)
        if self._wanted.should_start(is_alive=is_alive, has_ended=has_ended, now=time.time()):
            self._wanted.note_try(time.time())
            try:
                said = await asyncio.to_thread(self._crawl.start)
            except (CrawlerError, OSError) as error:
                said = str(error)
            except WebProblem as problem:
                said = problem.detail
            self._tell(f"the crawl was cut off, and is started again: {said}")
        if self._journal.is_wanted != self._wanted.is_wanted:
            self._journal.is_wanted = self._wanted.is_wanted

    async def _reports(self) -> None:
        """Report the state now and then, and the fates of commands immediately."""
        with closing(self._line()) as line:
            await self._either(self._is_known, float("inf"))
            await self._again_and_again("report", lambda: self._report(line))

    async def _report(self, line: ControlLine) -> None:
        self._has_fates.clear()
        await self._send_report(line)
        if not self._journal.unreported_outcomes():
            await self._either(self._has_fates, self._pace.report)

    async def _send_report(self, line: ControlLine) -> None:
        fates = self._journal.unreported_outcomes()
        waiting = waiting_bytes(await asyncio.to_thread(self._crawl.committed), self._journal.sent())
        report = RobotReport(
            incarnation=self._journal.incarnation,
            figures=self._figures,
            fates=fates,
            configuration=self._journal.held_version,
            runs_with=self._journal.runs_with.version,
            waiting_bytes=waiting,
        )
        await asyncio.to_thread(line.call, f"{ROBOT_ROOT}/report", report, ReportTaken)
        await asyncio.to_thread(self._journal.note_told, fates)

    async def _descriptions(self) -> None:
        """Send what is new in the corpus."""
        with closing(self._line()) as line:
            await self._either(self._is_known, float("inf"))
            await self._again_and_again("descriptions", lambda: self._describe(line))

    async def _describe(self, line: ControlLine) -> None:
        if not await self._send_batch(line):
            await self._either(self._ending, self._pace.describe)

    async def _send_batch(self, line: ControlLine) -> bool:
        """Send one batch; return False when there is nothing to send."""
        plan = self._journal.planned_batch()
        if plan is None:
            committed = await asyncio.to_thread(self._crawl.committed)
            plan = plan_batch(self._journal.next_batch, committed, self._journal.sent())
            if plan is None:
                return False
            plan = await asyncio.to_thread(at_line_ends, self._crawl.directory, plan)
            await asyncio.to_thread(self._journal.plan, plan)
        lines = await asyncio.to_thread(read_batch, self._crawl.directory, plan)
        if lines.unreadable:
            self._tell(f"batch {plan.number}: {lines.unreadable} lines cannot be read, and are left out")
        batch = DescriptionBatch(
            incarnation=self._journal.incarnation, number=plan.number, pages=lines.pages, gone=lines.gone
        )
        await asyncio.to_thread(line.call, f"{ROBOT_ROOT}/descriptions", batch, BatchTaken)
        await asyncio.to_thread(self._journal.note_sent, plan)
        return True

    async def _last_words(self) -> None:
        """Report how it ended and send what is left, if the server is available and not busy."""
        if not self._is_known.is_set():
            return
        self._closing.clear()
        line = self._line()
        self._figures = self._crawl.figures(await self._crawl.look())
        with suppress(CrawlerError, OSError, sqlite3.Error):
            async with asyncio.timeout(LAST_WORDS_SECONDS):
                while await self._send_batch(line):
                    pass
                await self._send_report(line)
        self._closing.set()
        line.close()

    # -- waiting ----------------------------------------------------------

    async def _again_and_again(
        self, name: str, call: Callable[[], Awaitable[None]], *, until: asyncio.Event | None = None
    ) -> None:
        """Repeat something until the robot ends or `until` is set; wait longer after each failure in a row.

        An unavailable server and a full disk are failures; neither ends the robot or its crawl."""
        patience = LinePatience()
        while not self._ending.is_set() and not (until is not None and until.is_set()):
            try:
                await call()
            except (LineCut, LineRefused, OSError, sqlite3.Error) as fault:
                if isinstance(fault, LineRefused) and fault.status == TAKEN:
                    raise
                if self._ending.is_set():
                    return
                self._report_once(name, str(fault))
                retry_after = fault.retry_after if isinstance(fault, LineCut) else 0.0
                await self._either(self._ending, patience.fail(random.random(), at_least=retry_after))
            else:
                if patience.is_cut:
                    self._report_once(name, "")
                patience.succeed()

    def _report_once(self, name: str, fault: str) -> None:
        """Report a fault of a kind of call when it is new, and when it is over."""
        if self._told.get(name, "") != fault:
            self._told[name] = fault
            self._tell(f"{name}: {fault or 'it works again'}")

    async def _either(self, event: asyncio.Event, seconds: float) -> None:
        """Wait for an event, for the end of the robot, or at most `seconds`."""
        waits = [asyncio.create_task(event.wait()), asyncio.create_task(self._ending.wait())]
        timeout = None if seconds == float("inf") else seconds
        await asyncio.wait(waits, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
