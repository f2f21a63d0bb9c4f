"""Other rules while a crawl runs: a pause becomes longer at once, and never shorter."""

from dataclasses import replace

import pytest

from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.protocol.work import Report, Request, Result, Visit
from tiptoe.store.memory import MemoryStore

RULES = Politeness(req_delay=5.0, max_hosts=2, max_reqs=2, general_pause=60.0)
POLICY = FrontierPolicy(politeness=RULES, reads_tdmrep=False)


def began(policy: FrontierPolicy = POLICY, store: MemoryStore | None = None) -> Frontier:
    """Return a frontier that knows some pages of two hosts at one address."""
    frontier = Frontier(store or MemoryStore(), policy)
    urls = [f"http://{host}.example/{number}" for host in "ab" for number in range(9)]
    frontier.add([Request(url) for url in urls], 0.0)
    for host in frontier.new_hosts(9):
        frontier.resolved_all([(host, "192.0.2.1", "")], 0.0)
    return frontier


def visit(frontier: Frontier, now: float) -> Visit | None:
    frontier.tick(now)
    return next(iter(frontier.visits(1, "h1", now)), None)


def end(frontier: Frontier, visit: Visit, now: float) -> None:
    """Report that everything of a visit was answered at this moment, and that it wants no more."""
    results = [Result(request, status=404) for work in visit.hosts for request in work.requests]
    frontier.report([Report(visit.id, results, is_done=True, wants_more=False)], {}, now)
    frontier.check()


def first_visit_after(frontier: Frontier, moments: range) -> float | None:
    return next((float(now) for now in moments if visit(frontier, float(now)) is not None), None)


@pytest.mark.parametrize("is_restarted", [False, True])
def test_a_longer_pause_holds_for_an_address_that_rests_already(is_restarted: bool) -> None:
    """Whoever slows a crawl down does not want to see one more visit at the old pace."""
    store = MemoryStore()
    frontier = began(store=store)
    made = visit(frontier, 10.0)
    assert made is not None
    end(frontier, made, 20.0)
    slower = replace(POLICY, politeness=replace(RULES, general_pause=200.0))
    if is_restarted:
        frontier = Frontier(store, slower)
    else:
        frontier.reconfigure(slower)
    assert first_visit_after(frontier, range(21, 300)) == 220.0
    frontier.check()


def test_a_shorter_pause_does_not_cut_one_that_has_begun() -> None:
    """It was promised to the server that is resting."""
    frontier = began()
    made = visit(frontier, 10.0)
    assert made is not None
    end(frontier, made, 20.0)
    frontier.reconfigure(replace(POLICY, politeness=replace(RULES, general_pause=5.0, req_delay=1.0)))
    assert first_visit_after(frontier, range(21, 300)) == 80.0
    made = visit(frontier, 80.0)


def test_a_shorter_pause_holds_from_the_next_visit_on() -> None:
    frontier = began()
    frontier.reconfigure(replace(POLICY, politeness=replace(RULES, general_pause=7.0)))
    made = visit(frontier, 10.0)
    assert made is not None
    end(frontier, made, 20.0)
    assert first_visit_after(frontier, range(21, 300)) == 27.0


def test_the_next_visit_has_the_new_delay_and_series() -> None:
    frontier = began()
    frontier.reconfigure(replace(POLICY, politeness=replace(RULES, req_delay=11.0, max_hosts=1, max_reqs=1)))
    made = visit(frontier, 10.0)
    assert made is not None
    assert [(work.delay, work.budget) for work in made.hosts] == [(11.0, 1)]


def test_a_longer_delay_of_a_host_counts_from_its_last_answer() -> None:
    """Also when it is longer than the rest of its address."""
    frontier = began()
    made = visit(frontier, 10.0)
    assert made is not None
    end(frontier, made, 20.0)
    frontier.reconfigure(replace(POLICY, politeness=replace(RULES, req_delay=150.0)))
    assert first_visit_after(frontier, range(21, 300)) == 170.0


def test_limits_hold_at_once_and_may_be_lifted() -> None:
    frontier = began()
    frontier.reconfigure(replace(POLICY, pages_max=1))
    made = visit(frontier, 10.0)
    assert made is not None
    assert sum(len(work.requests) for work in made.hosts) == 1
    end(frontier, made, 20.0)
    frontier.reconfigure(replace(POLICY, pages_max=0))
    assert first_visit_after(frontier, range(21, 300)) == 80.0


def test_rules_that_two_frontiers_were_made_with_stay_apart() -> None:
    """A change is for one crawl."""
    one, other = began(), began()
    one.reconfigure(replace(POLICY, politeness=replace(RULES, req_delay=77.0)))
    assert (one.policy.politeness.req_delay, other.policy.politeness.req_delay) == (77.0, 5.0)
    assert RULES.req_delay == 5.0
