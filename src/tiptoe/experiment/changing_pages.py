"""How does a page change, and how stale is our copy of it?

A copy is fresh from a visit to the next change. Its age is 0 while it is fresh, then the time since
that change.
"""

import math
from dataclasses import dataclass, field
from typing import Protocol

from tiptoe.revisit.change_evidence import ChangeEvidence

__all__ = ["ByChance", "ChangingPage", "Habit", "Periodic", "StaleTally"]


class Habit(Protocol):
    """When a page changes; known only to the judge."""

    def has_changed(self, since: float, until: float, chance: float) -> bool:
        """Return whether there was a change; `chance` is a random number from 0 to 1."""
        ...

    def changes(self, since: float, until: float) -> float:
        """Return how many changes there were, or are expected."""
        ...

    def staleness(self, visited_at: float, since: float, until: float) -> tuple[float, float]:
        """Return how long a copy made at `visited_at` was fresh in a period, and the integral of its age."""
        ...


@dataclass(frozen=True, slots=True)
class ByChance:
    """Changes at any moment with the same probability (Poisson); `changes` returns expected values."""

    rate: float  # per second

    def has_changed(self, since: float, until: float, chance: float) -> bool:
        return chance < -math.expm1(-self.rate * (until - since))

    def changes(self, since: float, until: float) -> float:
        return self.rate * (until - since)

    def staleness(self, visited_at: float, since: float, until: float) -> tuple[float, float]:
        rate, early, late = self.rate, since - visited_at, until - visited_at
        fresh = (math.exp(-rate * early) - math.exp(-rate * late)) / rate
        return fresh, 0.5 * (late * late - early * early) - (late - early - fresh) / rate


@dataclass(frozen=True, slots=True)
class Periodic:
    """Changes every `period` seconds."""

    period: float
    phase: float = 0.0

    def has_changed(self, since: float, until: float, chance: float) -> bool:
        return self._count(until) > self._count(since)

    def changes(self, since: float, until: float) -> float:
        return float(self._count(until) - self._count(since))

    def staleness(self, visited_at: float, since: float, until: float) -> tuple[float, float]:
        changed_at = self.phase + (self._count(visited_at) + 1) * self.period
        if changed_at >= until:
            return until - since, 0.0
        stale_from = max(since, changed_at)
        early, late = stale_from - changed_at, until - changed_at
        return stale_from - since, 0.5 * (late * late - early * early)

    def _count(self, moment: float) -> int:
        return math.floor((moment - self.phase) / self.period)


@dataclass(slots=True)
class ChangingPage:
    """A page, with what a crawl knows about it; see `revisit.strategies.Watched`."""

    habit: Habit
    host: int = 0
    visits: int = 1
    interval: float = 0.0
    first_visit_at: float = 0.0
    last_visit_at: float = 0.0
    changed_at: float = 0.0
    hinted_at: float = 0.0
    evidence: ChangeEvidence = field(default_factory=ChangeEvidence)
    is_asked: bool = False  # its visit has been scheduled with its host


@dataclass(slots=True)
class StaleTally:
    """What the judge saw while it watched (INC-8)."""

    pages: int
    seconds: float
    visits: int = 0
    found: int = 0  # visits that found a change
    changes: float = 0.0
    fresh_seconds: float = 0.0
    age_seconds: float = 0.0

    @property
    def freshness(self) -> float:
        """Share of pages that are up to date, on average."""
        return self.fresh_seconds / (self.pages * self.seconds)

    @property
    def age(self) -> float:
        """Mean age of the copies, in seconds."""
        return self.age_seconds / (self.pages * self.seconds)

    @property
    def found_share(self) -> float:
        """Share of visits that found a change."""
        return self.found / max(1, self.visits)

    @property
    def caught_share(self) -> float:
        """Share of changes that were seen before the next one."""
        return self.found / self.changes if self.changes else 1.0

    @property
    def visits_per_second(self) -> float:
        """Visits per second, to all pages together."""
        return self.visits / self.seconds
