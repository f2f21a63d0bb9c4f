"""Was a signal to stop repeated on purpose?

One request to stop may arrive as two signals: `timeout` signals its command and then the command's whole
process group, and so do shells and supervisors. A signal that is meant to insist comes a moment later.
"""

__all__ = ["SecondSignal"]

ECHO_SECONDS = 0.5
"""Minimum time between two signals that count as two; below it the second is a copy of the first."""


class SecondSignal:
    """Counts signals to stop."""

    def __init__(self) -> None:
        self._first_at: float | None = None

    def is_shown(self, now: float) -> bool:
        """Note a signal; return whether it means that a clean stop takes too long."""
        if self._first_at is None:
            self._first_at = now
        return now - self._first_at > ECHO_SECONDS
