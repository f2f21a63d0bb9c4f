"""When do the parts of an agent send what they have gathered?

All at the same moments: to wake a client and three servers costs more than the message that they are woken
for, so thirty messages at once cost a fraction of thirty that come one by one.
"""

import asyncio

__all__ = ["SharedBeat", "until_beat"]


class SharedBeat:
    """Moments at regular intervals, the same for all who wait in an event loop."""

    def __init__(self, seconds: float = 0.0) -> None:
        """0 seconds: nobody waits."""
        self._seconds = seconds
        self._next: asyncio.Event | None = None  # while somebody waits for it

    async def wait(self) -> None:
        """Wait for the next beat."""
        if not self._seconds:
            return
        if self._next is None:
            self._next = asyncio.Event()
            # One timer for all: several would end within some milliseconds, not at once.
            asyncio.get_running_loop().call_later(until_beat(self._seconds), self._strike)
        await self._next.wait()

    def _strike(self) -> None:
        if self._next is not None:
            self._next.set()
            self._next = None


def until_beat(seconds: float) -> float:
    """Return the seconds until the next moment of an interval, the same for all in an event loop."""
    return seconds - asyncio.get_running_loop().time() % seconds
