"""Is there room for one more request?

A limited number may be under way in this process at once; further ones wait in line.
`asyncio.Semaphore` is too slow: to wake the next waiter, it first goes past all that it has just woken.
"""

import asyncio
from collections import deque
from types import TracebackType

__all__ = ["Slots"]


class Slots:
    """Slots that are taken by `async with` and passed on in order of arrival.

    Invariant: no task waits while a slot is free.
    """

    def __init__(self, count: int) -> None:
        self._free = count
        self._line: deque[asyncio.Future[None]] = deque()

    def __repr__(self) -> str:
        return f"<Slots {self._free} free, {len(self._line)} in line>"

    async def __aenter__(self) -> None:
        if self._free:
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._line.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # a slot was just passed to us
                self.give_back()
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.give_back()

    def give_back(self) -> None:
        """Pass a slot on to the next in line, or free it if the line is empty."""
        while self._line:
            turn = self._line.popleft()
            if not turn.done():  # otherwise its task was cancelled
                turn.set_result(None)
                return
        self._free += 1
