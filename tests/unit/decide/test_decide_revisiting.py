"""The decision point `revisit`: which pages are visited again."""

import re

import pytest

from tiptoe.decide.revisiting import MISSES_MAX, WatchedPage, revisit_point
from tiptoe.protocol.work import Purpose
from tiptoe.url.dropped import Dropped
from tiptoe.url.scope import Scope

POINT = revisit_point(
    Scope(exclude_hosts=(re.compile("^bad"),)),
    sources={Purpose.SITEMAP},
    include=("/news/",),
    exclude=("old",),
)
NEWS = "http://a.example/news/1"


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (WatchedPage(NEWS, "a.example"), None),
        (WatchedPage(NEWS, "bad.example"), Dropped.OUT_OF_SCOPE),
        (WatchedPage("http://a.example/about", "a.example"), Dropped.UNWATCHED),
        (WatchedPage("http://a.example/news/old", "a.example"), Dropped.UNWATCHED),
        (WatchedPage("http://a.example/s.xml", "a.example", Purpose.SITEMAP), None),  # wherever it lies
        (WatchedPage("http://a.example/old.xml", "a.example", Purpose.SITEMAP), Dropped.UNWATCHED),
        (WatchedPage("http://a.example/f.xml", "a.example", Purpose.FEED), Dropped.UNWATCHED),
        (WatchedPage(NEWS, "a.example", misses=MISSES_MAX - 1), None),
        (WatchedPage(NEWS, "a.example", misses=MISSES_MAX), Dropped.PAGE_GONE),
    ],
)
def test_each_rule_gives_its_reason(page: WatchedPage, expected: Dropped | None) -> None:
    assert POINT.refusal(page) is expected


def test_by_default_pages_sitemaps_and_feeds_are_watched() -> None:
    point = revisit_point()
    for purpose in (Purpose.PAGE, Purpose.SITEMAP, Purpose.FEED):
        assert point.refusal(WatchedPage(NEWS, "a.example", purpose)) is None
    assert point.refusal(WatchedPage(NEWS, "a.example", Purpose.ROBOTS)) is Dropped.UNWATCHED
