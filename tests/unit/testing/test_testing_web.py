"""The simulated web is only worth something if what it says of itself is true."""

import html
import re
from dataclasses import replace
from hashlib import sha256

import deflate
import pytest

from tiptoe.errors import SettingsError
from tiptoe.testing.graph import PageKind
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb
from tiptoe.testing.web_hosts import Life, RobotsKind

TINY = SimulatedWeb(WebShape.tiny())
HREF = re.compile(rb'<a href="([^"#]*)')


def body_of(web: SimulatedWeb, index: int, number: int, *, now: float = 0.0) -> bytes:
    host = web.hosts.at(index)
    return web.respond(host.name, web.graph.path_of(host, number).decode(), now=now).body


def paragraphs_in(markup: str) -> list[str]:
    """Return heading and paragraphs of the main part, by hand: no parser of ours takes part."""
    main = markup.partition("<main>")[2].partition("</main>")[0]
    blocks = re.findall(r"<(?:h1|p)>(.*?)</(?:h1|p)>", main, re.DOTALL)
    return [html.unescape(re.sub(r"<[^>]*>", "", block)) for block in blocks]


def test_the_same_shape_is_the_same_web() -> None:
    """Two processes must agree on every byte without talking."""
    again = SimulatedWeb(WebShape.tiny())
    assert [body_of(TINY, 0, n) for n in range(12)] == [body_of(again, 0, n) for n in range(12)]


def test_another_seed_is_another_web() -> None:
    assert body_of(TINY, 0, 0) != body_of(SimulatedWeb(WebShape.tiny(seed=2)), 0, 0)


def test_every_language_and_charset_tells_the_truth_about_its_text() -> None:
    web = SimulatedWeb(WebShape(hosts=120, legacy_charset_share=0.6, pages_per_host=5))
    seen = set()
    for index in range(120):
        host = web.hosts.at(index)
        seen.add((host.language, host.charset))
        markup = body_of(web, index, 0).decode(host.charset)
        assert web.true_paragraphs(web.home_of(index)) == paragraphs_in(markup)
    assert len(seen) == 15


def test_the_charset_is_declared_in_the_header_or_in_the_page() -> None:
    web = SimulatedWeb(WebShape(hosts=60, legacy_charset_share=1.0, pages_per_host=5))
    for index in range(60):
        answer = web.respond(web.hosts.at(index).name, "/")
        in_header = "charset=" in dict(answer.headers)["Content-Type"]
        assert in_header != (b"<meta charset=" in answer.body)


def test_paragraphs_are_not_repeated_on_other_pages() -> None:
    """Deduplication would throw a web of repeated paragraphs away."""
    web = SimulatedWeb(WebShape(hosts=5, pages_per_host=100, pages_spread=0.0))
    paragraphs = [
        text
        for index in range(5)
        for number in range(100)
        for text in web.pages.paragraphs(web.hosts.at(index), number)[1:]
    ]
    assert len(set(paragraphs)) == len(paragraphs)


def test_bench_pages_have_the_size_and_links_they_should() -> None:
    web = SimulatedWeb(WebShape.bench())
    bodies = [body_of(web, index, index) for index in range(200)]
    assert 14_000 < sum(map(len, bodies)) / 200 < 18_000
    assert 55 < sum(len(HREF.findall(body)) for body in bodies) / 200 < 65


def test_every_link_of_a_faultless_web_leads_to_a_page() -> None:
    web = SimulatedWeb(WebShape(hosts=4, pages_per_host=30, external_share=0.3))
    for index in range(4):
        host = web.hosts.at(index)
        for number in range(host.pages):
            for link in HREF.findall(body_of(web, index, number)):
                url = link.decode() if link.startswith(b"http") else web.graph.origin_of(host) + link.decode()
                owner, page = web.find(url)
                assert owner is not None, url
                assert page is not None, url


def test_the_webs_that_tests_and_benchmarks_know_stay_as_they_are() -> None:
    """New traits are for those who ask for them; figures of old runs must stay comparable."""
    digest = sha256()
    for shape in (WebShape.tiny(), WebShape.demo(), WebShape.bench()):
        web = SimulatedWeb(shape)
        for host in map(web.hosts.at, range(6)):
            pages = [web.graph.path_of(host, number).decode() for number in range(min(4, host.pages))]
            for target in ("/robots.txt", "/sitemap.xml", *pages):
                answer = web.respond(host.name, target)
                digest.update(repr((web.address_of(host.name), answer.status, answer.headers)).encode())
                digest.update(answer.body)
    assert digest.hexdigest()[:16] == "a39138209d2e34e5"


