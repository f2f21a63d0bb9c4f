"""Who starts the harvesters of this machine, and replaces those that die?

Each harvester is a process of its own: a page that crashes it takes nothing
else along. One that dies again and again is started ever more slowly.
"""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tiptoe.observe.eventlog import EventLog

__all__ = ["Crew", "harvester_command"]

ROOMY_MEMORY = {
    "MALLOC_TRIM_THRESHOLD_": str(256 << 20),
    "MALLOC_MMAP_THRESHOLD_": str(64 << 20),
    "MALLOC_TOP_PAD_": str(16 << 20),
}
"""Each page needs and frees a megabyte or two: the allocator shall keep it for the next one."""

RESTART_SECONDS_MAX = 30.0
QUICK_DEATH_SECONDS = 5.0
QUICK_DEATHS_MAX = 6


@dataclass(slots=True)
class Hand:
    """One place in the crew and the process that holds it now."""

    name: str
    process: asyncio.subprocess.Process | None = None
    quick_deaths: int = 0
    is_wanted: bool = True
    task: asyncio.Task[None] | None = field(default=None, repr=False)


class Crew:
    """The harvester processes of this machine."""

    def __init__(self, command: Sequence[str], log: EventLog, *, errors: Path | None = None) -> None:
        self._command = list(command)
        self._errors = errors  # where their last words go; the terminal unless given
        self._log = log
        self._hands: dict[str, Hand] = {}
        self._made = 0

    def __len__(self) -> int:
        return sum(hand.is_wanted for hand in self._hands.values())

    @property
    def is_hopeless(self) -> bool:
        """Whether harvesters die as soon as they are started, again and again."""
        return any(hand.quick_deaths >= QUICK_DEATHS_MAX for hand in self._hands.values())

    @property
    def is_running(self) -> bool:
        """Whether any process is alive or about to be."""
        return any(hand.task is not None and not hand.task.done() for hand in self._hands.values())

    def add(self) -> None:
        """Take one more harvester on."""
        self._made += 1
        hand = Hand(f"h{self._made}")
        self._hands[hand.name] = hand
        hand.task = asyncio.get_running_loop().create_task(self._keep(hand))

    def release(self, name: str) -> None:
        """Do not replace this harvester when it leaves."""
        if name in self._hands:
            self._hands[name].is_wanted = False

    def newest(self) -> str | None:
        """Return the harvester that came last."""
        wanted = [hand.name for hand in self._hands.values() if hand.is_wanted]
        return wanted[-1] if wanted else None

    def is_alive(self, pid: int) -> bool:
        """Whether a process of this crew still runs."""
        running = (hand.process for hand in self._hands.values() if hand.process is not None)
        return any(process.pid == pid and process.returncode is None for process in running)

    def kill(self, name: str, *, pid: int = 0) -> bool:
        """End a process that no longer answers, and replace it if it is wanted; False when it is not ours.

        A harvester of another machine may have the same name: `pid` tells them apart.
        """
        hand = self._hands.get(name)
        if hand is None or hand.process is None or pid not in (0, hand.process.pid):
            return False
        if hand.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                hand.process.send_signal(signal.SIGKILL)
        return True

    async def wait(self, seconds: float) -> None:
        """Wait for everybody to leave; kill whoever has not left by then."""
        for hand in self._hands.values():
            hand.is_wanted = False
        tasks = [hand.task for hand in self._hands.values() if hand.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=seconds)
        for hand in self._hands.values():
            self.kill(hand.name)
        if tasks:
            await asyncio.wait(tasks, timeout=5.0)

    async def _keep(self, hand: Hand) -> None:
        """Keep one place filled."""
        loop = asyncio.get_running_loop()
        while hand.is_wanted:
            started_at = loop.time()
            hand.process = await self._start(hand.name)
            self._log.note("harvester.started", name=hand.name, pid=hand.process.pid)
            code = await hand.process.wait()
            self._log.note("harvester.ended", name=hand.name, code=code)
            is_quick = code != 0 and loop.time() - started_at < QUICK_DEATH_SECONDS
            hand.quick_deaths = hand.quick_deaths + 1 if is_quick else 0
            if hand.is_wanted and hand.quick_deaths:
                await asyncio.sleep(min(0.2 * 2.0**hand.quick_deaths, RESTART_SECONDS_MAX))

    async def _start(self, name: str) -> asyncio.subprocess.Process:
        with contextlib.ExitStack() as stack:
            errors = stack.enter_context(self._errors.open("ab")) if self._errors else None
            return await asyncio.create_subprocess_exec(
                *self._command,
                "--name",
                name,
                stdin=asyncio.subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
                env={**ROOMY_MEMORY, **os.environ},
            )


def harvester_command(socket: str) -> list[str]:
    """Return the command line that starts a harvester of this installation."""
    return [sys.executable, "-m", "tiptoe.harvest", "--is-crew", "--connect", socket]
