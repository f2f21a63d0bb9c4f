"""Does the whole crawler behave on one server as the model predicts, and as the thesis measured?

The thesis's second experiment: pages of one server change regularly, each every 2 to 80 minutes, and the
first interval is 20 minutes. Here keeper, harvester and server run on one virtual clock. Each strategy is
compared with the model of `experiment`, given the same pages and the same first visits.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from simulated.watching import Visits, Watched, watch_web
from tiptoe.experiment.changing_pages import ChangingPage, Periodic, StaleTally
from tiptoe.experiment.finding import Check, ExperimentFinding, FindingTable, Number
from tiptoe.experiment.one_server import THESIS
from tiptoe.experiment.watch import BudgetPlan, PagePlan, watch
from tiptoe.experiment.watch import Plan as ModelPlan
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.revisit.budget import Account, Optimal
from tiptoe.revisit.strategies import Adaptive, Uniform
from tiptoe.testing.editions import changed_at
from tiptoe.testing.shape import WebShape

__all__ = ["Experiment", "compare"]

MINUTE: Final = 60.0
DAY: Final = 86_400.0
HEAD: Final = ("strategy", "requests", "caught", "found", "freshness", "age")
UNITS: Final = ("", "n", "%", "%", "%", "s")
THESIS_GAP_MAX: Final = 0.05
MODEL_GAP_MAX: Final = 0.03
FRESHER: Final = 0.05
YOUNGER: Final = 0.8
REQUESTS_MORE_MAX: Final = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """The server, and how long it is watched; `scale` makes every span of time, and our pauses, shorter."""

    pages: int = 1_000
    hours: float = 8.0
    seed: int = 1
    scale: float = 1.0

    @property
    def first(self) -> float:
        """First interval; what happens before its end is not measured."""
        return 20 * MINUTE * self.scale

    @property
    def until(self) -> float:
        return self.first + self.hours * 60 * MINUTE * self.scale

    @property
    def shape(self) -> WebShape:
        return WebShape(
            seed=self.seed, hosts=1, pages_per_host=self.pages, pages_spread=0.0, pages_max=self.pages,
            page_bytes=6_000, links_per_page=30, external_share=0.0, languages=("en",),
            change_seconds_min=2 * MINUTE * self.scale, change_seconds_max=80 * MINUTE * self.scale,
        )  # fmt: skip

    @property
    def politeness(self) -> Politeness:
        """A server of our own: it may be asked as often as a thousand pages that change need."""
        return Politeness(
            req_delay=0.1 * self.scale, max_hosts=1, max_reqs=100, general_pause=0.5 * self.scale
        )

    def policy(self, strategy: str, visits_per_second: float = 0.0) -> RevisitPolicy:
        """Return the settings of a strategy; a budget of 0 is that of uniform."""
        return RevisitPolicy(
            strategy=strategy, first_seconds=self.first, min_seconds=MINUTE * self.scale,
            max_seconds=12 * 60 * MINUTE * self.scale, visits_per_day=round(visits_per_second * DAY),
            is_endless=True,
        )  # fmt: skip


def play(experiment: Experiment, strategy: str, visits_per_second: float = 0.0) -> Watched:
    """Let the crawler watch the server."""
    return watch_web(
        experiment.shape, experiment.policy(strategy, visits_per_second), experiment.politeness,
        measured_from=experiment.first, until=experiment.until,
    )  # fmt: skip


def compare(
    experiment: Experiment, *, said: Callable[[str], object] = lambda line: None
) -> ExperimentFinding:
    """Return the thesis's table with the model's figures and the crawler's beside its own."""
    ours: dict[str, Watched] = {}
    models: dict[str, StaleTally] = {}
    for strategy in ("uniform", "adaptive", "optimal"):
        rate = ours["adaptive"].tally.visits_per_second if strategy == "optimal" else 0.0
        said(f"{strategy} ...")
        ours[strategy] = play(experiment, strategy, rate)
        models[strategy] = _model(experiment, strategy, rate, ours[strategy].visits)
    rows = [THESIS[0], *_rows("uniform", models, ours), THESIS[1], *_rows("adaptive", models, ours)]
    rows += _rows("optimal", models, ours)
    return ExperimentFinding(
        name="revisit_server",
        title="One server, changes every 2 to 80 minutes: the whole crawler",
        lead=f"{experiment.pages} pages, regular changes, {experiment.hours:g} hours, first interval 20 "
        "minutes, intervals from 1 minute to 12 hours; optimal may make as many requests as adaptive made.",
        tables=[FindingTable("Strategies", HEAD, UNITS, [_unscaled(row, experiment.scale) for row in rows])],
        checks=[*_thesis_checks(ours), *_model_checks(models, ours), *_crawl_checks(experiment, ours)],
    )


