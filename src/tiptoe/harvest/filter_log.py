"""Which filter lines have denied which URLs?

`logtype` of `filterrules-setup` sets how much is logged: *terse* nothing, *verbose* every URL, *normal* each
line when it denies something for the 1st, 10th, 100th, ... time.
"""

from collections import Counter
from typing import Final

from tiptoe.filters.filter_chain import Denied
from tiptoe.observe.eventlog import EventLog

__all__ = ["FilterLog"]

PLACES_MAX: Final = 10_000
URL_CHARS_MAX: Final = 500


class FilterLog:
    """Logs denials to the event log of a harvester."""

    def __init__(self, log: EventLog, kind: str) -> None:
        self._log = log
        self._kind = kind
        self._counts: Counter[str] = Counter()

    def __call__(self, denied: Denied, url: str) -> None:
        """Note that a line has denied a URL."""
        if self._kind == "terse" and not denied.is_fault:
            return
        if len(self._counts) >= PLACES_MAX:
            self._counts.clear()
        self._counts[denied.place] += 1
        count = self._counts[denied.place]
        if self._kind == "verbose" or denied.is_fault or str(count).strip("0") == "1":  # 1, 10, 100, ...
            event = "filter.failed" if denied.is_fault else "filter.denied"
            shown = url[:URL_CHARS_MAX]
            self._log.note(event, line=denied.place, why=denied.why, count=count, url=shown)
