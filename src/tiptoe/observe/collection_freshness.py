"""How fresh is a collection, as far as can be estimated without new requests?

A page that changes at random, `rate` times per second, is still unchanged `seconds` after our visit with
probability exp(-rate * seconds). Summed over all pages this is the expected freshness of the
collection; its expected age follows likewise. Rates are estimates, so these are estimates too.

Keeps only sums, of fixed size: the pages of a crawl are passed in host by host.
"""

import heapq
import math
from dataclasses import dataclass, field
from typing import Protocol

from tiptoe.observe.tally import Spread
from tiptoe.revisit.change_evidence import Prior, rate_of
from tiptoe.revisit.strategies import Watched

__all__ = ["HOUR", "CollectedPage", "Collection", "HostFreshness", "fresh_chance", "mean_age"]

HOUR = 3600.0
DAY = 86400.0
SPANS = (("overdue", 0.0), ("within an hour", HOUR), ("within a day", DAY), ("within a week", 7 * DAY))
LATER = "later"

KEPT = "ok"
"""Outcome of the last visit to a page whose text is in the corpus and, as far as we know, current."""

SUMS = (
    "pages", "gone", "watched", "watched_beside", "visits", "visited_again", "changed", "changed_last",
    "changes", "changes_expected", "fresh", "aged_seconds", "hosts_count",
)  # fmt: skip
"""The fields that are added when two collections are merged."""

SMALL = 1e-4
"""Expected number of changes below which the exact formula for the age loses precision."""


class CollectedPage(Watched, Protocol):
    """The part of a page's record that is needed here."""

    @property
    def version(self) -> int: ...
    @property
    def outcome(self) -> str: ...
    @property
    def next_visit_at(self) -> float: ...


def fresh_chance(rate: float, seconds: float) -> float:
    """Return the probability that a page is unchanged after this time."""
    return math.exp(-rate * seconds)


def mean_age(rate: float, seconds: float) -> float:
    """Return the expected time since the first change that a copy of this age lacks."""
    changes = rate * seconds
    if changes < SMALL:
        return seconds * changes / 2.0
    return seconds + math.expm1(-changes) / rate


def changes_behind(rate: float, seconds: float) -> float:
    """Return how many changes to expect when a visit after this time finds one, including that one."""
    changes = rate * seconds
    return 1.0 + changes / 2.0 if changes < SMALL else changes / -math.expm1(-changes)


@dataclass(slots=True, order=True)
class HostFreshness:
    """The pages of one host; ordered by size, the biggest last."""

    pages: int = 0
    host: str = ""
    visits: int = 0
    changes: int = 0  # found
    fresh: float = 0.0
    aged_seconds: float = 0.0
    overdue: int = 0


@dataclass(slots=True)
class Collection:
    """Totals over the records of all pages, at one moment."""

    now: float
    hosts_max: int = 20
    pages: int = 0  # whose text is in the corpus and, as far as we know, on the web
    gone: int = 0  # were in the corpus, and are gone from the web
    watched: int = 0  # pages of the corpus that are to be visited again
    watched_beside: int = 0  # others: sitemaps, feeds, redirects, pages without text, gone
    visits: int = 0
    visited_again: int = 0  # pages
    changed: int = 0  # pages that were found changed at least once
    changed_last: int = 0  # pages whose last visit found a change
    changes: int = 0  # found
    changes_expected: float = 0.0  # including those missed between two visits
    fresh: float = 0.0
    aged_seconds: float = 0.0
    next_visit_at: float = math.inf
    due: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys([*(name for name, _ in SPANS), LATER], 0)
    )
    change_seconds: Spread = field(default_factory=lambda: Spread(least=1.0, most=100 * 365 * DAY))
    intervals: Spread = field(default_factory=lambda: Spread(least=1.0, most=100 * 365 * DAY))
    hosts_count: int = 0
    hosts: list[HostFreshness] = field(default_factory=list)  # the biggest, as a heap

    def add_page(self, page: CollectedPage, own: HostFreshness, prior: Prior, trust: float) -> None:
        """Count one page of a host, whose totals are added by `sum_up` after its last page.

        `trust` says how likely the hints of the host are true.
        """
        if page.version and page.outcome == KEPT:
            self._plan(page, own)
            self._count(page, own, rate_of(page.evidence, prior), trust)
        else:
            self.gone += page.version > 0
            self.watched_beside += page.next_visit_at > 0.0

    def merge(self, other: "Collection") -> None:
        """Add other hosts, with moments by another clock: it showed `other.now` when ours showed `now`."""
        for own in other.hosts:
            self._rank(own)
        for name in SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.next_visit_at = min(self.next_visit_at, other.next_visit_at - other.now + self.now)
        for name, count in other.due.items():
            self.due[name] += count
        self.change_seconds.merge(*other.change_seconds.parts())
        self.intervals.merge(*other.intervals.parts())

    def biggest_hosts(self) -> list[HostFreshness]:
        """Return the hosts with the most pages, the biggest first."""
        return sorted(self.hosts, reverse=True)

    def _plan(self, page: CollectedPage, own: HostFreshness) -> None:
        if not page.next_visit_at:
            return
        self.watched += 1
        if page.interval:
            self.intervals.add(page.interval)
        self.next_visit_at = min(self.next_visit_at, page.next_visit_at)
        wait = page.next_visit_at - self.now
        self.due[next((name for name, seconds in SPANS if wait <= seconds), LATER)] += 1
        own.overdue += wait <= 0.0

    def _count(self, page: CollectedPage, own: HostFreshness, rate: float, trust: float) -> None:
        own.pages += 1
        own.visits += page.visits
        own.changes += page.version - 1
        # Several attempts at a first visit are not a second visit: what counts is that copies were compared.
        is_compared = page.evidence.changes > 0.0 or page.evidence.unchanged_seconds > 0.0
        self.visited_again += is_compared
        self.changed += page.version > 1
        self.changed_last += is_compared and page.changed_at == page.last_visit_at
        if page.version > 1:
            interval = page.evidence.changed_seconds / page.evidence.changes if page.evidence.changes else 0.0
            self.changes_expected += (page.version - 1) * changes_behind(rate, interval)
        self.change_seconds.add(1.0 / rate)
        seconds = max(0.0, self.now - page.last_visit_at)
        fresh, age = fresh_chance(rate, seconds), mean_age(rate, seconds)
        if page.hinted_at > page.last_visit_at:
            fresh *= 1.0 - trust
            age = trust * (self.now - page.hinted_at) + (1.0 - trust) * age
        own.fresh += fresh
        own.aged_seconds += age

    def sum_up(self, own: HostFreshness) -> None:
        """Add the totals of a host that has no more pages."""
        if not own.pages:
            return
        self.pages += own.pages
        self.visits += own.visits
        self.changes += own.changes
        self.fresh += own.fresh
        self.aged_seconds += own.aged_seconds
        self.hosts_count += 1
        self._rank(own)

    def _rank(self, own: HostFreshness) -> None:
        if len(self.hosts) < self.hosts_max:
            heapq.heappush(self.hosts, own)
        else:
            heapq.heappushpop(self.hosts, own)
