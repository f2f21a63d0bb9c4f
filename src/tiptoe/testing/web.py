"""What is at a URL of the simulated web?

Everything is a pure function of the shape, the URL and, where pages change, the
moment (seconds since the beginning of this web). Only plain values go in and come
out; sockets are left to the faces.
"""

from collections.abc import Iterator, Mapping
from email.utils import formatdate
from typing import Final
from urllib.parse import urlsplit

import deflate

from tiptoe.testing.answer import Delivery, SimulatedAnswer
from tiptoe.testing.chance import MASK, Trait, scramble
from tiptoe.testing.editions import BEGAN_AT, changed_at, edition_at, vanishes_at
from tiptoe.testing.graph import Graph, PageKind, page_salt
from tiptoe.testing.redirects import Redirects
from tiptoe.testing.robots_files import AGENT, RobotsFiles
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web_hosts import Conduct, Life, WebHost, WebHosts, address_at
from tiptoe.testing.web_pages import WebPages
from tiptoe.testing.web_sitemaps import Sitemaps

__all__ = ["BEGAN_AT", "SimulatedWeb"]

HTML: Final = ("Content-Type", "text/html; charset=utf-8")
SILENT_SECONDS: Final = 3_600.0
"""How long a silent host does not answer, in seconds: longer than any client waits."""

FAULTS: Final[Mapping[PageKind, tuple[int, bytes]]] = {
    PageKind.GONE: (404, b"<p>this page is gone</p>"),
    PageKind.ERROR: (500, b"<p>something broke</p>"),
    PageKind.FORBIDDEN: (403, b"<p>not for you</p>"),
}


