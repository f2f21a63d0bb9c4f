"""Should the crawl of a robot be started now, though nobody has just said so?

Pure. Whoever has said `start` wants it to run until it is over or somebody says `stop`: also after the
machine was switched off, or the crawl was killed. One that dies again and again is started ever more
rarely.
"""

from typing import Final

import msgspec

__all__ = ["CrawlWish"]

WAIT_SECONDS_FIRST: Final = 10.0
WAIT_SECONDS_MAX: Final = 3600.0
GOOD_LIFE_SECONDS: Final = 600.0


class CrawlWish(msgspec.Struct):
    """What is wanted of the crawl, and how starting it went."""

    is_wanted: bool = False
    failures: int = 0
    tried_at: float = float("-inf")

    def want(self) -> None:
        """Somebody has said `start`."""
        self.is_wanted, self.failures = True, 0

    def leave(self) -> None:
        """Somebody has said `stop`, or it is over."""
        self.is_wanted = False

    def should_start(self, *, is_alive: bool, has_ended: bool, now: float) -> bool:
        """Whether to start it now; `has_ended`: it came to its end, and was not cut off."""
        if is_alive and now - self.tried_at >= GOOD_LIFE_SECONDS:
            self.failures = 0
        if not self.is_wanted or is_alive:
            return False
        if has_ended:
            self.leave()
            return False
        return now >= self.tried_at + self._wait_seconds()

    def note_try(self, now: float) -> None:
        """It is started, which counts as a failure until it has lived for a while."""
        self.failures += 1
        self.tried_at = now

    def _wait_seconds(self) -> float:
        if not self.failures:
            return 0.0
        return min(WAIT_SECONDS_FIRST * 2.0 ** min(self.failures - 1, 20), WAIT_SECONDS_MAX)
