"""When does a harvester that has lost its keeper try again?

Arithmetic only: told how each of its lives ended, it says how long to wait for the next one, or to give up.
The line may be cut for a moment or for hours, and the keeper may be started anew: soon after a good life,
ever more slowly after attempts that came to nothing. Chance spreads those who were cut off together.
"""

import enum

__all__ = ["Comeback", "HarvesterExit"]

WAIT_SECONDS_FIRST = 1.0
WAIT_SECONDS_MAX = 60.0
GOOD_LIFE_SECONDS = 30.0
"""A harvester that lived this long had joined: the next wait is short again."""


class HarvesterExit(enum.IntEnum):
    """Exit codes of a harvester process; whatever else it ends with, it has come to harm."""

    LEFT = 0  # in good order: it was told to go
    LOST = 1  # no keeper, or none any more
    REFUSED = 2  # by the keeper, or its own command line makes no sense: another try would be no better


class Comeback:
    """Counts the lives of a harvester."""

    def __init__(self, *, give_up_seconds: float, now: float) -> None:
        """`give_up_seconds` is how long to try without a good life; 0 = for ever."""
        self._give_up_seconds = give_up_seconds
        self._good_at = now
        self._attempts = 0

    def wait_seconds(self, began_at: float, now: float, chance: float) -> float | None:
        """A life ended that no keeper and no operator has ended; return how long to wait, None to give up.

        `chance` is between 0 and 1, and makes the wait half as long at most.
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