def test_a_path_belongs_to_exactly_one_page() -> None:
    host = TINY.hosts.at(1)
    paths = [TINY.graph.path_of(host, number).decode() for number in range(host.pages)]
    assert [TINY.graph.number_of(host, path) for path in paths] == list(range(host.pages))


@pytest.mark.parametrize(
    "target", ["/nothing", "/x-1.html", "/x-99999999999999.html", "/?a=1", "/-.html", ""]
)
def test_what_does_not_exist_is_not_found(target: str) -> None:
    assert TINY.respond(TINY.hosts.at(0).name, target).status == 404


@pytest.mark.parametrize(
    "name", ["", "h", "h1", "h000001", "h000001-xx.example", "h999999-cs.example", "h²-cs"]
)
def test_unknown_names_have_no_address(name: str) -> None:
    assert TINY.address_of(name) is None
    assert TINY.respond(name, "/").status == 421


def test_neighbours_share_an_address() -> None:
    web = SimulatedWeb(WebShape(hosts=9, hosts_per_address=3))
    addresses = [web.address_of(web.hosts.at(index).name) for index in range(9)]
    assert addresses == ["198.18.0.1"] * 3 + ["198.18.0.2"] * 3 + ["198.18.0.3"] * 3
    assert web.address_of(web.hosts.at(0).name, loopback=True) == "127.18.0.1"


def test_dead_hosts_have_no_address_or_one_of_their_own() -> None:
    """On an address where others answer, a connection would not be refused."""
    web = SimulatedWeb(WebShape(hosts=100, dead_host_share=0.5))
    hosts = [web.hosts.at(index) for index in range(100)]
    alive = {web.address_of(host.name) for host in hosts if host.life is Life.ALIVE}
    refused = {web.address_of(host.name) for host in hosts if host.life is Life.REFUSED}
    assert {web.address_of(host.name) for host in hosts if host.life is Life.NO_SUCH_HOST} == {None}
    assert alive
    assert refused
    assert not alive & refused


def test_without_spread_every_host_has_the_same_number_of_pages() -> None:
    web = SimulatedWeb(WebShape(hosts=50, pages_per_host=7, pages_spread=0.0))
    assert {web.hosts.at(index).pages for index in range(50)} == {7}


def test_with_spread_sizes_follow_a_power_law_with_the_mean() -> None:
    web = SimulatedWeb(WebShape(hosts=4_000, pages_per_host=100, pages_spread=0.4, pages_max=5_000))
    pages = sorted(web.hosts.at(index).pages for index in range(4_000))
    assert 85 < sum(pages) / 4_000 < 115
    assert pages[0] < 70 < 700 < pages[-1] <= 5_000


def test_faults_come_in_their_shares() -> None:
    web = SimulatedWeb(
        WebShape(hosts=10, pages_per_host=500, pages_spread=0.0, redirect_share=0.1, gone_share=0.2)
    )
    kinds = [web.graph.kind_of(web.hosts.at(index), number) for index in range(10) for number in range(500)]
    assert 0.08 < kinds.count(PageKind.REDIRECT) / 5_000 < 0.12
    assert 0.17 < kinds.count(PageKind.GONE) / 5_000 < 0.23


def test_a_redirect_leads_to_a_page() -> None:
    web = SimulatedWeb(WebShape(hosts=3, pages_per_host=100, redirect_share=0.5, gone_share=0.2))
    host = web.hosts.at(0)
    redirects = [n for n in range(host.pages) if web.graph.kind_of(host, n) is PageKind.REDIRECT]
    for number in redirects:
        answer = web.respond(host.name, web.graph.path_of(host, number).decode())
        owner, page = web.find(dict(answer.headers)["Location"])
        assert answer.status == 301
        assert owner is not None
        assert page is not None
        assert web.graph.kind_of(owner, page) is PageKind.TEXT
    assert redirects


def test_a_flaky_page_comes_and_goes() -> None:
    web = SimulatedWeb(WebShape(hosts=1, pages_per_host=50, pages_spread=0.0, flaky_share=1.0))
    statuses = [
        web.respond(web.hosts.at(0).name, web.graph.path_of(web.hosts.at(0), 1).decode(), now=10.0 * i).status
        for i in range(40)
    ]
    assert set(statuses) == {200, 503}


def test_only_hosts_with_rules_forbid_their_private_section() -> None:
    web = SimulatedWeb(WebShape(hosts=40, robots_share=0.5))
    for index in range(40):
        host = web.hosts.at(index)
        text = web.respond(host.name, "/robots.txt").body.decode()
        has_rules = host.robots is RobotsKind.RULES
        assert ("Disallow: /private/" in text) == has_rules
        assert web.is_allowed(f"http://{host.name}/private/x") != has_rules
        assert web.is_allowed(f"http://{host.name}/public/private/")


