"""FRO-4: what belongs to the crawl."""

import re
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.url.scope import Bound, Crossing, Scope
from tiptoe.url.url_patterns import UrlPatterns
from tiptoe.url.url_prefixes import UrlPrefixes

NARROW = Scope(
    include_hosts=(re.compile(r"\.cz$"),),
    exclude_hosts=(re.compile(r"^shop\."),),
    domains=frozenset({"a.cz", "b.cz"}),
    prefixes=UrlPrefixes(["https://www.a.cz/news/", "http://b.cz/"]),
    include_urls=UrlPatterns([r"[0-9]"]),
    exclude_urls=UrlPatterns([r"/tag/", r"(?i)\.PDF$"]),
)
hosts = st.lists(st.sampled_from(["a", "b", "www", "cz", "co", "uk"]), min_size=1, max_size=4).map(".".join)


def test_without_bounds_everything_is_wanted() -> None:
    """A crawl of the open web needs no list."""
    assert Scope().admits_host("a.example")
    assert Scope().url_crossing("http://a.example/x") is None
    assert not Scope().bounds_hosts
    assert not Scope().bounds_urls


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("www.a.cz", None),
        ("a.cz", None),
        ("shop.a.cz", Crossing(Bound.EXCLUDE, r"^shop\.")),  # who asked to be left out stays out
        ("www.c.cz", Crossing(Bound.DOMAINS)),
        ("nota.cz", Crossing(Bound.DOMAINS)),
        ("a.cz.example", Crossing(Bound.DOMAINS)),
    ],
)
def test_the_bound_that_keeps_a_host_out_is_named(host: str, expected: Crossing | None) -> None:
    assert NARROW.host_crossing(host) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://www.a.cz/news/1", None),
        ("http://b.cz/1", None),
        ("http://www.a.cz/news/1", Crossing(Bound.PREFIXES)),  # a prefix with a scheme means that one
        ("https://www.a.cz/new", Crossing(Bound.PREFIXES)),
        ("https://www.a.cz.example/news/1", Crossing(Bound.PREFIXES)),
        ("https://www.a.cz/news/x", Crossing(Bound.INCLUDE_URLS)),
        ("https://www.a.cz/news/tag/1", Crossing(Bound.EXCLUDE_URLS, "/tag/")),
        ("https://www.a.cz/news/1.pdf", Crossing(Bound.EXCLUDE_URLS, r"(?i)\.PDF$")),
    ],
)
def test_the_bound_that_keeps_a_page_out_is_named(url: str, expected: Crossing | None) -> None:
    assert NARROW.url_crossing(url) == expected
    is_out = url in {*NARROW.excluded([url]), *NARROW.not_included([url])}
    assert is_out == (expected is not None)


def test_sitemaps_and_feeds_may_lie_elsewhere_unless_they_are_excluded() -> None:
    """They tell of pages within the bounds; where they lie themselves says nothing."""
    assert NARROW.url_crossing("https://www.a.cz/sitemap.xml", is_lead=True) is None
    assert NARROW.url_crossing("https://www.a.cz/tag/feed.xml", is_lead=True) is not None


@given(hosts, st.frozensets(hosts, min_size=1, max_size=3))
def test_a_domain_admits_itself_and_what_ends_in_it(host: str, domains: frozenset[str]) -> None:
    """Compared with the definition, written out."""
    expected = any(host == domain or host.endswith(f".{domain}") for domain in domains)
    assert Scope(domains=domains).admits_host(host) == expected
    assert Scope(seed_sites=domains).admits_host(host) == expected


paths = st.lists(st.sampled_from(["", "a", "ab", "b"]), max_size=3).map("/".join)
addresses = st.builds("http{}://{}/{}".format, st.sampled_from(["", "s"]), hosts, paths)


@given(addresses, st.lists(addresses, max_size=4))
def test_prefixes_are_found_by_host_as_if_each_were_tried(url: str, prefixes: list[str]) -> None:
    """Sorting them by host is a short cut, and nothing else."""
    of_host = [prefix for prefix in prefixes if urlsplit(prefix).netloc == urlsplit(url).netloc]
    assert UrlPrefixes(prefixes).begin(url) == url.startswith(tuple(of_host))
