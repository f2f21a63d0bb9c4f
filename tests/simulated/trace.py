"""What happened in a simulated run, in which order?

Every line goes into a digest: two runs are the same if their digests are equal.
"""

import hashlib
from collections.abc import Callable

from tiptoe.observe.eventlog import EventLog

__all__ = ["Trace", "TracedLog"]


class Trace:
    """The story of one run; `place` is where its files lie, `show` is told each line as it happens."""

    def __init__(
        self, now: Callable[[], float], place: str, show: Callable[[str], object] | None = None
    ) -> None:
        self._now = now
        self._place = place
        self._show = show
        self._hash = hashlib.blake2b(digest_size=16)
        self.lines = 0

    def note(self, who: str, event: str, /, **facts: object) -> None:
        """Add one event."""
        told = " ".join(f"{name}={fact}" for name, fact in facts.items())
        line = f"{self._now():.6f} {who} {event} {told}".rstrip().replace(self._place, "DIR")
        self.lines += 1
        self.add(line.encode())
        if self._show is not None:
            self._show(line)

    def add(self, data: bytes) -> None:
        """Let bytes count that are too many to be shown."""
        self._hash.update(data)

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()


class TracedLog(EventLog):
    """The event log of a pretended process; silent once it is dead."""

    def __init__(self, process: str, trace: Trace, is_dead: Callable[[], bool]) -> None:
        self._who = process
        self._trace = trace
        self._is_dead = is_dead

    def note(self, event: str, **facts: object) -> None:
        if not self._is_dead():
            self._trace.note(self._who, event, **facts)

    def close(self) -> None:
        """Nothing to let go of."""
