"""How do settings become rules that more than one kind of process uses?

Separate from `compose.py`, because a harvester needs these rules but neither a frontier nor a database.
"""

import ipaddress
import re
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.access.access_file import read_rule_file
from tiptoe.access.access_rules import AccessRules
from tiptoe.decide.filtering import LinkFilter
from tiptoe.decide.revisiting import revisit_point
from tiptoe.decide.scheduling import SOURCES_OF_LINKS, SchedulePoint, schedule_point
from tiptoe.errors import SettingsError
from tiptoe.fetch.guard import AddressGuard
from tiptoe.filters.definition import from_lines
from tiptoe.filters.filter_plugins import load_plugins
from tiptoe.filters.robot_filters import RobotFilters, functions_wanted
from tiptoe.frontier.policy import FrontierPolicy, RevisitPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.protocol.work import Purpose
from tiptoe.settings.layers import Settings
from tiptoe.settings.setting import ENDLESS
from tiptoe.url.address import host_of
from tiptoe.url.canonical import Canonicalizer, CanonicalRules
from tiptoe.url.hostnames import canonical_host
from tiptoe.url.scope import Scope
from tiptoe.url.seed_places import both_ways, folders_meant
from tiptoe.url.url_patterns import UrlPatterns
from tiptoe.url.url_prefixes import UrlPrefixes, canonical_prefixes

__all__ = [
    "access_rules",
    "address_guard",
    "build_canonicalizer",
    "frontier_policy",
    "politeness",
    "revisit_policy",
    "robot_filters",
    "schedule",
    "sources_read",
]

FOLLOWED: Final = {
    "links": SOURCES_OF_LINKS,
    "sitemaps": frozenset({Purpose.SITEMAP}),
    "feeds": frozenset({Purpose.FEED}),
    "nothing": frozenset[Purpose](),
}
"""The sources of links that are followed, by the values of `scope.follow`."""


def politeness(settings: Settings) -> Politeness:
    """Return the rules of politeness in force."""
    return msgspec.convert(settings.politeness, Politeness, from_attributes=True)


def address_guard(settings: Settings) -> AddressGuard:
    """Return the guard that decides which addresses may be contacted."""
    allowed = tuple(map(ipaddress.ip_network, settings.fetch.allow_networks))
    # A rehearsal may be impolite, so it must not reach any other host.
    return AddressGuard(allowed, is_closed=settings.is_rehearsal)


def schedule(settings: Settings, links: LinkFilter | None = None) -> SchedulePoint:
    """Return the point that decides which links become requests, the same for keeper and harvesters.

    The operator's own filter functions run only in harvesters, which pass their filters as `links`.
    """
    own = settings.scope
    filters = robot_filters(settings)
    return schedule_point(
        _scope(settings),
        hops_max=own.hops_max,
        redirects_max=own.redirects_max,
        follows=FOLLOWED[own.follow],
        keeps_to_useful=not own.follow_useless,
        filter_depth=filters.depth_max if filters is not None else None,
        link_filter=links or (LinkFilter(filters) if filters is not None else None),
    )


def robot_filters(settings: Settings, *, with_plugins: bool = False) -> RobotFilters | None:
    """Return the operator's filters; None if there are none."""
    if not settings.filters.definition:
        return None
    definition = from_lines(settings.filters.definition)
    return RobotFilters(definition, load_plugins(functions_wanted(definition)) if with_plugins else {})


def _scope(settings: Settings) -> Scope:
    """Return the bounds of the crawl."""
    own = settings.scope
    places = own.seed_places if own.within != "anywhere" else ()
    if own.within != "anywhere" and not places:
        raise SettingsError(settings.complain("scope.within", "nobody has said from which seeds; name some"))
    folders = places if own.within == "path" else ()
    hosts = map(host_of, folders) if folders else places
    return Scope(
        include_hosts=tuple(map(re.compile, own.include)),
        exclude_hosts=tuple(map(re.compile, own.exclude)),
        domains=frozenset(canonical_host(name.removeprefix("*.").removeprefix(".")) for name in own.domains),
        seed_sites=frozenset(places) if own.within == "site" else frozenset(),
        seed_hosts=both_ways(hosts) if own.within in ("host", "path") else frozenset(),
        seed_folders=UrlPrefixes(folders_meant(folders)),
        prefixes=UrlPrefixes(prefix for given in own.prefixes for prefix in canonical_prefixes(given)),
        include_urls=UrlPatterns(own.include_urls),
        exclude_urls=UrlPatterns(own.exclude_urls),
        depth_max=None if own.depth == ENDLESS else own.depth,
    )


