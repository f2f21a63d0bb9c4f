"""Who is digested next?

Digesting an answer keeps the loop busy for about a millisecond. When hundreds
come in at once, they would keep it from its sockets and timers for half a
second; at the desk a few are served per turn of the loop, in order.
"""

import asyncio
from collections import deque

__all__ = ["Desk"]


class Desk:
    """Lets so many through per turn of the loop."""

    def __init__(self, seats: int) -> None:
        self._seats = seats
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
            self._loop.call_soon(self._clear)

    def _clear(self) -> None:
        self._is_clearing = False
        self._taken = 0
        while self._waiting and self._taken < self._seats:
            turn = self._waiting.popleft()
            if not turn.done():  # else its task was cancelled
                turn.set_result(None)
                self._taken += 1
        if self._taken:
            self._clear_soon()
