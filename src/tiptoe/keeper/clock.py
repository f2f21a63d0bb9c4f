"""What time is it?

Seconds since the epoch that never jump: read once from the wall, then counted
by the monotonic clock. Moments on disk survive a restart; a wall clock that is
set back while the crawl runs cannot make it rude.
"""

import time

__all__ = ["Clock"]


class Clock:
    """A steady clock that agrees with the wall when it starts."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def now(self) -> float:
        return time.monotonic() + self._offset
