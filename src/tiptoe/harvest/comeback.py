"""When does a harvester that has lost its keeper try again?

Arithmetic only: given how long the last run took, it says how long to wait before the next one, or to give
up. The connection may be lost for a moment or for hours, and the keeper may be restarted: so the wait is
short after a good run and doubles with each failed attempt. A random part spreads harvesters that were cut
off together.
"""

import enum

__all__ = ["Comeback", "HarvesterExit"]

WAIT_SECONDS_FIRST = 1.0
WAIT_SECONDS_MAX = 60.0
GOOD_LIFE_SECONDS = 30.0
"""Minimum length of a good run: the harvester had joined, so the next wait is short again."""


class HarvesterExit(enum.IntEnum):
    """Exit codes of a harvester process; any other code means that it crashed or was killed."""

    LEFT = 0  # cleanly, because it was told to go
    LOST = 1  # the keeper could not be reached, or was lost
    REFUSED = 2  # by the keeper, or the command line is invalid: trying again would not help


class Comeback:
    """Counts the failed attempts of a harvester to join its keeper."""

    def __init__(self, *, give_up_seconds: float, now: float) -> None:
        """`give_up_seconds` is how long to try without a good run; 0 = forever."""
        self._give_up_seconds = give_up_seconds
        self._good_at = now
        self._attempts = 0

    def wait_seconds(self, began_at: float, now: float, chance: float) -> float | None:
        """Return how long to wait after a run that neither keeper nor operator ended; None to give up.

        `chance` is between 0 and 1, and shortens the wait by up to half.
        """
        if now - began_at >= GOOD_LIFE_SECONDS:
            self._good_at = now
            self._attempts = 0
        left = self._good_at + self._give_up_seconds - now if self._give_up_seconds else float("inf")
        if left <= 0.0:
            return None
        longest = min(WAIT_SECONDS_FIRST * 2.0 ** min(self._attempts, 30), WAIT_SECONDS_MAX)
        self._attempts += 1
        return min(longest * (1.0 - chance / 2.0), left)
