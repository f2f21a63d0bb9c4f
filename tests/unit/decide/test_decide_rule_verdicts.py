"""Which rule decides about an address?"""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.decide.rule_verdicts import LinkVerdicts
from tiptoe.decide.scheduling import LinkGroup, SchedulePoint, schedule_point
from tiptoe.protocol.work import Purpose
from tiptoe.url.address import host_of
from tiptoe.url.scope import Scope
from tiptoe.url.url_patterns import UrlPatterns
from tiptoe.url.url_prefixes import UrlPrefixes

NARROW = schedule_point(
    Scope(
        exclude_hosts=(re.compile("^bad"),),
        domains=frozenset({"a.cz"}),
        prefixes=UrlPrefixes(["http://a.cz/news/"]),
        exclude_urls=UrlPatterns(["/tag/"]),
        depth_max=2,
    )
)
LISTED = schedule_point(follows=set[Purpose]())


@pytest.mark.parametrize(
    ("url", "depth", "expected"),
    [
        ("http://a.cz/news/1", 1, []),
        ("http://a.cz/news/1", 3, ["scope.depth"]),
        ("http://bad.a.cz/news/1", 1, ["scope.exclude", "scope.prefixes"]),
        ("http://b.cz/", 1, ["scope.domains", "scope.prefixes"]),
        ("http://a.cz/news/tag/", 1, ["scope.exclude_urls"]),
        ("http://a.cz/news/x/x/x/", 1, ["traps"]),
        ("http://a.cz/", 0, []),  # a seed
    ],
)
def test_the_rule_that_refuses_is_named(url: str, depth: int, expected: list[str]) -> None:
    verdicts = LinkVerdicts(NARROW).on(url, depth=depth, is_seed=depth == 0)
    assert [verdict.rule for verdict in verdicts if verdict.refusal] == expected


def test_links_that_nobody_follows_are_told() -> None:
    refused = [verdict for verdict in LinkVerdicts(LISTED).on("http://a.cz/x", depth=1) if verdict.refusal]
    assert [(verdict.rule, verdict.refusal) for verdict in refused] == [("scope.follow", "unlisted")]


urls = st.builds(
    "http://{}/{}".format,
    st.sampled_from(["a.cz", "b.a.cz", "bad.a.cz", "b.cz"]),
    st.sampled_from(["", "news/1", "news/tag/1", "x/x/x/", "tag/"]),
)


@given(urls, st.integers(1, 4), st.sampled_from([NARROW, LISTED, schedule_point()]))
def test_what_is_explained_is_what_is_decided(url: str, depth: int, point: SchedulePoint) -> None:
    """A refusal is told exactly when the point refuses."""
    is_refused = bool(
        point.refusal(LinkGroup(host_of(url), depth))
        or point.refusal_in(Purpose.PAGE)
        or point.refused_urls([url])
    )
    assert any(verdict.refusal for verdict in LinkVerdicts(point).on(url, depth=depth)) == is_refused
