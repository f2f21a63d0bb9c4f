"""What pages does a simulated collection have?

Most change rarely, a few all the time: rates are log-normal, the logarithms with a
standard deviation of 2. (What Cho and Garcia-Molina found in 2000 on 720 000 pages
lies further apart still: 23 % changed daily, 30 % not in four months.)
Time counts in rounds, in which a budget comes once to every page on average.
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
"""Seconds, divided by the mean rate: that a page changes once a day on average is only a unit."""

LEAST = 60.0
SPREAD = 2.0
CERTAIN_SECONDS = 1e15
"""Time after which evidence leaves no doubt."""


@dataclass(frozen=True, slots=True)
class Population:
    """Pages and their rates; `budget` visits per page and mean change."""

    rates: NDArray[np.float64]
    budget: float
    seed: int

    @classmethod
    def drawn(cls, pages: int, budget: float, seed: int) -> "Population":
        """Return pages whose rates are drawn by chance, and have a mean of exactly one per mean change."""
        rates = np.random.default_rng(seed).lognormal(0.0, SPREAD, pages)
        return cls(rates / rates.mean() / MEAN_CHANGE, budget, seed)

    @property
    def round_seconds(self) -> float:
        """Time in which there are as many visits as pages."""
        return MEAN_CHANGE / self.budget

    @property
    def visits_per_second(self) -> float:
        """The budget."""
        return len(self.rates) / self.round_seconds

    def sample(self, count: int) -> "Population":
        """Return a small population whose rates lie as those of this one."""
        step = max(1, len(self.rates) // count)
        return Population(np.sort(self.rates)[step // 2 :: step], self.budget, self.seed)

    def pages(self, *, is_known: bool = False, hosts: Sequence[int] | None = None) -> list[ChangingPage]:
        """Return the pages, each met at some moment of the first round and due one round later.

        Where the rates are known, there is evidence without doubt.
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
                page.interval = 0.0  # its moment is known at once
            pages.append(page)
        return pages
