"""The decision point `schedule`: is this link worth a request?

Asked of a page's links as a harvester finds them (`harvest/outlinks.py`), and of a document's links as the
keeper takes them over (`keeper/document_links.py`). The frontier asks again, of whole groups: where a page
leads (`frontier/finds.py`) and on intake, because seeds, redirects, sitemaps and foreign harvesters bring
what nobody has asked about; when a host has its turn (`frontier/dispatch.py`) and when hosts are
reconsidered, because the bounds of the crawl may have changed since it was queued.

Links are judged in groups, since a call per link would cost more than the rules do: what a group has in
common by its `LinkGroup`, their addresses by rules that take all of them at once. An address does not
change, so those are asked once, where a link is found.

Not decided here, since it depends on what was met before: whether a URL is known (`frontier/sieve.py`),
whether its host is full, given up or unproductive (`frontier/intake.py`), whether there are too many of its
shape (`frontier/shapes.py`), whether a redirect leads back (`frontier/finds.py`). Nor what a page may make us
read at all: that only files lead to files is a matter of safety (`harvest/outlinks.py`).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import msgspec

from tiptoe.decide.bounds import outside
from tiptoe.decide.point import DecisionPoint, Rule
from tiptoe.protocol.work import Purpose
from tiptoe.url.dropped import Dropped
from tiptoe.url.scope import Scope
from tiptoe.url.traps import TrapLimits, traps_in

__all__ = ["SOURCE_HOPS_MAX", "LinkGroup", "SchedulePoint", "schedule_point"]

SOURCE_HOPS_MAX = 5
"""Maximum hops from a page to a sitemap or feed by way of others; they are no pages, so no other limit ends
a chain."""

REMEMBERED_MAX = 1_000
"""Groups that come again and again, of which the answers are remembered: the rules look at nothing else."""


class LinkGroup(msgspec.Struct, frozen=True, gc=False):
    """What links that were found together have in common."""

    host: str | None = None  # None: not looked at yet
    depth: int = 0  # links away from a seed
    purpose: Purpose = Purpose.PAGE
    hops: int = 0  # redirects, or sitemaps and feeds, that led there
    is_redirect: bool = False  # the last hop was one
    parent_usability: float = 1.0  # of the page that led to the one they stand on
    usability: float | None = None  # of the page that they stand on; None: unknown


UrlRule = Callable[[Sequence[str]], Mapping[str, Dropped]]
"""Names those of some canonical URLs that are refused, each with the reason."""


class SchedulePoint(DecisionPoint[LinkGroup, Dropped]):
    """Rules about groups of links, and rules about single addresses."""

    __slots__ = ("_after", "_by_depth", "looks_at_hosts", "url_rules")

    def __init__(
        self, *rules: Rule[LinkGroup, Dropped], url_rules: Sequence[UrlRule] = (), looks_at_hosts: bool = True
    ) -> None:
        super().__init__(*rules)
        self.url_rules = url_rules
        self.looks_at_hosts = looks_at_hosts  # else nobody needs to ask what hosts links lead to
        self._by_depth: dict[int, Dropped | None] = {}
        self._after: dict[tuple[float, float | None], Dropped | None] = {}

    def refusal_at(self, host: str | None, depth: int) -> Dropped | None:
        """Return why links to a host, or to any, are refused at this depth."""
        if host is not None and self.looks_at_hosts:
            return self.refusal(LinkGroup(host, depth))
        if depth not in self._by_depth:
            if len(self._by_depth) >= REMEMBERED_MAX:
                self._by_depth.clear()
            self._by_depth[depth] = self.refusal(LinkGroup(depth=depth))
        return self._by_depth[depth]

    def refusal_after(self, parent_usability: float, usability: float | None) -> Dropped | None:
        """Return why links of a page are refused, whatever they are: by its usability and its parent's."""
        pages = parent_usability, usability
        if pages not in self._after:
            if len(self._after) >= REMEMBERED_MAX:
                self._after.clear()
            page = LinkGroup(parent_usability=parent_usability, usability=usability)
            self._after[pages] = self.refusal(page)
        return self._after[pages]

    def refused_urls(self, urls: Sequence[str]) -> dict[str, Dropped]:
        """Return which of these canonical URLs are refused, with the reason of the first rule that does."""
        refused: dict[str, Dropped] = {}
        for rule in self.url_rules:
            refused = {**rule(urls), **refused}
        return refused


def schedule_point(
    scope: Scope | None = None,
    traps: TrapLimits | None = None,
    *,
    hops_max: int = 100,
    redirects_max: int = 10,
) -> SchedulePoint:
    """Return what decides whether links become requests."""
    rules: list[Rule[LinkGroup, Dropped]] = []
    if scope is not None and scope.depth_max > 0:
        rules.append(too_deep(scope.depth_max))
    rules += [endless(hops_max), useless, chained(redirects_max)]
    looks_at_hosts = scope is not None and bool(scope.include_hosts or scope.exclude_hosts)
    if scope is not None and looks_at_hosts:
        rules.append(outside(scope))
    traps_rule = partial(traps_in, limits=traps or TrapLimits())
    return SchedulePoint(*rules, url_rules=[traps_rule], looks_at_hosts=looks_at_hosts)


def too_deep(depth_max: int) -> Rule[LinkGroup, Dropped]:
    """Return the rule that refuses what is too many links away from the seeds."""
    return lambda links: Dropped.TOO_DEEP if links.depth > depth_max else None


def endless(hops_max: int) -> Rule[LinkGroup, Dropped]:
    """Return the rule that refuses what is farther from the seeds than any page should be."""
    return lambda links: Dropped.TRAP_DEPTH if links.depth > hops_max else None


def useless(links: LinkGroup) -> Dropped | None:
    """Refuse links of the second page in a row without any usable text (TXT-6)."""
    if links.usability is None or links.usability > 0.0 or links.parent_usability > 0.0:
        return None
    return Dropped.ZERO_USABILITY


def chained(redirects_max: int) -> Rule[LinkGroup, Dropped]:
    """Return the rule that ends chains of redirects, and of sitemaps and feeds that name one another."""

    def chain(links: LinkGroup) -> Dropped | None:
        if not links.hops:
            return None
        is_source = links.purpose is not Purpose.PAGE
        if not links.is_redirect:
            return Dropped.SITEMAP_CHAIN if is_source and links.hops > SOURCE_HOPS_MAX else None
        # Hops of a sitemap may also be those from others to it: they take nothing from its redirects.
        allowed = redirects_max + (SOURCE_HOPS_MAX if is_source else 0)
        return Dropped.REDIRECT_CHAIN if links.hops > allowed else None

    return chain
