"""What has a crawl done in the last day, stretch by stretch?

Counts by five seconds, from which a plot takes as many together as it has room for. Pure: moments are passed
in, memory has a bound.
"""

from dataclasses import dataclass, field
from typing import Final

__all__ = ["Activity", "Plotted"]

STRETCH_SECONDS: Final = 5.0
STRETCHES_MAX: Final = 17280
"""A day."""

OPEN_STRETCHES: Final = 24
"""Lines of several files come in no order; of older stretches only the number of hosts is kept."""

STEPS: Final = (1, 2, 6, 12, 24, 60, 120, 360, 720)
"""Stretches that one column of a plot may stand for: five seconds to an hour."""


@dataclass(slots=True)
class _Stretch:
    pages: int = 0
    failed: int = 0
    chars: int = 0
    hosts: int = 0
    names: set[int] | None = field(default_factory=set)  # hosts by the hash of their names; None: counted


@dataclass(frozen=True, slots=True)
class Plotted:
    """One figure over time, oldest first, by the minute where it is a pace."""

    name: str
    values: tuple[float, ...]


class Activity:
    """Counts of requests and texts by the moment they came; no more than a day of them."""

    def __init__(self) -> None:
        self._stretches: dict[int, _Stretch] = {}
        self._open: set[int] = set()  # those whose hosts are known by name
        self._newest = 0

    def __len__(self) -> int:
        """How many stretches are known."""
        return len(self._stretches)

    def add_request(self, at: float, host: str, *, is_page: bool, has_failed: bool) -> None:
        """Count a request that was made."""
        stretch = self._at(at)
        stretch.pages += is_page
        stretch.failed += has_failed
        if stretch.names is not None:
            stretch.names.add(hash(host))
            stretch.hosts = len(stretch.names)

    def add_text(self, at: float, chars: int) -> None:
        """Count a text that entered the corpus."""
        self._at(at).chars += chars

    def step(self, now: float, columns: int) -> float:
        """Return for how many seconds a column has to stand, so that everything known has room."""
        first = min(self._stretches, default=int(now // STRETCH_SECONDS))
        wanted = (now // STRETCH_SECONDS - first + 1) / max(columns, 1)
        return next((step for step in STEPS if step >= wanted), STEPS[-1]) * STRETCH_SECONDS

    def plots(self, now: float, columns: int, seconds: float) -> list[Plotted]:
        """Return all figures in so many columns of so many seconds each, of which the last ends now."""
        minutes = seconds / 60.0
        width = round(seconds / STRETCH_SECONDS)
        # The stretch that has begun is not over: it would always look like a fall.
        end = int(now // STRETCH_SECONDS)
        starts = range(end - columns * width, end, width)
        taken = [self._between(start, start + width) for start in starts]
        return [
            Plotted("pages a minute", tuple(sum(s.pages for s in part) / minutes for part in taken)),
            Plotted(
                "hosts asked within 5 s", tuple(max((s.hosts for s in part), default=0) for part in taken)
            ),
            Plotted("characters a minute", tuple(sum(s.chars for s in part) / minutes for part in taken)),
            Plotted("failures a minute", tuple(sum(s.failed for s in part) / minutes for part in taken)),
        ]

    def _between(self, start: int, end: int) -> list[_Stretch]:
        return [found for number in range(start, end) if (found := self._stretches.get(number))]

    def _at(self, at: float) -> _Stretch:
        number = int(at // STRETCH_SECONDS)
        found = self._stretches.get(number)
        if found is None:
            found = _Stretch()
            self._newest = max(self._newest, number)
            if number > self._newest - STRETCHES_MAX:
                self._stretches[number] = found
                self._open.add(number)
                self._close_old()
        return found

    def _close_old(self) -> None:
        """Forget the names of hosts where nothing more is to come, and what is older than a day."""
        for number in [n for n in self._open if n <= self._newest - OPEN_STRETCHES]:
            self._open.discard(number)
            self._stretches[number].names = None
        while len(self._stretches) > STRETCHES_MAX:
            del self._stretches[min(self._stretches)]
