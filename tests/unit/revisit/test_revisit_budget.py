"""Are visits spent where they are worth most, and as many as there may be?"""

import math
import random

import msgspec
import pytest

from tiptoe.experiment.changing_pages import ByChance, ChangingPage
from tiptoe.experiment.watch import BudgetPlan, watch
from tiptoe.revisit.budget import Account, Habits, Optimal
from tiptoe.revisit.change_evidence import ChangeEvidence
from tiptoe.revisit.strategies import Observation
from tiptoe.revisit.value import Objective

DAY = 86400.0
CHANGED, UNCHANGED = Observation(True), Observation(False)


def optimal(pages: int = 1000, *, visits_per_second: float = 0.0, most: float = 180 * DAY) -> Optimal:
    return Optimal(
        crawl=Account(pages=pages),
        first=5 * DAY,
        least=3600.0,
        most=most,
        visits_per_second=visits_per_second,
    )


def page_seen(changes: int, visits: int, *, every: float = 5 * DAY, **known: float) -> ChangingPage:
    """Return a page that was visited regularly, the last time on day 100."""
    evidence = ChangeEvidence(changes, changes * every, (visits - changes) * every)
    page = ChangingPage(ByChance(1.0), visits=visits + 1, last_visit_at=100 * DAY, evidence=evidence)
    page.hinted_at = known.get("hinted_at", 0.0)
    return page


# -- when to come back -----------------------------------------------------


def test_the_second_visit_comes_after_the_first_interval_while_nothing_is_known() -> None:
    page = ChangingPage(ByChance(1.0), last_visit_at=DAY)
    assert optimal().next_visit(page, Observation(None), Account(), DAY) == pytest.approx(5 * DAY)


def test_pages_that_change_more_often_are_visited_more_often_up_to_a_point() -> None:
    """Those that change faster than we may come are not worth it: they would be stale anyway."""
    strategy, host = optimal(), Account()
    waits = [strategy.next_visit(page_seen(changes, 40), CHANGED, host, 100 * DAY) for changes in (1, 8, 20)]
    assert waits[0] > waits[1] > waits[2]
    hasty = page_seen(40, 40, every=DAY)
    assert strategy.next_visit(hasty, CHANGED, host, 100 * DAY) > waits[0]


def test_no_interval_is_beyond_the_limits() -> None:
    strategy, host = optimal(most=60 * DAY), Account()
    page = page_seen(500, 500, every=60.0)
    assert strategy.next_visit(page, CHANGED, host, 100 * DAY) == 60 * DAY
    host.price = 1e-9
    strategy.crawl.price = 1e-12
    strategy.crawl.moved_at = 100 * DAY
    assert strategy.next_visit(page, CHANGED, host, 100 * DAY) == 3600.0


def test_a_page_that_is_due_almost_now_is_due_now() -> None:
    """Prices always move a little; a table of moments must not be rewritten for seconds."""
    strategy, host = optimal(), Account()
    page = page_seen(4, 10)
    strategy.spend(host, 100 * DAY)
    wait = strategy.next_visit(page, CHANGED, host, 100 * DAY)
    strategy.crawl.moved_at = 100 * DAY + 0.99 * wait
    assert strategy.due_at(page, host, 100 * DAY + 0.99 * wait) == 100 * DAY + 0.99 * wait


def test_pages_of_a_lively_host_are_thought_lively() -> None:
    """A page visited once is judged by its neighbours."""
    strategy, lively, quiet = optimal(), Account(pages=200), Account(pages=200)
    page = page_seen(0, 1, every=DAY)
    for number in range(200):
        strategy.learn(page, CHANGED, lively, 101 * DAY)
        strategy.learn(page, Observation(number % 40 == 0), quiet, 101 * DAY)
    assert strategy.rate(ChangeEvidence(), lively) > 5 * strategy.rate(ChangeEvidence(), quiet)


def test_a_crawl_of_pages_that_never_change_learns_that() -> None:
    """No change at all is news too: a new host is then not expected to change every few days."""
    strategy = optimal()
    for _ in range(300):
        strategy.learn(page_seen(0, 1), UNCHANGED, Account(), 105 * DAY)
    assert strategy.rate(ChangeEvidence(), Account()) < 0.02 / (5 * DAY)


def test_a_page_is_no_example_for_itself() -> None:
    """The only page there is, always found changed: its rate must not run away with what it taught."""
    strategy, host = optimal(1), Account(pages=1)
    page = page_seen(0, 0)
    for _ in range(500):
        page.evidence = strategy.learn(page, CHANGED, host, page.last_visit_at + DAY)
    assert strategy.rate(page.evidence, host) < 20 / DAY


def test_a_visit_that_says_nothing_teaches_nothing() -> None:
    strategy, host = optimal(), Account()
    page = page_seen(2, 5)
    assert strategy.learn(page, Observation(None), host, 101 * DAY) is page.evidence
    assert (host, strategy.crawl.habits) == (Account(), Habits())


# -- hints -----------------------------------------------------------------


def told(strategy: Optimal, host: Account, *, is_true: bool, times: int = 60) -> None:
    """Let a site give hints that come true, or never."""
    page = page_seen(5, 20, hinted_at=101 * DAY)
    for _ in range(times):
        strategy.learn(page, Observation(is_true), host, 102 * DAY)


