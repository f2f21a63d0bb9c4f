"""The thesis's server experiment with the whole crawler, small: as the model says, and optimal is better."""

from itertools import pairwise

import pytest

from simulated.server import Experiment, compare
from simulated.watching import Watched, tally_of, watch_web
from tiptoe.experiment.changing_pages import ChangingPage, Periodic, StaleTally
from tiptoe.experiment.watch import PagePlan, watch
from tiptoe.frontier.politeness import Politeness
from tiptoe.harvest.page_change import ChangedBy
from tiptoe.revisit.strategies import Uniform
from tiptoe.testing.editions import changed_at
from tiptoe.testing.web import SimulatedWeb

SMALL = Experiment(pages=40, hours=5.0, scale=0.1)


def test_the_crawler_does_what_the_model_says_and_optimal_is_better() -> None:
    """In small; `bench/revisit_server.py` does it with all the pages of the thesis."""
    finding = compare(SMALL)
    rows = {str(row["strategy"]): row for row in finding.tables[0].values()}
    assert [name.partition(":")[0] for name in rows] == [
        *("thesis", "model", "crawler") * 2, "model", "crawler",
    ]  # fmt: skip
    # So few pages are not those of the thesis on average; everything else has to hold.
    failed = [check.text for check in finding.checks if not check.is_met and "thesis" not in check.text]
    assert failed == []


@pytest.fixture(scope="module")
def hurried() -> Watched:
    """A crawl in which some changes happen unseen."""
    return _watch(SMALL.politeness)


def _watch(politeness: Politeness) -> Watched:
    experiment = Experiment(pages=10, hours=1.0, scale=0.1)
    return watch_web(
        experiment.shape, experiment.policy("uniform"), politeness, measured_from=experiment.first,
        until=experiment.until, change=ChangedBy.TEXT,
    )  # fmt: skip


def test_the_servers_and_the_crawler_count_the_same(hurried: Watched) -> None:
    assert hurried.pages == 10
    assert hurried.revisits_noted == hurried.revisits > 0
    assert hurried.changes_noted == hurried.revisits_changed > 0
    assert hurried.violations == ()


def test_a_server_that_wants_to_be_left_alone_is() -> None:
    """However much is due: revisits wait for the pauses as new pages do."""
    slow = _watch(Politeness(req_delay=3.0, max_hosts=1, max_reqs=4, general_pause=9.0))
    assert slow.violations == ()
    moments = sorted(at for moments in slow.visits.values() for at in moments)
    assert min(later - at for at, later in pairwise(moments)) >= 3.0


def test_the_judge_measures_as_the_model_does() -> None:
    """Given the same visits, the two of them come to the same figures."""
    shape = SMALL.shape
    web = SimulatedWeb(shape)
    host = web.hosts.at(0)
    since, until, interval = 100.0, 1_000.0, 37.0
    pages, visits = [], {}
    for number in range(10):
        phase = changed_at(shape, host, number, 1)
        page = ChangingPage(Periodic(changed_at(shape, host, number, 2) - phase, phase), interval=interval)
        page.last_visit_at = page.first_visit_at = 2.0 * number
        pages.append(page)
        visits[host, number] = [2.0 * number + interval * count for count in range(28)]
    model = watch(pages, PagePlan(Uniform(interval)), measured_from=since, until=until)
    judged = tally_of(web, visits, since=since, until=until)
    assert _figures(judged) == pytest.approx(_figures(model))


def _figures(tally: StaleTally) -> list[float]:
    return [tally.visits, tally.found, tally.changes, tally.fresh_seconds, tally.age_seconds]
