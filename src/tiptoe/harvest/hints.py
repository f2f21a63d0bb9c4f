"""Which pages does a sitemap or a feed say have changed?

Only what it says of its own host: what others say of a site must not decide when we visit it.
And only news: dates later than our last look at the source. Whether they are true is for the keeper to learn.
"""

from collections.abc import Callable, Iterable
from typing import Final

from tiptoe.protocol.work import Hint, LastVisit
from tiptoe.url.address import host_of

__all__ = ["find_hints"]

HINTS_MAX: Final = 10_000
SLACK_SECONDS: Final = 86_400.0
"""A date may be a whole day, and whoever wrote it may have written it late."""

AHEAD_SECONDS: Final = 3_600.0
"""Maximum by which a site's clock may be ahead of ours; what lies further in the future has not happened."""


def find_hints(
    dates: Iterable[tuple[str, float | None]], url: str, before: LastVisit, now: float,
    resolve: Callable[[str, str], str],
) -> list[Hint]:  # fmt: skip
    """Return the hints of a source at `url`, whose entries have an address and perhaps a date."""
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
