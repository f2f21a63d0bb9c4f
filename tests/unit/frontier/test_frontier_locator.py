"""Where a host stands, and a page, by the tables alone."""

import pytest
from test_frontier_intake import new_frontier, visit

from tiptoe.experiment.frontier_player import links_to
from tiptoe.frontier.frontier import Frontier
from tiptoe.frontier.locator import find_host, find_page
from tiptoe.protocol.whereabouts import HostWhereabouts, PageWhereabouts
from tiptoe.protocol.work import Purpose, Report, Request, Result, RobotsNote, RobotsState

HOME = "http://a.example/"


def host_in(frontier: Frontier, host: str = "a.example") -> HostWhereabouts | None:
    return find_host(frontier.tables_of(host), host, unproductive_rest=0.0)


def page_in(frontier: Frontier, url: str) -> PageWhereabouts:
    return find_page(frontier.tables_of("a.example"), url)


def test_nothing_is_known_of_a_stranger() -> None:
    frontier = new_frontier()
    assert host_in(frontier) is None
    assert not page_in(frontier, HOME).is_met


def test_a_page_is_found_in_its_queue_with_those_before_it() -> None:
    frontier = new_frontier()
    frontier.add([Request(HOME)], 0.0)
    urls = [f"{HOME}{number}" for number in range(5)]
    visit(frontier, "a.example", 0.0, Result(Request(HOME), status=200, links=links_to(urls)))
    page = page_in(frontier, urls[3])
    assert (page.is_met, page.queued_in, page.queued_before, page.via) == (True, 1, 3, HOME)
    home = page_in(frontier, HOME)
    assert (home.outcome, home.status, home.queued_in) == ("ok", 200, None)
    host = host_in(frontier)
    assert host is not None
    assert (host.state, host.queued, host.pages, host.address) == ("parked", [0, 5, 0, 0, 0], 1, "192.0.2.1")
    assert host.free_at > 0.0


def test_a_page_on_its_way_is_found_in_the_lease() -> None:
    frontier = new_frontier()
    frontier.add([Request(HOME)], 0.0)
    frontier.resolved_all([("a.example", "192.0.2.1", "")], 0.0)
    frontier.tick(0.0)
    frontier.visits(1, "h1", 0.0)
    assert page_in(frontier, HOME).is_underway
    host = host_in(frontier)
    assert host is not None
    assert (host.state, host.is_address_busy) == ("visited", True)


def test_a_page_that_failed_is_found_with_its_next_try() -> None:
    frontier = new_frontier()
    frontier.add([Request(HOME)], 0.0)
    visit(frontier, "a.example", 0.0, Result(Request(HOME), failure="timed_out"))
    page = page_in(frontier, HOME)
    assert page.deferred_until > 0.0
    assert page.tries == 1


def test_a_host_that_was_given_up_says_why_and_keeps_its_pages() -> None:
    frontier = new_frontier()
    frontier.add([Request(HOME), Request(f"{HOME}x")], 0.0)
    frontier.resolved_all([("a.example", "", "private_address")], 7.0)
    host = host_in(frontier)
    assert host is not None
    assert (host.state, host.gone_because, host.aside) == ("gone", "private_address", 2)
    assert page_in(frontier, f"{HOME}x").is_aside


def test_a_name_that_is_looked_up_again_says_when() -> None:
    frontier = new_frontier()
    frontier.add([Request(HOME)], 0.0)
    assert frontier.new_hosts(9) == ["a.example"]
    frontier.resolved_all([("a.example", "", "dns_failed")], 0.0)
    host = host_in(frontier)
    assert host is not None
    assert host.trouble == "dns_failed"
    assert host.lookup_at == frontier.next_at()


@pytest.mark.parametrize(
    ("path", "line"), [("x", "Disallow: /"), ("open/x", ""), ("open/not/x", "Disallow: /open/not")]
)
def test_the_line_that_forbids_a_page_is_the_one_that_decides(path: str, line: str) -> None:
    frontier = new_frontier()
    frontier.add([Request(HOME)], 0.0)
    rules = [(False, "/"), (True, "/open/"), (False, "/open/not")]
    robots = Request(f"{HOME}robots.txt", Purpose.ROBOTS)
    frontier.resolved_all([("a.example", "192.0.2.1", "")], 0.0)
    frontier.tick(0.0)
    (handed,) = frontier.visits(1, "h1", 0.0)
    note = Result(robots, robots=RobotsNote(RobotsState.RULES, rules=rules, crawl_delay=7.0))
    forbidden = Result(Request(HOME), discard="disallowed")
    frontier.report([Report(handed.id, [note, forbidden], is_done=True, wants_more=False)], {}, 1.0)
    assert page_in(frontier, HOME + path).robots_line == line
    host = host_in(frontier)
    assert host is not None
    assert [(origin.rules, origin.crawl_delay) for origin in host.origins] == [(3, 7.0)]


def test_links_that_nobody_has_looked_at_are_counted_and_searched() -> None:
    """A link from another host may wait unread for the turn of its host."""
    frontier = new_frontier()
    frontier.add([Request(HOME), Request("http://b.example/")], 0.0)
    frontier.resolved_all([("b.example", "192.0.2.2", "")], 0.0)
    far = Result(Request(HOME), status=200, links=links_to(["http://b.example/far"]))
    visit(frontier, "a.example", 0.0, far)
    page = page_in(frontier, "http://b.example/far")
    assert page.is_met
    assert page.is_unread or page.queued_in is not None
