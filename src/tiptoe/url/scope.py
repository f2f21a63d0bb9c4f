"""Does this URL belong to the crawl at all?

Checked before anything is stored about a URL. Patterns for hosts are searched in the host name, so
`\\.cz$` means a top-level domain and `^www\\.a\\.example$` one host. Every bound has to admit a URL,
so exclusion wins.
"""

import enum
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tiptoe.url.url_patterns import UrlPatterns
from tiptoe.url.url_prefixes import UrlPrefixes

__all__ = ["Bound", "Crossing", "Scope"]


class Bound(enum.StrEnum):
    """All kinds of bounds, by the settings that define them."""

    EXCLUDE = "scope.exclude"
    INCLUDE = "scope.include"
    DOMAINS = "scope.domains"
    WITHIN = "scope.within"
    EXCLUDE_URLS = "scope.exclude_urls"
    PREFIXES = "scope.prefixes"
    INCLUDE_URLS = "scope.include_urls"


class Crossing(NamedTuple):
    """The bound that keeps a URL or host out."""

    bound: Bound
    pattern: str = ""  # the excluding pattern that was found


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Bounds of a crawl that can be checked by the URL alone."""

    include_hosts: tuple[re.Pattern[str], ...] = ()  # none: all hosts
    exclude_hosts: tuple[re.Pattern[str], ...] = ()
    domains: frozenset[str] = frozenset()  # with all names below them; none: all
    seed_sites: frozenset[str] = frozenset()  # likewise, derived from the seeds
    seed_hosts: frozenset[str] = frozenset()  # derived from the seeds; none: all
    seed_folders: UrlPrefixes = field(default_factory=lambda: UrlPrefixes(()))
    prefixes: UrlPrefixes = field(default_factory=lambda: UrlPrefixes(()))
    include_urls: UrlPatterns = field(default_factory=lambda: UrlPatterns(()))
    exclude_urls: UrlPatterns = field(default_factory=lambda: UrlPatterns(()))
    depth_max: int | None = None  # None: unlimited

    @property
    def bounds_hosts(self) -> bool:
        """Whether the bounds leave any hosts out."""
        bounds = (self.include_hosts, self.exclude_hosts, self.domains, self.seed_sites, self.seed_hosts)
        return any(bounds)

    @property
    def bounds_urls(self) -> bool:
        """Whether the bounds leave out pages of hosts that are wanted."""
        return bool(self.seed_folders or self.prefixes or self.include_urls or self.exclude_urls)

    def admits_host(self, host: str) -> bool:
        """Whether pages of this host are wanted."""
        return self.host_crossing(host) is None

    def host_crossing(self, host: str) -> Crossing | None:
        """Return the bound that keeps a host out; None if it is wanted."""
        # Called for every host of every page: a plain loop takes half the time of a generator.
        for pattern in self.exclude_hosts:
            if pattern.search(host):
                return Crossing(Bound.EXCLUDE, pattern.pattern)
        if self.seed_hosts and host not in self.seed_hosts:
            return Crossing(Bound.WITHIN)
        if self.seed_sites and not _lies_in(host, self.seed_sites):
            return Crossing(Bound.WITHIN)
        if self.domains and not _lies_in(host, self.domains):
            return Crossing(Bound.DOMAINS)
        for pattern in self.include_hosts:
            if pattern.search(host):
                return None
        return Crossing(Bound.INCLUDE) if self.include_hosts else None

    def excluded(self, urls: Iterable[str]) -> list[str]:
        """Return those of these canonical URLs that are excluded, whether they are pages or not."""
        found_in = self.exclude_urls.found_in
        return [url for url in urls if found_in(url)] if self.exclude_urls else []

    def not_included(self, urls: Sequence[str]) -> list[str]:
        """Return those of these canonical URLs that are outside the bounds for pages."""
        out: list[str] = []
        for bound in (self.seed_folders, self.prefixes):
            if bound:
                out += [url for url in urls if not bound.begin(url)]
        if self.include_urls:
            found_in = self.include_urls.found_in
            out += [url for url in urls if not found_in(url)]
        return out

    def url_crossing(self, url: str, *, is_lead: bool = False) -> Crossing | None:
        """Return the bound that keeps a URL out although its host is wanted; None if it is wanted too.

        Leads are URLs of sitemaps and feeds, which are not pages, and the targets of redirected seeds, which
        the operator has named.
        """
        if self.excluded([url]):
            return Crossing(Bound.EXCLUDE_URLS, self.exclude_urls.first_in(url) or "")
        if is_lead:
            return None
        if self.seed_folders and not self.seed_folders.begin(url):
            return Crossing(Bound.WITHIN)
        if self.prefixes and not self.prefixes.begin(url):
            return Crossing(Bound.PREFIXES)
        if self.include_urls and not self.include_urls.found_in(url):
            return Crossing(Bound.INCLUDE_URLS)
        return None


def _lies_in(host: str, domains: frozenset[str]) -> bool:
    """Whether a host is one of these domains, or below one."""
    while host not in domains:
        _, dot, host = host.partition(".")
        if not dot:
            return False
    return True
