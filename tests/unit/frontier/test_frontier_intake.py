"""Which links become requests."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.decide.scheduling import schedule_point
from tiptoe.experiment.frontier_player import links_to
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.frontier.sieve import met_in
from tiptoe.protocol.work import Purpose, Report, Request, Result, RobotsNote, RobotsState
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table
from tiptoe.url.address import page_key
from tiptoe.url.scope import Scope

RULES = Politeness(req_delay=2.0, max_hosts=2, max_reqs=5, general_pause=60.0)
urls = st.sampled_from([f"http://{host}.example/{path}" for host in "abc" for path in range(5)])


def new_frontier(**policy: object) -> Frontier:
    return Frontier(MemoryStore(), FrontierPolicy(politeness=RULES, **policy))  # type: ignore[arg-type]


def visit(frontier: Frontier, host: str, now: float, *results: Result) -> None:
    """Make one visit to a host and report these results."""
    frontier.resolved_all([(host, "192.0.2.1", "")], now)
    frontier.tick(now)
    (handed,) = frontier.visits(1, "h1", now)
    report = Report(handed.id, list(results), is_done=True, wants_more=False)
    frontier.report([report], {}, now)
    frontier.check()


@given(st.lists(st.lists(urls, max_size=6), max_size=5))
def test_each_url_is_admitted_once(batches: list[list[str]]) -> None:
    """However often and in whatever company it is found."""
    frontier = new_frontier()
    known: set[str] = set()
    for batch in batches:
        assert frontier.add([Request(url) for url in batch], 0.0) == len(set(batch) - known)
        known |= set(batch)
        frontier.check()
    assert (frontier.counters.totals.urls, frontier.counters.gauges.queued) == (len(known), len(known))
    assert frontier.counters.totals.hosts == len({url.split("/")[2] for url in known})


@pytest.mark.parametrize("repeats", [1, 2])
def test_a_link_found_again_changes_nothing(repeats: int) -> None:
    """Most links of a page stand on every page of its site."""
    frontier = new_frontier()
    seed = Request("http://a.example/")
    frontier.add([seed], 0.0)
    links = links_to(["http://a.example/", "http://a.example/x", "http://b.example/"]) * repeats
    visit(frontier, "a.example", 0.0, Result(seed, status=200, links=links))
    assert frontier.counters.totals.urls == 3
    assert frontier.counters.totals.links == 1 + 3 * repeats
    assert frontier.new_hosts(9) == ["b.example"]


def test_the_bounds_of_the_crawl_hold_for_redirects_to_hosts_we_know() -> None:
    """Rules of a host within bounds may have moved to one outside: that does not let its pages in."""
    frontier = new_frontier(schedule=schedule_point(Scope(include_hosts=(re.compile(r"^a\."),))))
    frontier.add([Request("http://a.example/"), Request("http://a.example/x")], 0.0)
    robots = Request("http://a.example/robots.txt", Purpose.ROBOTS)
    moved = RobotsNote(RobotsState.MOVED, location="http://out.example/robots.txt")
    redirect = Result(Request("http://a.example/"), status=301, redirect="http://out.example/")
    visit(frontier, "a.example", 0.0, redirect, Result(robots, robots=moved))
    assert frontier.new_hosts(9) == ["out.example"]
    record = frontier.host("out.example")
    assert record is not None
    assert record.queued == 1  # its rules, nothing else
    assert frontier.counters.totals.discards == {"out_of_scope": 1}


def test_a_host_that_was_given_up_takes_nothing_more() -> None:
    """Dead links to it keep coming for as long as the crawl runs."""
    frontier = new_frontier()
    frontier.add([Request("http://a.example/")], 0.0)
    frontier.resolved_all([("a.example", "", "private_address")], 0.0)
    assert frontier.add([Request("http://a.example/x")], 1.0) == 0
    assert frontier.counters.totals.discards == {"host_gone": 2}
    assert frontier.is_finished()


def test_a_full_queue_takes_no_more() -> None:
    """Every queue has a bound and says what happens when it is full."""
    frontier = new_frontier(host_queue_max=3)
    assert frontier.add([Request(f"http://a.example/{number}") for number in range(5)], 0.0) == 3
    assert frontier.counters.totals.discards == {"host_full": 2}
    assert frontier.add([Request("http://b.example/")], 0.0) == 1


def test_a_url_that_found_no_room_may_come_again() -> None:
    """What was not queued is not seen."""
    frontier = new_frontier(host_queue_max=1)
    requests = [Request("http://a.example/1"), Request("http://a.example/2")]
    frontier.add(requests, 0.0)
    visit(frontier, "a.example", 0.0, Result(requests[0], status=200))
    assert frontier.add(requests, 1.0) == 1


def test_a_name_that_cannot_be_looked_up_is_not_tried_for_every_link_to_it() -> None:
    """Else a popular site would be given up within a second of one fault of our resolver."""
    frontier = new_frontier()
    frontier.add([Request("http://a.example/")], 0.0)
    assert frontier.new_hosts(9) == ["a.example"]
    frontier.resolved_all([("a.example", "", "dns_failed")], 0.0)
    for number in range(10):
        frontier.add([Request(f"http://a.example/{number}")], 1.0)
        assert frontier.new_hosts(9) == []
    frontier.check()
    due_at = frontier.next_at()
    assert due_at is not None
    assert due_at >= 5 * RULES.backoff_first
    frontier.tick(due_at + 1)
    assert frontier.new_hosts(9) == ["a.example"]
    frontier.resolved_all([("a.example", "192.0.2.1", "")], due_at + 1)
    frontier.tick(due_at + 1)
    assert len(frontier.visits(1, "h1", due_at + 1)) == 1
    frontier.check()


def test_an_admitted_url_is_remembered_before_it_is_asked() -> None:
    """It is queued and remembered in one step; what came of it is known later."""
    store = MemoryStore()
    frontier = Frontier(store, FrontierPolicy())
    frontier.add([Request("http://a.example/")], 0.0)
    assert [*met_in(store)] == [page_key("http://a.example/")]
    assert [*store.scan(Table.PAGE)] == []
    assert frontier.page("http://a.example/") is None
