"""What restarts a harvester that works for a keeper on another machine?

Each run of the harvester is a process of its own, as under the keeper's supervisor: a hostile page, a lost
connection or a dead keeper ends that process, and the next one joins with a new incarnation. On the first
signal to stop, the watchdog lets the process leave cleanly; on the second, it kills it.
"""

import asyncio
import random
import signal
import sys
import time
from collections.abc import Callable, Sequence

from tiptoe.harvest.comeback import Comeback, HarvesterExit

__all__ = ["Watchdog", "worker_command"]


class Watchdog:
    """Starts one harvester again and again."""

    def __init__(
        self, command: Sequence[str], *, give_up_seconds: float, tell: Callable[[str], object]
    ) -> None:
        self._command = list(command)
        self._comeback = Comeback(give_up_seconds=give_up_seconds, now=time.monotonic())
        self._tell = tell
        self._stop = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None

    async def run(self) -> int:
        """Keep a harvester running until the keeper or the operator ends it; return the exit code."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._stopped)
        while True:
            began_at = time.monotonic()
            code = await self._live()
            if code == HarvesterExit.LEFT or self._stop.is_set():
                return HarvesterExit.LEFT
            if code == HarvesterExit.REFUSED:
                return HarvesterExit.REFUSED
            wait = self._comeback.wait_seconds(began_at, time.monotonic(), random.random())
            if wait is None:
                self._tell("there was no keeper for so long that it gives up; see --give-up-after")
                return HarvesterExit.LOST
            self._tell(f"it has ended with code {code}, and starts again in {wait:.1f} s")
            try:
                await asyncio.wait_for(self._stop.wait(), wait)
            except TimeoutError:
                continue
            return HarvesterExit.LEFT

    async def _live(self) -> int:
        self._process = await asyncio.create_subprocess_exec(
            *self._command, stdin=asyncio.subprocess.DEVNULL, start_new_session=True
        )
        try:
            return await self._process.wait()
        finally:
            self._process = None

    def _stopped(self) -> None:
        process, is_second = self._process, self._stop.is_set()
        self._stop.set()
        if process is not None and process.returncode is None:
            process.send_signal(signal.SIGKILL if is_second else signal.SIGTERM)


def worker_command(words: Sequence[str]) -> list[str]:
    """Return the command line of one harvester process, with the watchdog's own options."""
    return [sys.executable, "-m", "tiptoe.harvest", "--is-worker", *words]
