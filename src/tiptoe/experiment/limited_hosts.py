"""What if hosts allow fewer visits than their pages deserve?

Hosts of very different size, all with the same limit, as with politeness: the largest need far more visits
than they allow, and the visits that they cannot get go to others.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np

from tiptoe.experiment.finding import Check, ExperimentFinding, FindingTable, Number
from tiptoe.experiment.optimum import best_freshness, best_freshness_of_hosts
from tiptoe.experiment.population import LEAST, Population
from tiptoe.experiment.spread import spread
from tiptoe.experiment.watch import BudgetPlan, Progress, watch
from tiptoe.revisit.budget import Account, Optimal

__all__ = ["hosts"]

BUDGETS = (0.2, 0.5, 1.0, 2.0)
HOSTS = 200
LIMIT = 2.0
"""Limit of visits to a host, relative to the number if all hosts had equally many."""

ROUNDS, MEASURED_ROUNDS = 24, 4
MOST_ROUNDS = 400
HEAVY_PAGES = 20_000
BAR = 0.95
NOTE = "Of it: of the optimum under the limits. Visits: of the budget. Busy: hosts with a price of their own."


@dataclass(frozen=True, slots=True)
class _HostTask:
    pages: int
    seed: int
    budget: float
    learns: bool


@dataclass(frozen=True, slots=True)
class _HostOutcome:
    freshness: float
    spent: float
    busy: int  # hosts with a price of their own


def hosts(pages: int, seed: int, progress: Progress) -> ExperimentFinding:
    """Return how near the strategy "optimal" comes to the constrained optimum."""
    kinds = list(product(BUDGETS, (False, True)))
    tasks = [_HostTask(pages, seed, budget, learns) for budget, learns in kinds]
    outcomes = dict(zip(kinds, spread(_run, tasks, progress, is_heavy=pages >= HEAVY_PAGES), strict=True))
    rows: list[tuple[Number, ...]] = []
    checks = []
    for budget in BUDGETS:
        world = Population.drawn(pages, budget, seed)
        free = best_freshness(world.rates, world.visits_per_second)
        best, _ = best_freshness_of_hosts(
            world.rates, _hosts_of(world), np.full(HOSTS, _limit(world)), world.visits_per_second
        )
        known, learned = outcomes[budget, False], outcomes[budget, True]
        rows.append((
            budget, free, best, known.freshness, known.freshness / best, learned.freshness,
            learned.freshness / best, known.spent, known.busy,
        ))  # fmt: skip
        checks.append(
            Check(
                f"budget {budget:g}: {known.freshness / best:.1%} of the constrained optimum",
                known.freshness >= BAR * best,
            )
        )
    head = ("budget", "no limits", "optimum", "known", "of it", "learned", "of it ", "visits", "busy")
    return ExperimentFinding(
        name="hosts",
        title="Hosts with limits",
        lead=f"{pages} pages on {HOSTS} hosts; the largest has 17 % of them, the smallest 0.1 % (Zipf). Each "
        f"allows {LIMIT:g} times as many visits as it would have if all had equally many. Changes as in the "
        f"experiment poisson, measured after {ROUNDS - MEASURED_ROUNDS} rounds.",
        tables=[FindingTable("Freshness", head, ("x", *["%"] * 7, "n"), rows, NOTE)],
        checks=checks,
    )


def _run(task: _HostTask) -> _HostOutcome:
    world = Population.drawn(task.pages, task.budget, task.seed)
    home = _hosts_of(world)
    accounts = [Account(pages=int(size)) for size in np.bincount(home, minlength=HOSTS)]
    strategy = Optimal(
        crawl=Account(pages=task.pages), first=world.round_seconds, least=LEAST,
        most=MOST_ROUNDS * world.round_seconds, visits_per_second=world.visits_per_second,
    )  # fmt: skip
    plan = BudgetPlan(strategy, accounts, host_rates=[_limit(world)] * HOSTS, learns=task.learns)
    tally = watch(
        world.pages(is_known=not task.learns, hosts=home.tolist()),
        plan,
        measured_from=(ROUNDS - MEASURED_ROUNDS) * world.round_seconds,
        until=ROUNDS * world.round_seconds,
        seed=task.seed,
    )
    return _HostOutcome(
        freshness=tally.freshness,
        spent=tally.visits_per_second / world.visits_per_second,
        busy=sum(account.price > 1.0 for account in accounts),
    )


def _hosts_of(world: Population) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the host of each page; the size of a host falls with its rank."""
    sizes = 1.0 / np.arange(1, HOSTS + 1)
    return np.random.default_rng(world.seed + 1).choice(HOSTS, len(world.rates), p=sizes / sizes.sum())


def _limit(world: Population) -> float:
    return LIMIT * world.visits_per_second / HOSTS
