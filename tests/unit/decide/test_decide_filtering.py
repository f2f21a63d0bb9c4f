"""Lines of the operator's filters as rules of the decision points."""

import pytest

from tiptoe.decide.discard import Discard
from tiptoe.decide.fetching import PendingRequest, fetch_point
from tiptoe.decide.filtering import LinkFilter, LinkRefusal, PageFilter
from tiptoe.decide.scheduling import LinkGroup, schedule_point
from tiptoe.decide.storing import CandidateText, store_point
from tiptoe.fetch.robots import Robots
from tiptoe.filters.definition import Directive, NamedFilter, RobotDefinition
from tiptoe.filters.filter_chain import Denied
from tiptoe.filters.resource import PageFacts, Resource
from tiptoe.filters.robot_filters import RobotFilters
from tiptoe.protocol.work import Purpose
from tiptoe.url.dropped import Dropped

Line = tuple[str, str, dict[str, str]]

URL = "http://a.example/x"
NO_X = ("MetaData", "filter-by-exact", {"src": "path", "deny": "/x"})
SHALLOW = ("MetaData", "filter-by-max", {"src": "depth", "value": "2"})
FAILS: Line = ("MetaData", "fail", {})
NO_ME = ("Data", "filter-by-exact", {"src": "author", "deny": "me"})
TITLE: Line = ("Generate", "extract-html-meta", {})
FOLLOW = ("Enumerate", "enumerate-urls", {"max": "2"})


def fail(resource: Resource, parameters: object) -> None:
    raise ValueError("no")


def filters(*lines: Line, generation: tuple[Line, ...] | None = None) -> RobotFilters:
    """Return filters whose two chains have the same lines, unless others are given for generation."""
    second = lines if generation is None else generation
    chains = {"enumeration-default": (*lines, FOLLOW), "generation-default": second}
    return RobotFilters(
        RobotDefinition(
            filters=[NamedFilter(name, "") for name in chains],
            directives=[
                Directive(name, stage, function, given, f"filter.conf:{number}")
                for name, own in chains.items()
                for number, (stage, function, given) in enumerate(own, start=1)
            ],
        ),
        {"fail": fail},
    )


def test_links_that_both_filters_deny_are_refused_and_told() -> None:
    told: list[tuple[str, str]] = []
    links = LinkFilter(filters(NO_X), lambda denied, url: told.append((denied.place, url)))
    assert links.refused([URL, "http://a.example/y"], 1) == {
        URL: LinkRefusal(Dropped.LINK_FILTERED, is_by_depth=False)
    }
    assert told == [("filter.conf:1", URL)]


def test_a_refusal_by_depth_says_so() -> None:
    assert LinkFilter(filters(SHALLOW)).refused([URL], 3) == {
        URL: LinkRefusal(Dropped.LINK_FILTERED, is_by_depth=True)
    }


def test_a_function_that_fails_has_a_reason_of_its_own() -> None:
    assert LinkFilter(filters(FAILS)).refused([URL], 0)[URL].reason is Dropped.LINK_FILTER_FAILED
    point = fetch_point(PageFilter(filters(FAILS)))
    assert point.refusal(PendingRequest(URL, Robots(()), Purpose.PAGE)) is Discard.FILTER_FAILED


@pytest.mark.parametrize(
    ("purpose", "expected"),
    [
        (Purpose.PAGE, Discard.FILTERED),
        (Purpose.SITEMAP, Discard.FILTERED),
        (Purpose.FEED, Discard.FILTERED),
        (Purpose.RULES_REQUEST, None),
        (Purpose.ROBOTS, None),
    ],
)
def test_requests_are_judged_but_for_the_rules_of_a_host(purpose: Purpose, expected: Discard | None) -> None:
    """Whatever filters say, robots.txt is asked for before anything else."""
    point = fetch_point(PageFilter(filters(NO_X)))
    assert point.refusal(PendingRequest(URL, Robots(()), purpose)) is expected


def test_what_robots_txt_forbids_is_called_disallowed_whatever_filters_say() -> None:
    """The reason is part of the answer to a webmaster."""
    point = fetch_point(PageFilter(filters(NO_X)))
    forbidden = Robots(((False, "/"),))
    assert point.refusal(PendingRequest(URL, forbidden, Purpose.PAGE)) is Discard.DISALLOWED


def test_a_page_is_judged_for_its_links_and_for_its_text() -> None:
    pages = PageFilter(filters(NO_ME, generation=(NO_ME, TITLE)))
    facts = PageFacts(headers={}, media_type="text/html", meta={"author": "me"})
    denied = pages.judge(URL, 0, "", facts, ["/1", "/2", "/3"])
    assert (denied.link_refusal, denied.text_refusal) == (Dropped.LINK_FILTERED, Discard.FILTERED)
    assert (denied.place, denied.resource) == ("filter.conf:1", None)
    facts = PageFacts(headers={}, media_type="text/html", title="T")
    wanted = pages.judge(URL, 0, "", facts, ["/1", "/2", "/3"])
    assert (wanted.link_refusal, wanted.text_refusal) == (None, None)
    assert (wanted.links, wanted.losses) == (["/1", "/2"], {Dropped.LINK_FILTERED: 1})
    assert pages.describe(wanted, ["text"]) == {"title": ["T"]}


def test_a_description_that_fails_costs_the_text() -> None:
    robot = filters(generation=(("Generate", "fail", {}),))
    told: list[Denied] = []
    pages = PageFilter(robot, lambda denied, url: told.append(denied))
    page = pages.judge(URL, 0, "", PageFacts(headers={}), [])
    assert pages.describe(page, []) is None
    assert page.text_refusal is Discard.FILTER_FAILED
    assert "ValueError('no')" in told[0].why


def test_the_links_of_a_copy_are_refused_where_the_filter_wants_no_copies() -> None:
    md5: tuple[Line, ...] = (("Data", "generate-md5", {}), ("Data", "filter-by-md5", {}))
    for lines, expected in ((md5, Dropped.LINK_FILTERED), ((), None)):
        pages = PageFilter(filters(*lines))
        page = pages.judge(URL, 0, "", PageFacts(headers={}), [])
        pages.refuse_copy(page)
        assert page.link_refusal is expected


def test_points_pass_on_what_the_filters_say() -> None:
    assert schedule_point().refusal(LinkGroup(filtered=Dropped.LINK_FILTERED)) is Dropped.LINK_FILTERED
    assert store_point().refusal(CandidateText(filtered=Discard.FILTERED)) is Discard.FILTERED
    assert store_point().refusal(CandidateText(is_noindex=True, filtered=Discard.FILTERED)) is Discard.NOINDEX


def test_no_link_is_followed_beyond_the_depth_of_the_files() -> None:
    """A depth of 0 means the starting points alone, which no setting of ours can say."""
    point = schedule_point(filter_depth=0)
    assert point.refusal(LinkGroup(depth=0)) is None
    assert point.refusal(LinkGroup(depth=1)) is Dropped.TOO_DEEP
