"""A wish to be forgotten covers what its owner means, and nothing of anybody else."""

import pytest

from tiptoe.frontier.wishes import OwnersWishes
from tiptoe.protocol.work import HostLinks
from tiptoe.url.address import page_keys
from tiptoe.url.wish import read_wish

MEANT = [
    ("a.example", "http://a.example/", True),
    ("A.Example", "https://a.example:8080/x?y", True),
    ("a.example", "https://www.a.example/", False),
    ("a.example", "https://a.example.org/", False),
    ("*.a.example", "https://www.a.example/x", True),
    ("*.a.example", "https://a.example/", True),
    ("*.a.example", "https://nota.example/", False),
    ("https://a.example/x", "http://a.example/x", True),
    ("https://a.example/x", "http://a.example/x/y", False),
    ("https://a.example/(x)", "https://a.example/%28x%29", True),
    ("a.example/private/*", "http://a.example/private/", True),
    ("a.example/private/*", "http://a.example/private/deep?q=1", True),
    ("a.example/private/*", "http://a.example/privately", False),
    ("https://a.example/private/*", "https://b.example/?from=a.example/private/", False),
    ("a.example/x?*", "http://a.example/x?y=1", True),
    ("a.example/x?*", "http://a.example/xyz", False),
    ("a.example/x?id=*", "http://a.example/x?id=1", True),
    ("a.example/x?id=*", "http://a.example/x?idle=1", False),
    ("a.example/x/.*", "http://a.example/x/.git", True),
    ("a.example/x/.*", "http://a.example/x/y", False),
    ("a.example/x/..*", "http://a.example/y", False),
    ("häuser.example", "https://xn--huser-gra.example/", True),
]


@pytest.mark.parametrize(("wanted", "url", "is_meant"), MEANT)
def test_a_wish_covers_what_is_meant(wanted: str, url: str, is_meant: bool) -> None:
    wish = read_wish(wanted)

    assert wish.covers(url) is is_meant
    assert read_wish(wish.target) == wish, "it is read back from the database as it was"
    host = url.partition("://")[2].partition("/")[0].partition(":")[0]
    assert OwnersWishes([wish]).covers(host, url) is is_meant


@pytest.mark.parametrize(
    "nonsense",
    [
        "",
        "*",
        "*.",
        "a b",
        "*.a.example/x",
        "a@b.example",
        "a.example/x#y*",
        "a.example/?utm_source=*",
        "http://a.example*",
    ],
)
def test_what_names_nothing_is_refused(nonsense: str) -> None:
    with pytest.raises(ValueError, match="name a host"):
        read_wish(nonsense)


def test_links_keep_their_keys_when_others_are_dropped() -> None:
    """The sieve trusts the key beside each link."""
    urls = [f"http://a.example/{name}" for name in ("x", "private/1", "y", "private/2")]
    left = OwnersWishes([read_wish("a.example/private/*")]).without(
        HostLinks("a.example", urls, page_keys("a.example", urls))
    )

    assert left == HostLinks("a.example", [urls[0], urls[2]], page_keys("a.example", [urls[0], urls[2]]))
