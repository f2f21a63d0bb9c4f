"""Which lines of the filters have denied what?

As `logtype` of `filterrules-setup` wants it: *terse* says nothing, *normal* how often each line has denied
something, at first and then ever more rarely, *verbose* every address.
"""

from collections import Counter
from typing import Final

from tiptoe.filters.filter_chain import Denied
from tiptoe.observe.eventlog import EventLog

__all__ = ["FilterLog"]

PLACES_MAX: Final = 10_000
URL_CHARS_MAX: Final = 500


class FilterLog:
    """Writes to the log of a harvester."""

    def __init__(self, log: EventLog, kind: str) -> None:
        self._log = log
        self._kind = kind
        self._counts: Counter[str] = Counter()

    def __call__(self, denied: Denied, url: str) -> None:
        """Note that a line has denied an address."""
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
