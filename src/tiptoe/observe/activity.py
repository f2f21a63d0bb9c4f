"""What has a crawl done over the last day?

Counts per stretch of five seconds, which a plot combines into as many columns as it has room for. Pure:
moments are passed in, memory is bounded.
"""

from dataclasses import dataclass, field
from typing import Final

__all__ = ["Activity", "Plotted"]

STRETCH_SECONDS: Final = 5.0
STRETCHES_MAX: Final = 17280
"""Maximum number of stretches kept, a day; older ones are forgotten."""

OPEN_STRETCHES: Final = 24
"""Number of latest stretches that remember the names of their hosts, since lines of several files arrive out
of order; older ones keep only the number of hosts."""

STEPS: Final = (1, 2, 6, 12, 24, 60, 120, 360, 720)
"""Numbers of stretches that one column of a plot can stand for: five seconds to an hour."""


@dataclass(slots=True)
class _Stretch:
    pages: int = 0
    failed: int = 0
    chars: int = 0
    hosts: int = 0
    names: set[int] | None = field(default_factory=set)  # hosts by the hash of their names; None: counted


@dataclass(frozen=True, slots=True)
class Plotted:
    """One figure over time, oldest first; rates are per minute."""

    name: str
    values: tuple[float, ...]


class Activity:
    """Counts of requests and texts by time, for at most a day."""

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
        """Return how many seconds a column has to cover so that everything known fits."""
        first = min(self._stretches, default=int(now // STRETCH_SECONDS))
        wanted = (now // STRETCH_SECONDS - first + 1) / max(columns, 1)
        return next((step for step in STEPS if step >= wanted), STEPS[-1]) * STRETCH_SECONDS

    def plots(self, now: float, columns: int, seconds: float) -> list[Plotted]:
        """Return all figures in `columns` columns of `seconds` each, the last of which ends now."""
        minutes = seconds / 60.0
        width = round(seconds / STRETCH_SECONDS)
        # The current stretch is incomplete: it would always look like a drop.
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
        """Forget the host names of stretches that are complete, and everything older than a day."""
        for number in [n for n in self._open if n <= self._newest - OPEN_STRETCHES]:
            self._open.discard(number)
            self._stretches[number].names = None
        while len(self._stretches) > STRETCHES_MAX:
            del self._stretches[min(self._stretches)]
