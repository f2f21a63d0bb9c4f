"""What is a user told on the next page?

Every action reports what it did, and how to undo it where that is possible. A notice waits in memory for the
next page of the same session."""

from collections import OrderedDict
from typing import Final

import msgspec

__all__ = ["Notice", "Notices", "Undo"]

SESSIONS_MAX: Final = 1000
NOTICES_MAX: Final = 5
TOLD_SECONDS: Final = 4.0


class Undo(msgspec.Struct, frozen=True):
    """A form that undoes an action."""

    url: str
    fields: dict[str, str] = {}
    label: str = "Undo"


class Notice(msgspec.Struct, frozen=True):
    """A message about an action."""

    message: str
    undo: Undo | None = None
    is_fault: bool = False


class Notices:
    """The notices of all sessions.

    A notice is shown on the next page, and again on those that follow immediately: a page that reloads
    itself, because the crawl on it has begun, must not swallow it.
    """

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, list[tuple[Notice, float]]] = (
            OrderedDict()
        )  # with the time when it was first shown; 0 = not yet

    def add(self, session: str, notice: Notice) -> None:
        """Show a notice on the next page, and drop those already shown."""
        kept = [(one, told_at) for one, told_at in self._waiting.pop(session, []) if not told_at]
        self._waiting[session] = [*kept, (notice, 0.0)][-NOTICES_MAX:]
        while len(self._waiting) > SESSIONS_MAX:
            self._waiting.popitem(last=False)

    def take(self, session: str, now: float) -> list[Notice]:
        """Return the notices to be shown now."""
        found = [
            (notice, told_at or now)
            for notice, told_at in self._waiting.pop(session, [])
            if not told_at or now - told_at < TOLD_SECONDS
        ]
        if found:
            self._waiting[session] = found
        return [notice for notice, _ in found]
