"""What is at a URL of the simulated web?

Everything is a pure function of the shape, the URL and, where pages change, the
moment (seconds since the beginning of this web). Only plain values go in and come
out; sockets are the business of the faces.
"""

from collections.abc import Iterator
from email.utils import formatdate
from typing import Final
from urllib.parse import urlsplit

import deflate

from tiptoe.testing.answer import SimulatedAnswer
from tiptoe.testing.chance import MASK, Trait, scramble
from tiptoe.testing.editions import changed_at, edition_at
from tiptoe.testing.graph import PRIVATE, Graph, PageKind, page_salt
from tiptoe.testing.hostile import PREFIX, answer_hostile
from tiptoe.testing.hosts import Host, Hosts, Life, RobotsKind, address_at
from tiptoe.testing.pages import Pages
from tiptoe.testing.rules import answer_robots
from tiptoe.testing.shape import WebShape

__all__ = ["BEGAN_AT", "SimulatedWeb"]

BEGAN_AT: Final = 1_767_225_600.0
"""The wall-clock moment (1 January 2026) that `now=0` stands for in Last-Modified."""

SITEMAP_URLS_MAX: Final = 10_000
HTML: Final = ("Content-Type", "text/html; charset=utf-8")


class SimulatedWeb:
    """A web of any size that exists only as a function of the URL."""

    def __init__(self, shape: WebShape) -> None:
        self.shape = shape
        self.hosts = Hosts(shape)
        self.graph = Graph(shape, self.hosts)
        self.pages = Pages(shape, self.graph)
        self._born = formatdate(BEGAN_AT, usegmt=True)

    def respond(
        self, host: str, target: str, *, now: float = 0.0, accepts_gzip: bool = False
    ) -> SimulatedAnswer:
        """Return what a host answers to a request for a path (with query, if any)."""
        found = self.hosts.named(host)
        if found is None or found.life is not Life.ALIVE:
            return SimulatedAnswer(421, [HTML], b"<p>no such host here</p>")
        number = self.graph.number_of(found, target)
        if number is not None:
            return self._answer_page(found, number, now, accepts_gzip)
        if target == "/robots.txt":
            return answer_robots(found, self.graph.origin_of(found))
        if target == "/sitemap.xml" and found.has_sitemap:
            return self._answer_sitemap(found)
        if target.startswith(PREFIX):
            elsewhere = self.home_of((found.index + 1) % self.shape.hosts)
            answer = answer_hostile(found, target, elsewhere)
            if answer is not None:
                return answer
        return SimulatedAnswer(404, [HTML], b"<p>not found</p>", found.latency_seconds)

    def address_of(self, host: str, *, loopback: bool = False) -> str | None:
        """Return the IP address of a host, or None: no such host."""
        found = self.hosts.named(host)
        number = None if found is None else self.hosts.address_number(found)
        return None if number is None else address_at(number, loopback=loopback)

    def home_of(self, index: int) -> str:
        """Return the address of the home page of the host with this index: a seed."""
        return self.graph.origin_of(self.hosts.at(index)) + "/"

    def homes(self) -> Iterator[str]:
        """Yield the home of every living host: enough seeds to reach everything."""
        for index in range(self.shape.hosts):
            if self.hosts.at(index).life is Life.ALIVE:
                yield self.home_of(index)

    def crawl_delay_of(self, host: str) -> float | None:
        """Return the Crawl-delay in the host's robots.txt."""
        found = self.hosts.named(host)
        serves = found is not None and found.robots not in (RobotsKind.MISSING, RobotsKind.ERROR)
        return found.crawl_delay if found is not None and serves else None

    def is_allowed(self, url: str) -> bool:
        """True unless the robots.txt of its host forbids the URL."""
        parts = urlsplit(url)
        found = self.hosts.named(parts.hostname or "")
        has_rules = found is not None and found.robots is RobotsKind.RULES
        return not (has_rules and parts.path.startswith(PRIVATE))

    def true_paragraphs(self, url: str, *, now: float = 0.0) -> list[str]:
        """Return the clean text of a page: heading first; empty if there is no such page."""
        host, number = self.find(url)
        if host is None or number is None:
            return []
        if self.graph.kind_of(host, number) not in (PageKind.TEXT, PageKind.FLAKY):
            return []
        return self.pages.paragraphs(host, number, edition_at(self.shape, host, number, now))

    def last_change_at(self, url: str, *, now: float) -> float | None:
        """Return when a page last changed before a moment; None if there is no such page."""
        host, number = self.find(url)
        if host is None or number is None:
            return None
        return changed_at(self.shape, host, number, edition_at(self.shape, host, number, now))

    def find(self, url: str) -> tuple[Host | None, int | None]:
        """Return the host and page number that a URL names."""
        parts = urlsplit(url)
        host = self.hosts.named(parts.hostname or "")
        if host is None or parts.query:
            return host, None
        return host, self.graph.number_of(host, parts.path or "/")

    def _answer_page(self, host: Host, number: int, now: float, accepts_gzip: bool) -> SimulatedAnswer:
        kind = self.graph.kind_of(host, number)
        latency = host.latency_seconds
        if kind is PageKind.REDIRECT:
            return SimulatedAnswer(301, [("Location", self.graph.redirect_of(host, number))], b"", latency)
        if kind is PageKind.GONE:
            return SimulatedAnswer(404, [HTML], b"<p>this page is gone</p>", latency)
        if kind is PageKind.ERROR:
            return SimulatedAnswer(500, [HTML], b"<p>something broke</p>", latency)
        if kind is PageKind.FLAKY and self._is_down(host, number, now):
            return SimulatedAnswer(503, [HTML], b"<p>try again</p>", latency)
        edition = edition_at(self.shape, host, number, now)
        headers = self._headers_of(host, number, edition)
        body = self.pages.render(host, number, edition)
        if accepts_gzip and host.compresses:
            body = bytes(deflate.gzip_compress(body, 1))
            headers.append(("Content-Encoding", "gzip"))
        return SimulatedAnswer(200, headers, body, latency)

    def _headers_of(self, host: Host, number: int, edition: int) -> list[tuple[str, str]]:
        label = f"; charset={host.charset}" if host.is_charset_in_header else ""
        changed = self._born
        if edition:
            changed = formatdate(BEGAN_AT + changed_at(self.shape, host, number, edition), usegmt=True)
        return [
            ("Content-Type", f"text/html{label}"),
            ("ETag", f'"{host.index:x}-{number:x}-{edition:x}"'),
            ("Last-Modified", changed),
        ]

    def _is_down(self, host: Host, number: int, now: float) -> bool:
        span = int(now / self.shape.flaky_seconds)
        return bool(scramble(page_salt(host, number) + Trait.FLAKY + span * 0x9E3779B97F4A7C15 & MASK) & 1)

    def _answer_sitemap(self, host: Host) -> SimulatedAnswer:
        entries = "".join(f"<url><loc>{url}</loc></url>\n" for url in self.sitemap_of(host))
        body = (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}</urlset>\n'
        )
        return SimulatedAnswer(
            200, [("Content-Type", "application/xml")], body.encode(), host.latency_seconds
        )

    def sitemap_of(self, host: Host) -> list[str]:
        """Return the URLs in the sitemap of a host, whether it shows it or not."""
        numbers = range(min(host.pages, SITEMAP_URLS_MAX))
        return [self.graph.url_of(host, n) for n in numbers if self.graph.kind_of(host, n) is PageKind.TEXT]
