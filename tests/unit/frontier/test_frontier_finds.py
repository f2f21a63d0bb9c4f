"""Where results lead, and where that ends."""

from collections.abc import Callable
from typing import Any

import pytest
from rehearsal import Rehearsal

from tiptoe.decide.scheduling import SOURCE_HOPS_MAX, schedule_point
from tiptoe.frontier.finds import Finds
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.frontier.step import Step
from tiptoe.protocol.work import (
    HostLinks,
    LastVisit,
    Purpose,
    Report,
    Request,
    Result,
    RobotsNote,
    RobotsState,
)
from tiptoe.store.memory import MemoryStore
from tiptoe.url.address import page_keys
from tiptoe.url.dropped import Dropped

RULES = Politeness(req_delay=1.0, max_hosts=1, max_reqs=50, general_pause=10.0)

PAGE = "http://a.example/page"
TRAP = "http://a.example/x/y/x/y/x/y"
"""A path that repeats itself: no page's link to it is followed."""


def sitemaps_of(lead_on: Callable[[Request], Result], **policy: object) -> Rehearsal:
    """Return a finished crawl of a host whose front page leads to a sitemap, and that on as it is told."""

    def answer(request: Request, now: float) -> Result:
        if request.purpose is Purpose.PAGE:
            return Result(request, status=200, sitemaps=["http://a.example/0"])
        return lead_on(request)

    rules = FrontierPolicy(politeness=RULES, **policy)  # type: ignore[arg-type]
    crawl = Rehearsal({}, {"a.example": "192.0.2.1"}, rules, answer=answer)
    crawl.run(["http://a.example/"])
    return crawl


def next_of(url: str) -> str:
    place, number = url.rsplit("/", 1)
    return f"{place}/{int(number) + 1}"


def asked_of(crawl: Rehearsal) -> int:
    """Return how many sitemaps were asked for."""
    return sum(asked.url[-1].isdigit() for asked in crawl.asked)


def test_sitemaps_that_lead_from_one_to_the_next_come_to_an_end() -> None:
    """They are no pages, so no limit of the crawl would ever end a chain of them (FRO-5)."""
    crawl = sitemaps_of(lambda request: Result(request, status=200, sitemaps=[next_of(request.url)]))
    assert asked_of(crawl) == SOURCE_HOPS_MAX + 1
    assert crawl.frontier.counters.totals.discards == {Dropped.SITEMAP_CHAIN: 1}


def test_feeds_that_lead_from_one_to_the_next_come_to_an_end() -> None:
    """They are sources of links like sitemaps."""
    crawl = sitemaps_of(lambda request: Result(request, status=200, feeds=[next_of(request.url)]))
    assert crawl.frontier.counters.totals.discards == {Dropped.SITEMAP_CHAIN: 1}


def test_two_spellings_of_a_page_are_one_request() -> None:
    """FRO-1: whichever is met first is asked for, as it was met."""
    links = {"http://a.example/": ["http://a.example/x[1]", "http://a.example/y?b"]}
    links["http://a.example/x[1]"] = [
        "http://a.example/x%5B1%5D",
        "http://a.example/y?b=",
        "http://a.example/y?b&",
    ]
    crawl = Rehearsal(links, {"a.example": "192.0.2.1"}, FrontierPolicy(politeness=RULES))
    crawl.run(["http://a.example/"])
    assert crawl.fetched == ["http://a.example/", "http://a.example/x[1]", "http://a.example/y?b"]


def test_a_server_may_insist_on_its_spelling() -> None:
    """A redirect to a page that is known by another spelling is no loop and no repetition."""
    right = "http://a.example/x%281%29"

    def answer(request: Request, now: float) -> Result:
        if request.url == right:
            return Result(request, status=200, text_chars=100)
        return Result(request, status=301, redirect=right)

    crawl = Rehearsal({}, {"a.example": "192.0.2.1"}, FrontierPolicy(politeness=RULES), answer=answer)
    crawl.run(["http://a.example/x(1)"])
    assert [asked.url for asked in crawl.asked if not asked.url.endswith(".txt")] == [
        "http://a.example/x(1)",
        right,
    ]
    page = crawl.frontier.page(right)
    assert page is not None
    assert (page.url, page.outcome) == (right, "ok")
    assert crawl.frontier.counters.totals.discards == {}


