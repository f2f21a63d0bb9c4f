"""What is the result when pages are visited as a strategy says?

The clock jumps from one visit to the next: a heap of moments replaces a crawl's
table of due visits. Everything else is decided by the strategy.
"""

import heapq
import math
import random
from collections.abc import Callable, Sequence
from typing import Protocol

from tiptoe.experiment.changing_pages import ChangingPage, StaleTally
from tiptoe.revisit.budget import Account, Optimal
from tiptoe.revisit.strategies import Observation, Strategy

__all__ = ["BudgetPlan", "PagePlan", "Plan", "Progress", "watch"]

Progress = Callable[[float], None]
"""Called with the share of the work done since the last call; the shares add up to 1."""

CHANGED, UNCHANGED = Observation(is_changed=True), Observation(is_changed=False)
PROGRESS_VISITS = 5_000


class Plan(Protocol):
    """How a crawl uses a strategy."""

    def due_at(self, page: ChangingPage, now: float) -> float:
        """Return when the page is due, as of now."""
        ...

    def asked_at(self, page: ChangingPage, now: float) -> float:
        """Take note that the page is to be visited; return when its host may get the request."""
        ...

    def settle(self, page: ChangingPage, visit: Observation, now: float) -> float:
        """Record a visit; return the interval to the next."""
        ...


class PagePlan:
    """For strategies that treat each page by itself (uniform, adaptive); beyond the budget, pages wait."""

    def __init__(self, strategy: Strategy, visits_per_second: float = math.inf) -> None:
        self.strategy = strategy
        self.visits_per_second = visits_per_second
        self._free_at = 0.0

    def due_at(self, page: ChangingPage, now: float) -> float:
        return now

    def asked_at(self, page: ChangingPage, now: float) -> float:
        moment = max(now, self._free_at)
        self._free_at = moment + 1.0 / self.visits_per_second
        return moment

    def settle(self, page: ChangingPage, visit: Observation, now: float) -> float:
        _note(page, visit, now)
        return self.strategy.next_visit(page, visit, now)


class BudgetPlan:
    """For the strategy that divides one budget among all pages (optimal), optionally with limits per host."""

    def __init__(
        self,
        strategy: Optimal,
        hosts: Sequence[Account],
        *,
        host_rates: Sequence[float] | None = None,
        learns: bool = True,
    ) -> None:
        self.strategy = strategy
        self.hosts = hosts
        self.host_rates = host_rates or [math.inf] * len(hosts)
        self.learns = learns
        self._free_at = [0.0] * len(hosts)

    def due_at(self, page: ChangingPage, now: float) -> float:
        return self.strategy.due_at(page, self.hosts[page.host], now)

    def asked_at(self, page: ChangingPage, now: float) -> float:
        rate = self.host_rates[page.host]
        moment = max(now, self._free_at[page.host])
        waiting = (moment - now) * rate if moment > now else 0.0
        self.strategy.spend(self.hosts[page.host], now, host_rate=rate, waiting=waiting)
        self._free_at[page.host] = moment + 1.0 / rate
        return moment

    def settle(self, page: ChangingPage, visit: Observation, now: float) -> float:
        host = self.hosts[page.host]
        if self.learns:
            page.evidence = self.strategy.learn(page, visit, host, now)
        _note(page, visit, now)
        return self.strategy.next_visit(page, visit, host, now)


def watch(
    pages: Sequence[ChangingPage],
    plan: Plan,
    *,
    measured_from: float,
    until: float,
    seed: int = 0,
    progress: Progress = lambda part: None,
) -> StaleTally:
    """Visit pages until one moment and return what the judge saw from another moment on.

    A page is first due `interval` after its last visit.
    """
    chance = random.Random(seed).random
    tally = StaleTally(pages=len(pages), seconds=until - measured_from)
    heap = [(page.last_visit_at + page.interval, number) for number, page in enumerate(pages)]
    heapq.heapify(heap)
    told_at, events = 0.0, 0
    while heap and heap[0][0] < until:
        now, number = heap[0]
        page = pages[number]
        events += 1
        if events % PROGRESS_VISITS == 0:
            progress((now - told_at) / until)
            told_at = now
        if not page.is_asked:
            moment = plan.due_at(page, now)
            if moment <= now:
                moment = plan.asked_at(page, now)
                page.is_asked = True
            if moment > now:
                heapq.heapreplace(heap, (moment, number))
                continue
        page.is_asked = False
        is_changed = page.habit.has_changed(page.last_visit_at, now, chance())
        if now > measured_from:
            _measure(page, tally, max(page.last_visit_at, measured_from), now)
            tally.visits += 1
            tally.found += is_changed
        page.interval = plan.settle(page, CHANGED if is_changed else UNCHANGED, now)
        heapq.heapreplace(heap, (now + page.interval, number))
    for page in pages:
        _measure(page, tally, max(page.last_visit_at, measured_from), until)
    progress((until - told_at) / until)
    return tally


def _measure(page: ChangingPage, tally: StaleTally, since: float, until: float) -> None:
    fresh, age = page.habit.staleness(page.last_visit_at, since, until)
    tally.fresh_seconds += fresh
    tally.age_seconds += age
    tally.changes += page.habit.changes(since, until)


def _note(page: ChangingPage, visit: Observation, now: float) -> None:
    page.visits += 1
    page.last_visit_at = now
    if visit.is_changed:
        page.changed_at = now
