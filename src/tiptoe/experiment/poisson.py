"""How near does the strategy "optimal" come to the best possible result?

Pages that change at random, with a heavy tail of rates, and budgets from a fifth of a visit to two visits
per page and mean change.
"""

import math
from dataclasses import dataclass
from itertools import product

from tiptoe.experiment.changing_pages import StaleTally
from tiptoe.experiment.finding import Check, ExperimentFinding, FindingTable, Number, Plot
from tiptoe.experiment.optimum import best_freshness, even_freshness
from tiptoe.experiment.population import LEAST, Population
from tiptoe.experiment.spread import spread
from tiptoe.experiment.watch import BudgetPlan, PagePlan, Progress, watch
from tiptoe.revisit.budget import Account, Optimal
from tiptoe.revisit.strategies import Adaptive

__all__ = ["poisson"]

BUDGETS = (0.2, 0.5, 1.0, 2.0)
CONTESTANTS = ("learned", "known", "held", "fitted")
HOSTS = 100
KNOWN_ROUNDS, LEARNED_ROUNDS, MEASURED_ROUNDS = 12, 24, 4
MOST_ROUNDS = 100
FIT_PAGES = 3_000
FIT_STEPS = 10
HEAVY_PAGES = 20_000

KNOWN_BAR, LEARNED_BAR, GAIN_BAR = 0.97, 0.93, 0.15


@dataclass(frozen=True, slots=True)
class _Task:
    pages: int
    seed: int
    budget: float
    contestant: str


@dataclass(frozen=True, slots=True)
class _Outcome:
    freshness: float
    spent: float  # share of the budget


def poisson(pages: int, seed: int, progress: Progress) -> ExperimentFinding:
    """Return the freshness of each strategy for each budget, next to the optimum."""
    kinds = list(product(BUDGETS, CONTESTANTS))
    tasks = [_Task(pages, seed, budget, contestant) for budget, contestant in kinds]
    outcomes = dict(zip(kinds, spread(_run, tasks, progress, is_heavy=pages >= HEAVY_PAGES), strict=True))
    rows: list[tuple[Number, ...]] = []
    checks: list[Check] = []
    for budget in BUDGETS:
        world = Population.drawn(pages, budget, seed)
        best = best_freshness(world.rates, world.visits_per_second)
        even = even_freshness(world.rates, world.visits_per_second)
        mine = {contestant: outcomes[budget, contestant] for contestant in CONTESTANTS}
        rows.append(_row(budget, best, even, mine))
        checks += _checks(budget, best, mine)
    return ExperimentFinding(
        name="poisson",
        title="Changes by chance, with a heavy tail",
        lead=f"{pages} pages, log-normal rates (sigma 2). In a round there are as many visits as pages. "
        f"Known: optimal that knows every rate, measured after {KNOWN_ROUNDS - MEASURED_ROUNDS} rounds, for "
        f"{MEASURED_ROUNDS}. Learned: optimal that starts from nothing, measured after "
        f"{LEARNED_ROUNDS - MEASURED_ROUNDS} rounds. Adaptive, held: it has the same budget, and what is due "
        "beyond it waits its turn. Adaptive, fitted: somebody has found, for each budget, the shortest "
        "interval (where it would not use the budget, the longest) with which it makes as many visits.",
        tables=[_freshness_table(rows), _spent_table(outcomes)],
        checks=checks,
        plots=[_plot(rows)],
    )


def _run(task: _Task) -> _Outcome:
    world = Population.drawn(task.pages, task.budget, task.seed)
    if task.contestant == "known":
        tally = _optimal(world, KNOWN_ROUNDS, learns=False)
    elif task.contestant == "learned":
        tally = _optimal(world, LEARNED_ROUNDS, learns=True)
    elif task.contestant == "fitted":
        tally = _adaptive(world, *_fitted(world))
    else:
        widest = MOST_ROUNDS * world.round_seconds
        tally = _adaptive(world, LEAST, widest, visits_per_second=world.visits_per_second)
    return _Outcome(tally.freshness, tally.visits_per_second / world.visits_per_second)


