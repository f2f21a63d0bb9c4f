"""The decision point `schedule`: is this link worth a request?

Links are judged in groups, because a call per link would cost more than the rules themselves: what a group
has in common by its `LinkGroup`, their URLs by rules that take all of them at once (`UrlRule`).

A URL does not change, so a `UrlRule` is applied once, when something leads there: to the links of a page by
the harvester that finds them (`harvest/outlinks.py`), to the links of a document by the keeper
(`keeper/document_links.py`), to redirects, feeds and sitemaps by the frontier (`frontier/finds.py`,
`frontier/robots_settlement.py`). It is not applied to seeds, because the operator has named them. Some of
these rules are about pages only (`page_rules`): sitemaps, feeds, and the targets of redirected seeds may be
elsewhere. Bounds may change from one run to the next, so `frontier/sifting.py` checks them once more when it
is a request's turn.

The rules about groups are applied in these places too; again on intake, because seeds, redirects, sitemaps
and harvesters of other versions may bring links that were not checked; and when a host has its turn
(`frontier/dispatch.py`) or is reconsidered, because the bounds may have changed since it was queued.

Not decided here, because it depends on what the crawl has seen: whether a URL is known (`frontier/sieve.py`),
whether its host is full, given up or unproductive (`frontier/intake.py`), whether there are too many of its
shape (`frontier/shapes.py`), whether a redirect leads back (`frontier/finds.py`). Nor is the rule that only
files may lead to files, which is a matter of safety (`harvest/outlinks.py`).
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
"""Maximum number of hops from a page to a sitemap or feed through others; they are not pages, so no other
limit would end a chain."""

SOURCES_OF_LINKS = frozenset({Purpose.PAGE, Purpose.SITEMAP, Purpose.FEED})

REMEMBERED_MAX = 1_000
"""Maximum number of cached answers about groups that recur; above it the cache is cleared."""


class LinkGroup(msgspec.Struct, frozen=True, gc=False):
    """What links that were found together have in common."""

    host: str | None = None  # None: not considered yet
    depth: int = 0  # links away from a seed
    purpose: Purpose = Purpose.PAGE
    hops: int = 0  # redirects, or sitemaps and feeds, that led there
    is_redirect: bool = False  # the last hop was a redirect
    parent_usability: float = 1.0  # of the page that led to the one they are on
    usability: float | None = None  # of the page that they are on; None: unknown
    filtered: Dropped | None = None  # what the operator's filters say about the page that they are on
    found_in: Purpose | None = None  # what they are on: a page, sitemap or feed; None: not considered yet


UrlRule = Callable[[Sequence[str]], Mapping[str, Dropped]]
"""Maps those of the given canonical URLs that are refused to the reasons."""


class SchedulePoint(DecisionPoint[LinkGroup, Dropped]):
    """Rules about groups of links, and rules about single URLs."""

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
        self.scope = scope or Scope()  # used by some of the rules
        self.link_filter = link_filter  # also a rule about URLs, but one that depends on their depth
        self.looks_at_hosts = looks_at_hosts  # if not, no rule depends on the host that links lead to
        self._by_depth: dict[int, Dropped | None] = {}
        self._after: dict[tuple[float, float | None], Dropped | None] = {}
        self._by_source: dict[Purpose, Dropped | None] = {}

    def refusal_at(self, host: str | None, depth: int) -> Dropped | None:
        """Return why links to a host (None: to any host) are refused at this depth; None if they are not."""
        if host is not None and self.looks_at_hosts:
            return self.refusal(LinkGroup(host, depth))
        if depth not in self._by_depth:
            if len(self._by_depth) >= REMEMBERED_MAX:
                self._by_depth.clear()
            self._by_depth[depth] = self.refusal(LinkGroup(depth=depth))
        return self._by_depth[depth]

    def refusal_after(self, parent_usability: float, usability: float | None) -> Dropped | None:
        """Return why all links of a page are refused, by its usability and that of its parent."""
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
        """Return the setting whose bounds leave a seed out; empty if none does.

        Rules about single URLs do not apply to seeds, unless they follow from other seeds.
        """
        crossing = self.scope.host_crossing(host_of(url))
        if crossing is None and self.scope.seed_folders and not self.scope.seed_folders.begin(url):
            return Bound.WITHIN
        return crossing.bound if crossing is not None else ""

    def is_far_from_seeds(self, url: str) -> bool:
        """Whether a crawl that stays near its seeds leaves this URL out."""
        return self.bound_of_seed(url) == Bound.WITHIN

    def leaves_out(self, url: str) -> bool:
        """Whether the bounds of the crawl leave out a URL that is not a seed."""
        return bool(self.bound_of_seed(url)) or self.scope.url_crossing(url) is not None

    def refusal_in(self, source: Purpose) -> Dropped | None:
        """Return why all links found in a page, a sitemap or a feed are refused; None if they are not."""
        if source not in self._by_source:
            self._by_source[source] = self.refusal(LinkGroup(found_in=source))
        return self._by_source[source]

    def refused_urls(self, urls: Sequence[str], *, are_leads: bool = False) -> dict[str, Dropped]:
        """Return which of these canonical URLs are refused, with the reason of the first rule that refuses
        each.

        Leads are URLs of sitemaps and feeds, which are not pages, and the targets of redirected seeds, which
        the operator has named.
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
    """Return the point that decides whether links become requests."""
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
    """Return the rule that refuses links too far from the seeds."""
    return lambda links: Dropped.TOO_DEEP if links.depth > depth_max else None


def endless(hops_max: int) -> Rule[LinkGroup, Dropped]:
    """Return the rule that refuses links farther from the seeds than any real page should be."""
    return lambda links: Dropped.TRAP_DEPTH if links.depth > hops_max else None


def useless(links: LinkGroup) -> Dropped | None:
    """Refuse links of the second page in a row without any usable text (TXT-6)."""
    if links.usability is None or links.usability > 0.0 or links.parent_usability > 0.0:
        return None
    return Dropped.ZERO_USABILITY


def unlisted(follows: Collection[Purpose]) -> Rule[LinkGroup, Dropped]:
    """Return the rule that refuses links found in anything but these sources."""
    followed = frozenset(follows)

    def elsewhere(links: LinkGroup) -> Dropped | None:
        return None if links.found_in is None or links.found_in in followed else Dropped.UNLISTED

    return elsewhere


def filtered(links: LinkGroup) -> Dropped | None:
    """Refuse links of a page whose links the operator's filters deny."""
    return links.filtered


def chained(redirects_max: int) -> Rule[LinkGroup, Dropped]:
    """Return the rule that ends chains of redirects, and of sitemaps and feeds that refer to one another."""

    def chain(links: LinkGroup) -> Dropped | None:
        if not links.hops:
            return None
        is_source = links.purpose is not Purpose.PAGE
        if not links.is_redirect:
            return Dropped.SITEMAP_CHAIN if is_source and links.hops > SOURCE_HOPS_MAX else None
        # The hops of a sitemap include those through other sitemaps, which must not use up its redirects.
        allowed = redirects_max + (SOURCE_HOPS_MAX if is_source else 0)
        return Dropped.REDIRECT_CHAIN if links.hops > allowed else None

    return chain
