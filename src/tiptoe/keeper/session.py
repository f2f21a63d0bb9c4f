"""How does a run of a crawl begin and end?

    claim the directory ─▶ recover what a crash left ─▶ add seeds
        ─▶ keeper and harvesters ─▶ index ─▶ release

Running again on the same directory goes on where it stopped.
"""

import asyncio
import contextlib
import functools
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tiptoe.errors import SettingsError
from tiptoe.frontier.frontier import Frontier
from tiptoe.frontier.messages import Request
from tiptoe.keeper.clock import Clock
from tiptoe.keeper.commands import LINE, answer, status
from tiptoe.keeper.crew import Crew, harvester_command
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.document_links import take_links
from tiptoe.keeper.document_texts import take_texts
from tiptoe.keeper.insistence import Insistence
from tiptoe.keeper.mending import mend_outputs
from tiptoe.keeper.scaling import Scaling
from tiptoe.keeper.service import Keeper, KeeperPlan
from tiptoe.observe.eventlog import EventLog
from tiptoe.observe.figures import FiguresFile, read_runs
from tiptoe.observe.orders import log_order
from tiptoe.observe.process import give_memory_back
from tiptoe.write.cdxj import merge_cdxj
from tiptoe.write.foundlinks import waiting_links
from tiptoe.write.logclock import machine_boot

__all__ = ["Session", "SessionPlan", "recover_crawl"]

SEED_BATCH = 1000
FIGURES_SECONDS = 5.0
SLIM_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPlan:
    """What one run is to do, beside the keeper's own plan."""

    seeds: list[str]
    downloaded: list[str] = field(default_factory=list)
    harvesters: int = 1  # 0 = as many as it takes
    listen: str = ""
    blocked: tuple[str, ...] = ()
    slowed: dict[str, float] = field(default_factory=dict)


