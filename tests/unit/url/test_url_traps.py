"""FRO-5: addresses made up without end."""

import pytest

from tiptoe.url.dropped import Dropped
from tiptoe.url.traps import TrapLimits, shape_of, trap_in, traps_in

LIMITS = TrapLimits()


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.example/", None),
        ("https://a.example/2011/11/11/11/a-story.html?page=2&order=up", None),
        ("https://a.example/src/main/lib/src/main", None),
        ("https://a.example/////", None),
        ("https://a.example/x/y/x/y/x/y", Dropped.TRAP_REPEATING_PATH),
        ("https://a.example/x/x/x", Dropped.TRAP_REPEATING_PATH),
        ("https://a.example/" + "/".join(f"s{i}" for i in range(21)), Dropped.TRAP_DEEP_PATH),
        ("https://a.example/" + "a" * 1000, Dropped.TRAP_LONG_URL),
        ("https://a.example/a/b/c/d/" + "a" * 1000, Dropped.TRAP_LONG_URL),
        ("https://a.example/?" + "&".join(f"p{i}=1" for i in range(17)), Dropped.TRAP_MANY_PARAMETERS),
        ("https://a.example/?" + "&".join(f"p{i}=1" for i in range(16)), None),
        ("https://a.example/?" + "&".join(f"f={i}" for i in range(7)), Dropped.TRAP_REPEATED_PARAMETER),
        ("https://a.example/?" + "&".join(f"f={i}" for i in range(6)), None),
        ("https://a.example/?p=/a/a/a/a/a", None),
    ],
)
def test_traps_are_named_and_ordinary_addresses_are_not(url: str, expected: str | None) -> None:
    """A trap is reported by name; a false alarm costs a page."""
    assert expected == trap_in(url, LIMITS)
    assert traps_in(["https://a.example/", url], LIMITS) == ({url: expected} if expected else {})


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://www2.a.example", "https://www2.a.example"),
        ("https://www2.a.example/cal?y=2024&m=11", "https://www2.a.example/cal?y=0&m=0"),
        ("https://a.example/20240101/x", "https://a.example/0/x"),
        ("https://a.example/d41d8cd98f00b204e9800998ecf8427e.html", "https://a.example/h.html"),
        ("https://a.example/123e4567-e89b-12d3-a456-426614174000", "https://a.example/h"),
        ("https://a.example/cabbage/facade", "https://a.example/cabbage/facade"),
        ("https://a.example/s/Zk9qPwL2mNvB7tYrXc4e/basket", "https://a.example/s/h/basket"),
        ("https://a.example/?visitor=7bdfghjklmnpqrstvwxyz", "https://a.example/?visitor=h"),
        (
            "https://a.example/a-story-of-2-cities-in-wartime",
            "https://a.example/a-story-of-0-cities-in-wartime",
        ),
        ("https://a.example/supercalifragilistic", "https://a.example/supercalifragilistic"),
        ("https://a.example/photo20240101x", "https://a.example/photo0x"),
    ],
)
def test_pages_of_one_template_have_one_shape(url: str, expected: str) -> None:
    """An endless calendar is one shape with a million pages."""
    assert expected == shape_of(url)
