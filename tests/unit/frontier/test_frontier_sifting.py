"""What is no longer wanted when its turn comes."""

import re

from test_frontier_intake import new_frontier, visit

from tiptoe.decide.scheduling import schedule_point
from tiptoe.experiment.frontier_player import links_to
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.protocol.work import Purpose, Request, Result
from tiptoe.store.memory import MemoryStore
from tiptoe.url.scope import Scope
from tiptoe.url.url_patterns import UrlPatterns
from tiptoe.url.url_prefixes import UrlPrefixes

HOME = "http://a.example/"
NEWS = Scope(prefixes=UrlPrefixes(["http://a.example/news/"]), exclude_urls=UrlPatterns(["/tag/"]))


def asked_of(frontier: Frontier, now: float) -> list[str]:
    frontier.tick(now)
    (handed,) = frontier.visits(1, "h1", now)
    return sorted(request.url for work in handed.hosts for request in work.requests)


def test_bounds_that_became_narrower_hold_for_what_is_queued() -> None:
    """Whoever goes on with --exclude-url expects the calendar not to be asked for any more."""
    store = MemoryStore()
    frontier = Frontier(store, FrontierPolicy())
    frontier.add([Request(HOME)], 0.0)
    urls = [f"{HOME}news/1", f"{HOME}news/tag/1", f"{HOME}other"]
    visit(frontier, "a.example", 0.0, Result(Request(HOME), status=200, links=links_to(urls)))

    narrow = Frontier(store, FrontierPolicy(schedule=schedule_point(NEWS)))
    narrow.recover(1.0)
    assert asked_of(narrow, 10_000.0) == [f"{HOME}news/1"]
    assert narrow.counters.totals.discards == {"out_of_scope": 2}
    narrow.check()

    wide = Frontier(store, FrontierPolicy())
    wide.recover(10_001.0)
    assert wide.add([Request(f"{HOME}other", depth=1)], 10_001.0) == 1  # it was forgotten


def test_seeds_are_asked_for_wherever_they_lie() -> None:
    """The page that lists the news need not be one."""
    frontier = new_frontier(schedule=schedule_point(NEWS))
    frontier.add([Request(HOME), Request(f"{HOME}tag/")], 0.0)
    frontier.add([Request(f"{HOME}sitemap.xml", Purpose.SITEMAP, via="http://a.example/robots.txt")], 0.0)
    frontier.resolved_all([("a.example", "192.0.2.1", "")], 0.0)
    assert asked_of(frontier, 1.0) == [HOME, f"{HOME}sitemap.xml", f"{HOME}tag/"]


def test_where_a_seed_redirects_is_asked_for_too_but_no_other_redirect_out_of_bounds() -> None:
    frontier = new_frontier(schedule=schedule_point(NEWS))
    seed, page = Request(HOME), Request(f"{HOME}news/1", depth=1)
    frontier.add([seed, page], 0.0)
    moved = Result(seed, status=301, redirect=f"{HOME}welcome")
    visit(frontier, "a.example", 0.0, moved, Result(page, status=301, redirect=f"{HOME}gone"))
    assert asked_of(frontier, 10_000.0) == [f"{HOME}welcome"]
    assert frontier.counters.totals.discards == {"out_of_scope": 1}


def test_only_what_sitemaps_name_is_followed_if_that_is_wanted() -> None:
    """Also when a harvester of another version brings links all the same."""
    frontier = new_frontier(schedule=schedule_point(follows={Purpose.SITEMAP}))
    sitemap = Request(f"{HOME}sitemap.xml", Purpose.SITEMAP)
    frontier.add([Request(HOME), sitemap], 0.0)
    page = Result(Request(HOME), status=200, links=links_to([f"{HOME}x", f"{HOME}y"]))
    named = Result(sitemap, status=200, links=links_to([f"{HOME}z"]))
    visit(frontier, "a.example", 0.0, page, named)
    assert asked_of(frontier, 10_000.0) == [f"{HOME}z"]
    assert frontier.counters.totals.discards == {"unlisted": 2}


def test_a_seed_that_is_a_sitemap_counts_as_one() -> None:
    """`--sitemap URL` only names a seed; what it is shows when it is there."""
    frontier = new_frontier(schedule=schedule_point(follows={Purpose.SITEMAP}))
    seed = Request(f"{HOME}sitemap.xml")
    frontier.add([seed], 0.0)
    result = Result(seed, status=200, links=links_to([f"{HOME}z"]), source=Purpose.SITEMAP)
    visit(frontier, "a.example", 0.0, result)
    assert asked_of(frontier, 10_000.0) == [f"{HOME}z"]


def test_hosts_of_the_seeds_hold_for_redirects_too() -> None:
    scope = Scope(seed_hosts=frozenset({"a.example"}), include_hosts=(re.compile("example"),))
    frontier = new_frontier(schedule=schedule_point(scope))
    frontier.add([Request(HOME)], 0.0)
    moved = Result(Request(HOME), status=301, redirect="http://b.example/")
    visit(frontier, "a.example", 0.0, moved)
    assert frontier.new_hosts(9) == []
    assert frontier.counters.totals.discards == {"out_of_scope": 1}