class Session:
    """One run of a crawl."""

    def __init__(
        self, directory: CrawlDirectory, frontier: Frontier, keeper_plan: KeeperPlan, plan: SessionPlan
    ) -> None:
        self._directory = directory
        self._frontier = frontier
        self._plan = plan
        self._log = EventLog.at(directory.path / "log" / "keeper.log", "keeper")
        clock = Clock(offset=frontier.runs.offset(machine_boot()))
        errors = directory.path / "log" / "harvester-errors.log"
        crew = Crew(harvester_command(str(directory.socket)), self._log, errors=errors)
        self.keeper = Keeper(
            frontier, keeper_plan, crew, self._log, clock, answer=answer,
            repair=functools.partial(mend_outputs, directory.path),
        )  # fmt: skip
        self._figures = FiguresFile(
            directory.path,
            self.keeper.figures.started_at,
            encoding=str(keeper_plan.settings.get("write", {}).get("encoding", "utf-8")),
        )
        self._insistence = Insistence()

    async def run(self, show: Callable[[Keeper], object] | None = None) -> None:
        """Crawl until it is finished or stopped; `show` is called about twice a second."""
        # Harvesters of this machine died with their keeper; others may work on until their lease ends.
        grace = self.keeper.plan.lease_seconds if self._plan.listen else 0.0
        self._end_pause()
        recover_crawl(self.keeper, self._log, boot=machine_boot(), grace=grace)
        self._apply_wishes()
        self._add_seeds()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._interrupted)
        async with contextlib.AsyncExitStack() as stack:
            for server in await self._listen():
                await stack.enter_async_context(server)
            tasks = [loop.create_task(self._show(show))] if show else []
            scaling = Scaling(self.keeper, self._plan.harvesters)
            tasks.append(loop.create_task(self._keep_slim()))
            tasks.append(loop.create_task(scaling.run()))
            tasks.append(loop.create_task(self._keep_figures()))
            try:
                await self.keeper.run()
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                self._write_figures()
        self._finish()

    def _end_pause(self) -> None:
        """A pause ends with its run: say so where its beginning stands."""
        last = read_runs(self._directory.path).last
        if last is not None and set(last.holds) - {LINE}:
            log_order(self._directory.path, "go_on")

    def _apply_wishes(self) -> None:
        """Block and slow what the settings name."""
        now = self.keeper.clock.now()
        for host in self._plan.blocked:
            self._frontier.block(host, now)
            self._frontier.block_address(host)
        for host, delay in self._plan.slowed.items():
            self._frontier.slow(host, delay)
            self._frontier.slow_address(host, delay)

    def _add_seeds(self) -> None:
        now = self.keeper.clock.now()
        for batch in _batches(self._plan.downloaded, SEED_BATCH):
            self._frontier.mark_downloaded(batch, now)
        if self._plan.downloaded:
            self._log.note("downlist.taken", addresses=len(self._plan.downloaded))
        for batch in _batches(self._plan.seeds, SEED_BATCH):
            self._frontier.add([Request(url) for url in batch], now)
        self._directory.note_sown()
        take_texts(self._frontier, self._directory.path)
        while waiting_links(self._directory.path):
            take_links(self._frontier, self._directory.path, now)

    async def _listen(self) -> list[asyncio.AbstractServer]:
        path = str(self._directory.socket)
        umask = os.umask(0o177)  # only the owner may speak to the keeper
        try:
            servers: list[asyncio.AbstractServer] = [await asyncio.start_unix_server(self._serve, path)]
        finally:
            os.umask(umask)
        if self._plan.listen:
            host, _, port = self._plan.listen.rpartition(":")
            try:
                guarded = functools.partial(self._serve, needs_token=True)
                servers.append(await asyncio.start_server(guarded, host.strip("[]"), int(port)))
            except OSError as error:
                raise SettingsError(f"harvest.listen = {self._plan.listen!r}: {error.strerror}") from error
        return servers

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, needs_token: bool = False
    ) -> None:
        # A peer that is still there when the process ends: asyncio would print a trace for it.
        with contextlib.suppress(asyncio.CancelledError):
            await self.keeper.serve(reader, writer, needs_token=needs_token)

    def _interrupted(self) -> None:
        """First signal: stop cleanly. Second: at once, as if killed; nothing acknowledged is lost."""
        if self._insistence.is_shown(time.monotonic()):
            _show_cursor()
            os._exit(130)
        self.keeper.stop("interrupted")

    async def _show(self, show: Callable[[Keeper], object]) -> None:
        while True:
            show(self.keeper)
            await asyncio.sleep(0.5)

    async def _keep_figures(self) -> None:
        while True:
            self._write_figures()
            await asyncio.sleep(FIGURES_SECONDS)

    async def _keep_slim(self) -> None:
        while True:
            await asyncio.sleep(SLIM_SECONDS)
            await asyncio.to_thread(give_memory_back)  # which lets others work meanwhile

    def _write_figures(self) -> None:
        self._figures.write(status(self.keeper), self.keeper.clock.now())

    def _finish(self) -> None:
        self._frontier.runs.end()
        if (self._directory.path / "warc").exists():
            merge_cdxj(self._directory.path)
        self._log.note(
            "crawl.ended", because=self.keeper.figures.stopped_because, pages=self._frontier.counters.pages
        )
        self._log.close()


def recover_crawl(keeper: Keeper, log: EventLog, *, boot: str, grace: float) -> None:
    """Put right what a crash left behind; `grace` is how long harvesters may work on without a keeper."""
    now = keeper.clock.now()
    pause = keeper.frontier.policy.politeness.general_pause
    ranges = keeper.frontier.policy.cdn_ranges
    rests_until = keeper.frontier.runs.begin(boot, keeper.clock.offset, now=now, rest=pause, ranges=ranges)
    if rests_until > now:
        keeper.rest(rests_until)
        log.note("everybody.rests", rest_seconds=rests_until - now)
    returned = keeper.frontier.recover(now, grace=grace)
    if returned:
        log.note("leases.returned", requests=returned)
    keeper.repair_outputs(reads=True)


def _show_cursor() -> None:
    """Leave a terminal as it was: a display that is not ended in good order leaves its cursor hidden."""
    if os.isatty(1):
        os.write(1, b"\x1b[?25h\n")


def _batches(items: list[str], size: int) -> Iterator[list[str]]:
    return (items[i : i + size] for i in range(0, len(items), size))
