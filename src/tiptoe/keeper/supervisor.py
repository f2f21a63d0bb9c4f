"""Who starts the harvesters of this machine, and replaces those that die?

Each harvester is a process of its own: a page that crashes it affects nothing else.
One that dies again and again is restarted after longer and longer pauses.
"""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tiptoe.observe.eventlog import EventLog

__all__ = ["Supervisor", "harvester_command"]

ROOMY_MEMORY = {
    "MALLOC_TRIM_THRESHOLD_": str(256 << 20),
    "MALLOC_MMAP_THRESHOLD_": str(64 << 20),
    "MALLOC_TOP_PAD_": str(16 << 20),
}
"""Each page needs and frees a megabyte or two: the allocator should keep it for the next one."""

RESTART_SECONDS_MAX = 30.0
QUICK_DEATH_SECONDS = 5.0
QUICK_DEATHS_MAX = 6


@dataclass(slots=True)
class Worker:
    """A harvester by name, and its current process."""

    name: str
    process: asyncio.subprocess.Process | None = None
    quick_deaths: int = 0
    is_wanted: bool = True
    task: asyncio.Task[None] | None = field(default=None, repr=False)


class Supervisor:
    """The harvester processes of this machine."""

    def __init__(
        self, command: Sequence[str], log: EventLog, *, errors: Path | None = None,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:  # fmt: skip
        self._command = list(command)
        self._errors = errors  # where their standard error goes; None: to the terminal
        self._log = log
        self._pause = pause
        self._workers: dict[str, Worker] = {}
        self._made = 0

    def __len__(self) -> int:
        return sum(worker.is_wanted for worker in self._workers.values())

    @property
    def is_hopeless(self) -> bool:
        """Whether harvesters die as soon as they are started, again and again."""
        return any(worker.quick_deaths >= QUICK_DEATHS_MAX for worker in self._workers.values())

    @property
    def is_running(self) -> bool:
        """Whether any process is running or about to be started."""
        return any(worker.task is not None and not worker.task.done() for worker in self._workers.values())

    def add(self) -> None:
        """Start one more harvester."""
        self._made += 1
        worker = Worker(f"h{self._made}")
        self._workers[worker.name] = worker
        worker.task = asyncio.get_running_loop().create_task(self._keep(worker))

    def release(self, name: str) -> None:
        """Do not replace this harvester when it leaves."""
        if name in self._workers:
            self._workers[name].is_wanted = False

    def newest(self) -> str | None:
        """Return the harvester that was added last."""
        wanted = [worker.name for worker in self._workers.values() if worker.is_wanted]
        return wanted[-1] if wanted else None

    def is_alive(self, pid: int) -> bool:
        """Whether a process of this supervisor still runs."""
        running = (worker.process for worker in self._workers.values() if worker.process is not None)
        return any(process.pid == pid and process.returncode is None for process in running)

    def kill(self, name: str, *, pid: int = 0) -> bool:
        """Kill a process that no longer answers; it is replaced if it is wanted. False if it is not ours.

        A harvester on another machine may have the same name: `pid` tells them apart.
        """
        worker = self._workers.get(name)
        if worker is None or worker.process is None or pid not in (0, worker.process.pid):
            return False
        if worker.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                worker.process.send_signal(signal.SIGKILL)
        return True

    async def wait(self, seconds: float) -> None:
        """Wait for all harvesters to leave; kill those that have not left by then."""
        for worker in self._workers.values():
            worker.is_wanted = False
        tasks = [worker.task for worker in self._workers.values() if worker.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=seconds)
        for worker in self._workers.values():
            self.kill(worker.name)
        if tasks:
            await asyncio.wait(tasks, timeout=5.0)

    async def _keep(self, worker: Worker) -> None:
        """Start a harvester, and restart it whenever it dies, as long as it is wanted."""
        loop = asyncio.get_running_loop()
        while worker.is_wanted:
            started_at = loop.time()
            code = await self._run(worker)
            is_quick = code != 0 and loop.time() - started_at < QUICK_DEATH_SECONDS
            worker.quick_deaths = worker.quick_deaths + 1 if is_quick else 0
            if worker.is_wanted and worker.quick_deaths:
                await self._pause(min(0.2 * 2.0**worker.quick_deaths, RESTART_SECONDS_MAX))

    async def _run(self, worker: Worker) -> int | None:
        """Start a harvester and wait until it exits; return its exit code, None if it did not start."""
        try:
            worker.process = await self._start(worker.name)
        except OSError as error:  # the machine lacks resources, which may pass
            self._log.note("harvester.not_started", name=worker.name, error=repr(error))
            return None
        self._log.note("harvester.started", name=worker.name, pid=worker.process.pid)
        code = await worker.process.wait()
        self._log.note("harvester.ended", name=worker.name, code=code)
        return code

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
    return [sys.executable, "-m", "tiptoe.harvest", "--is-worker", "--connect", socket]
