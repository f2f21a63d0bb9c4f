"""The decision point `schedule`: which links become requests."""

import re

import pytest

from tiptoe.decide.scheduling import SOURCE_HOPS_MAX, LinkGroup, SchedulePoint, schedule_point
from tiptoe.protocol.work import Purpose
from tiptoe.url.dropped import Dropped
from tiptoe.url.scope import Scope
from tiptoe.url.traps import TrapLimits
from tiptoe.url.url_patterns import UrlPatterns
from tiptoe.url.url_prefixes import UrlPrefixes

NARROW = schedule_point(
    Scope(include_hosts=(re.compile(r"\.cz$"),), exclude_hosts=(re.compile("^bad"),), depth_max=3),
    TrapLimits(url_chars_max=50),
    hops_max=5,
    redirects_max=2,
)
DEEP = schedule_point(hops_max=5)
SITEMAP = Purpose.SITEMAP


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        (LinkGroup("a.cz", 3), None),
        (LinkGroup("a.cz", 4), Dropped.TOO_DEEP),
        (LinkGroup("a.example", 1), Dropped.OUT_OF_SCOPE),
        (LinkGroup("bad.cz", 1), Dropped.OUT_OF_SCOPE),
        (LinkGroup("", 1), Dropped.OUT_OF_SCOPE),  # files of this machine have no host
        (LinkGroup("a.cz", hops=2, is_redirect=True), None),
        (LinkGroup("a.cz", hops=3, is_redirect=True), Dropped.REDIRECT_CHAIN),
        (LinkGroup("a.cz", purpose=SITEMAP, hops=2 + SOURCE_HOPS_MAX, is_redirect=True), None),
        (
            LinkGroup("a.cz", purpose=SITEMAP, hops=3 + SOURCE_HOPS_MAX, is_redirect=True),
            Dropped.REDIRECT_CHAIN,
        ),
        (LinkGroup("a.cz", purpose=SITEMAP, hops=SOURCE_HOPS_MAX), None),
        (LinkGroup("a.cz", purpose=SITEMAP, hops=SOURCE_HOPS_MAX + 1), Dropped.SITEMAP_CHAIN),
    ],
)
def test_each_rule_about_a_group_gives_its_reason(links: LinkGroup, expected: Dropped | None) -> None:
    assert NARROW.refusal(links) is expected


def test_depth_nought_means_the_seeds_alone() -> None:
    point = schedule_point(Scope(depth_max=0))
    assert point.refusal(LinkGroup(depth=0)) is None
    assert point.refusal(LinkGroup(depth=1)) is Dropped.TOO_DEEP


def test_depth_is_bounded_also_where_the_operator_sets_no_limit() -> None:
    assert schedule_point(Scope(), hops_max=5).refusal(LinkGroup(depth=5)) is None
    assert DEEP.refusal(LinkGroup(depth=6)) is Dropped.TRAP_DEPTH


@pytest.mark.parametrize(
    ("parent", "usability", "leads_on"),
    [(1.0, 0.0, True), (0.0, 0.0, False), (0.0, 0.1, True), (0.1, 0.0, True), (0.0, None, True)],
)
def test_links_are_not_followed_from_the_second_useless_document_in_a_row(
    parent: float, usability: float | None, leads_on: bool
) -> None:
    """TXT-6; of what nobody has judged nothing is said."""
    links = LinkGroup(parent_usability=parent, usability=usability)
    assert DEEP.refusal(links) is (None if leads_on else Dropped.ZERO_USABILITY)


def test_an_archive_follows_links_of_useless_pages() -> None:
    point = schedule_point(keeps_to_useful=False)
    assert point.refusal(LinkGroup(parent_usability=0.0, usability=0.0)) is None


@pytest.mark.parametrize(
    ("follows", "refused"),
    [
        ({Purpose.PAGE, Purpose.SITEMAP, Purpose.FEED}, set()),
        ({Purpose.SITEMAP}, {Purpose.PAGE, Purpose.FEED}),
        ({Purpose.FEED}, {Purpose.PAGE, Purpose.SITEMAP}),
        (set(), {Purpose.PAGE, Purpose.SITEMAP, Purpose.FEED}),
    ],
)
def test_links_are_followed_from_where_the_operator_wants(
    follows: set[Purpose], refused: set[Purpose]
) -> None:
    """`--list`, `--sitemaps-only`, `--feeds-only`; a redirect stands in nothing."""
    point = schedule_point(follows=follows)
    for source in (Purpose.PAGE, Purpose.SITEMAP, Purpose.FEED):
        assert point.refusal_in(source) is (Dropped.UNLISTED if source in refused else None)
    assert point.refusal(LinkGroup(hops=1, is_redirect=True)) is None


def test_rules_about_pages_are_not_asked_about_leads() -> None:
    """A sitemap lies at the root of a site whose news alone are wanted."""
    scope = Scope(prefixes=UrlPrefixes(["http://a.cz/news/"]), exclude_urls=UrlPatterns(["/old/"]))
    point = schedule_point(scope)
    urls = ["http://a.cz/news/1", "http://a.cz/sitemap.xml", "http://a.cz/news/old/1"]
    assert point.refused_urls(urls) == dict.fromkeys(urls[1:], Dropped.OUT_OF_SCOPE)
    assert point.refused_urls(urls, are_leads=True) == {urls[2]: Dropped.OUT_OF_SCOPE}


def test_what_is_not_known_yet_is_refused_by_no_rule() -> None:
    """A page's links are asked about before anybody has resolved them."""
    assert NARROW.refusal(LinkGroup()) is None


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a.cz/" + "x" * 50, Dropped.TRAP_LONG_URL),
        ("http://a.cz/x/x/x/", Dropped.TRAP_REPEATING_PATH),
        ("http://a.cz/" + "/".join("abcdefghijklmnopqrstu"), Dropped.TRAP_DEEP_PATH),
        ("http://a.cz/?" + "&".join(f"{n:x}" for n in range(17)), Dropped.TRAP_MANY_PARAMETERS),
        ("http://a.cz/?" + "&".join("a" * 7), Dropped.TRAP_REPEATED_PARAMETER),
    ],
)
def test_addresses_that_look_like_traps_are_refused(url: str, expected: Dropped) -> None:
    limits = TrapLimits(url_chars_max=60)
    assert schedule_point(traps=limits).refused_urls([url, "http://a.cz/x"]) == {url: expected}


def test_of_several_rules_about_an_address_the_first_gives_the_reason() -> None:
    """As with every point: the order of the rules is the order of the reasons."""
    some = SchedulePoint(
        url_rules=[
            lambda urls: {url: Dropped.TRAP_LONG_URL for url in urls if "long" in url},
            lambda urls: dict.fromkeys(urls, Dropped.OUT_OF_SCOPE),
        ]
    )
    assert some.refused_urls(["/long", "/x"]) == {"/long": Dropped.TRAP_LONG_URL, "/x": Dropped.OUT_OF_SCOPE}