def build_canonicalizer(settings: Settings) -> Canonicalizer:
    """Return the canonicalizer, which gives every URL its one form."""
    return Canonicalizer(
        CanonicalRules(
            tracking_parameters=settings.scope.tracking_parameters,
            session_parameters=settings.scope.session_parameters,
            schemes=frozenset(settings.scope.schemes),
            url_bytes_max=settings.scope.url_bytes_max,
        )
    )


def frontier_policy(settings: Settings) -> FrontierPolicy:
    """Return everything the operator decides about the frontier."""
    return FrontierPolicy(
        politeness=politeness(settings),
        schedule=schedule(settings),
        cdn_ranges=settings.politeness.cdn_ranges,
        pages_max=settings.crawl.max_pages,
        bytes_max=settings.crawl.max_bytes,
        pages_per_host=settings.crawl.pages_per_host,
        hosts_max=_hosts_max(settings),
        shape_pages_max=settings.scope.shape_pages_max,
        textless_pages_max=settings.scope.textless_pages_max,
        follows_sitemaps=Purpose.SITEMAP in sources_read(settings),
        follows_feeds=Purpose.FEED in sources_read(settings),
        reads_tdmrep=settings.text.respect_tdm,
        front_hosts=settings.frontier.front_hosts,
        min_yield=settings.frontier.min_yield,
        trial_pages=settings.frontier.trial_pages,
        leaves_mirrors=settings.frontier.leave_mirrors,
        unproductive_rest_seconds=settings.frontier.unproductive_rest,
        canonicalizer=build_canonicalizer(settings),
        revisit=revisit_policy(settings),
        awaits_exchanges=settings.crawl.claims,
    )


def _hosts_max(settings: Settings) -> int:
    filters = robot_filters(settings)
    return filters.hosts_max if filters is not None else 0


def revisit_policy(settings: Settings) -> RevisitPolicy:
    """Return the policy for revisits."""
    revisit = settings.revisit
    is_by_rounds = settings.crawl.on_end == "loop" and revisit.strategy == "none"
    return RevisitPolicy(
        # In this case only rounds bring pages back; the interval just has to exceed any useful round.
        strategy="uniform" if is_by_rounds else revisit.strategy,
        first_seconds=revisit.max if is_by_rounds else revisit.first,
        min_seconds=revisit.min,
        max_seconds=revisit.max,
        shrink=revisit.shrink,
        grow=revisit.grow,
        objective=revisit.objective,
        visits_per_day=revisit.budget,
        share=revisit.share,
        point=revisit_point(
            _scope(settings), sources=sources_read(settings), include=revisit.include, exclude=revisit.exclude
        ),
        uses_hints=revisit.hints,
        is_endless=settings.crawl.on_end == "watch",
    )


def access_rules(settings: Settings) -> AccessRules | None:
    """Return the rules for sites that need a login; None if there are none.

    Raises SettingsError saying what is wrong with the file, or with settings that it needs.
    """
    if not settings.fetch.access:
        return None
    rules = read_rule_file(Path(settings.fetch.access), is_rehearsal=settings.is_rehearsal)
    # The rules of the host, the page with the form, the form, and then a page.
    least = 3 + frontier_policy(settings).rules_requests
    if settings.politeness.max_reqs < least and any(rule.login is not None for rule in rules):
        problem = f"at least {least} with a login by form (fetch.access): a visit must have room for one"
        raise SettingsError(settings.complain("politeness.max_reqs", problem))
    return AccessRules(rules)


def sources_read(settings: Settings) -> frozenset[Purpose]:
    """Return the sources of links that are read: none if only seeds are wanted."""
    if settings.scope.depth == 0:
        return frozenset()
    read = {Purpose.SITEMAP: settings.scope.sitemaps, Purpose.FEED: settings.scope.feeds}
    return frozenset(
        purpose for purpose, is_read in read.items() if is_read and purpose in FOLLOWED[settings.scope.follow]
    )
