"""What does a run do when it has nothing left to request?

    at work ─▶ nothing left ─▶ the operator's command ─▶ idle, until there is work again
                                                      ─▶ another round
                                                      ─▶ the end

`ending.sequel_of` decides; this module keeps what has to be remembered between checks.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from tiptoe.keeper.ending import Sequel, sequel_of
from tiptoe.observe.eventlog import EventLog
from tiptoe.observe.stops import Stop
from tiptoe.protocol.status import Cause

__all__ = ["Afterwards"]

Telling = Callable[[Stop], Coroutine[Any, Any, None]]
"""Runs the operator's command for this ending, and waits for it to exit."""


class Afterwards:
    """Decides whether a run with nothing left to do goes on."""

    def __init__(
        self, log: EventLog, *, requests: Callable[[], int], can_loop: Callable[[], bool],
        loop: Callable[[], None],
    ) -> None:  # fmt: skip
        """`requests`: how many were made so far. `can_loop`: whether another round has anything to visit."""
        self._log = log
        self._requests = requests
        self._can_loop = can_loop
        self._loop = loop
        self.tell: Telling | None = None  # None: the operator gave no command
        self._telling: asyncio.Task[None] | None = None
        self._told_at = -1  # requests made when the command was last started
        self.is_idle = False

    @property
    def cause(self) -> Cause | None:
        """Why nothing happens, if this is the reason."""
        if self._telling is not None and not self._telling.done():
            return Cause.END_COMMAND
        return Cause.IDLE if self.is_idle else None

    def note_work(self) -> None:
        """Note that there is work again."""
        if self.is_idle:
            self._log.note("crawl.goes_on")
        self.is_idle = False

    def goes_on(self, stop: Stop, on_end: str) -> bool:
        """Return whether the run goes on although nothing is left; called again as long as that is so."""
        sequel = sequel_of(stop, on_end, is_fruitful=on_end != Sequel.LOOP.value or self._can_loop())
        if sequel not in (Sequel.IDLE, Sequel.LOOP):
            # A command that is still running comes first; it is started once more for the end of the run.
            return self._telling is not None and not self._telling.done()
        if self.run_command(stop):
            return True
        if sequel is Sequel.LOOP:
            self._log.note("round.begins")
            self._loop()
        elif not self.is_idle:
            self.is_idle = True
            self._log.note("crawl.idle")
        return True

    @property
    def has_told(self) -> bool:
        """Whether the command was started after the last request."""
        return self._told_at == self._requests()

    def run_command(self, stop: Stop) -> bool:
        """Start the command if there were requests since its last start; return whether it is running."""
        if self._telling is not None:
            if not self._telling.done():
                return True
            self._telling = None
        elif self.tell is not None and not self.has_told:
            self._told_at = self._requests()
            self._telling = asyncio.get_running_loop().create_task(self.tell(stop))
            return True
        return False

    async def close(self) -> None:
        """End the command if it is still running."""
        if self._telling is not None:
            self._telling.cancel()
            await asyncio.gather(self._telling, return_exceptions=True)
