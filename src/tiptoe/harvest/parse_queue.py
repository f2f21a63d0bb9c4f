"""When is an answer read?

Reading an answer blocks the event loop for half a millisecond, a long page for twenty. Hundreds that arrive
at once would keep it from its sockets and timers for seconds. So answers are queued and read in order, a few
per turn of the loop: as many as there is time for, judging by the last ones. Reading several in a row is
cheaper than reading them one by one in between other work.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final, TypeVar

__all__ = ["ParseQueue"]

TURN_SECONDS: Final = 0.1
"""Seconds for which the loop may be blocked at a time; further answers wait for the next turn."""

MEMORY: Final = 0.75
"""Weight of past turns in the average time per answer, from 0 to 1."""

Read = TypeVar("Read")


class ParseQueue:
    """Reads some answers per turn of the loop."""

    def __init__(self, most: int, *, clock: Callable[[], float] = time.perf_counter) -> None:
        self._most = most
        self._count = most
        self._clock = clock  # the loop's own clock does not advance during a turn
        self._seconds_each = 0.0
        self._waiting: deque[tuple[asyncio.Future[Any], Callable[[], Any]]] = deque()
        self._loop = asyncio.get_running_loop()

    def add(self, read: Callable[[], Read]) -> "asyncio.Future[Read]":
        """Queue a reading; return its future outcome."""
        outcome: asyncio.Future[Read] = self._loop.create_future()
        if not self._waiting:
            self._loop.call_soon(self._read_some)
        self._waiting.append((outcome, read))
        return outcome

    def _read_some(self) -> None:
        began_at = self._clock()
        count = 0
        while self._waiting and count < self._count:
            count += 1
            outcome, read = self._waiting.popleft()
            if outcome.done():  # its task was cancelled
                continue
            try:
                outcome.set_result(read())
            except Exception as error:
                outcome.set_exception(error)
                break  # the caller acts first: reading another answer would overwrite the busy note
        self._set_count((self._clock() - began_at) / count)
        if self._waiting:
            self._loop.call_soon(self._read_some)

    def _set_count(self, seconds_each: float) -> None:
        """Set how many answers the next turn reads, from the time per answer."""
        self._seconds_each = MEMORY * self._seconds_each + (1 - MEMORY) * seconds_each
        fitting = TURN_SECONDS / self._seconds_each if self._seconds_each else self._most
        self._count = max(1, min(self._most, int(fitting)))
