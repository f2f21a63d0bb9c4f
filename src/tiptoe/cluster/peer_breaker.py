"""Is it worth sending a request to another agent now?

Arithmetic only. An agent that has not answered gets no requests for a while; then a single request is tried,
and each further silence doubles the wait. So an agent that is gone costs one request's time limit now and
then.
"""

from typing import Final

__all__ = ["PeerBreaker"]

FIRST_WAIT_SECONDS: Final = 1.0
LONGEST_WAIT_SECONDS: Final = 16.0


class PeerBreaker:
    """The circuit breaker for requests to one agent."""

    def __init__(self) -> None:
        self._silences = 0  # in a row
        self._silent_until = 0.0
        self._is_trying = False

    def __repr__(self) -> str:
        return f"<PeerBreaker {self._silences} silences in a row, until {self._silent_until:.1f}>"

    def may_ask(self, now: float) -> bool:
        """Return whether a request may be sent now."""
        return not self._silences or (now >= self._silent_until and not self._is_trying)

    def ask(self) -> None:
        """Note that a request is sent."""
        self._is_trying = self._silences > 0

    def answered(self) -> None:
        """Note that the request was answered."""
        self._silences, self._is_trying = 0, False

    def unanswered(self, now: float) -> None:
        """Note that the request was not answered in time."""
        wait = min(FIRST_WAIT_SECONDS * 2**self._silences, LONGEST_WAIT_SECONDS)
        self._silences = min(self._silences + 1, 30)
        self._silent_until = now + wait
        self._is_trying = False
