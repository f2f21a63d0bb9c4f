"""How does a run of a crawl begin and end?

    claim the directory ─▶ recover what a crash left ─▶ add seeds
        ─▶ keeper and harvesters ─▶ index ─▶ release

Running again on the same directory goes on where it stopped.
"""

import asyncio
import contextlib
import functools
import os
import resource
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tiptoe.errors import SettingsError
from tiptoe.frontier.frontier import Frontier
from tiptoe.keeper.clock import Clock
from tiptoe.keeper.commands import answer
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.document_links import take_link_file
from tiptoe.keeper.document_texts import take_texts
from tiptoe.keeper.door import Door, TurnedAway, strangers_allowed
from tiptoe.keeper.keeper import Keeper, KeeperPlan
from tiptoe.keeper.listener import Listener, listen_at
from tiptoe.keeper.mending import mend_outputs
from tiptoe.keeper.overview import LINE, status_of
from tiptoe.keeper.plan import Reconfiguration, unchangeable
from tiptoe.keeper.scaling import Scaling
from tiptoe.keeper.second_signal import SecondSignal
from tiptoe.keeper.seeds import SeedWatch
from tiptoe.keeper.segmenter_watch import probe
from tiptoe.keeper.standstill import Standstill
from tiptoe.keeper.supervisor import Supervisor, harvester_command
from tiptoe.observe.eventlog import EventLog
from tiptoe.observe.operator_log import log_order
from tiptoe.observe.process import give_memory_back, stopping_signals
from tiptoe.observe.run_figures import read_runs, write_figures
from tiptoe.observe.stops import Stop
from tiptoe.protocol.work import Request
from tiptoe.url.address import host_of
from tiptoe.write.cdxj import merge_cdxj
from tiptoe.write.dropbox import waiting_links
from tiptoe.write.logclock import machine_boot, machine_count

__all__ = ["Session", "SessionPlan", "recover_crawl"]

SEED_BATCH = 1000
FIGURES_SECONDS = 5.0
SLIM_SECONDS = 60.0
TELL_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPlan:
    """What one run is to do, beside the keeper's own plan."""

    seeds: list[str]
    downloaded: list[str] = field(default_factory=list)
    listen: str = ""
    blocked: tuple[str, ...] = ()
    slowed: dict[str, float] = field(default_factory=dict)
    unblocked: tuple[str, ...] = ()  # what the settings of the last run blocked, and now do not
    unslowed: tuple[str, ...] = ()
    changed: frozenset[str] = frozenset()  # settings that are not as they were in the last run
    named: tuple[str, ...] = ()  # seeds that were given to this run, new or not
    remember: Callable[[], None] = lambda: None  # notes the settings for the next run
    change: Callable[[KeeperPlan, Mapping[str, str]], Reconfiguration] = unchangeable
    note: Callable[[str], None] = lambda said: None  # tells the operator something


