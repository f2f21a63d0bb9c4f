"""What pages does a simulated collection have?

Most change rarely, a few constantly: rates are log-normal, the logarithms with a
standard deviation of 2. (What Cho and Garcia-Molina found in 2000 on 720 000
pages is even more spread out: 23 % changed daily, 30 % not in four months.)
Time is measured in rounds, in which each page gets one visit on average.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiptoe.experiment.changing_pages import ByChance, ChangingPage
from tiptoe.revisit.change_evidence import ChangeEvidence

__all__ = ["LEAST", "MEAN_CHANGE", "Population"]

MEAN_CHANGE = 86400.0
"""Mean time between changes, in seconds. One day is arbitrary: it only sets the unit of time."""

LEAST = 60.0
SPREAD = 2.0
CERTAIN_SECONDS = 1e15
"""Observation time, in seconds, after which the rate of a page is certain."""


@dataclass(frozen=True, slots=True)
class Population:
    """Pages and their rates; `budget` visits per page and mean change."""

    rates: NDArray[np.float64]
    budget: float
    seed: int

    @classmethod
    def drawn(cls, pages: int, budget: float, seed: int) -> "Population":
        """Return pages with random rates whose mean is exactly one per mean change."""
        rates = np.random.default_rng(seed).lognormal(0.0, SPREAD, pages)
        return cls(rates / rates.mean() / MEAN_CHANGE, budget, seed)

    @property
    def round_seconds(self) -> float:
        """Seconds in which there are as many visits as pages."""
        return MEAN_CHANGE / self.budget

    @property
    def visits_per_second(self) -> float:
        """The budget, as visits per second to all pages together."""
        return len(self.rates) / self.round_seconds

    def sample(self, count: int) -> "Population":
        """Return a small population with the same distribution of rates."""
        step = max(1, len(self.rates) // count)
        return Population(np.sort(self.rates)[step // 2 :: step], self.budget, self.seed)

    def pages(self, *, is_known: bool = False, hosts: Sequence[int] | None = None) -> list[ChangingPage]:
        """Return the pages, each first seen at some moment of the first round and due one round later.

        With `is_known`, the evidence makes the rates certain.
        """
        chance = random.Random(self.seed)
        pages = []
        for number, rate in enumerate(self.rates.tolist()):
            page = ChangingPage(ByChance(rate), host=hosts[number] if hosts else 0)
            met_at = chance.random() * self.round_seconds
            page.first_visit_at = page.last_visit_at = page.changed_at = met_at
            page.interval = self.round_seconds
            if is_known:
                page.evidence = ChangeEvidence(rate * CERTAIN_SECONDS, 0.0, CERTAIN_SECONDS)
                page.interval = 0.0  # its next visit is known at once
            pages.append(page)
        return pages
