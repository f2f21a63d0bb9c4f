"""How do the strategies do on one server whose pages change every few minutes?

The thesis's second experiment, as a model: 1000 pages, each changes regularly every 2 to 80 minutes, first
interval 20 minutes. Compared with "optimal", given as many requests as "adaptive" made.
"""

import random

from tiptoe.experiment.changing_pages import ChangingPage, Periodic, StaleTally
from tiptoe.experiment.finding import Check, ExperimentFinding, FindingTable, Number
from tiptoe.experiment.watch import BudgetPlan, PagePlan, Plan, Progress, watch
from tiptoe.revisit.budget import Account, Optimal
from tiptoe.revisit.strategies import Adaptive, Uniform
from tiptoe.revisit.value import Objective

__all__ = ["server"]

MINUTE = 60.0
FIRST, LEAST, MOST = 20 * MINUTE, 1 * MINUTE, 12 * 60 * MINUTE
HOURS = 8
UNTIL = FIRST + HOURS * 60 * MINUTE
THESIS: tuple[tuple[Number, ...], ...] = (
    ("thesis: uniform", None, 0.6153, 0.5440, 0.6650, 198.0),
    ("thesis: adaptive", None, 0.9577, 0.5755, 0.6540, 212.0),
)
RUNS = 6


def server(pages: int, seed: int, progress: Progress) -> ExperimentFinding:
    """Return the thesis's table next to ours."""

    def watched(plan: Plan) -> StaleTally:
        return watch(
            _pages(pages, seed), plan, measured_from=FIRST, until=UNTIL,
            progress=lambda part: progress(part / RUNS),
        )  # fmt: skip

    uniform = watched(PagePlan(Uniform(FIRST)))
    adaptive = watched(PagePlan(Adaptive(first=FIRST, least=LEAST, most=MOST)))
    rate = adaptive.visits_per_second
    even = watched(PagePlan(Uniform(pages / rate)))
    best = {}
    for objective in Objective:
        strategy = Optimal(
            crawl=Account(pages=pages), first=FIRST, least=LEAST, most=MOST,
            objective=objective, visits_per_second=rate,
        )  # fmt: skip
        best[objective] = watched(BudgetPlan(strategy, [Account(pages=pages)]))
    rows = [
        _row("uniform", uniform),
        _row("adaptive", adaptive),
        _row("uniform, requests of adaptive", even),
        *(_row(f"optimal for {objective}, requests of adaptive", tally) for objective, tally in best.items()),
    ]
    head = ("strategy", "requests", "caught", "found", "freshness", "age")
    return ExperimentFinding(
        name="server",
        title="One server, changes every 2 to 80 minutes",
        lead=f"{pages} pages, regular changes, {HOURS} hours, first interval 20 minutes, intervals from 1 "
        "minute to 12 hours; what is learned is learned within the time that is measured.",
        tables=[FindingTable("Strategies", head, ("", "n", "%", "%", "%", "s"), [*THESIS, *rows])],
        checks=_checks(uniform, adaptive, best[Objective.FRESHNESS], best[Objective.AGE]),
    )


def _pages(count: int, seed: int) -> list[ChangingPage]:
    chance = random.Random(seed)
    pages = []
    for _ in range(count):
        period = chance.uniform(2, 80) * MINUTE
        met_at = chance.random() * FIRST
        page = ChangingPage(Periodic(period, chance.random() * period), interval=FIRST)
        page.first_visit_at = page.last_visit_at = page.changed_at = met_at
        pages.append(page)
    return pages


def _row(name: str, tally: StaleTally) -> tuple[Number, ...]:
    return (name, tally.visits, tally.caught_share, tally.found_share, tally.freshness, tally.age)


def _checks(uniform: StaleTally, adaptive: StaleTally, fresh: StaleTally, young: StaleTally) -> list[Check]:
    gaps = [
        abs(ours - float(theirs or 0))
        for tally, thesis in ((uniform, THESIS[0]), (adaptive, THESIS[1]))
        for ours, theirs in zip(
            (tally.caught_share, tally.found_share, tally.freshness), thesis[2:5], strict=True
        )
    ]
    most = max(uniform.freshness, adaptive.freshness)
    least = min(uniform.age, adaptive.age)
    return [
        Check(f"the thesis's shares within 4 points: {100 * max(gaps):.1f} at most", max(gaps) <= 0.04),
        Check(
            f"optimal is fresher than both: {fresh.freshness:.1%} against {most:.1%}",
            fresh.freshness >= most + 0.05,
        ),
        Check(
            f"and its copies are younger: {fresh.age:.0f} s, or {young.age:.0f} s if it goes for that, "
            f"against {least:.0f} s",
            max(fresh.age, young.age) < 0.8 * least,
        ),
        Check(
            f"with as many requests as adaptive: {fresh.visits} against {adaptive.visits}",
            fresh.visits <= 1.02 * adaptive.visits,
        ),
    ]