def test_robots_kinds_answer_in_their_way() -> None:
    shape = WebShape(
        hosts=200,
        robots_missing_share=0.2,
        robots_error_share=0.2,
        robots_slow_share=0.2,
        robots_huge_share=0.2,
    )
    web = SimulatedWeb(shape)
    for index in range(200):
        host = web.hosts.at(index)
        answer = web.respond(host.name, "/robots.txt")
        expected = {RobotsKind.MISSING: 404, RobotsKind.ERROR: 503}.get(host.robots, 200)
        assert answer.status == expected
        assert (len(answer.body) > 1_000_000) == (host.robots is RobotsKind.HUGE)
        assert (answer.latency_seconds > 1.0) == (host.robots is RobotsKind.SLOW)


def test_the_crawl_delay_is_the_one_in_the_file() -> None:
    web = SimulatedWeb(
        WebShape(hosts=40, crawl_delay_share=0.5, crawl_delay_seconds=3.0, robots_missing_share=0.3)
    )
    for index in range(40):
        name = web.hosts.at(index).name
        in_file = b"Crawl-delay: 3\n" in web.respond(name, "/robots.txt").body
        assert web.crawl_delay_of(name) == (3.0 if in_file else None)


def test_pages_change_when_they_say_they_do() -> None:
    """Freshness can only be graded against a truth."""
    web = SimulatedWeb(WebShape(hosts=1, change_seconds=100.0))
    url, host = web.home_of(0), web.hosts.at(0).name
    changed_at = web.last_change_at(url, now=1_000.0)
    assert changed_at is not None
    before = web.respond(host, "/", now=changed_at - 0.01)
    after = web.respond(host, "/", now=changed_at + 0.01)
    assert after.body == web.respond(host, "/", now=1_000.0).body
    assert before.body != after.body
    assert dict(before.headers)["ETag"] != dict(after.headers)["ETag"]
    assert HREF.findall(before.body) == HREF.findall(after.body)
    assert web.true_paragraphs(url, now=1_000.0) == paragraphs_in(after.body.decode())
    kept = set(web.true_paragraphs(url, now=changed_at - 0.01)) & set(web.true_paragraphs(url, now=1_000.0))
    assert len(kept) > 1


def test_a_web_that_does_not_change_stays_as_it_is() -> None:
    assert body_of(TINY, 0, 0) == body_of(TINY, 0, 0, now=1e9)


def test_compression_is_for_those_who_accept_it() -> None:
    web = SimulatedWeb(WebShape(hosts=1, gzip_share=1.0))
    host = web.hosts.at(0).name
    plain, packed = web.respond(host, "/"), web.respond(host, "/", accepts_gzip=True)
    assert "Content-Encoding" not in dict(plain.headers)
    assert dict(packed.headers)["Content-Encoding"] == "gzip"
    assert bytes(deflate.gzip_decompress(packed.body)) == plain.body


def test_pages_can_ask_not_to_be_stored_or_followed() -> None:
    web = SimulatedWeb(
        WebShape(hosts=1, pages_per_host=200, pages_spread=0.0, noindex_share=0.2, nofollow_share=0.2)
    )
    host = web.hosts.at(0)
    for number in range(200):
        markup = body_of(web, 0, number)
        assert (b'content="noindex' in markup) != web.pages.is_indexable(host, number)
        assert (b'nofollow">' in markup) != web.pages.is_followable(host, number)


def test_another_port_stands_in_every_absolute_link() -> None:
    web = SimulatedWeb(replace(WebShape.tiny(), port=8080))
    links = HREF.findall(b"".join(body_of(web, 0, number) for number in range(12)))
    absolute = [link for link in links if link.startswith(b"http")]
    assert absolute
    assert all(b":8080/" in link for link in absolute)


@pytest.mark.parametrize(
    "changes",
    [
        {"hosts": 0},
        {"gone_share": 1.5},
        {"languages": ("xx",)},
        {"languages": ()},
        {"pages_spread": 1.0},
        {"popularity_exponent": 1.0},
        {"size_spread": 9.0},
        {"latency_spread": -1.0},
        {"list_links": 0},
        {"redirect_statuses": ()},
        {"redirect_statuses": (200,)},
    ],
)
def test_an_impossible_shape_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(SettingsError):
        replace(WebShape.tiny(), **changes)  # type: ignore[arg-type]
