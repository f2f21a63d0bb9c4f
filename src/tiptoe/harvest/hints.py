"""Which pages have changed, according to a sitemap or a feed?

Only pages of its own host count: other sites must not decide when we visit a site. And only dates later than
our last visit to the source count. The keeper finds out whether they are true.
"""

from collections.abc import Callable, Iterable
from typing import Final

from tiptoe.protocol.work import Hint, LastVisit
from tiptoe.url.address import host_of

__all__ = ["find_hints"]

HINTS_MAX: Final = 10_000
SLACK_SECONDS: Final = 86_400.0
"""How far before our last visit a date may be and still count: dates may be whole days, or published late."""

AHEAD_SECONDS: Final = 3_600.0
"""Maximum by which a site's clock may be ahead of ours; dates further in the future are ignored."""


def find_hints(
    dates: Iterable[tuple[str, float | None]], url: str, before: LastVisit, now: float,
    resolve: Callable[[str, str], str],
) -> list[Hint]:  # fmt: skip
    """Return the hints of the source at `url`, whose entries have a URL and perhaps a date."""
    host = host_of(url)
    since = before.visited_at - SLACK_SECONDS
    hints: list[Hint] = []
    for href, changed_at in dates:
        if changed_at is None or not since < changed_at <= now + AHEAD_SECONDS:
            continue
        page = resolve(url, href)
        if page and host_of(page) == host:
            hints.append(Hint(page, min(changed_at, now)))
            if len(hints) >= HINTS_MAX:
                break
    return hints
