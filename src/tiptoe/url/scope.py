"""Does this address belong to the crawl at all?

Asked before anything is remembered of a URL. Patterns for hosts search the host name, so
`\\.cz$` means a top-level domain and `^www\\.a\\.example$` one host. Every bound has to admit an address;
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
    """The bounds there are, by the settings that draw them."""

    EXCLUDE = "scope.exclude"
    INCLUDE = "scope.include"
    DOMAINS = "scope.domains"
    WITHIN = "scope.within"
    EXCLUDE_URLS = "scope.exclude_urls"
    PREFIXES = "scope.prefixes"
    INCLUDE_URLS = "scope.include_urls"


class Crossing(NamedTuple):
    """Where an address lies outside: the bound that keeps it out."""

    bound: Bound
    pattern: str = ""  # that was found, of those that exclude


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Bounds of a crawl that can be told from the address alone."""

    include_hosts: tuple[re.Pattern[str], ...] = ()  # none: all hosts
    exclude_hosts: tuple[re.Pattern[str], ...] = ()
    domains: frozenset[str] = frozenset()  # with all names below them; none: all
    seed_sites: frozenset[str] = frozenset()  # likewise, by the seeds
    seed_hosts: frozenset[str] = frozenset()  # by the seeds; none: all
    seed_folders: UrlPrefixes = field(default_factory=lambda: UrlPrefixes(()))
    prefixes: UrlPrefixes = field(default_factory=lambda: UrlPrefixes(()))
    include_urls: UrlPatterns = field(default_factory=lambda: UrlPatterns(()))
    exclude_urls: UrlPatterns = field(default_factory=lambda: UrlPatterns(()))
    depth_max: int | None = None  # None: unlimited

    @property
    def bounds_hosts(self) -> bool:
        """Whether there are hosts that are not wanted."""
        bounds = (self.include_hosts, self.exclude_hosts, self.domains, self.seed_sites, self.seed_hosts)
        return any(bounds)

    @property
    def bounds_urls(self) -> bool:
        """Whether there are pages that are not wanted though their hosts are."""
        return bool(self.seed_folders or self.prefixes or self.include_urls or self.exclude_urls)

    def admits_host(self, host: str) -> bool:
        """Say whether pages of this host are wanted."""
        return self.host_crossing(host) is None

    def host_crossing(self, host: str) -> Crossing | None:
        """Return the bound that keeps a host out."""
        # Asked for every host of every page: a plain loop takes half the time of a generator.
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
        """Return those of some canonical URLs that are not asked for, whatever they are."""
        found_in = self.exclude_urls.found_in
        return [url for url in urls if found_in(url)] if self.exclude_urls else []

    def not_included(self, urls: Sequence[str]) -> list[str]:
        """Return those of some canonical URLs that pages of the crawl cannot have."""
        out: list[str] = []
        for bound in (self.seed_folders, self.prefixes):
            if bound:
                out += [url for url in urls if not bound.begin(url)]
        if self.include_urls:
            found_in = self.include_urls.found_in
            out += [url for url in urls if not found_in(url)]
        return out

    def url_crossing(self, url: str, *, is_lead: bool = False) -> Crossing | None:
        """Return the bound that keeps a page out though its host is wanted.

        A lead is no page, or was named by the operator: sitemaps, feeds, where seeds redirect.
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
    """Tell whether a host is one of some domains, or lies below one."""
    while host not in domains:
        _, dot, host = host.partition(".")
        if not dot:
            return False
    return True
