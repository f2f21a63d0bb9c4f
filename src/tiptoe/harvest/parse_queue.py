"""When is an answer read?

Reading an answer keeps the loop busy for half a millisecond, and a long page for twenty. When hundreds come
in at once, they would keep it from its sockets and timers for seconds. So answers are queued, and some
are read per turn of the loop, in order: as many as there is time for, by what the last ones took.
Those of a turn are read in a row, which is cheaper than one by one between other things.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final, TypeVar

__all__ = ["ParseQueue"]

TURN_SECONDS: Final = 0.1
"""Maximum of seconds for which the loop is kept busy at a time; above it the next answers wait for a turn."""

MEMORY: Final = 0.75
"""Weight of the past in the time that one of them takes."""

Read = TypeVar("Read")


class ParseQueue:
    """Reads some answers per turn of the loop."""

    def __init__(self, most: int, *, clock: Callable[[], float] = time.perf_counter) -> None:
        self._most = most
        self._count = most
        self._clock = clock  # the loop's own stands still during a turn
        self._seconds_each = 0.0
        self._waiting: deque[tuple[asyncio.Future[Any], Callable[[], Any]]] = deque()
        self._loop = asyncio.get_running_loop()

    def add(self, read: Callable[[], Read]) -> "asyncio.Future[Read]":
        """Have something read when its turn has come."""
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
                break  # whoever added it decides first: the next would cover the traces
        self._set_count((self._clock() - began_at) / count)
        if self._waiting:
            self._loop.call_soon(self._read_some)

    def _set_count(self, seconds_each: float) -> None:
        """Read as many as there is time for in a turn."""
        self._seconds_each = MEMORY * self._seconds_each + (1 - MEMORY) * seconds_each
        fitting = TURN_SECONDS / self._seconds_each if self._seconds_each else self._most
        self._count = max(1, min(self._most, int(fitting)))
