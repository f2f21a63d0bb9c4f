"""Is it worth calling the segmenter now?

Arithmetic only: `now` is an argument. After a failure nothing is sent for a while;
then a single batch is tried, and each further failure in a row doubles the wait. So
a segmenter that is down costs next to nothing, and its return is noticed soon.
"""

from typing import Final

__all__ = ["Breaker"]

FIRST_WAIT_SECONDS: Final = 1.0
LONGEST_WAIT_SECONDS: Final = 60.0


class Breaker:
    """*Closed*: everything is sent. *Open*: nothing is sent for a while, then one try at a time."""

    def __init__(self) -> None:
        self._failures = 0  # in a row
        self._opened_at = 0.0
        self._open_until = 0.0
        self._is_trying = False

    def __repr__(self) -> str:
        return f"<Breaker {self._failures} failures in a row, open until {self._open_until:.1f}>"

    def may_ask(self, now: float) -> bool:
        """Return whether a document could be rated now."""
        return not self._failures or (now >= self._open_until and not self._is_trying)

    def ask(self, now: float) -> bool:
        """Return whether a batch may be sent now, and count it as under way."""
        if not self.may_ask(now):
            return False
        self._is_trying = self._failures > 0
        return True

    def succeeded(self) -> None:
        """Note that a batch was answered."""
        self._failures = 0
        self._is_trying = False

    def failed(self, asked_at: float, now: float) -> None:
        """Note that a batch was not answered correctly."""
        if self._failures and asked_at < self._opened_at:
            return  # sent before the last failure was known, so it says nothing new
        wait = min(FIRST_WAIT_SECONDS * 2**self._failures, LONGEST_WAIT_SECONDS)
        self._failures = min(self._failures + 1, 30)
        self._opened_at = now
        self._open_until = now + wait
        self._is_trying = False
