"""What is somebody told on the next page they see?

Every action says what it did, and how to take it back where that can be done. A notice waits in memory for
the next page of the same session."""

from collections import OrderedDict
from typing import Final

import msgspec

__all__ = ["Notice", "Notices", "Undo"]

SESSIONS_MAX: Final = 1000
NOTICES_MAX: Final = 5
TOLD_SECONDS: Final = 4.0


class Undo(msgspec.Struct, frozen=True):
    """A form that takes back what was done."""

    url: str
    fields: dict[str, str] = {}
    label: str = "Undo"


class Notice(msgspec.Struct, frozen=True):
    """What was done."""

    said: str
    undo: Undo | None = None
    is_fault: bool = False


class Notices:
    """Notices by session.

    One is told on the next page, and again on those that come right after it: a page that loads itself anew,
    because the crawl on it has begun, must not swallow what was said.
    """

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, list[tuple[Notice, float]]] = (
            OrderedDict()
        )  # told first at; 0 = not yet

    def add(self, session: str, notice: Notice) -> None:
        """Tell it on the next page; what was told before has had its time."""
        kept = [(one, told_at) for one, told_at in self._waiting.pop(session, []) if not told_at]
        self._waiting[session] = [*kept, (notice, 0.0)][-NOTICES_MAX:]
        while len(self._waiting) > SESSIONS_MAX:
            self._waiting.popitem(last=False)

    def take(self, session: str, now: float) -> list[Notice]:
        """Return what is to be told."""
        found = [
            (notice, told_at or now)
            for notice, told_at in self._waiting.pop(session, [])
            if not told_at or now - told_at < TOLD_SECONDS
        ]
        if found:
            self._waiting[session] = found
        return [notice for notice, _ in found]
