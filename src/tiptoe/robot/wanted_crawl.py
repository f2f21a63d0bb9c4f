"""Should the crawl of a robot be started now, without a new command?

Pure. After `start` the crawl is to run until it is over or `stop` is given, also after the machine was
switched off or the crawl was killed. A crawl that keeps dying is restarted after ever longer pauses.
"""

from typing import Final

import msgspec

__all__ = ["WantedCrawl"]

WAIT_SECONDS_FIRST: Final = 10.0
WAIT_SECONDS_MAX: Final = 3600.0
GOOD_LIFE_SECONDS: Final = 600.0


class WantedCrawl(msgspec.Struct):
    """Whether the crawl is to run, and how often starting it has failed."""

    is_wanted: bool = False
    failures: int = 0
    tried_at: float = float("-inf")

    def want(self) -> None:
        """Take note of `start`."""
        self.is_wanted, self.failures = True, 0

    def leave(self) -> None:
        """Take note of `stop`, or of the end of the crawl."""
        self.is_wanted = False

    def should_start(self, *, is_alive: bool, has_ended: bool, now: float) -> bool:
        """Return whether to start it now; `has_ended`: it came to its end and was not interrupted."""
        if is_alive and now - self.tried_at >= GOOD_LIFE_SECONDS:
            self.failures = 0
        if not self.is_wanted or is_alive:
            return False
        if has_ended:
            self.leave()
            return False
        return now >= self.tried_at + self._wait_seconds()

    def note_try(self, now: float) -> None:
        """Take note of a start, which counts as a failure until the crawl has run for a while."""
        self.failures += 1
        self.tried_at = now

    def _wait_seconds(self) -> float:
        if not self.failures:
            return 0.0
        return min(WAIT_SECONDS_FIRST * 2.0 ** min(self.failures - 1, 20), WAIT_SECONDS_MAX)
