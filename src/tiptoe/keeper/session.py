"""How does a run of a crawl begin and end?

claim the directory ─▶ bring the crawl to where it stopped, or begins (`lifecycle`)
    ─▶ keeper and harvesters ─▶ index ─▶ release
"""

import asyncio
import contextlib
import os
import resource
import signal
import time
from collections.abc import Callable

import msgspec

from tiptoe.errors import SettingsError
from tiptoe.keeper.commands import answer
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.door import Door, TurnedAway, strangers_allowed
from tiptoe.keeper.end_command import EndCommand
from tiptoe.keeper.ending import runs_end_command
from tiptoe.keeper.keeper import Keeper, KeeperPlan
from tiptoe.keeper.lifecycle import Lifecycle
from tiptoe.keeper.listener import Listener, listen_at
from tiptoe.keeper.overview import status_of
from tiptoe.keeper.plan import SessionPlan
from tiptoe.keeper.scaling import Scaling
from tiptoe.keeper.second_signal import SecondSignal
from tiptoe.keeper.seeds import SeedWatch
from tiptoe.keeper.segmenter_watch import probe
from tiptoe.keeper.standstill import Standstill
from tiptoe.keeper.supervisor import Supervisor, harvester_command
from tiptoe.observe.eventlog import EventLog
from tiptoe.observe.process import give_memory_back, stopping_signals
from tiptoe.observe.run_figures import write_figures
from tiptoe.observe.stops import Stop
from tiptoe.write.cdxj import merge_cdxj

__all__ = ["Session"]

FIGURES_SECONDS = 5.0
SLIM_SECONDS = 60.0
TELL_SECONDS = 1.0


