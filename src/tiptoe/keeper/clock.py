"""What time is it?

Seconds since the epoch that never jump: read once from the wall, then counted
by the monotonic clock. Moments on disk survive a restart; a wall clock that is
set back while the crawl runs cannot make it rude.
"""

import time
from collections.abc import Callable

__all__ = ["Clock"]


class Clock:
    """A steady clock that agrees with the wall when it starts."""

    def __init__(
        self, *, steady: Callable[[], float] = time.monotonic, wall: Callable[[], float] = time.time
    ) -> None:
        self._steady = steady
        self._offset = wall() - steady()

    def now(self) -> float:
        return self._steady() + self._offset
