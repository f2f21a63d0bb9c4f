"""What the simulated web holds forbidden is what its robots.txt files say, read by another reader."""

from collections import Counter

import pytest

from tiptoe.fetch.robots import Robots, parse_robots
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb
from tiptoe.testing.web_hosts import RobotsKind, WebHost

SHAPE = WebShape(
    hosts=400, pages_per_host=150, pages_spread=0.0, robots_share=0.1, robots_patterns_share=0.2,
    robots_named_share=0.1, robots_closed_share=0.1, robots_html_share=0.1, robots_moved_share=0.1,
    robots_missing_share=0.1, robots_error_share=0.05, robots_huge_share=0.02, sitemap_share=0.5,
    crawl_delay_share=0.5, crawl_delay_seconds=3.0,
)  # fmt: skip
WEB = SimulatedWeb(SHAPE)
HOSTS = [WEB.hosts.at(index) for index in range(400)]
SPEAKING = [host for host in HOSTS if host.robots is not RobotsKind.ERROR]


def rules_of(host: WebHost, agent: str) -> Robots:
    """Return the rules as the crawler reads them, after a redirect if need be."""
    answer = WEB.respond(host.name, "/robots.txt")
    if answer.status == 301:
        target = dict(answer.headers)["Location"].removeprefix(WEB.graph.origin_of(host))
        answer = WEB.respond(host.name, target)
    return parse_robots(answer.body, agent) if answer.status == 200 else Robots()


@pytest.mark.parametrize("agent", ["tiptoe", "someone-else"])
def test_the_truth_about_rules_agrees_with_their_text(agent: str) -> None:
    denied: Counter[RobotsKind] = Counter()
    for host in SPEAKING:
        rules = rules_of(host, agent)
        for path in [WEB.graph.path_of(host, number).decode() for number in range(150)] + ["/?a=b", "/x?"]:
            allowed = WEB.is_allowed(WEB.graph.origin_of(host) + path, agent)
            assert allowed == rules.allows(path), (host.robots, path)
            denied[host.robots] += not allowed
    closed = {RobotsKind.CLOSED, RobotsKind.RULES, RobotsKind.NAMED, RobotsKind.PATTERNS, RobotsKind.MOVED}
    assert {kind for kind, count in denied.items() if count} == closed


def test_patterns_forbid_some_pages_and_allow_some_within() -> None:
    hosts = [host for host in HOSTS if host.robots is RobotsKind.PATTERNS]
    pages = [(host, number) for host in hosts for number in range(1, 150)]
    denied = sum(not WEB.is_allowed(WEB.graph.url_of(host, number)) for host, number in pages)
    assert 0.04 < denied / len(pages) < 0.12
    excepted = 0
    for host in hosts:
        section = next(pattern for is_allowed, pattern in rules_of(host, "x").rules if not is_allowed)
        paths = [WEB.graph.path_of(host, number).decode() for number in range(150)]
        inside = [path for path in paths if path.startswith(section)]
        excepted += sum(WEB.is_allowed(WEB.graph.origin_of(host) + path) for path in inside)
    assert excepted > 0


def test_a_group_for_us_opens_what_is_closed_to_others() -> None:
    host = next(host for host in HOSTS if host.robots is RobotsKind.NAMED)
    home = WEB.graph.url_of(host, 0)
    assert WEB.is_allowed(home)
    assert WEB.is_allowed(home, "Tiptoe/1.0")
    assert not WEB.is_allowed(home, "curl")


def test_delays_and_sitemaps_are_known_as_written() -> None:
    for host in SPEAKING:
        rules = rules_of(host, "tiptoe")
        assert WEB.crawl_delay_of(host.name) == rules.crawl_delay
        assert bool(rules.sitemaps) == WEB.robots.shows_sitemap(host)


def test_a_page_instead_of_rules_forbids_nothing() -> None:
    host = next(host for host in HOSTS if host.robots is RobotsKind.HTML)
    answer = WEB.respond(host.name, "/robots.txt")
    assert answer.status == 200
    assert answer.body.startswith(b"<!DOCTYPE html>")
    assert rules_of(host, "tiptoe") == Robots()
