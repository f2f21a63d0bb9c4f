"""How is a waiting call of a robot told at once that there is news for it?

A command is given in a thread; the robot's call waits in the event loop. Only one call per robot waits: a
later one dismisses the earlier one, so that no robot can hold many.
"""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["CommandBell", "WaitingCall"]


class WaitingCall:
    """A call that waits for news; created in the event loop, rung from any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._event = asyncio.Event()
        self.is_dismissed = False

    def ring(self) -> None:
        """Wake the call."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._event.set)

    async def wait(self, seconds: float) -> bool:
        """Wait until it rings; return False when it does not ring within this time."""
        try:
            await asyncio.wait_for(self._event.wait(), max(seconds, 0.0))
        except TimeoutError:
            return False
        self._event.clear()
        return True


class CommandBell:
    """The waiting calls, by robot."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: dict[str, WaitingCall] = {}

    @contextmanager
    def waiting(self, robot: str) -> Iterator[WaitingCall]:
        """Register a call while the context lasts; look for news only inside it, so that none is missed."""
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
        """Wake the waiting call of a robot, because there is news for it."""
        with self._lock:
            call = self._calls.get(robot)
        if call is not None:
            call.ring()

    def dismiss_all(self) -> None:
        """Dismiss all calls, because the server ends."""
        with self._lock:
            calls = list(self._calls.values())
        for call in calls:
            call.is_dismissed = True
            call.ring()
