"""Who is digested next?

Digesting an answer keeps the loop busy for about a millisecond, and a long page for twenty. When hundreds
come in at once, they would keep it from its sockets and timers for seconds; at the desk a few are
served per turn of the loop, in order: as many as the last ones took their time.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Final

__all__ = ["Desk"]

TURN_SECONDS: Final = 0.1
"""So long the loop may be kept busy at a time."""

MEMORY: Final = 0.75
"""Weight of the past in the time that one of them takes."""


class Desk:
    """Lets so many through per turn of the loop."""

    def __init__(self, seats: int, *, clock: Callable[[], float] = time.perf_counter) -> None:
        self._seats_max = seats
        self._seats = seats
        self._clock = clock  # the loop's own stands still during a turn
        self._began_at = 0.0
        self._seconds_each = 0.0
        self._taken = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._loop = asyncio.get_running_loop()
        self._is_clearing = False

    async def sit(self) -> None:
        """Wait for a seat; it is free again at the next turn of the loop."""
        if self._taken < self._seats and not self._waiting:
            self._taken += 1
            self._clear_soon()
            return
        turn: asyncio.Future[None] = self._loop.create_future()
        self._waiting.append(turn)
        await turn

    def _clear_soon(self) -> None:
        if not self._is_clearing:
            self._is_clearing = True
            self._began_at = self._clock()
            self._loop.call_soon(self._clear)

    def _clear(self) -> None:
        self._is_clearing = False
        self._set_seats()
        self._taken = 0
        while self._waiting and self._taken < self._seats:
            turn = self._waiting.popleft()
            if not turn.done():  # else its task was cancelled
                turn.set_result(None)
                self._taken += 1
        if self._taken:
            self._clear_soon()

    def _set_seats(self) -> None:
        """Have as many seats as can be served in a turn, by what the last ones took."""
        each = (self._clock() - self._began_at) / self._taken
        self._seconds_each = MEMORY * self._seconds_each + (1 - MEMORY) * each
        fitting = TURN_SECONDS / self._seconds_each if self._seconds_each else self._seats_max
        self._seats = max(1, min(self._seats_max, int(fitting)))
