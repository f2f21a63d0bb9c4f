"""When is a page visited again, if each page is judged by itself?

A strategy is called right after a visit. The visit is already noted in the record (its time, the count, the
last change); only `interval` is still the one that led to the visit.
"""

from dataclasses import dataclass
from typing import Protocol

from tiptoe.revisit.change_evidence import ChangeEvidence

__all__ = ["Adaptive", "Observation", "Strategy", "Uniform", "Watched"]


class Watched(Protocol):
    """The part of a page record that strategies read; times are 0 while unknown."""

    @property
    def visits(self) -> int: ...
    @property
    def interval(self) -> float: ...
    @property
    def first_visit_at(self) -> float: ...
    @property
    def last_visit_at(self) -> float: ...
    @property
    def changed_at(self) -> float: ...
    @property
    def hinted_at(self) -> float: ...
    @property
    def evidence(self) -> ChangeEvidence: ...


@dataclass(frozen=True, slots=True)
class Observation:
    """What a visit showed."""

    is_changed: bool | None  # None = nothing to compare with: the first visit, or one that failed


class Strategy(Protocol):
    """A strategy that needs only the record of the page."""

    def next_visit(self, record: Watched, visit: Observation, now: float) -> float:
        """Return the seconds until the next visit."""
        ...


@dataclass(frozen=True, slots=True)
class Uniform:
    """Visits every page after the same interval."""

    interval: float

    def next_visit(self, record: Watched, visit: Observation, now: float) -> float:
        """Return the interval."""
        return self.interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Adaptive:
    """Visits a page sooner if it has changed, later if it has not (INC-2)."""

    first: float
    least: float
    most: float
    shrink: float = 0.2
    grow: float = 0.2

    def next_visit(self, record: Watched, visit: Observation, now: float) -> float:
        """Return the last interval: shrunk after a change, else grown at least to the time without one."""
        if record.visits <= 1 or record.interval <= 0.0:
            return self._clamped(self.first)
        if visit.is_changed is None:
            return self._clamped(record.interval)
        if visit.is_changed:
            return self._clamped(record.interval * (1.0 - self.shrink))
        quiet_seconds = now - (record.changed_at or record.first_visit_at)
        return self._clamped(max(record.interval * (1.0 + self.grow), quiet_seconds))

    def _clamped(self, interval: float) -> float:
        return min(max(interval, self.least), self.most)
