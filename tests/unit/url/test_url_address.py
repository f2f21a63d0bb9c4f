"""Parts and keys of canonical URLs."""

import pytest

from tiptoe.url.address import (
    UrlParts,
    host_key,
    host_of,
    origin_of,
    page_key,
    page_keys,
    split_url,
    url_key,
)


@pytest.mark.parametrize(
    ("url", "parts", "origin"),
    [
        ("https://a.example/x?y=/1", UrlParts("https", "a.example", None, "/x?y=/1"), "https://a.example"),
        ("http://a.example:8080/", UrlParts("http", "a.example", 8080, "/"), "http://a.example:8080"),
        ("http://[2001:db8::1]/", UrlParts("http", "[2001:db8::1]", None, "/"), "http://[2001:db8::1]"),
        ("http://[::1]:81/:2", UrlParts("http", "[::1]", 81, "/:2"), "http://[::1]:81"),
        ("file:///data/x", UrlParts("file", "", None, "/data/x"), "file://"),
    ],
)
def test_a_url_falls_into_its_parts(url: str, parts: UrlParts, origin: str) -> None:
    """Host, address and robots rules hang on these."""
    assert parts == split_url(url)
    assert origin == origin_of(url)
    assert parts.host == host_of(url)


def test_an_origin_is_its_own_origin() -> None:
    """Callers may hold either."""
    assert origin_of("https://a.example:81") == "https://a.example:81"
    assert host_of("https://a.example:81") == "a.example"


def test_keys_are_eight_bytes_and_stay_the_same_for_ever() -> None:
    """They are on disk; a different hash would make the whole web new."""
    assert url_key("https://a.example/").hex() == "8311fcfd32bb1b23"
    assert host_key("a.example").hex() == "9ec428c465056f88"
    assert len(url_key("")) == 8


def test_the_keys_of_a_hosts_pages_are_those_of_each_page() -> None:
    """A harvester makes them by the page, the keeper takes them apart."""
    urls = ["https://a.example/", "http://a.example:81/x", "https://a.example/\udcff"]
    assert page_keys("a.example", urls) == b"".join(page_key(url) for url in urls)
    assert page_keys("a.example", []) == b""