def _model(experiment: Experiment, strategy: str, rate: float, visits: Visits) -> StaleTally:
    """Return what the model makes of the same pages, met at the same moments."""
    policy = experiment.policy(strategy, rate)
    plan: ModelPlan
    if strategy == "uniform":
        plan = PagePlan(Uniform(policy.first_seconds))
    elif strategy == "adaptive":
        plan = PagePlan(
            Adaptive(first=policy.first_seconds, least=policy.min_seconds, most=policy.max_seconds)
        )
    else:
        optimal = Optimal(
            crawl=Account(pages=len(visits)), first=policy.first_seconds, least=policy.min_seconds,
            most=policy.max_seconds, visits_per_second=rate,
        )  # fmt: skip
        plan = BudgetPlan(optimal, [Account(pages=len(visits))])
    pages = _pages(experiment.shape, visits, policy.first_seconds)
    return watch(pages, plan, measured_from=experiment.first, until=experiment.until)


def _pages(shape: WebShape, visits: Visits, first: float) -> list[ChangingPage]:
    pages = []
    for (host, number), moments in visits.items():
        phase = changed_at(shape, host, number, 1)
        period = changed_at(shape, host, number, 2) - phase
        met_at = moments[0]
        page = ChangingPage(Periodic(period, phase), interval=first)
        page.first_visit_at = page.last_visit_at = page.changed_at = met_at
        pages.append(page)
    return pages


# -- the table -----------------------------------------------------------


def _rows(
    strategy: str, models: Mapping[str, StaleTally], ours: Mapping[str, Watched]
) -> list[tuple[Number, ...]]:
    return [_row(f"model: {strategy}", models[strategy]), _row(f"crawler: {strategy}", ours[strategy].tally)]


def _row(name: str, tally: StaleTally) -> tuple[Number, ...]:
    return (name, tally.visits, *_shares(tally), tally.age)


def _shares(tally: StaleTally) -> tuple[float, float, float]:
    return tally.caught_share, tally.found_share, tally.freshness


def _unscaled(row: tuple[Number, ...], scale: float) -> tuple[Number, ...]:
    """Return a row with its age as the thesis counts it; its own rows are that already."""
    if str(row[0]).startswith("thesis"):
        return row
    return (*row[:-1], float(row[-1] or 0.0) / scale)


def _thesis_checks(ours: Mapping[str, Watched]) -> list[Check]:
    gap = max(
        abs(share - float(theirs or 0.0))
        for strategy, thesis in zip(("uniform", "adaptive"), THESIS, strict=True)
        for share, theirs in zip(_shares(ours[strategy].tally), thesis[2:5], strict=True)
    )
    text = (
        f"the crawler has the thesis's shares within {100 * THESIS_GAP_MAX:g} points: {100 * gap:.1f} at most"
    )
    return [Check(text, gap <= THESIS_GAP_MAX)]


def _model_checks(models: Mapping[str, StaleTally], ours: Mapping[str, Watched]) -> list[Check]:
    gap = max(
        abs(share - theirs)
        for strategy, model in models.items()
        for share, theirs in zip(_shares(ours[strategy].tally), _shares(model), strict=True)
    )
    text = (
        f"the crawler has the model's shares within {100 * MODEL_GAP_MAX:g} points: {100 * gap:.1f} at most"
    )
    return [Check(text, gap <= MODEL_GAP_MAX)]


def _crawl_checks(experiment: Experiment, ours: Mapping[str, Watched]) -> list[Check]:
    best, others = ours["optimal"].tally, [ours["uniform"].tally, ours["adaptive"].tally]
    freshest, youngest = max(tally.freshness for tally in others), min(tally.age for tally in others)
    requests = others[1].visits
    noticed = all(watched.changes_noted == watched.revisits_changed for watched in ours.values())
    violations = sum(len(watched.violations) for watched in ours.values())
    age, least_age = best.age / experiment.scale, youngest / experiment.scale
    return [
        Check(
            f"optimal is fresher than both: {best.freshness:.1%} against {freshest:.1%}",
            best.freshness >= freshest + FRESHER,
        ),
        Check(
            f"and its copies are younger: {age:.0f} s against {least_age:.0f} s",
            best.age <= YOUNGER * youngest,
        ),
        Check(
            f"with the requests of adaptive, or up to {100 * REQUESTS_MORE_MAX:g} % more: "
            f"{best.visits} against {requests}",
            best.visits <= (1.0 + REQUESTS_MORE_MAX) * requests,
        ),
        Check(
            "the crawler found every page, and noticed every change that a visit met",
            noticed and all(watched.pages == experiment.pages for watched in ours.values()),
        ),
        Check(f"{violations} violations of politeness, by the server's own record", not violations),
    ]