class SimulatedWeb:
    """A web of any size that exists only as a function of the URL.

    `dated_from` is the wall-clock moment that `now=0` stands for when hosts state times of changes. A client
    has to use the same clock to interpret these.
    """

    def __init__(self, shape: WebShape, *, dated_from: float = BEGAN_AT) -> None:
        self.shape = shape
        self.dated_from = dated_from
        self.hosts = WebHosts(shape)
        self.graph = Graph(shape, self.hosts)
        self.redirects = Redirects(shape, self.hosts, self.graph)
        self.pages = WebPages(shape, self.graph)
        self.sitemaps = Sitemaps(shape, self.graph, dated_from=dated_from)
        self.robots = RobotsFiles(self.graph)
        self._born = formatdate(dated_from, usegmt=True)

    def respond(
        self, host: str, target: str, *, now: float = 0.0, accepts_gzip: bool = False
    ) -> SimulatedAnswer:
        """Return what a host answers to a request for a path (with query, if any)."""
        found = self.hosts.named(host)
        if found is None or found.life is not Life.ALIVE:
            return SimulatedAnswer(421, [HTML], b"<p>no such host here</p>")
        if found.conduct is Conduct.SILENT:
            return SimulatedAnswer(504, [HTML], b"", SILENT_SECONDS)
        number = self.graph.number_of(found, target)
        if number is not None:
            return self._answer_page(found, number, now, accepts_gzip)
        answer = self.robots.answer(found, target) or self.sitemaps.answer(found, target, now)
        if answer is not None:
            return answer
        return SimulatedAnswer(404, [HTML], b"<p>not found</p>", found.latency_seconds)

    def address_of(self, host: str, *, loopback: bool = False) -> str | None:
        """Return the IP address of a host, or None: no such host."""
        found = self.hosts.named(host)
        number = None if found is None else self.hosts.address_number(found)
        return None if number is None else address_at(number, loopback=loopback)

    def home_of(self, index: int) -> str:
        """Return the URL of the home page of the host with this index: a seed."""
        return self.graph.origin_of(self.hosts.at(index)) + "/"

    def homes(self) -> Iterator[str]:
        """Yield the home of every living host: enough seeds to reach everything."""
        for index in range(self.shape.hosts):
            if self.hosts.at(index).life is Life.ALIVE:
                yield self.home_of(index)

    def crawl_delay_of(self, host: str) -> float | None:
        """Return the Crawl-delay in the host's robots.txt."""
        found = self.hosts.named(host)
        return self.robots.crawl_delay_of(found) if found else None

    def is_allowed(self, url: str, agent: str = AGENT) -> bool:
        """True unless the robots.txt of its host forbids a robot the URL."""
        found = self.hosts.named(urlsplit(url).hostname or "")
        # Parsed by hand, because `urlsplit` drops an empty query.
        path = "/" + url.partition("://")[2].partition("/")[2].partition("#")[0]
        return found is None or self.robots.allows(found, path, agent)

    def true_paragraphs(self, url: str, *, now: float = 0.0) -> list[str]:
        """Return the clean text of a page: heading first; empty if there is no such page."""
        host, number = self.find(url)
        if host is None or number is None:
            return []
        if self.graph.kind_of(host, number) not in (PageKind.TEXT, PageKind.FLAKY):
            return []
        if now >= vanishes_at(self.shape, host, number):
            return []
        return self.pages.paragraphs(host, number, edition_at(self.shape, host, number, now))

    def last_change_at(self, url: str, *, now: float) -> float | None:
        """Return when a page last changed before a moment; None if there is no such page."""
        host, number = self.find(url)
        if host is None or number is None:
            return None
        return changed_at(self.shape, host, number, edition_at(self.shape, host, number, now))

    def sitemap_of(self, host: WebHost) -> list[str]:
        """Return the URLs in the sitemap of a host; none if its robots.txt does not name it."""
        return self.sitemaps.urls_of(host) if self.robots.shows_sitemap(host) else []

    def find(self, url: str) -> tuple[WebHost | None, int | None]:
        """Return the host and page number that a URL names."""
        parts = urlsplit(url)
        host = self.hosts.named(parts.hostname or "")
        if host is None or parts.query:
            return host, None
        return host, self.graph.number_of(host, parts.path or "/")

    def _answer_page(self, host: WebHost, number: int, now: float, accepts_gzip: bool) -> SimulatedAnswer:
        kind = self.graph.kind_of(host, number)
        latency = host.latency_seconds
        if self.shape.vanishing_share and now >= vanishes_at(self.shape, host, number):
            kind = PageKind.GONE
        if kind is not PageKind.TEXT and (fault := self._answer_fault(host, number, kind, now)):
            return fault
        edition = edition_at(self.shape, host, number, now)
        headers = self._headers_of(host, number, edition)
        body = self.pages.render(host, number, edition)
        if accepts_gzip and host.compresses:
            body = bytes(deflate.gzip_compress(body, 1))
            headers.append(("Content-Encoding", "gzip"))
        return SimulatedAnswer(200, headers, body, latency)

    def _answer_fault(self, host: WebHost, number: int, kind: PageKind, now: float) -> SimulatedAnswer | None:
        """Return what a page answers instead of its text; None if this is not the moment for it."""
        latency = host.latency_seconds
        if kind is PageKind.REDIRECT:
            location = ("Location", self.redirects.target_of(host, number))
            return SimulatedAnswer(self.redirects.status_of(host, number), [location], b"", latency)
        if kind is PageKind.SILENT:
            return SimulatedAnswer(504, [HTML], b"", SILENT_SECONDS)
        if kind is PageKind.RESET:
            return SimulatedAnswer(200, [HTML], b"<p>this ends in the middle</p>", latency, Delivery.RESET)
        if kind is PageKind.FLAKY:
            is_down = self._is_down(host, number, now)
            return SimulatedAnswer(503, [HTML], b"<p>try again</p>", latency) if is_down else None
        status, body = FAULTS[kind]
        return SimulatedAnswer(status, [HTML], body, latency)

    def _headers_of(self, host: WebHost, number: int, edition: int) -> list[tuple[str, str]]:
        label = f"; charset={host.header_charset}" if host.header_charset else ""
        changed = self._born
        if edition:
            changed = formatdate(self.dated_from + changed_at(self.shape, host, number, edition), usegmt=True)
        return [
            ("Content-Type", f"text/html{label}"),
            ("ETag", f'"{host.index:x}-{number:x}-{edition:x}"'),
            ("Last-Modified", changed),
        ]

    def _is_down(self, host: WebHost, number: int, now: float) -> bool:
        span = int(now / self.shape.flaky_seconds)
        return bool(scramble(page_salt(host, number) + Trait.FLAKY + span * 0x9E3779B97F4A7C15 & MASK) & 1)
