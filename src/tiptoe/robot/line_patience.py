"""When does a robot call again after a call has failed?

Arithmetic only. Soon after the first failure, after ever longer waits when there are more; a random part
keeps robots that lost the server together from calling again at the same moment.
"""

from typing import Final

__all__ = ["LinePatience"]

WAIT_SECONDS_FIRST: Final = 0.5
WAIT_SECONDS_MAX: Final = 60.0


class LinePatience:
    """Counts the failures in a row of one kind of call."""

    def __init__(self) -> None:
        self._failures = 0

    @property
    def is_cut(self) -> bool:
        """Whether the last call failed."""
        return self._failures > 0

    def succeed(self) -> None:
        self._failures = 0

    def fail(self, chance: float, *, at_least: float = 0.0) -> float:
        """Count a failed call; return how long to wait before the next one.

        `chance` is between 0 and 1, and shortens the wait by up to half; `at_least` is the wait that the
        server requested."""
        longest = min(WAIT_SECONDS_FIRST * 2.0 ** min(self._failures, 30), WAIT_SECONDS_MAX)
        self._failures += 1
        return max(longest * (1.0 - chance / 2.0), min(at_least, WAIT_SECONDS_MAX))