def test_hints_that_came_true_bring_visits_forward() -> None:
    strategy, host = optimal(), Account()
    told(strategy, host, is_true=True)
    plain, hinted = page_seen(5, 20), page_seen(5, 20, hinted_at=100.5 * DAY)
    assert strategy.trust(host) > 0.8
    assert strategy.due_at(hinted, host, 100.5 * DAY) < strategy.due_at(plain, host, 100.5 * DAY) - DAY


def test_hints_that_never_come_true_are_not_believed() -> None:
    """Many sitemaps call every page changed today."""
    strategy, host = optimal(), Account()
    told(strategy, host, is_true=False)
    plain, hinted = page_seen(5, 20), page_seen(5, 20, hinted_at=100.5 * DAY)
    assert strategy.trust(host) < 0.05
    assert strategy.due_at(hinted, host, 100.5 * DAY) == pytest.approx(
        strategy.due_at(plain, host, 100.5 * DAY), rel=1e-3
    )


def test_a_site_is_not_trusted_before_it_has_proved_true() -> None:
    assert optimal().trust(Account()) == 0.0


def test_a_hint_tells_how_long_a_page_was_quiet() -> None:
    strategy = optimal()
    with_hint = strategy.learn(page_seen(0, 0, hinted_at=103 * DAY), CHANGED, Account(), 104 * DAY)
    assert (with_hint.changed_seconds, with_hint.unchanged_seconds) == (DAY, 3 * DAY)


# -- what it costs ---------------------------------------------------------


def by_chance(pages: int, seed: int = 1) -> list[ChangingPage]:
    chance = random.Random(seed)
    drawn = []
    for _ in range(pages):
        met_at = chance.random() * 5 * DAY
        page = ChangingPage(ByChance(chance.lognormvariate(0.0, 1.5) / (5 * DAY)), interval=5 * DAY)
        page.first_visit_at = page.last_visit_at = page.changed_at = met_at
        drawn.append(page)
    return drawn


@pytest.mark.parametrize("objective", Objective)
@pytest.mark.parametrize("per_round", [0.3, 3.0])
def test_the_visits_are_those_of_the_budget(objective: Objective, per_round: float) -> None:
    """The price finds itself, whatever the first guess was."""
    strategy = optimal(300, visits_per_second=per_round * 300 / (5 * DAY), most=10_000 * DAY)
    strategy.objective = objective
    round_seconds = 5 * DAY / per_round
    tally = watch(
        by_chance(300),
        BudgetPlan(strategy, [Account(pages=300)]),
        measured_from=12 * round_seconds,
        until=24 * round_seconds,
    )
    assert tally.visits / 12 / 300 == pytest.approx(1.0, abs=0.05)


def test_a_budget_of_zero_means_every_page_once_per_first_interval() -> None:
    assert optimal(700).budget == pytest.approx(700 / (5 * DAY))


def test_a_host_that_allows_little_has_a_price_of_its_own() -> None:
    """Its few visits go to its best pages, and others have what it cannot use."""
    strategy = optimal(400)
    hosts = [Account(pages=200), Account(pages=200)]
    pages = by_chance(400)
    for number, page in enumerate(pages):
        page.host = number % 2
    slow = 0.2 * 200 / (5 * DAY)
    plan = BudgetPlan(strategy, hosts, host_rates=[slow, math.inf])
    tally = watch(pages, plan, measured_from=50 * DAY, until=100 * DAY)
    assert hosts[0].price > 2.0
    assert hosts[1].price <= 1.0
    assert tally.visits / 400 / 10 == pytest.approx(1.0, abs=0.06)


def test_what_was_missed_while_the_crawl_was_down_is_not_made_up_for() -> None:
    """Else the first day after a month would be one of a thousand visits to everybody."""
    late, soon, host = optimal(), optimal(), Account()
    for strategy in (late, soon):
        strategy.spend(host, 0.0)
    assert late.price(host, 365 * DAY) == pytest.approx(soon.price(host, 5 * DAY))


def test_a_price_that_nothing_is_worth_goes_on_falling() -> None:
    """Else a crawl whose price rose too far would not visit anything until `most` is over."""
    strategy, host = optimal(), Account()
    strategy.spend(host, 0.0)
    prices = [strategy.price(host, round_number * 5 * DAY) for round_number in range(9)]
    assert prices[2] == pytest.approx(prices[1] * math.exp(-2.0))
    assert prices[8] == prices[7] < 0.01 * prices[0], "not without end: it has to find back"


def test_a_page_that_could_not_be_visited_moves_the_price_of_its_host_alone() -> None:
    strategy, host = optimal(), Account(pages=100)
    strategy.spend(host, 0.0)
    crawl_price = strategy.crawl.price
    before = strategy.price(host, 0.0)
    strategy.charge_host(host, 0.0, host_rate=0.001, waiting=1000.0)
    assert strategy.crawl.price == crawl_price
    assert strategy.price(host, 0.0) > before


def test_accounts_can_be_stored() -> None:
    strategy, host = optimal(), Account(pages=10)
    strategy.learn(page_seen(1, 2), CHANGED, host, 101 * DAY)
    strategy.spend(host, 101 * DAY, host_rate=0.001)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(host), type=Account) == host


def test_a_strategy_says_what_it_is() -> None:
    assert repr(optimal(5000)) == "<Optimal freshness 5000 pages, 1000 visits a day, price 0>"
