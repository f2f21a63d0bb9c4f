"""How fresh does the whole crawler keep its copy of a changing web?

The stage without faults, and a crawl that never ends by itself: it is stopped when its time is over. Then the
judge, who knows when each page was requested and when it changed, computes the measures of `experiment`. The
changes that the crawler itself noticed are reported as well.
"""

import functools
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Final

from simulated.harvesters import HarvesterProcess
from simulated.keepers import KeeperProcess
from simulated.plan import Plan
from simulated.stage import Stage
from tiptoe.experiment.changing_pages import StaleTally
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.harvest.page_change import ChangedBy, RevisitRules
from tiptoe.harvest.tools import Tools
from tiptoe.observe.stops import Stop
from tiptoe.store.tables import Store
from tiptoe.testing.editions import changed_at, edition_at
from tiptoe.testing.judge import Rules, judge
from tiptoe.testing.recorder import Arrival
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb
from tiptoe.testing.web_hosts import WebHost

__all__ = ["Visits", "Watched", "tally_of", "watch_web"]

ENDING_SECONDS: Final = 120.0
SEEN: Final = (200, 304)
TOLERANCE_SECONDS: Final = 1e-5  # moments are added up in floating point

Visits = Mapping[tuple[WebHost, int], list[float]]
"""Host and number of each page that was visited, with the moments, in order, in the time of the web."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """What came of a crawl that was watched."""

    tally: StaleTally  # by the judge, over the time that is measured
    visits: Visits  # over all the time
    revisits: int  # by the servers' count,
    revisits_changed: int
    revisits_noted: int  # and by the crawler's own
    changes_noted: int
    violations: tuple[str, ...]  # of politeness, by the servers' count

    @property
    def pages(self) -> int:
        """How many pages were visited at least once."""
        return len(self.visits)


def watch_web(
    shape: WebShape,
    policy: RevisitPolicy,
    politeness: Politeness,
    *,
    measured_from: float,
    until: float,
    change: ChangedBy = ChangedBy.DUPLICITY,
) -> Watched:
    """Crawl a web, come back to its pages until a moment of its own time, and judge what came of it."""
    with tempfile.TemporaryDirectory(prefix="tiptoe-watching-") as name:
        stage = WatchingStage(_plan(shape, politeness), Path(name), policy, change)
        stage.watch(until)
    if stage.problems:
        raise AssertionError(stage.problems[0])
    visits = _visits(stage.web, stage.arrivals, stage.began_at)
    counters = stage.frontier.counters
    return Watched(
        tally=tally_of(stage.web, visits, since=measured_from, until=until),
        visits=visits,
        revisits=sum(len(moments) - 1 for moments in visits.values()),
        revisits_changed=sum(_changes(shape, page, moments) for page, moments in visits.items()),
        revisits_noted=counters.totals.revisits,
        changes_noted=counters.totals.revisits_changed,
        violations=tuple(map(str, judge(stage.arrivals, _rules(stage)))),
    )


class WatchingStage(Stage):
    """A stage on which nothing goes wrong, for as long as wanted."""

    frontier: Frontier

    def __init__(self, plan: Plan, directory: Path, policy: RevisitPolicy, change: ChangedBy) -> None:
        super().__init__(plan, directory, build_frontier=functools.partial(self._build, policy))
        self.change = change

    def watch(self, seconds: float) -> None:
        """Play so long, then let everybody finish."""
        self.outside.call_later(seconds, self._stop)
        self.run(seconds + ENDING_SECONDS)

    def start_keeper(self) -> None:
        if self._keeper is None and not self.is_over:
            self._keeper = TrustedKeeper(self)
            self._keeper.start()

    def start_harvester(self, name: str) -> HarvesterProcess:
        self._pids += 1
        process = WatchingHarvester(self, name, self._pids)
        self.harvesters[process.pid] = process
        return process

    def keeper_left(self, because: str, *, has_ended: bool) -> None:
        super().keeper_left(because, has_ended=has_ended or because == Stop.OPERATOR)

    def _build(self, policy: RevisitPolicy, store: Store, given: FrontierPolicy) -> Frontier:
        self.frontier = Frontier(store, replace(given, revisit=policy))
        return self.frontier

    def _stop(self) -> None:
        if self._keeper is not None and self._keeper.keeper is not None:
            self._keeper.keeper.stop(Stop.OPERATOR)


class TrustedKeeper(KeeperProcess):
    """A keeper whose invariants are not looked at: for so long that would cost more than the crawl."""

    def _check(self) -> None:
        """Nothing is checked; `tests/simulation` does that."""


class WatchingHarvester(HarvesterProcess):
    """A harvester that compares what it sees with what it has seen."""

    _stage: WatchingStage

    def _tools(self, incarnation: str, directory: Path) -> Tools:
        tools = super()._tools(incarnation, directory)
        tools.revisit = RevisitRules(is_on=True, change=self._stage.change, uses_hints=True)
        return tools


# -- the judge -----------------------------------------------------------


def tally_of(web: SimulatedWeb, visits: Visits, *, since: float, until: float) -> StaleTally:
    """Return what was true of the copies from one moment of the web to another."""
    tally = StaleTally(pages=len(visits), seconds=until - since)
    shape = web.shape
    for (host, number), moments in visits.items():
        early = edition_at(shape, host, number, max(since, moments[0]))
        tally.changes += edition_at(shape, host, number, until) - early
        for at, next_at in pairwise([*(at for at in moments if at < until), until]):
            edition = edition_at(shape, host, number, at)
            if since < next_at < until:
                tally.visits += 1
                tally.found += edition_at(shape, host, number, next_at) != edition
            _add_copy(tally, changed_at(shape, host, number, edition + 1), max(at, since), next_at)
    return tally


def _add_copy(tally: StaleTally, outdated_at: float, since: float, until: float) -> None:
    """Count the time for which one copy of a page was the one we had."""
    if since >= until:
        return
    stale_from = min(max(outdated_at, since), until)
    tally.fresh_seconds += stale_from - since
    early, late = stale_from - outdated_at, until - outdated_at
    if late > 0.0:
        tally.age_seconds += 0.5 * (late * late - early * early)


def _visits(web: SimulatedWeb, arrivals: Iterable[Arrival], began_at: float) -> Visits:
    visits: dict[tuple[WebHost, int], list[float]] = {}
    for arrival in arrivals:
        host = web.hosts.named(arrival.host)
        number = web.graph.number_of(host, arrival.target) if host is not None else None
        if host is not None and number is not None and arrival.status in SEEN:
            visits.setdefault((host, number), []).append(arrival.arrived_at - began_at)
    return visits


def _changes(shape: WebShape, page: tuple[WebHost, int], moments: list[float]) -> int:
    """Return how many visits of a page met another edition than the one before."""
    editions = [edition_at(shape, *page, at) for at in moments]
    return sum(edition != later for edition, later in pairwise(editions))


def _rules(stage: Stage) -> Rules:
    own = stage.plan.politeness
    return Rules(
        req_delay=own.req_delay, max_hosts=own.max_hosts, max_reqs=own.max_reqs,
        general_pause=own.general_pause, tolerance=TOLERANCE_SECONDS,
        crawl_delays=stage.web.crawl_delay_of, is_allowed=stage.web.is_allowed,
    )  # fmt: skip


def _plan(shape: WebShape, politeness: Politeness) -> Plan:
    return Plan(
        seed=shape.seed, shape=shape, trouble_share=0.0, politeness=politeness, lease_seconds=60.0,
        report_seconds=0.5, harvesters=1, is_remote=False, visits_max=1000, packets_max=0, transfers_max=100,
        front_hosts=10_000, corpus_bytes_max=1 << 30, reads_tdmrep=False, wire_seconds=0.0005, compares=True,
        faults=(), revisit="none",  # the stage of others ends it soon: ours comes with its own
    )  # fmt: skip
