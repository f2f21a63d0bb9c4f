"""How are millions of items counted in little memory?

Three counters whose size is fixed when they are made, whatever is counted: names
with their amounts, amounts by size, amounts by time.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["BoundedTally", "Row", "Spread", "Timeline"]

STEPS_PER_DOUBLING = 8
"""Number of classes of a spread per doubling: quantiles are accurate to within a twelfth."""


@dataclass(frozen=True, slots=True)
class Row:
    """A name, how often it was counted, and its amounts."""

    name: str
    count: int
    amounts: tuple[float, ...]


class BoundedTally:
    """Counts by name, exact up to `names_max` names.

    Beyond that, whenever there are twice as many, the rarer half is moved into
    `other`. Common names stay; each count may then be too low by at most `error_max`.
    """

    def __init__(self, amounts: int = 0, *, names_max: int) -> None:
        self._names_max = names_max
        self._rows: dict[str, list[float]] = {}
        self._other = [0.0] * (amounts + 1)
        self.error_max = 0

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, name: str, *amounts: float) -> None:
        """Count one occurrence of a name, with its amounts."""
        row = self._rows.get(name)
        if row is None:
            if len(self._rows) >= 2 * self._names_max:
                self._forget_the_rare()
            self._rows[name] = [1, *amounts]
            return
        row[0] += 1
        for column, amount in enumerate(amounts, 1):
            row[column] += amount

    @property
    def count(self) -> int:
        """Number of occurrences of all names together."""
        return int(sum(row[0] for row in self._rows.values()) + self._other[0])

    def top(self, rows_max: int, *, by: int | None = None) -> list[Row]:
        """Return the biggest names by count or by one of the amounts."""
        column = 0 if by is None else by + 1
        ordered = sorted(self._rows.items(), key=lambda item: (-item[1][column], item[0]))
        return [Row(name, int(row[0]), tuple(row[1:])) for name, row in ordered[:rows_max]]

    def rest(self, shown: list[Row]) -> Row | None:
        """Return the sum of everything that is not shown; None when nothing is left."""
        names = {row.name for row in shown}
        sums = list(self._other)
        for name, row in self._rows.items():
            if name not in names:
                sums = [a + b for a, b in zip(sums, row, strict=True)]
        return Row("other", int(sums[0]), tuple(sums[1:])) if any(sums) else None

    def _forget_the_rare(self) -> None:
        ordered = sorted(self._rows.items(), key=lambda item: -item[1][0])
        rare = ordered[self._names_max :]
        self.error_max += int(rare[0][1][0])
        for _, row in rare:
            self._other = [a + b for a, b in zip(self._other, row, strict=True)]
        self._rows = dict(ordered[: self._names_max])


class Spread:
    """Distribution of non-negative amounts over their range, in steps that grow with the amounts."""

    def __init__(self, *, least: float, most: float) -> None:
        self._least = least
        self._counts = [0] * (math.ceil(math.log2(most / least) * STEPS_PER_DOUBLING) + 1)
        self.count = 0
        self.total = 0.0

    def add(self, amount: float) -> None:
        """Count one amount."""
        step = int(math.log2(amount / self._least) * STEPS_PER_DOUBLING) if amount > self._least else 0
        self._counts[min(step, len(self._counts) - 1)] += 1
        self.count += 1
        self.total += amount

    def merge(self, counts: Sequence[int], total: float) -> None:
        """Add the counts of another spread with the same range, as returned by its `parts`."""
        if len(counts) != len(self._counts):
            raise ValueError(f"{len(counts)} steps are not {len(self._counts)}")
        self._counts = [own + other for own, other in zip(self._counts, counts, strict=True)]
        self.count += sum(counts)
        self.total += total

    def parts(self) -> tuple[list[int], float]:
        """Return what was counted in each step, and the sum of all amounts."""
        return list(self._counts), self.total

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else 0.0

    def quantile(self, share: float) -> float:
        """Return the amount below which this share of all amounts lies."""
        wanted = share * self.count
        passed = 0
        for step, count in enumerate(self._counts):
            passed += count
            if count and passed >= wanted:
                return self._least * math.exp2((step + 0.5) / STEPS_PER_DOUBLING)
        return 0.0

    def doublings(self) -> list[tuple[float, float, int]]:
        """Return from, to and count of each doubling, from the first to the last that has any."""
        sums = [
            sum(self._counts[start : start + STEPS_PER_DOUBLING])
            for start in range(0, len(self._counts), STEPS_PER_DOUBLING)
        ]
        used = [place for place, count in enumerate(sums) if count]
        if not used:
            return []
        return [
            (self._least * 2.0**place, self._least * 2.0 ** (place + 1), sums[place])
            for place in range(used[0], used[-1] + 1)
        ]


class Timeline:
    """Amounts by time, in at most `slots_max` slots of equal width.

    Moments may come in any order. When they span too much, slots double in width.
    """

    def __init__(self, amounts: int, *, slots_max: int, seconds: float = 1.0) -> None:
        self._amounts = amounts
        self._slots_max = slots_max
        self._slots: dict[int, list[float]] = {}
        self._first = self._last = 0
        self.slot_seconds = seconds

    def add(self, at: float, *amounts: float) -> None:
        """Count amounts at a moment."""
        slot = int(at // self.slot_seconds)
        row = self._slots.get(slot)
        if row is None:
            row = self._open(slot, at)
        for column, amount in enumerate(amounts):
            row[column] += amount

    def rows(self) -> Iterator[tuple[float, tuple[float, ...]]]:
        """Yield the start of each slot and its amounts, including empty slots."""
        if self._slots:
            for slot in range(self._first, self._last + 1):
                yield slot * self.slot_seconds, tuple(self._slots.get(slot, [0.0] * self._amounts))

    def _open(self, slot: int, at: float) -> list[float]:
        if not self._slots:
            self._first = self._last = slot
        self._first, self._last = min(self._first, slot), max(self._last, slot)
        while self._last - self._first >= self._slots_max:
            self._widen()
        return self._slots.setdefault(int(at // self.slot_seconds), [0.0] * self._amounts)

    def _widen(self) -> None:
        self.slot_seconds *= 2
        merged: dict[int, list[float]] = {}
        for slot, row in self._slots.items():
            into = merged.setdefault(slot // 2, [0.0] * self._amounts)
            for column, amount in enumerate(row):
                into[column] += amount
        self._slots = merged
        self._first, self._last = self._first // 2, self._last // 2
