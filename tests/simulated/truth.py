"""Which pages must a complete crawl have found?

Walks the link graph itself, without HTTP or HTML, so that a crawl's corpus can be
compared with the pages that exist. Paths under `/hostile/` are not part of it.
"""

from collections.abc import Callable, Iterable
from typing import Final

from tiptoe.testing.graph import PageKind
from tiptoe.testing.robots_files import AGENT
from tiptoe.testing.web import SimulatedWeb
from tiptoe.testing.web_hosts import WebHost

__all__ = ["copies_among", "reachable"]

PAGES_MAX: Final = 1_000_000
LONG_CHARS: Final = 50
COPY_SHARE: Final = 0.9


def reachable(
    web: SimulatedWeb,
    seeds: Iterable[str],
    *,
    depth: int | None = None,
    is_in_scope: Callable[[str], bool] = lambda url: True,
    sitemaps: bool = True,
    agent: str = AGENT,
    pages_max: int = PAGES_MAX,
) -> set[str]:
    """Return the URLs of all pages that a robot that obeys every rule stores in the end.

    A flaky page counts, a page that asks for `noindex` does not. With `depth`, only
    links so many steps from a seed count; a redirect is no step, nor is a sitemap.
    """
    seen: set[str] = set()
    stored: set[str] = set()
    visited_hosts: set[int] = set()
    level = list(seeds)
    steps = 0
    while level and (depth is None or steps <= depth):
        following: list[str] = []
        while level:
            url = level.pop()
            if url in seen or not is_in_scope(url):
                continue
            seen.add(url)
            host, number = web.find(url)
            if host is None or not host.is_crawlable:
                continue
            if sitemaps and host.index not in visited_hosts:
                level += web.sitemap_of(host)
            visited_hosts.add(host.index)
            if number is None or not web.is_allowed(url, agent):
                continue
            kind = web.graph.kind_of(host, number)
            if kind is PageKind.REDIRECT:
                level.append(web.redirects.target_of(host, number))
            elif kind in (PageKind.TEXT, PageKind.FLAKY):
                following += _take_page(web, host, number, url, stored)
            if len(stored) >= pages_max:
                return stored
        level = following
        steps += 1
    return stored


def _take_page(web: SimulatedWeb, host: WebHost, number: int, url: str, stored: set[str]) -> list[str]:
    """Put a page among the stored ones, if it agrees, and return where it leads, if it lets us."""
    if web.pages.is_indexable(host, number):
        stored.add(url)
    if not web.pages.is_followable(host, number):
        return []
    origin = web.graph.origin_of(host)
    links = [link.decode() for link in web.graph.all_links(host, number)]
    return [origin + link if link.startswith("/") else link for link in links]


def copies_among(web: SimulatedWeb, corpus: Iterable[str], left_out: Iterable[str]) -> set[str]:
    """Return which pages were left out of a corpus rightly: nearly all they say stands in it.

    By their long paragraphs, the host's notice aside, as INC-5 has it. Pages of a web that does not change.
    """
    said = {paragraph for url in corpus for paragraph in web.true_paragraphs(url)}
    copies = set()
    for url in left_out:
        long = [text for text in web.true_paragraphs(url) if len(text) >= LONG_CHARS]
        repeated = sum(len(text) for text in long if text in said)
        if repeated and repeated >= COPY_SHARE * sum(map(len, long)):
            copies.add(url)
    return copies