class Session:
    """One run of a crawl."""

    def __init__(
        self, directory: CrawlDirectory, frontier: Frontier, keeper_plan: KeeperPlan, plan: SessionPlan
    ) -> None:
        self._directory = directory
        self._frontier = frontier
        self._plan = plan
        self._log = EventLog.at(directory.path / "log" / "keeper.log", "keeper")
        count, wall = machine_count(), time.time()
        clock = Clock(offset=frontier.runs.offset(machine_boot(), count=count, wall=wall))
        errors = directory.path / "log" / "harvester-errors.log"
        supervisor = Supervisor(harvester_command(str(directory.socket)), self._log, errors=errors)
        self.keeper = Keeper(
            frontier, keeper_plan, supervisor, self._log, clock, answer=answer, change=plan.change,
            repair=functools.partial(mend_outputs, directory.path),
        )  # fmt: skip
        self._second_signal = SecondSignal()
        self._standstill = Standstill(self._log)
        self._seeds = SeedWatch(plan.seeds)

    async def run(
        self,
        show: Callable[[Keeper], object] | None = None,
        *,
        on_hangup: Callable[[], None] = lambda: None,
    ) -> None:
        """Crawl until it is finished or stopped; `show` is called about twice a second.

        `on_hangup` is called first when a terminal may have gone.
        """
        # Harvesters of this machine died with their keeper; others may work on until their lease ends.
        grace = self.keeper.plan.lease_seconds if self._plan.listen else 0.0
        self._end_pause()
        recover_crawl(self.keeper, self._frontier, self._log, boot=machine_boot(), grace=grace)
        self._apply_host_settings()
        self._add_seeds(self._reconsider())
        # Only now: a run that dies before has to find the same changes again.
        self._plan.remember()
        loop = asyncio.get_running_loop()
        for number in stopping_signals():
            loop.add_signal_handler(number, self._interrupted, number, on_hangup)
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(await self._listen_here())
            if self._plan.listen:
                await stack.enter_async_context(await self._listen_to_others())
            tasks = [loop.create_task(self._show(show))] if show else []
            tasks.append(loop.create_task(self._keep_slim()))
            tasks.append(loop.create_task(Scaling(self.keeper).run()))
            tasks.append(loop.create_task(self._keep_figures()))
            tasks.append(loop.create_task(self._tell()))
            tasks.append(loop.create_task(self._look_at_segmenter()))
            try:
                await self.keeper.run()
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                self._tell_seeds()
                self._write_figures()
        self._finish()

    def _end_pause(self) -> None:
        """A pause ends with its run: say so where its beginning stands."""
        last = read_runs(self._directory.path).last
        if last is not None and set(last.holds) - {LINE}:
            log_order(self._directory.path, "go_on")

    def _apply_host_settings(self) -> None:
        """Block and slow what the settings name, and no longer what only those of the last run named."""
        now = self.keeper.clock.now()
        for host in self._plan.unblocked:
            self._frontier.block(host, now, is_blocked=False)
            self._frontier.block_address(host, is_blocked=False)
        for host in self._plan.unslowed:
            self._frontier.slow(host, 0.0)
            self._frontier.slow_address(host, 0.0)
        for host in self._plan.blocked:
            self._frontier.block(host, now)
            self._frontier.block_address(host)
        for host, delay in self._plan.slowed.items():
            self._frontier.slow(host, delay)
            self._frontier.slow_address(host, delay)

    def _reconsider(self) -> list[str]:
        """Judge anew who was given up for reasons that may be gone; return the seeds that may be had now."""
        plan = self._plan
        hosts = dict.fromkeys(map(host_of, plan.named))
        found = self._frontier.reconsider(plan.changed, hosts, self.keeper.clock.now())
        if found.by_reason:
            said = ", ".join(f"{reason} {count}" for reason, count in found.by_reason.most_common())
            self._log.note("hosts.reconsidered", **found.by_reason)
            plan.note(f"judged anew, since their reasons may be gone: hosts that were left ({said})")
        if plan.changed:
            return self._directory.known_seeds() or []
        return [url for url in plan.named if host_of(url) in found.named]

    def _add_seeds(self, again: Iterable[str]) -> None:
        now = self.keeper.clock.now()
        for batch in _batches(self._plan.downloaded, SEED_BATCH):
            self._frontier.mark_downloaded(batch, now)
        if self._plan.downloaded:
            self._log.note("downlist.taken", addresses=len(self._plan.downloaded))
        for batch in _batches(list(dict.fromkeys([*self._plan.seeds, *again])), SEED_BATCH):
            self._frontier.add([Request(url) for url in batch], now)
        self._frontier.after_commit(self._directory.note_sown)
        take_texts(self._frontier, self._directory.path)
        for path in waiting_links(self._directory.path):
            take_link_file(self._frontier, path, now)

    async def _listen_here(self) -> asyncio.AbstractServer:
        umask = os.umask(0o177)  # only the owner may speak to the keeper
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
        # A peer that is still there when the process ends: asyncio would print a trace for it.
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
        """First signal: stop cleanly. Second: at once, as if killed; nothing acknowledged is lost."""
        if number is signal.SIGHUP:
            on_hangup()
        if self._second_signal.is_shown(time.monotonic()):
            _show_cursor()
            os._exit(130)
        self.keeper.stop(Stop.INTERRUPTED)

    async def _show(self, show: Callable[[Keeper], object]) -> None:
        while True:
            show(self.keeper)
            await asyncio.sleep(0.5)

    async def _tell(self) -> None:
        """Say what goes wrong with seeds, and why nothing goes on."""
        while True:
            await asyncio.sleep(TELL_SECONDS)
            self._standstill.watch(self.keeper)
            self._tell_seeds()

    async def _look_at_segmenter(self) -> None:
        """Find out whether the segmenter is there before texts are sent to it; nobody waits for that."""
        keeper = self.keeper
        if keeper.segmenter.url:
            timeout = float(str(keeper.plan.settings["segmenter"].get("timeout", 10.0)))
            keeper.segmenter.looked(await asyncio.to_thread(probe, keeper.segmenter.url, timeout))

    def _tell_seeds(self) -> None:
        now = self.keeper.clock.now()
        for dead in self._seeds.look(self._frontier.host):
            said = dead.said(now)
            self._log.note("seed.dead", url=dead.url, trouble=dead.trouble, is_given_up=not dead.next_at)
            self.keeper.figures.notices.append(said)

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

    def _finish(self) -> None:
        clock = self.keeper.clock
        self._frontier.runs.end(now=clock.now(), wall_ahead=clock.wall_ahead)
        if (self._directory.path / "warc").exists():
            merge_cdxj(self._directory.path)
        self.keeper.reception.refusals.close()
        because = self.keeper.figures.stopped_because or "-"
        self._log.note("crawl.ended", because=because, pages=self._frontier.counters.totals.pages)
        self._log.close()


def recover_crawl(keeper: Keeper, frontier: Frontier, log: EventLog, *, boot: str, grace: float) -> None:
    """Put right what a crash left behind; `grace` is how long harvesters may work on without a keeper."""
    now = keeper.clock.now()
    pause = frontier.policy.politeness.general_pause
    ranges = frontier.policy.cdn_ranges
    rests_until = frontier.runs.begin(
        boot, keeper.clock.offset, now=now, rest=pause, ranges=ranges, wall_ahead=keeper.clock.wall_ahead
    )
    if rests_until > now:
        keeper.rest(rests_until)
        log.note("everybody.rests", rest_seconds=rests_until - now)
    returned = frontier.recover(now, grace=grace)
    if returned:
        log.note("leases.returned", requests=returned)
    keeper.repair_outputs(reads=True)


def _show_cursor() -> None:
    """Leave a terminal as it was: a display that is not ended in good order leaves its cursor hidden."""
    if os.isatty(1):
        os.write(1, b"\x1b[?25h\n")


def _batches(items: list[str], size: int) -> Iterator[list[str]]:
    return (items[i : i + size] for i in range(0, len(items), size))
