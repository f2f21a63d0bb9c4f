"""Does somebody who asked us to stop insist?

One wish may arrive as two signals: `timeout` tells its command and then the whole group of it, and so do
shells and supervisors. Who insists has waited for a moment.
"""

__all__ = ["SecondSignal"]

ECHO_SECONDS = 0.5
"""Minimum time between two signals that count as two; below it the second is the same wish once more."""


class SecondSignal:
    """Signals to stop, as they come."""

    def __init__(self) -> None:
        self._first_at: float | None = None

    def is_shown(self, now: float) -> bool:
        """Note a signal; whether it says that stopping cleanly takes too long."""
        if self._first_at is None:
            self._first_at = now
        return now - self._first_at > ECHO_SECONDS
