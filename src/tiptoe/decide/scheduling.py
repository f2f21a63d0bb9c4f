"""The decision point `schedule`: is this link worth a request?

Links are judged in groups, since a call per link would cost more than the rules do: what a group has in
common by its `LinkGroup`, their addresses by rules that take all of them at once (`UrlRule`).

An address does not change, so a `UrlRule` is asked once, when something leads there: of a page's links by
the harvester that finds them (`harvest/outlinks.py`), of a document's links by the keeper
(`keeper/document_links.py`), of redirects, feeds and sitemaps by the frontier (`frontier/finds.py`,
`frontier/robots_settlement.py`). Seeds are not judged by them: the operator has named them. Some of these
rules are about pages alone (`page_rules`): a sitemap, a feed, and where a seed redirects may lie elsewhere.
Bounds may change from one run to the next, so `frontier/sifting.py` asks about them once more when it is a
request's turn.

The rules about groups are asked there too, and again on intake, because seeds, redirects, sitemaps and
foreign harvesters bring what nobody has asked about; when a host has its turn (`frontier/dispatch.py`) and
when hosts are reconsidered, because the bounds of the crawl may have changed since it was queued.

Not decided here, since it depends on what was met before: whether a URL is known (`frontier/sieve.py`),
whether its host is full, given up or unproductive (`frontier/intake.py`), whether there are too many of its
shape (`frontier/shapes.py`), whether a redirect leads back (`frontier/finds.py`). Nor what a page may make us
read at all: that only files lead to files is a matter of safety (`harvest/outlinks.py`).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

import msgspec

from tiptoe.decide.bounds import local_files, outside, urls_excluded, urls_outside
from tiptoe.decide.filtering import LinkFilter
from tiptoe.decide.point import DecisionPoint, Rule
from tiptoe.protocol.work import Purpose
from tiptoe.url.address import host_of
from tiptoe.url.dropped import Dropped
from tiptoe.url.scope import Bound, Scope
from tiptoe.url.traps import TrapLimits, traps_in

__all__ = ["SOURCES_OF_LINKS", "SOURCE_HOPS_MAX", "LinkGroup", "SchedulePoint", "schedule_point"]

SOURCE_HOPS_MAX = 5
"""Maximum hops from a page to a sitemap or feed by way of others; they are no pages, so no other limit ends
a chain."""

SOURCES_OF_LINKS = frozenset({Purpose.PAGE, Purpose.SITEMAP, Purpose.FEED})

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
    filtered: Dropped | None = None  # what the operator's filters say of the page that they stand on
    found_in: Purpose | None = None  # what they stand on: a page, a sitemap, a feed; None: not looked at yet


UrlRule = Callable[[Sequence[str]], Mapping[str, Dropped]]
"""Names those of some canonical URLs that are refused, each with the reason."""


class SchedulePoint(DecisionPoint[LinkGroup, Dropped]):
    """Rules about groups of links, and rules about single addresses."""

    __slots__ = (
        "_after", "_by_depth", "_by_source", "link_filter", "looks_at_hosts", "page_rules", "scope",
        "url_rules",
    )  # fmt: skip

    def __init__(
        self, *rules: Rule[LinkGroup, Dropped], url_rules: Sequence[UrlRule] = (),
        page_rules: Sequence[UrlRule] = (), looks_at_hosts: bool = True,
        link_filter: LinkFilter | None = None, scope: Scope | None = None,
    ) -> None:  # fmt: skip
        super().__init__(*rules)
        self.url_rules = url_rules
        self.page_rules = page_rules
        self.scope = scope or Scope()  # by which some of the rules go
        self.link_filter = link_filter  # a rule about addresses, too, that goes by their depth as well
        self.looks_at_hosts = looks_at_hosts  # else nobody needs to ask what hosts links lead to
        self._by_depth: dict[int, Dropped | None] = {}
        self._after: dict[tuple[float, float | None], Dropped | None] = {}
        self._by_source: dict[Purpose, Dropped | None] = {}

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

    @property
    def bounds_urls(self) -> bool:
        """Whether the bounds of the crawl leave out pages of hosts that are wanted."""
        return self.scope.bounds_urls

    def bound_of_seed(self, url: str) -> str:
        """Return the setting that leaves a seed out, by its place; empty when none does.

        Seeds are not measured by rules about single addresses, unless these come from other seeds.
        """
        crossing = self.scope.host_crossing(host_of(url))
        if crossing is None and self.scope.seed_folders and not self.scope.seed_folders.begin(url):
            return Bound.WITHIN
        return crossing.bound if crossing is not None else ""

    def is_far_from_seeds(self, url: str) -> bool:
        """Whether a crawl that stays near its seeds would not go there."""
        return self.bound_of_seed(url) == Bound.WITHIN

    def leaves_out(self, url: str) -> bool:
        """Whether the bounds of the crawl leave out an address, if it is not a seed."""
        return bool(self.bound_of_seed(url)) or self.scope.url_crossing(url) is not None

    def refusal_in(self, source: Purpose) -> Dropped | None:
        """Return why links that stand in a page, a sitemap or a feed are refused, whatever they are."""
        if source not in self._by_source:
            self._by_source[source] = self.refusal(LinkGroup(found_in=source))
        return self._by_source[source]

    def refused_urls(self, urls: Sequence[str], *, are_leads: bool = False) -> dict[str, Dropped]:
        """Return which of these canonical URLs are refused, with the reason of the first rule that does.

        Leads are no pages, or the operator has named what led there: sitemaps, feeds, where seeds redirect.
        """
        refused: dict[str, Dropped] = {}
        for rule in self.url_rules if are_leads else (*self.url_rules, *self.page_rules):
            refused = {**rule(urls), **refused}
        return refused

    @staticmethod
    def refused_files(found_in: str, urls: Sequence[str]) -> dict[str, Dropped]:
        """Return which of the URLs that a page or document leads to are refused as files of this machine."""
        return local_files(found_in, urls)


def schedule_point(
    scope: Scope | None = None,
    traps: TrapLimits | None = None,
    *,
    hops_max: int = 100,
    redirects_max: int = 10,
    follows: Collection[Purpose] = SOURCES_OF_LINKS,
    keeps_to_useful: bool = True,
    filter_depth: int | None = None,
    link_filter: LinkFilter | None = None,
) -> SchedulePoint:
    """Return what decides whether links become requests."""
    scope = scope or Scope()
    rules: list[Rule[LinkGroup, Dropped]] = []
    if scope.depth_max is not None:
        rules.append(too_deep(scope.depth_max))
    if filter_depth is not None:
        rules.append(too_deep(filter_depth))
    rules.append(endless(hops_max))
    if keeps_to_useful:
        rules.append(useless)
    rules += [filtered, chained(redirects_max)]
    if not set(follows) >= SOURCES_OF_LINKS:
        rules.append(unlisted(follows))
    if scope.bounds_hosts:
        rules.append(outside(scope))
    url_rules: list[UrlRule] = [partial(traps_in, limits=traps or TrapLimits())]
    if scope.exclude_urls:
        url_rules.append(urls_excluded(scope))
    has_page_rules = bool(scope.seed_folders or scope.prefixes or scope.include_urls)
    return SchedulePoint(
        *rules,
        url_rules=url_rules,
        page_rules=[urls_outside(scope)] if has_page_rules else [],
        looks_at_hosts=scope.bounds_hosts,
        link_filter=link_filter,
        scope=scope,
    )


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


def unlisted(follows: Collection[Purpose]) -> Rule[LinkGroup, Dropped]:
    """Return the rule that refuses links which stand in anything but these sources."""
    followed = frozenset(follows)

    def elsewhere(links: LinkGroup) -> Dropped | None:
        return None if links.found_in is None or links.found_in in followed else Dropped.UNLISTED

    return elsewhere


def filtered(links: LinkGroup) -> Dropped | None:
    """Refuse links of a page that the operator's filters do not want to be read for links."""
    return links.filtered


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
