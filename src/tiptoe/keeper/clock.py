"""What time is it?

Seconds since the epoch that never jump: read once from the wall clock, then counted
by the machine, including the time it is suspended. Setting the wall clock cannot make a
crawl impolite: moments on disk are compared with the count they were made by, in the
next run too, unless the machine was rebooted in between: see `frontier/runs.py`.
"""

import time
from collections.abc import Callable

from tiptoe.write.logclock import machine_count

__all__ = ["Clock"]


class Clock:
    """A steady clock that agrees with the wall clock when it starts, or continues an earlier one."""

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
        """Seconds by which the wall clock is ahead because it was set since."""
        return self._wall() - self.now()
