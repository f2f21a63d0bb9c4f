"""POL-5: when a path is one that a rule of robots.txt speaks of (RFC 9309, 2.2.2 and 2.2.3)."""

import pytest

from tiptoe.fetch.robots import parse_robots


def is_forbidden(pattern: str, path: str) -> bool:
    """Say whether Disallow with this pattern keeps us from a path."""
    return not parse_robots(f"User-agent: *\nDisallow: {pattern}".encode(), "tiptoe").allows(path)


def is_freed(pattern: str, path: str) -> bool:
    """Say whether Allow with this pattern frees a path where all others are forbidden."""
    return parse_robots(f"User-agent: *\nDisallow: /\nAllow: {pattern}".encode(), "tiptoe").allows(path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("/file-%2A.html", "/file-*.html"),
        ("/file-%2a.html", "/file-%2A.html"),
        ("/file-*.html", "/file-%2A.html"),
        ("/foo-%24", "/foo-$"),
        ("/foo-%24", "/foo-%24"),
        ("/foo-%24$", "/foo-$"),
        ("/*-%2A-%24", "/x-*-$/y"),
        ("/a[1]", "/a%5B1%5D"),
        ("/a%5b1%5d", "/a[1]"),
        ("/wiki/Talk:", "/wiki/Talk%3AX"),
        ("/wiki/Talk%3a", "/wiki/Talk:X"),
        ("/a;b,c!(d)'@", "/a%3Bb%2Cc%21%28d%29%27%40"),
        ("/a<d.html", "/a%3cd.html"),
        ("/a%3cd.html", "/a<d.html"),
        ("/a b", "/a%20b"),
        ("/a|b", "/a%7Cb"),
        ("/?f={x}", "/?f=%7Bx%7D"),
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"),
        ("/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar"),
        ("/foo/bar?baz=https%3a%2f%2ffoo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"),
        ("/*%2F", "/a?b=c%2Fd"),
        ("/foo/bar/ツ", "/foo/bar/%e3%83%84"),
        ("/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84"),
        ("/a%zz%", "/a%zz%"),
        ("/~mak", "/%7Emak/mak.html"),
        ("/%7emak", "/~mak/mak.html"),
        ("/%7emak", "/%7Emak/mak.html"),
        ("/*/ab?c=", "/x/%61b?%63=%2F"),
    ],
)  # fmt: skip
def test_spellings_of_the_same_address_are_one(pattern: str, path: str) -> None:
    """An escape says the same as its character, wherever the character has no work to do."""
    assert is_forbidden(pattern, path)
    assert is_freed(pattern, path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("/file-%2A.html", "/file-x.html"),
        ("/foo-%24", "/foo-"),
        ("/foo-%24$", "/foo-$x"),
        ("/a%2A", "/a"),
        ("/a/b", "/a%2Fb"),
        ("/a%2Fb", "/a/b"),
        ("/a?b", "/a%3Fb"),
        ("/a%3Fb", "/a?b"),
        ("/q?x=a%26y=b", "/q?x=a&y=b"),
        ("/q?x%3Da", "/q?x=a"),
        ("/q?x=a+b", "/q?x=a%2Bb"),
        ("/a%23b", "/a"),
        ("/100%25", "/100%"),
        ("/%2525", "/%25"),
        ("/caf%C3%A9", "/cafe"),
    ],
)
def test_escapes_that_mean_something_are_kept_apart(pattern: str, path: str) -> None:
    """An escaped slash is no slash, and an escaped star no wildcard."""
    assert not is_forbidden(pattern, path)
    assert not is_freed(pattern, path)


def test_a_rule_is_as_specific_as_what_it_says() -> None:
    """Not as long as it is written: neither side may win by its spelling."""
    longer_allow = parse_robots(b"User-agent: *\nAllow: /a/%62\nDisallow: /a/b/c", "tiptoe")
    longer_disallow = parse_robots(b"User-agent: *\nAllow: /a/b\nDisallow: /a/%62", "tiptoe")

    assert not longer_allow.allows("/a/%62/c")
    assert longer_disallow.allows("/a/b")
