"""What a crawl must end with is known without crawling; a crawl by hand agrees."""

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from urllib.parse import urljoin, urlsplit

import pytest

from simulated.truth import reachable
from tiptoe.fetch.robots import Robots, parse_robots
from tiptoe.parse.sitemaps import read_sitemap
from tiptoe.testing.answer import Delivery
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb

HREF = re.compile(rb'<a href="([^"#]*)')
AGENT = "tiptoe"


def read_rules(web: SimulatedWeb, origin: str) -> Robots | None:
    """Return the rules of a host as a crawler finds them; None: keep away."""
    host = urlsplit(origin).hostname or ""
    answer = web.respond(host, "/robots.txt")
    if answer.status == 301:
        answer = web.respond(host, urlsplit(dict(answer.headers)["Location"]).path)
    if answer.status == 421 or answer.status >= 500:
        return None
    return parse_robots(answer.body, AGENT) if answer.status == 200 else Robots()


def read_sitemaps(web: SimulatedWeb, urls: Iterable[str]) -> list[str]:
    """Return the pages in sitemaps and in the sitemaps they name."""
    found: list[str] = []
    for url in urls:
        sitemap = read_sitemap(web.respond(urlsplit(url).hostname or "", urlsplit(url).path).body, 50_000)
        found += [entry.url for entry in sitemap.entries]
        found += read_sitemaps(web, sitemap.children)
    return found


def crawl(web: SimulatedWeb, seed: str) -> set[str]:
    """Return the pages found by reading answers, as a crawler does that obeys robots.txt."""
    waiting, seen, stored = [seed], {seed}, set()
    hosts: set[str] = set()
    while waiting:
        url = waiting.pop()
        host, path = urlsplit(url).hostname or "", urlsplit(url).path
        rules = read_rules(web, url)
        if rules is None:
            continue
        found = read_sitemaps(web, rules.sitemaps) if host not in hosts else []
        hosts.add(host)
        if rules.allows(path):
            answer = web.respond(host, path)
            is_page = answer.status == 200 and answer.delivery is Delivery.PLAIN
            found += [dict(answer.headers)["Location"]] if 300 < answer.status < 400 else []
            if is_page and b"noindex" not in answer.body:
                stored.add(url)
            if is_page and b'nofollow">' not in answer.body:
                found += [urljoin(url, link.decode()) for link in HREF.findall(answer.body)]
        fresh = [link for link in found if link not in seen]
        seen.update(fresh)
        waiting += fresh
    return stored


FAULTY = WebShape(
    hosts=12, pages_per_host=30, page_bytes=4_000, links_per_page=15, external_share=0.2,
    redirect_share=0.1, gone_share=0.1, error_share=0.05, noindex_share=0.1, nofollow_share=0.1,
    dead_host_share=0.2, robots_share=0.4, robots_missing_share=0.1, robots_error_share=0.2,
    sitemap_share=0.3, legacy_charset_share=0.2,
)  # fmt: skip
UNEVEN = WebShape(
    hosts=30, hosts_per_address=4, shared_address_share=0.5, pages_per_host=40, pages_spread=0.6,
    page_bytes=4_000, size_spread=0.9, links_per_page=12, list_share=0.2, list_links=20, external_share=0.2,
    popularity_exponent=0.75, redirect_share=0.15, redirect_statuses=(301, 302, 303, 307, 308),
    redirect_chain_share=0.5, gone_share=0.1, error_share=0.03, silent_share=0.03, reset_share=0.03,
    noindex_share=0.05, nofollow_share=0.05, dead_host_share=0.1, moved_host_share=0.15,
    forbidding_host_share=0.05, broken_host_share=0.05, silent_host_share=0.05, robots_share=0.1,
    robots_patterns_share=0.2, robots_named_share=0.1, robots_closed_share=0.1, robots_html_share=0.1,
    robots_moved_share=0.1, robots_missing_share=0.1, robots_error_share=0.05, sitemap_share=0.6,
    sitemap_index_share=0.5, legacy_charset_share=0.2, charset_undeclared_share=0.2,
    charset_wrong_header_share=0.1, charset_wrong_meta_share=0.1,
)  # fmt: skip


@pytest.mark.parametrize("shape", [FAULTY, UNEVEN], ids=["faulty", "uneven"])
@pytest.mark.parametrize("seed", range(4))
def test_a_crawl_by_hand_finds_exactly_what_is_reachable(shape: WebShape, seed: int) -> None:
    """Exactness tests of the crawler lean on this set."""
    web = SimulatedWeb(replace(shape, seed=seed))
    found = {home: crawl(web, home) for home in islice(web.homes(), 4)}
    assert max(map(len, found.values())) > 50
    assert {home: reachable(web, [home]) for home in found} == found


def test_another_robot_finds_less_where_ours_is_named() -> None:
    web = SimulatedWeb(WebShape(hosts=5, pages_per_host=20, robots_named_share=1.0))
    assert reachable(web, web.homes())
    assert reachable(web, web.homes(), agent="someone-else") == set()


def test_from_all_homes_everything_in_a_faultless_web_is_reachable() -> None:
    web = SimulatedWeb(WebShape(hosts=5, pages_per_host=40))
    expected = {web.graph.url_of(web.hosts.at(i), n) for i in range(5) for n in range(web.hosts.at(i).pages)}
    assert reachable(web, web.homes()) == expected


def test_scope_depth_and_size_bound_the_walk() -> None:
    web = SimulatedWeb(WebShape(hosts=5, pages_per_host=200, pages_spread=0.0))
    home = web.home_of(0)
    assert reachable(web, [home], depth=0) == {home}
    own = reachable(web, [home], is_in_scope=lambda url: url.startswith(home))
    assert len(own) == 200
    one_step = reachable(web, [home], depth=1)
    assert home in one_step
    assert 5 < len(one_step) < 60
    assert len(reachable(web, [home], pages_max=10)) == 10


def test_a_tiny_web_is_small_but_not_empty() -> None:
    web = SimulatedWeb(WebShape.tiny())
    assert 20 < len(reachable(web, web.homes())) <= 72
