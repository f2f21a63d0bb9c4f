"""What time is it?

Seconds since the epoch that never jump: read once from the wall, then counted
by the machine, also while it sleeps. A wall clock that is set cannot make a
crawl rude: moments on disk are compared with the count they were made by, also
in the next run, as long as the machine has not started anew: see `frontier/runs.py`.
"""

import time
from collections.abc import Callable

from tiptoe.write.logclock import machine_count

__all__ = ["Clock"]


class Clock:
    """A steady clock that agrees with the wall when it starts, or goes on as one before it."""

    def __init__(
        self,
        *,
        steady: Callable[[], float] = machine_count,
        wall: Callable[[], float] = time.time,
        offset: float | None = None,
    ) -> None:
        self._steady = steady
        self._wall = wall
        self.offset = wall() - steady() if offset is None else offset

    def now(self) -> float:
        return self._steady() + self.offset

    @property
    def wall_ahead(self) -> float:
        """By how much the wall clock is ahead: it was set since."""
        return self._wall() - self.now()