def test_a_server_that_wants_every_spelling_but_the_one_it_gets_is_left() -> None:
    other = {
        "http://a.example/x(1)": "http://a.example/x%281%29",
        "http://a.example/x%281%29": "http://a.example/x(1)",
    }

    def answer(request: Request, now: float) -> Result:
        return Result(request, status=301, redirect=other[request.url])

    policy = FrontierPolicy(politeness=RULES, schedule=schedule_point(redirects_max=4))
    crawl = Rehearsal({}, {"a.example": "192.0.2.1"}, policy, answer=answer)
    crawl.run(["http://a.example/x(1)"])
    assert len([asked for asked in crawl.asked if not asked.url.endswith(".txt")]) == 5
    assert crawl.frontier.counters.totals.discards == {"redirect_chain": 1}


@pytest.mark.parametrize("redirects_max", [0, 2])
def test_a_sitemap_is_redirected_as_often_as_a_page_at_least(redirects_max: int) -> None:
    """That it stands in another one takes nothing away from it, and still there is an end."""

    def lead_on(request: Request) -> Result:
        if request.url == "http://a.example/0":
            return Result(request, status=200, sitemaps=["http://a.example/1"])
        return Result(request, status=302, redirect=next_of(request.url))

    crawl = sitemaps_of(lead_on, schedule=schedule_point(redirects_max=redirects_max))
    assert redirects_max + 2 <= asked_of(crawl) <= redirects_max + 2 + SOURCE_HOPS_MAX
    assert crawl.frontier.counters.totals.discards == {"redirect_chain": 1}


def test_sitemaps_found_when_one_is_visited_again_are_asked_for_but_lead_no_further() -> None:
    """Nobody knows any more how the first one was found; else each return would begin another chain."""
    step = Step(MemoryStore(), hosts_cached_max=10)
    finds = Finds(step, schedule_point(redirects_max=5), follows_sitemaps=True, follows_feeds=True)
    again = Request("http://a.example/0", Purpose.SITEMAP, last_visit=LastVisit(visits=1))
    (find,) = finds.of(Result(again, status=200, sitemaps=["http://a.example/1"]), "a.example")
    (child,) = find.template.requests(find.template.urls)
    assert finds.of(Result(child, status=200, sitemaps=["http://a.example/2"]), "a.example") == []


@pytest.mark.parametrize(
    "leads_there",
    [
        {"status": 301, "redirect": TRAP},
        {"status": 200, "feeds": [TRAP]},
        {"status": 200, "sitemaps": [TRAP]},
    ],
    ids=["redirect", "feed", "sitemap"],
)
def test_a_trap_is_not_asked_for_whatever_leads_to_it(leads_there: dict[str, Any]) -> None:
    """FRO-5: a harvester judges the links of pages; what else leads on is judged here."""

    def answer(request: Request, now: float) -> Result:
        return Result(request, **leads_there) if request.url == PAGE else Result(request, status=200)

    crawl = Rehearsal({}, {"a.example": "192.0.2.1"}, FrontierPolicy(politeness=RULES), answer=answer)
    crawl.run([PAGE])
    assert [asked.url for asked in crawl.asked[1:]] == [PAGE]
    assert crawl.frontier.counters.totals.discards == {Dropped.TRAP_REPEATING_PATH: 1}


def test_a_trap_that_robots_txt_names_as_a_sitemap_is_not_asked_for() -> None:
    """It costs requests like any other trap."""
    sitemap = "http://a.example/0"
    frontier = Frontier(MemoryStore(), FrontierPolicy(politeness=RULES))
    frontier.add([Request(PAGE)], 0.0)
    frontier.resolved_all([("a.example", "192.0.2.1", "")], 0.0)
    frontier.tick(0.0)
    (visit,) = frontier.visits(1, "h1", 0.0)
    rules = Request("http://a.example/robots.txt", Purpose.ROBOTS)
    note = RobotsNote(RobotsState.RULES, sitemaps=[TRAP, sitemap])
    results = [Result(rules, status=200, robots=note), Result(Request(PAGE), status=200)]
    more = frontier.report([Report(visit.id, results, is_done=True)], {}, 1.0)
    assert [request.url for work in more[visit.id] for request in work.requests] == [sitemap]
    assert frontier.counters.totals.discards == {Dropped.TRAP_REPEATING_PATH: 1}


