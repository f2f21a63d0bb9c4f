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
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tiptoe.errors import SettingsError
from tiptoe.frontier.frontier import Frontier
from tiptoe.frontier.messages import Request
from tiptoe.keeper.clock import Clock
from tiptoe.keeper.commands import answer
from tiptoe.keeper.crew import Crew, harvester_command
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.scaling import Scaling
from tiptoe.keeper.service import Keeper, KeeperPlan
from tiptoe.observe.eventlog import EventLog
from tiptoe.write.cdxj import merge_cdxj
from tiptoe.write.recovery import recover

__all__ = ["Session", "SessionPlan", "read_urls"]

SEED_BATCH = 1000
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


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
        clock = Clock()
        errors = directory.path / "log" / "harvester-errors.log"
        crew = Crew(harvester_command(str(directory.socket)), self._log, errors=errors)
        self.keeper = Keeper(
            frontier, keeper_plan, crew, self._log, clock, repair=self._repair, answer=answer
        )
        self._signals = 0

    async def run(self, show: Callable[[Keeper], object] | None = None) -> None:
        """Crawl until it is finished or stopped; `show` is called about twice a second."""
        self._recover()
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
            tasks.append(loop.create_task(scaling.run()))
            try:
                await self.keeper.run()
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        self._finish()

    def _recover(self) -> None:
        """Put right what a crash left behind."""
        now = self.keeper.clock.now()
        # Harvesters of this machine died with their keeper; others may work on until their lease ends.
        grace = self.keeper.plan.lease_seconds if self._plan.listen else 0.0
        if self._frontier.begin_run(_boot_id()):
            # Nobody knows whom the lost writes were about: everybody gets a pause.
            self.keeper.rest(self._frontier.policy.politeness.general_pause)
            self._log.note("machine.went_down", rest_seconds=self._frontier.policy.politeness.general_pause)
        returned = self._frontier.recover(now, grace=grace)
        if returned:
            self._log.note("leases.returned", requests=returned)
        repaired = self._repair(self._frontier.marks(), set())
        self.keeper.figures.repaired.extend(repaired)
        for repair in repaired:
            self._log.note("output.repaired", what=repair)

    def _repair(self, marks: dict[str, int], live: set[str]) -> list[str]:
        """Cut the output files back to their marks; return what is worth telling."""
        told = []
        for repair in recover(self._directory.path, marks, live):
            if repair.lost_bytes:
                told.append(f"{repair.file}: {repair.lost_bytes} bytes that were acknowledged are lost")
            elif repair.cut_bytes:
                told.append(f"{repair.file}: a tail of {repair.cut_bytes} unacknowledged bytes was cut off")
        return told

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
        for batch in _batches(self._plan.seeds, SEED_BATCH):
            self._frontier.add([Request(url) for url in batch], now)

    async def _listen(self) -> list[asyncio.AbstractServer]:
        path = str(self._directory.socket)
        umask = os.umask(0o177)  # only the owner may speak to the keeper
        try:
            servers: list[asyncio.AbstractServer] = [await asyncio.start_unix_server(self.keeper.serve, path)]
        finally:
            os.umask(umask)
        if self._plan.listen:
            host, _, port = self._plan.listen.rpartition(":")
            try:
                guarded = functools.partial(self.keeper.serve, needs_token=True)
                servers.append(await asyncio.start_server(guarded, host.strip("[]"), int(port)))
            except OSError as error:
                raise SettingsError(f"harvest.listen = {self._plan.listen!r}: {error.strerror}") from error
        return servers

    def _interrupted(self) -> None:
        """First signal: stop cleanly. Second: at once, as if killed; nothing acknowledged is lost."""
        self._signals += 1
        if self._signals == 1:
            self.keeper.stop("interrupted")
        else:
            os._exit(130)

    async def _show(self, show: Callable[[Keeper], object]) -> None:
        while True:
            show(self.keeper)
            await asyncio.sleep(0.5)

    def _finish(self) -> None:
        self._frontier.end_run()
        if (self._directory.path / "warc").exists():
            merge_cdxj(self._directory.path)
        self._log.note(
            "crawl.ended", because=self.keeper.figures.stopped_because, pages=self._frontier.counters.pages
        )
        self._log.close()


def _boot_id() -> str:
    """Return what tells this start of the machine from others; the same for all where nobody can say."""
    try:
        return BOOT_ID.read_text().strip()
    except OSError:
        return "unknown"


def _batches(items: list[str], size: int) -> Iterator[list[str]]:
    return (items[i : i + size] for i in range(0, len(items), size))


def read_urls(path: Path) -> list[str]:
    """Return the addresses in a file, separated by spaces or lines; `#` begins a comment line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a UTF-8 text file"
        raise SettingsError(f"{path}: {reason}") from error
    return [word for line in lines if not line.lstrip().startswith("#") for word in line.split()]