def _optimal(world: Population, rounds: int, *, learns: bool) -> StaleTally:
    count = len(world.rates)
    strategy = Optimal(
        crawl=Account(pages=count), first=world.round_seconds, least=LEAST,
        most=MOST_ROUNDS * world.round_seconds, visits_per_second=world.visits_per_second,
    )  # fmt: skip
    hosts = [number % HOSTS for number in range(count)]
    accounts = [Account(pages=count // HOSTS) for _ in range(HOSTS)]
    return watch(
        world.pages(is_known=not learns, hosts=hosts),
        BudgetPlan(strategy, accounts, learns=learns),
        measured_from=(rounds - MEASURED_ROUNDS) * world.round_seconds,
        until=rounds * world.round_seconds,
        seed=world.seed,
    )


def _adaptive(
    world: Population, least: float, most: float, *, visits_per_second: float = math.inf
) -> StaleTally:
    first = min(max(world.round_seconds, least), most)
    return watch(
        world.pages(),
        PagePlan(Adaptive(first=first, least=least, most=most), visits_per_second),
        measured_from=(LEARNED_ROUNDS - MEASURED_ROUNDS) * world.round_seconds,
        until=LEARNED_ROUNDS * world.round_seconds,
        seed=world.seed,
    )


def _fitted(world: Population) -> tuple[float, float]:
    """Return the shortest and the longest interval with which adaptive spends the budget."""
    sample = world.sample(FIT_PAGES)
    widest = MOST_ROUNDS * world.round_seconds

    def is_too_much(least: float, most: float) -> bool:
        return _adaptive(sample, least, most).visits_per_second > sample.visits_per_second

    # The longer either limit is, the fewer visits there are.
    has_too_many = is_too_much(LEAST, widest)
    low, high = math.log(LEAST), math.log(widest)
    for _ in range(FIT_STEPS):
        middle = 0.5 * (low + high)
        if is_too_much(*((math.exp(middle), widest) if has_too_many else (LEAST, math.exp(middle)))):
            low = middle
        else:
            high = middle
    return (math.exp(high), widest) if has_too_many else (LEAST, math.exp(high))


# -- results ----------------------------------------------------------------


def _row(budget: float, best: float, even: float, mine: dict[str, _Outcome]) -> tuple[Number, ...]:
    learned, known = mine["learned"].freshness, mine["known"].freshness
    held, fitted = mine["held"].freshness, mine["fitted"].freshness
    return (
        budget, best, known, known / best, learned, learned / best, even,
        held, learned / held - 1, fitted, learned / fitted - 1,
    )  # fmt: skip


def _freshness_table(rows: list[tuple[Number, ...]]) -> FindingTable:
    head = (
        "budget", "optimum", "known", "of it", "learned", "of it ", "uniform",
        "adaptive, held", "gain", "fitted", "gain ",
    )  # fmt: skip
    note = "Budget: visits per page and mean change. Of it: of the optimum. Gain: learned over adaptive."
    return FindingTable("Freshness", head, ("x", *["%"] * 10), rows, note)


def _spent_table(outcomes: dict[tuple[float, str], _Outcome]) -> FindingTable:
    rows = [
        (budget, *(outcomes[budget, contestant].spent for contestant in CONTESTANTS)) for budget in BUDGETS
    ]
    head = ("budget", "learned", "known", "adaptive, held", "adaptive, fitted")
    return FindingTable("Visits made, of the budget", head, ("x", *["%"] * 4), rows)


def _checks(budget: float, best: float, mine: dict[str, _Outcome]) -> list[Check]:
    known, learned, held, fitted = (mine[name].freshness for name in ("known", "learned", "held", "fitted"))
    gain, harder_gain, possible = learned / held - 1, learned / fitted - 1, best / fitted - 1
    is_possible = possible >= GAIN_BAR
    limit = "" if is_possible else f"; the optimum itself is only {possible:.1%} fresher"
    return [
        Check(f"budget {budget:g}, known: {known / best:.1%} of the optimum", known >= KNOWN_BAR * best),
        Check(f"budget {budget:g}, learned: {learned / best:.1%} of it", learned >= LEARNED_BAR * best),
        Check(f"budget {budget:g}: {gain:.1%} fresher than adaptive held to the budget", gain >= GAIN_BAR),
        Check(
            f"budget {budget:g}: {harder_gain:.1%} fresher than adaptive fitted to the budget{limit}",
            harder_gain >= GAIN_BAR if is_possible else None,
        ),
    ]


def _plot(rows: list[tuple[Number, ...]]) -> Plot:
    columns = {"optimum": 1, "optimal, learned": 4, "uniform": 6, "adaptive, held": 7, "adaptive, fitted": 9}
    return Plot(
        "poisson-freshness", "Freshness for a budget", "visits per page and mean change", "freshness", "%",
        {
            name: [(float(row[0] or 0.0), float(row[column] or 0.0)) for row in rows]
            for name, column in columns.items()
        },
    )  # fmt: skip
