"""Where a crawl stays that is to stay near its seeds."""

import pytest

from tiptoe.url.registered_domain import RegisteredDomains
from tiptoe.url.seed_places import both_ways, folders_meant, seed_places
from tiptoe.url.url_prefixes import UrlPrefixes, canonical_prefixes

SITES = RegisteredDomains()
SEEDS = ["http://www.a.co.uk/x/y?z=/1", "https://a.co.uk/", "http://b.example:8080/d/"]


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("www.news.a.co.uk", "a.co.uk"),
        ("a.cz", "a.cz"),
        ("me.github.io", "me.github.io"),  # strangers live beside
        ("co.uk", "co.uk"),
        ("xn--hkyrky-ptac70bc.xn--fiqs8s", "xn--hkyrky-ptac70bc.xn--fiqs8s"),
        ("a.b.nowhere", "b.nowhere"),
        ("localhost", "localhost"),
        ("192.0.2.1", "192.0.2.1"),
        ("[2001:db8::1]", "[2001:db8::1]"),
        ("", ""),  # files of this machine
    ],
)
def test_a_site_is_what_somebody_has_registered(host: str, expected: str) -> None:
    assert SITES.of(host) == expected


@pytest.mark.parametrize(
    ("within", "expected"),
    [
        ("site", ["a.co.uk", "b.example"]),
        ("host", ["a.co.uk", "b.example"]),
        ("path", ["http://b.example:8080/d/", "http://www.a.co.uk/x/", "https://a.co.uk/"]),
        ("anywhere", []),
    ],
)
def test_places_follow_from_the_seeds(within: str, expected: list[str]) -> None:
    assert seed_places(within, SEEDS, SITES.of) == expected


def test_neither_www_nor_the_scheme_makes_another_place() -> None:
    """Nearly every site redirects from one to the other."""
    assert both_ways(["a.example", "www.b.example"]) == {
        "a.example", "www.a.example", "b.example", "www.b.example"
    }  # fmt: skip
    folders = UrlPrefixes(folders_meant(["http://www.a.example/x/", "file:///home/me/"]))
    for url in ("https://a.example/x/1", "http://www.a.example/x/", "file:///home/me/1"):
        assert folders.begin(url)
    for url in ("https://a.example/y", "https://b.a.example/x/", "file:///home/you"):
        assert not folders.begin(url)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("https://A.example/News", ("https://a.example/News",)),
        ("a.example/x", ("http://a.example/x", "https://a.example/x")),
        ("a.example", ("http://a.example/", "https://a.example/")),
        ("https://a.example/?utm_source=", ("https://a.example/?utm_source=",)),
        ("/news", ()),
        ("", ()),
    ],
)
def test_a_prefix_names_its_host(given: str, expected: tuple[str, ...]) -> None:
    assert canonical_prefixes(given) == expected
