"""What is the title of a page?

Its `<title>` is written for a browser tab: it often contains the name of the site, before or after the title
proper. The main heading is what readers see, if it is the heading of the page and not of the site.
"""

import re
from collections.abc import Sequence, Set
from enum import Enum, auto
from typing import Final

__all__ = ["TitleKind", "choose_title", "without_host"]

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")
"""A word; in scripts without spaces between words, a character."""

_SEPARATOR = re.compile(r"\s+(?:[|\-–—·•»«/]|::)\s+|\s*[|»]\s*|:\s+")
_BEFORE_SITE = re.compile(r"\s+[|\-–—·•»/]\s+|\s*[|»]\s*")
LABEL_CHARS_MIN: Final = 3
"""Minimum length of a label of a host name that counts as the name of the site; shorter ones are country
codes and the like."""

LIKE_MIN: Final = 0.5
"""Minimum share of common words, of the shorter of heading and title, for the two to agree."""


class TitleKind(Enum):
    """Where a title was found."""

    HEADING = auto()
    DECLARED = auto()  # for machines
    TITLE = auto()


def choose_title(
    title: str, declared: Sequence[str], headings: Sequence[str], site_name: str
) -> tuple[str, TitleKind]:
    """Return the title of a page, and where it was found; best is a heading that agrees with other titles."""
    of_page = [heading for heading in headings if not _is_of_site(heading, title, declared)]
    heading = _heading_like(of_page, [*declared, title], site_name)
    if heading:
        return heading, TitleKind.HEADING
    if declared:
        return _without_site(declared[0], site_name), TitleKind.DECLARED
    if title:
        return _without_site(title, site_name), TitleKind.TITLE
    return (headings[0] if headings else ""), TitleKind.HEADING


def without_host(title: str, host: str) -> str:
    """Remove the name of the host from the end of a title: `Tips for Spring – Artlyst` on artlyst.com.

    Not from its beginning: a home page is called `Artlyst – Art News`.
    """
    separators = list(_BEFORE_SITE.finditer(title))
    if not separators or not separators[-1].start():
        return title
    name = title[separators[-1].end() :]
    labels = host.removeprefix("www.").split(".")[:-1]
    names = {label.replace("-", "") for label in labels if len(label) >= LABEL_CHARS_MIN}
    is_site = "".join(_words(name)) in names or name.strip().lower() == host.removeprefix("www.")
    return title[: separators[-1].start()] if is_site else title


def _is_of_site(heading: str, title: str, declared: Sequence[str]) -> bool:
    """Tell whether a heading is the name of the site: it and a declared title make the title of the tab.

    Some sites declare their name as the title of each page; names are short.
    """
    ours, whole = _words(heading), _words(title)
    return any(
        len(theirs) > len(ours) and whole in (ours + theirs, theirs + ours)
        for theirs in map(_words, declared)
    )


def _heading_like(headings: Sequence[str], others: Sequence[str], site_name: str) -> str:
    """Return the heading that has most in common with another title."""
    best, best_common = "", 0
    if not headings:
        return best
    site, titles = _words(site_name), [set(_words(other)) for other in others]
    for heading in headings:
        words = _words(heading)
        if words == site:
            continue
        ours = set(words)
        common = max((_common(ours, theirs) for theirs in titles), default=0)
        if common > best_common:
            best, best_common = heading, common
    return best


def _common(ours: Set[str], theirs: Set[str]) -> int:
    """Return how many words a heading shares with a title; 0 if fewer than half of the shorter one's."""
    common = len(ours & theirs)
    return common if common and common >= LIKE_MIN * min(len(ours), len(theirs)) else 0


def _without_site(title: str, site_name: str) -> str:
    """Remove the name of the site from the end or the beginning of a title."""
    site = _words(site_name)
    for separator in reversed(list(_SEPARATOR.finditer(title))):
        if site and _words(title[separator.end() :]) == site:
            return title[: separator.start()]
        if site and _words(title[: separator.start()]) == site:
            return title[separator.end() :]
    return title


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