class Session:
    """One run of a crawl."""

    def __init__(
        self, directory: CrawlDirectory, lifecycle: Lifecycle, keeper_plan: KeeperPlan, plan: SessionPlan,
        log: EventLog,
    ) -> None:  # fmt: skip
        self._directory = directory
        self._lifecycle = lifecycle
        self._plan = plan
        self._log = log
        errors = directory.path / "log" / "harvester-errors.log"
        supervisor = Supervisor(harvester_command(str(directory.socket)), self._log, errors=errors)
        self.keeper = Keeper(
            lifecycle.frontier, keeper_plan, supervisor, self._log, lifecycle.clock, answer=answer,
            change=plan.change, repair=lifecycle.repair, may_echo=lifecycle.may_echo, leave=lifecycle.leave,
            can_loop=lifecycle.can_loop, loop=lifecycle.loop,
        )  # fmt: skip
        self._second_signal = SecondSignal()
        self._standstill = Standstill(self._log)
        self._seeds = SeedWatch(plan.seeds)
        self._last_word: asyncio.Task[None] | None = None
        if plan.on_end_command:
            self.keeper.afterwards.tell = self._run_end_command

    async def run(
        self,
        show: Callable[[Keeper], object] | None = None,
        *,
        on_hangup: Callable[[], None] = lambda: None,
    ) -> None:
        """Crawl until it is finished or stopped; `show` is called about twice a second.

        `on_hangup` is called before anything else if the terminal may have gone.
        """
        loop = asyncio.get_running_loop()
        for number in stopping_signals():
            loop.add_signal_handler(number, self._interrupted, number, on_hangup)
        showing = [loop.create_task(self._show(show))] if show else []
        try:
            await self._lifecycle.begin(self.keeper)
        except BaseException:
            for task in showing:
                task.cancel()
            raise
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(await self._listen_here())
            if self._plan.listen:
                await stack.enter_async_context(await self._listen_to_others())
            tasks = [*showing, loop.create_task(self._keep_slim())]
            tasks.append(loop.create_task(Scaling(self.keeper).run()))
            tasks.append(loop.create_task(self._keep_figures()))
            tasks.append(loop.create_task(self._tell()))
            tasks.append(loop.create_task(self._look_at_segmenter()))
            tasks.append(loop.create_task(self._accompany()))
            try:
                await self.keeper.run()
            finally:
                await self.keeper.afterwards.close()
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                self._report_seeds()
                self._write_figures()
        await self._finish()

    async def _listen_here(self) -> asyncio.AbstractServer:
        umask = os.umask(0o177)  # only the owner may connect to the keeper
        try:
            return await asyncio.start_unix_server(self._serve, str(self._directory.socket))
        finally:
            os.umask(umask)

    async def _listen_to_others(self) -> Listener:
        host, _, port = self._plan.listen.rpartition(":")
        try:
            sockets = await listen_at(host.strip("[]"), int(port))
        except OSError as error:
            raise SettingsError(f"harvest.listen = {self._plan.listen!r}: {error.strerror}") from error
        files_max, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        door = Door(strangers_max=strangers_allowed(files_max))
        return Listener(sockets, door, self._serve_stranger, self._turn_away)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # If a peer is still connected when the process ends, asyncio would print a traceback.
        with contextlib.suppress(asyncio.CancelledError):
            await self.keeper.reception.serve(reader, writer)

    async def _serve_stranger(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, peer: str,
        let_in: Callable[[], None],
    ) -> None:  # fmt: skip
        await self.keeper.reception.serve(reader, writer, needs_token=True, peer=peer, let_in=let_in)

    def _turn_away(self, peer: str, reason: TurnedAway) -> None:
        self.keeper.reception.refuse(peer, reason.value)

    def _interrupted(self, number: signal.Signals, on_hangup: Callable[[], None]) -> None:
        """Stop cleanly at the first signal, and at once at the second, which loses nothing acknowledged."""
        if number is signal.SIGHUP:
            on_hangup()
        if self._second_signal.is_shown(time.monotonic()):
            _show_cursor()
            os._exit(130)
        self.keeper.stop(Stop.INTERRUPTED)
        if self._last_word is not None:
            self._last_word.cancel()

    async def _accompany(self) -> None:
        try:
            await self._lifecycle.accompany(self.keeper)
        except Exception as error:
            self.keeper.fail(error)

    async def _show(self, show: Callable[[Keeper], object]) -> None:
        while True:
            show(self.keeper)
            await asyncio.sleep(0.5)

    async def _tell(self) -> None:
        """Report from time to time what goes wrong with seeds, and why the crawl stands still."""
        while True:
            await asyncio.sleep(TELL_SECONDS)
            self._standstill.watch(self.keeper)
            self._report_seeds()

    async def _look_at_segmenter(self) -> None:
        """Find out whether the segmenter answers before texts are sent to it; nothing waits for this."""
        keeper = self.keeper
        if keeper.segmenter.url:
            timeout = float(str(keeper.plan.settings["segmenter"].get("timeout", 10.0)))
            keeper.segmenter.looked(await asyncio.to_thread(probe, keeper.segmenter.url, timeout))

    def _report_seeds(self) -> None:
        now = self.keeper.clock.now()
        for dead in self._seeds.look(self.keeper.frontier.host):
            said = dead.describe(now)
            self._log.note("seed.dead", url=dead.url, trouble=dead.trouble, is_given_up=not dead.next_at)
            self.keeper.figures.notices.append(said)
        frontier = self.keeper.frontier
        for vain in self._seeds.look_at_pages(frontier.page_at, frontier.host):
            self._log.note("seed.vain", url=vain.url, outcome=vain.outcome)
            self.keeper.figures.notices.append(vain.describe())

    async def _keep_figures(self) -> None:
        while True:
            self._write_figures()
            await asyncio.sleep(FIGURES_SECONDS)

    async def _keep_slim(self) -> None:
        while True:
            await asyncio.sleep(SLIM_SECONDS)
            await asyncio.to_thread(give_memory_back)  # which lets others work meanwhile

    def _write_figures(self) -> None:
        write_figures(self._directory.path, status_of(self.keeper))

    async def _finish(self) -> None:
        self._report_seeds()  # what became of them since the last check
        await self._lifecycle.end(self.keeper)
        if (self._directory.path / "warc").exists():
            merge_cdxj(self._directory.path)
        await self._report_end()
        self.keeper.reception.refusals.close()
        because = self.keeper.figures.stopped_because or "-"
        self._log.note("crawl.ended", because=because, pages=self.keeper.frontier.counters.totals.pages)
        self._log.close()

    async def _report_end(self) -> None:
        """Run the operator's command for the end of the run, unless it has run since the last request."""
        because, told = self.keeper.figures.stopped_because, self.keeper.afterwards
        if not self._plan.on_end_command or not runs_end_command(because) or told.has_told:
            return
        self._last_word = asyncio.get_running_loop().create_task(self._run_end_command(because))
        with contextlib.suppress(asyncio.CancelledError):
            await self._last_word

    async def _run_end_command(self, because: Stop | None) -> None:
        """Run the operator's command with the current figures; report a failure."""
        command = EndCommand(
            self._plan.on_end_command, self._plan.on_end_seconds, self._directory.path, self._log, os.environ
        )
        figures = msgspec.structs.replace(status_of(self.keeper), stopped_because=because or "")
        fault = await command.run(msgspec.json.encode(figures) + b"\n")
        if fault:
            self.keeper.figures.notices.append(f"crawl.on_end_command {fault}")


def _show_cursor() -> None:
    """Show the cursor of the terminal: a display that is not closed properly leaves it hidden."""
    if os.isatty(1):
        os.write(1, b"\x1b[?25h\n")
