"""How fresh was a collection, truly?

The simulated web knows when each page changed, and its servers know when each was asked for. A copy
is *fresh* until the first change after the visit that made it; from then on it has an *age*. Both are
counted from the first visit of each page to the end.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from tiptoe.testing.editions import changed_at, edition_at
from tiptoe.testing.graph import PageKind
from tiptoe.testing.hosts import Host
from tiptoe.testing.recorder import Arrival
from tiptoe.testing.web import SimulatedWeb

__all__ = ["TrueFreshness", "true_freshness"]

SEEN: Final = (200, 304)


@dataclass(slots=True)
class TrueFreshness:
    """What was true of all copies: at the end, over time, and of the visits."""

    pages: int = 0
    fresh: int = 0  # at the end
    aged_seconds: float = 0.0  # at the end, all copies together
    watched_seconds: float = 0.0  # from the first visit to the last
    fresh_seconds: float = 0.0
    age_integral: float = 0.0  # age, summed over the watched seconds
    revisits: int = 0
    revisits_changed: int = 0
    changes: int = 0  # between the first and the last visit

    def add(self, web: SimulatedWeb, host: Host, number: int, visits: list[float], end: float) -> None:
        """Count one page, visited at these moments of the web."""
        shape = web.shape
        editions = [edition_at(shape, host, number, at) for at in visits]
        for (at, edition), (later, later_edition) in pairwise(zip(visits, editions, strict=True)):
            outdated = (
                later - changed_at(shape, host, number, edition + 1) if edition != later_edition else 0.0
            )
            self.watched_seconds += later - at
            self.fresh_seconds += later - at - outdated
            self.age_integral += outdated * outdated / 2.0
            self.revisits += 1
            self.revisits_changed += edition != later_edition
        self.changes += editions[-1] - editions[0]
        self.pages += 1
        if edition_at(shape, host, number, end) == editions[-1]:
            self.fresh += 1
        else:
            self.aged_seconds += end - changed_at(shape, host, number, editions[-1] + 1)


def true_freshness(
    web: SimulatedWeb, arrivals: Iterable[Arrival], *, began_at: float, ended_at: float
) -> TrueFreshness:
    """Return how fresh the copies of pages were, by the servers' record; moments are those of the record."""
    visits: dict[tuple[int, int], list[float]] = {}
    hosts: dict[int, Host] = {}
    for arrival in arrivals:
        if arrival.status not in SEEN or not began_at <= arrival.arrived_at <= ended_at:
            continue
        host = web.hosts.named(arrival.host)
        number = web.graph.number_of(host, arrival.target) if host is not None else None
        if host is None or number is None or not _is_kept(web, host, number):
            continue
        hosts[host.index] = host
        visits.setdefault((host.index, number), []).append(arrival.arrived_at - began_at)
    found = TrueFreshness()
    for (index, number), moments in visits.items():
        found.add(web, hosts[index], number, sorted(moments), ended_at - began_at)
    return found


def _is_kept(web: SimulatedWeb, host: Host, number: int) -> bool:
    """Whether a page has a text that a crawl may keep."""
    kind = web.graph.kind_of(host, number)
    return kind in (PageKind.TEXT, PageKind.FLAKY) and web.pages.is_indexable(host, number)