def test_a_seed_is_asked_for_even_if_it_looks_like_a_trap() -> None:
    """The operator named it; its links are judged like those of any page."""
    crawl = Rehearsal({}, {"a.example": "192.0.2.1"}, FrontierPolicy(politeness=RULES))
    crawl.run([TRAP])
    assert crawl.fetched == [TRAP]


def found_source(source: Purpose, **policy: object) -> Rehearsal:
    """Return a crawl whose only seed turns out to be a sitemap or a feed with one page."""

    def answer(request: Request, now: float) -> Result:
        if request.url.endswith("/"):
            links = [HostLinks("a.example", [PAGE], page_keys("a.example", [PAGE]))]
            return Result(request, status=200, links=links, source=source)
        return Result(request, status=200, text_chars=9, text_hash=b"12345678")

    rules = FrontierPolicy(politeness=RULES, **policy)  # type: ignore[arg-type]
    crawl = Rehearsal({}, {"a.example": "192.0.2.1"}, rules, answer=answer)
    crawl.run(["http://a.example/"], until=2000.0)
    return crawl


@pytest.mark.parametrize("source", [Purpose.FEED, Purpose.SITEMAP])
def test_a_page_that_turns_out_to_be_a_source_is_none(source: Purpose) -> None:
    """It leads on and counts as no page, neither of the crawl nor of its host."""
    crawl = found_source(source)

    assert [asked.url for asked in crawl.asked[1:]] == ["http://a.example/", PAGE]
    assert (crawl.frontier.counters.totals.pages, crawl.frontier.counters.totals.documents) == (1, 1)
    crawl.frontier.check()


@pytest.mark.parametrize("source", [Purpose.FEED, Purpose.SITEMAP])
def test_a_source_is_asked_for_again_as_what_it_is(source: Purpose) -> None:
    """Feeds and sitemaps refresh alike, however they were met."""
    asked: list[tuple[str, Purpose]] = []
    revisit = RevisitPolicy(strategy="uniform", first_seconds=50.0, min_seconds=1.0, is_endless=True)

    def answer(request: Request, now: float) -> Result:
        asked.append((request.url, request.purpose))
        return Result(request, status=200, source=source if request.purpose is Purpose.PAGE else None)

    rules = FrontierPolicy(politeness=RULES, revisit=revisit)
    crawl = Rehearsal({}, {"a.example": "192.0.2.1"}, rules, answer=answer)
    crawl.run(["http://a.example/"], until=1200.0)

    assert [purpose for _, purpose in asked[:3]] == [Purpose.PAGE, source, source]


@pytest.mark.parametrize("purpose", [Purpose.FEED, Purpose.SITEMAP])
def test_a_source_hands_on_how_usable_what_led_to_it_was(purpose: Purpose) -> None:
    """Nobody judges a feed: its links stand where the page that named it stands."""
    step = Step(MemoryStore(), hosts_cached_max=10)
    finds = Finds(step, schedule_point(redirects_max=5), follows_sitemaps=True, follows_feeds=True)
    page = Request("http://a.example/", usability=1.0)
    (named,) = finds.of(Result(page, status=200, usability=0.0, feeds=["http://a.example/f"]), "a.example")
    assert named.template.usability == 0.0
    links = [HostLinks("a.example", [PAGE], page_keys("a.example", [PAGE]))]
    feed = Request("http://a.example/f", purpose, depth=2, usability=0.0)
    found, inner = finds.of(
        Result(feed, status=200, links=links, sitemaps=["http://a.example/s"]), "a.example"
    )

    assert (found.template.usability, found.template.depth) == (0.0, 3)
    assert inner.template.usability == 0.0
