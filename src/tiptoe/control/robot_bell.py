"""How does a robot that waits on the line hear at once that there is something for it?

Somebody gives a command in a thread; the call of the robot waits in the event loop. Of each robot one call
waits: a later one sends the earlier one home, so that nobody can hold many.
"""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["RobotBell", "WaitingCall"]


class WaitingCall:
    """A call that waits for news; made in the loop, rung from any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._event = asyncio.Event()
        self.is_dismissed = False

    def ring(self) -> None:
        """Wake it."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._event.set)

    async def wait(self, seconds: float) -> bool:
        """Wait until it rings; False when it did not ring so long."""
        try:
            await asyncio.wait_for(self._event.wait(), max(seconds, 0.0))
        except TimeoutError:
            return False
        self._event.clear()
        return True


class RobotBell:
    """The calls that wait, by robot."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: dict[str, WaitingCall] = {}

    @contextmanager
    def waiting(self, robot: str) -> Iterator[WaitingCall]:
        """Be rung for while inside; look for news after one has come in, so that none is missed."""
        call = WaitingCall()
        with self._lock:
            earlier, self._calls[robot] = self._calls.get(robot), call
        if earlier is not None:
            earlier.is_dismissed = True
            earlier.ring()
        try:
            yield call
        finally:
            with self._lock:
                if self._calls.get(robot) is call:
                    del self._calls[robot]

    def ring(self, robot: str) -> None:
        """There is something new for a robot."""
        with self._lock:
            call = self._calls.get(robot)
        if call is not None:
            call.ring()

    def dismiss_all(self) -> None:
        """Send all calls home: the server ends."""
        with self._lock:
            calls = list(self._calls.values())
        for call in calls:
            call.is_dismissed = True
            call.ring()
