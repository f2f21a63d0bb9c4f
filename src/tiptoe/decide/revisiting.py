"""The decision point `revisit`: is this page visited again?

Evaluated after each visit, and once more when a revisit is due, because the settings may have changed by
then. After a refusal a page is no longer watched; nothing is dropped or counted. Not decided here: *when* a
page is visited again, whether its outcome is worth watching (`frontier/revisits.py`), and what happens to
pages whose host was given up (`frontier/revisit_scheduler.py`).
"""

import re
from collections.abc import Callable, Collection

import msgspec

from tiptoe.decide.bounds import outside
from tiptoe.decide.point import DecisionPoint, Rule
from tiptoe.protocol.work import Purpose
from tiptoe.url.dropped import Dropped
from tiptoe.url.scope import Scope

__all__ = ["RevisitPoint", "WatchedPage", "revisit_point"]

MISSES_MAX = 3
"""Number of visits in a row that find a page gone after which it is no longer watched."""

SOURCES = frozenset({Purpose.SITEMAP, Purpose.FEED})


class WatchedPage(msgspec.Struct, frozen=True, gc=False):
    """A page that was visited."""

    url: str
    host: str | None = None
    purpose: Purpose = Purpose.PAGE
    misses: int = 0  # visits in a row that did not find it
    depth: int = 0  # links away from a seed


RevisitPoint = DecisionPoint[WatchedPage, Dropped]


def revisit_point(
    scope: Scope | None = None,
    *,
    sources: Collection[Purpose] = SOURCES,
    include: Collection[str] = (),
    exclude: Collection[str] = (),
) -> RevisitPoint:
    """Return the point that decides whether pages are visited again; the patterns are searched in URLs."""
    rules: list[Rule[WatchedPage, Dropped]] = [gone, unfollowed(sources)]
    if exclude:
        rules.append(excluded(exclude))
    if include:
        rules.append(not_included(include))
    if scope is not None:
        rules.append(outside(scope))
        if scope.bounds_urls:
            rules.append(outside_by_url(scope))
    return DecisionPoint(*rules)


def gone(page: WatchedPage) -> Dropped | None:
    """Refuse pages that were not found several times in a row."""
    return Dropped.PAGE_GONE if page.misses >= MISSES_MAX else None


def unfollowed(sources: Collection[Purpose]) -> Rule[WatchedPage, Dropped]:
    """Return the rule that refuses everything but pages and these sources of links."""
    followed = frozenset({Purpose.PAGE, *sources})
    return lambda page: None if page.purpose in followed else Dropped.UNWATCHED


def outside_by_url(scope: Scope) -> Rule[WatchedPage, Dropped]:
    """Return the rule that refuses URLs outside the bounds of the crawl, except seeds."""

    def other_url(page: WatchedPage) -> Dropped | None:
        if page.purpose is Purpose.PAGE and page.depth == 0:
            return None
        is_within = scope.url_crossing(page.url, is_lead=page.purpose in SOURCES) is None
        return None if is_within else Dropped.OUT_OF_SCOPE

    return other_url


def excluded(patterns: Collection[str]) -> Rule[WatchedPage, Dropped]:
    """Return the rule that refuses URLs in which any of these patterns is found."""
    matches = _finder(patterns)
    return lambda page: Dropped.UNWATCHED if matches(page.url) else None


def not_included(patterns: Collection[str]) -> Rule[WatchedPage, Dropped]:
    """Return the rule that refuses URLs in which none of these patterns is found."""
    matches = _finder(patterns)
    # Sitemaps and feeds announce new pages, whatever their own URLs.
    return lambda page: None if page.purpose in SOURCES or matches(page.url) else Dropped.UNWATCHED


def _finder(patterns: Collection[str]) -> Callable[[str], bool]:
    searches = [re.compile(pattern).search for pattern in patterns]
    return lambda url: any(search(url) for search in searches)
