"""Which pages does a host announce?

Either one file with all pages that give text, or an index of smaller files, every
second one of them compressed. Where pages change, each entry says when it did.
"""

import re
import time
from typing import Final

import deflate

from tiptoe.testing.answer import SimulatedAnswer
from tiptoe.testing.editions import changed_at, edition_at, vanishes_at
from tiptoe.testing.graph import Graph, PageKind
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web_hosts import WebHost

__all__ = ["Sitemaps"]

URLS_MAX: Final = 10_000
URLS_PER_PART: Final = 1_000
PART: Final = re.compile(r"/sitemap-([1-9][0-9]?)\.xml(\.gz)?")
NAMESPACE: Final = "http://www.sitemaps.org/schemas/sitemap/0.9"
XML: Final = ("Content-Type", "application/xml")
GZIP: Final = ("Content-Type", "application/gzip")


class Sitemaps:
    """The sitemaps of all hosts of a web."""

    def __init__(self, shape: WebShape, graph: Graph, *, dated_from: float) -> None:
        self._shape = shape
        self._graph = graph
        self._dated_from = dated_from

    def urls_of(self, host: WebHost) -> list[str]:
        """Return the URLs that a host would announce at first, whether or not it has a sitemap."""
        return [self._graph.url_of(host, number) for number in self._numbers(host, 0, URLS_MAX)]

    def answer(self, host: WebHost, target: str, now: float) -> SimulatedAnswer | None:
        """Return the sitemap at a path; None if there is none."""
        if not host.has_sitemap or not target.startswith("/sitemap"):
            return None
        if target == "/sitemap.xml":
            text = self._index(host) if host.has_sitemap_index else self._part(host, 0, URLS_MAX, now)
            return SimulatedAnswer(200, [XML], text.encode(), host.latency_seconds)
        match = PART.fullmatch(target)
        if match is None or not host.has_sitemap_index or target not in self._parts(host):
            return None
        part = self._part(host, (int(match[1]) - 1) * URLS_PER_PART, URLS_PER_PART, now).encode()
        if match[2]:
            return SimulatedAnswer(200, [GZIP], bytes(deflate.gzip_compress(part, 1)), host.latency_seconds)
        return SimulatedAnswer(200, [XML], part, host.latency_seconds)

    def _parts(self, host: WebHost) -> list[str]:
        count = -(-min(host.pages, URLS_MAX) // URLS_PER_PART)
        return [f"/sitemap-{part}.xml{'' if part % 2 else '.gz'}" for part in range(1, count + 1)]

    def _index(self, host: WebHost) -> str:
        origin = self._graph.origin_of(host)
        entries = "".join(f"<sitemap><loc>{origin}{part}</loc></sitemap>\n" for part in self._parts(host))
        return _document("sitemapindex", entries)

    def _part(self, host: WebHost, first: int, count: int, now: float) -> str:
        entries = [
            f"<url><loc>{self._graph.url_of(host, number)}</loc>{self._change_of(host, number, now)}</url>\n"
            for number in self._numbers(host, first, count)
            if now < vanishes_at(self._shape, host, number)
        ]
        return _document("urlset", "".join(entries))

    def _numbers(self, host: WebHost, first: int, count: int) -> list[int]:
        numbers = range(first, min(first + count, host.pages, URLS_MAX))
        return [number for number in numbers if self._graph.kind_of(host, number) is PageKind.TEXT]

    def _change_of(self, host: WebHost, number: int, now: float) -> str:
        if not self._shape.has_changes:
            return ""
        moment = changed_at(self._shape, host, number, edition_at(self._shape, host, number, now))
        return time.strftime("<lastmod>%Y-%m-%dT%H:%M:%SZ</lastmod>", time.gmtime(self._dated_from + moment))


def _document(root: str, entries: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} xmlns="{NAMESPACE}">\n{entries}</{root}>\n'
