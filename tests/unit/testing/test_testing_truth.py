"""What a crawl must end with is known without crawling; a crawl by hand agrees."""

import re
from urllib.parse import urljoin, urlsplit

from tiptoe.testing.shape import WebShape
from tiptoe.testing.truth import reachable
from tiptoe.testing.web import SimulatedWeb

HREF = re.compile(rb'<a href="([^"#]*)')
LOCATION = re.compile(rb"<loc>([^<]*)</loc>")


def crawl(web: SimulatedWeb, seed: str) -> set[str]:
    """Return the pages found by reading answers, as a crawler does that obeys robots.txt."""
    waiting, seen, stored = [seed], {seed}, set()
    hosts: set[str] = set()
    while waiting:
        url = waiting.pop()
        host, path = urlsplit(url).hostname or "", urlsplit(url).path
        rules = web.respond(host, "/robots.txt")
        if rules.status in (421, 503):
            continue
        found: list[str] = []
        if host not in hosts and b"Sitemap:" in rules.body:
            found += [link.decode() for link in LOCATION.findall(web.respond(host, "/sitemap.xml").body)]
        hosts.add(host)
        if not (b"Disallow: /private/" in rules.body and path.startswith("/private/")):
            answer = web.respond(host, path)
            found += [dict(answer.headers)["Location"]] if answer.status == 301 else []
            if answer.status == 200 and b"noindex" not in answer.body:
                stored.add(url)
            if answer.status == 200 and b'nofollow">' not in answer.body:
                found += [urljoin(url, link.decode()) for link in HREF.findall(answer.body)]
        fresh = [link for link in found if link not in seen]
        seen.update(fresh)
        waiting += fresh
    return stored


def test_a_crawl_by_hand_finds_exactly_what_is_reachable() -> None:
    """Exactness tests of the crawler lean on this set."""
    shape = WebShape(
        hosts=12, pages_per_host=30, page_bytes=4_000, links_per_page=15, external_share=0.2,
        redirect_share=0.1, gone_share=0.1, error_share=0.05, noindex_share=0.1, nofollow_share=0.1,
        dead_host_share=0.2, robots_share=0.4, robots_missing_share=0.1, robots_error_share=0.2,
        sitemap_share=0.3, legacy_charset_share=0.2,
    )  # fmt: skip
    for seed in range(3):
        web = SimulatedWeb(
            WebShape(**{name: getattr(shape, name) for name in shape.__slots__} | {"seed": seed})
        )
        start = next(web.homes())
        assert crawl(web, start) == reachable(web, [start])


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
