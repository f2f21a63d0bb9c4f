"""How fresh was a collection really?

The simulated web knows when each page changed or vanished, and its servers know when each was requested. A
copy is *fresh* until the first change after the visit that made it; from then on it has an *age*. Both are
counted from the first visit of each page to the end, or to the visit that found it gone: then it no longer
belongs to the collection.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from tiptoe.testing.editions import changed_at, edition_at, vanishes_at
from tiptoe.testing.graph import PageKind
from tiptoe.testing.recorder import Arrival
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb
from tiptoe.testing.web_hosts import WebHost

__all__ = ["TrueFreshness", "true_freshness"]

SEEN: Final = (200, 304)
GONE: Final = (404, 410)


@dataclass(frozen=True, slots=True)
class PageLife:
    """What happens to one page."""

    shape: WebShape
    host: WebHost
    number: int
    vanishes_at: float

    def edition_at(self, now: float) -> int:
        """Return the current edition, or the last one if the page has vanished."""
        return edition_at(self.shape, self.host, self.number, min(now, self.vanishes_at))

    def outdated_at(self, seen_at: float, *, until: float) -> float:
        """Return when a copy made at `seen_at` became outdated; `until` if it has not."""
        edition = self.edition_at(seen_at)
        if self.edition_at(until) != edition:
            return changed_at(self.shape, self.host, self.number, edition + 1)
        return min(self.vanishes_at, until)


@dataclass(slots=True)
class TrueFreshness:
    """The truth about all copies: at the end, over time, and on each visit."""

    pages: int = 0  # not found gone
    gone: int = 0  # found gone
    fresh: int = 0  # at the end
    aged_seconds: float = 0.0  # at the end, all copies together
    watched_seconds: float = 0.0  # from the first visit to the last
    fresh_seconds: float = 0.0
    age_integral: float = 0.0  # age, summed over the watched seconds
    revisits: int = 0  # visits that found the page again
    revisits_changed: int = 0
    changes: int = 0  # between first and last visit; vanishing counts as one

    @property
    def caught(self) -> int:
        """Visits that found a change, or the page gone."""
        return self.revisits_changed + self.gone

    def add(self, life: PageLife, visits: list[float], gone_at: float | None, end: float) -> None:
        """Count one page that was seen at these moments of the web, and possibly found gone at another."""
        for at, later in pairwise(visits):
            self._watch(life, at, later)
            self.revisits += 1
            self.revisits_changed += life.edition_at(at) != life.edition_at(later)
        last = visits[-1]
        self.changes += life.edition_at(last) - life.edition_at(visits[0])
        if gone_at is not None:
            self.gone += 1
            self.changes += life.edition_at(gone_at) - life.edition_at(last) + 1
            self._watch(life, last, gone_at)
            return
        self.pages += 1
        aged_seconds = end - life.outdated_at(last, until=end)
        self.fresh += not aged_seconds
        self.aged_seconds += aged_seconds

    def _watch(self, life: PageLife, at: float, later: float) -> None:
        outdated_at = life.outdated_at(at, until=later)
        self.watched_seconds += later - at
        self.fresh_seconds += outdated_at - at
        self.age_integral += (later - outdated_at) ** 2 / 2.0


def true_freshness(
    web: SimulatedWeb, arrivals: Iterable[Arrival], *, began_at: float, ended_at: float
) -> TrueFreshness:
    """Return how fresh the copies of pages were, by the servers' record; moments are those of the record."""
    lives: dict[tuple[int, int], PageLife] = {}
    visits: dict[tuple[int, int], list[float]] = {}
    missed: dict[tuple[int, int], float] = {}
    for arrival in arrivals:
        if arrival.status not in SEEN + GONE or not began_at <= arrival.arrived_at <= ended_at:
            continue
        host = web.hosts.named(arrival.host)
        number = web.graph.number_of(host, arrival.target) if host is not None else None
        if host is None or number is None or not _is_kept(web, host, number):
            continue
        page, at = (host.index, number), arrival.arrived_at - began_at
        if arrival.status in GONE:
            missed[page] = min(at, missed.get(page, at))
            continue
        lives[page] = PageLife(web.shape, host, number, vanishes_at(web.shape, host, number))
        visits.setdefault(page, []).append(at)
    found = TrueFreshness()
    for page, moments in visits.items():
        found.add(lives[page], sorted(moments), missed.get(page), ended_at - began_at)
    return found


def _is_kept(web: SimulatedWeb, host: WebHost, number: int) -> bool:
    """Whether a page has a text that a crawl may keep."""
    kind = web.graph.kind_of(host, number)
    return kind in (PageKind.TEXT, PageKind.FLAKY) and web.pages.is_indexable(host, number)
