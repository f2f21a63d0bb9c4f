"""By how much should the strategy "adaptive" shorten and lengthen its intervals?

The thesis's first experiment (figures 5.1 to 5.4): pages that change with periods of some days, visited
for one year, with coefficients from 0 to 0.95.
"""

import random
from collections.abc import Sequence

from tiptoe.experiment.changing_pages import ChangingPage, Periodic, StaleTally
from tiptoe.experiment.finding import Check, ExperimentFinding, FindingTable, Plot
from tiptoe.experiment.watch import PagePlan, Progress, watch
from tiptoe.revisit.strategies import Adaptive

__all__ = ["coefficients"]

DAY = 86400.0
YEAR = 365 * DAY
FIRST = 5 * DAY
COEFFICIENTS = tuple(number / 20 for number in range(20))
PERIODS = (1, 2, 3, 5, 7, 10, 14, 21, 30, 45, 60, 90)
SHORT, LONG = (1, 2, 3), (14, 21, 30, 45, 60, 90)
DRAWN = (1, 3, 7, 30)

Tallies = dict[tuple[float, int], StaleTally]
"""Results by coefficient and period."""


def coefficients(pages: int, seed: int, progress: Progress) -> ExperimentFinding:
    """Return the results of each coefficient, with `pages` pages for each period."""
    seen: Tallies = {}
    for coefficient in COEFFICIENTS:
        for period in PERIODS:
            seen[coefficient, period] = _one(coefficient, period, pages, seed)
            progress(1 / len(COEFFICIENTS) / len(PERIODS))
    rows = [
        (
            coefficient, _found(seen, coefficient, PERIODS), 1 - _found(seen, coefficient, PERIODS),
            _caught(seen, coefficient, SHORT), _caught(seen, coefficient, LONG),
        )
        for coefficient in COEFFICIENTS
    ]  # fmt: skip
    head = ("coefficient", "found a change", "premature", "caught, 1-3 days", "caught, 14-90 days")
    return ExperimentFinding(
        name="coefficients",
        title="Coefficients of adaptive",
        lead=f"One year, first interval 5 days, intervals from 1 hour to 180 days; {pages} pages for each "
        f"period of {', '.join(map(str, PERIODS))} days. Shrink and grow by the same coefficient.",
        tables=[FindingTable("Mean over the periods", head, ("x", "%", "%", "%", "%"), rows)],
        checks=_checks(seen),
        plots=[
            _plot(seen, "found", "Visits that found a change", "share of visits"),
            _plot(seen, "caught", "Changes caught", "share of changes"),
        ],
    )


def _plot(seen: Tallies, name: str, title: str, upward: str) -> Plot:
    curves = {
        f"every {period} days" if period > 1 else "every day": [
            (coefficient, getattr(seen[coefficient, period], f"{name}_share")) for coefficient in COEFFICIENTS
        ]
        for period in DRAWN
    }
    return Plot(f"coefficients-{name}", title, "coefficient", upward, "%", curves)


def _one(coefficient: float, period: int, pages: int, seed: int) -> StaleTally:
    chance = random.Random(seed)
    strategy = Adaptive(first=FIRST, least=3600.0, most=180 * DAY, shrink=coefficient, grow=coefficient)
    watched = [
        ChangingPage(Periodic(period * DAY, chance.random() * period * DAY), interval=FIRST)
        for _ in range(pages)
    ]
    return watch(watched, PagePlan(strategy), measured_from=0.0, until=YEAR)


def _found(seen: Tallies, coefficient: float, periods: Sequence[int]) -> float:
    return sum(seen[coefficient, period].found_share for period in periods) / len(periods)


def _caught(seen: Tallies, coefficient: float, periods: Sequence[int]) -> float:
    return sum(seen[coefficient, period].caught_share for period in periods) / len(periods)


def _checks(seen: Tallies) -> list[Check]:
    small, usual, large = (_found(seen, coefficient, PERIODS) for coefficient in (0.05, 0.2, 0.6))
    beyond = [_found(seen, coefficient, PERIODS) for coefficient in COEFFICIENTS if coefficient > 0.4]
    late, early = (_caught(seen, coefficient, SHORT) for coefficient in (0.05, 0.2))
    return [
        Check(
            f"the smaller the coefficient, the more visits find a change: {small:.1%} at 0.05, {usual:.1%} "
            f"at 0.2, {large:.1%} at 0.6",
            small > usual > large,
        ),
        Check(
            f"but short periods are learned late: {late:.1%} of their changes caught at 0.05, "
            f"{early:.1%} at 0.2",
            late < early,
        ),
        Check(
            f"beyond 0.4 premature visits outnumber the others: {max(beyond):.1%} find a change at best",
            max(beyond) < 0.5,
        ),
    ]
