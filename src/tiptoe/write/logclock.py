"""What time is it in the request log?

The wall clock is read once, when the log begins; from then on the machine counts,
including the time it is suspended. So the time in a log never jumps or goes back. The
opening of the log contains the machine's own count at that moment: by comparing logs of
one machine, one can see that its wall clock was set in between.
"""

import time
from collections.abc import Callable
from pathlib import Path

__all__ = ["LogClock", "machine_boot", "machine_count"]

COUNTING = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
READINGS = 5
"""Number of readings of both clocks; they cannot be read at once, so the closest pair is taken."""


def machine_count() -> float:
    """Return the seconds that this machine has counted since it was started."""
    return time.clock_gettime(COUNTING)


class LogClock:
    """Seconds since 1970 that never jump."""

    def __init__(
        self,
        wall: Callable[[], float] = time.time,
        count: Callable[[], float] = machine_count,
        *,
        boot: str | None = None,
    ) -> None:
        self._count = count
        self.boot = machine_boot() if boot is None else boot
        before, self.opened_at, after = min(
            ((count(), wall(), count()) for _ in range(READINGS)), key=lambda reading: reading[2] - reading[0]
        )
        self.counted = (before + after) / 2
        self.offset = self.opened_at - self.counted  # from the machine's count to the log's time

    def now(self) -> float:
        return self._count() + self.offset


def machine_boot() -> str:
    """Return an id of this boot of the machine; empty if it is unknown."""
    try:
        return BOOT_ID.read_text(encoding="ascii").strip()[:36]
    except (OSError, ValueError):
        return ""
