"""What pages need is asked for like anything else, and counts for nothing that text is judged by."""

import re
from itertools import pairwise

from rehearsal import Rehearsal

from tiptoe.decide.scheduling import schedule_point
from tiptoe.experiment.frontier_player import links_to
from tiptoe.frontier.effect import RulesAnswered
from tiptoe.frontier.frontier import FrontierPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.protocol.work import Purpose, Request, Result, RobotsNote, RobotsState
from tiptoe.url.scope import Scope

RULES = Politeness(req_delay=1.0, max_hosts=1, max_reqs=50, general_pause=10.0)
ADDRESSES = {"a.example": "192.0.2.1", "cdn.example": "192.0.2.2"}
NEEDS = {
    "http://a.example/": ["http://a.example/1.png", "http://cdn.example/s.css"],
    "http://cdn.example/s.css": ["http://cdn.example/bg.png", "http://a.example/1.png"],
}


def answer(request: Request, now: float) -> Result:
    is_page = request.purpose is Purpose.PAGE
    return Result(
        request, status=200, seconds=0.1, body_bytes=1000, text_chars=500 if is_page else 0,
        requisites=NEEDS.get(request.url, []),
    )  # fmt: skip


def crawled(**policy: object) -> Rehearsal:
    rules = FrontierPolicy(politeness=RULES, **policy)  # type: ignore[arg-type]
    crawl = Rehearsal({}, ADDRESSES, rules, answer=answer)
    crawl.run(["http://a.example/"])
    return crawl


def test_requisites_are_asked_for_once_also_out_of_scope() -> None:
    """A copy without the style sheet of another host is no copy; that host gives nothing else."""
    scope = Scope(include_hosts=(re.compile("^a\\.example$"),))
    crawl = crawled(schedule=schedule_point(scope))

    urls = [asked.url for asked in crawl.asked if not asked.url.endswith("robots.txt")]
    assert sorted(urls) == [
        "http://a.example/", "http://a.example/1.png", "http://cdn.example/bg.png",
        "http://cdn.example/s.css",
    ]  # fmt: skip
    elsewhere = [asked for asked in crawl.asked if asked.host == "cdn.example"]
    assert all(later.at - earlier.ended_at >= 1.0 for earlier, later in pairwise(elsewhere))


def test_they_are_no_pages_and_say_nothing_of_their_host() -> None:
    crawl = crawled()

    assert crawl.frontier.counters.totals.pages == 1
    assert crawl.frontier.counters.totals.requests >= 4
    record = crawl.frontier.host("a.example")
    assert record is not None
    assert (record.pages, record.body_bytes) == (1, 1000)


def test_a_host_that_has_given_all_its_pages_still_gives_what_they_show() -> None:
    """Else a copy of the first page of many sites would have no picture."""
    crawl = crawled(pages_per_host=1)

    urls = {asked.url for asked in crawl.asked}
    assert {"http://a.example/1.png", "http://cdn.example/s.css", "http://cdn.example/bg.png"} <= urls
    assert not any(crawl.frontier.counters.totals.discards.values())


def test_what_pages_show_takes_no_place_of_pages() -> None:
    """A page with many pictures would end the crawl of its host early."""
    pages = [f"http://a.example/{number}" for number in range(9)]
    links = {"http://a.example/": pages[:1], pages[0]: pages[1:]}
    pictures = [f"http://a.example/{number}.png" for number in range(40)]

    def illustrated(request: Request, now: float) -> Result:
        found = links_to(links.get(request.url, []))
        needed = pictures if request.purpose is Purpose.PAGE else []
        return Result(request, status=200, text_chars=500, links=found, requisites=needed)

    short_visits = Politeness(req_delay=1.0, max_hosts=1, max_reqs=4, general_pause=10.0)
    policy = FrontierPolicy(politeness=short_visits, pages_per_host=10)
    crawl = Rehearsal({}, ADDRESSES, policy, answer=illustrated)
    crawl.run(["http://a.example/"])
    assert crawl.frontier.counters.totals.pages == 10


def test_style_sheets_that_lead_from_one_to_the_next_come_to_an_end() -> None:
    def endless(request: Request, now: float) -> Result:
        number = int(request.url.rpartition("/")[2] or 0)
        return Result(request, status=200, requisites=[f"http://a.example/{number + 1}"])

    crawl = Rehearsal({}, ADDRESSES, FrontierPolicy(politeness=RULES), answer=endless)
    crawl.run(["http://a.example/"])

    assert len([asked for asked in crawl.asked if asked.url[-1].isdigit()]) < 10


def test_the_sitemap_of_a_host_is_read_only_if_its_pages_are_wanted() -> None:
    """An image is no reason to crawl all of the host that it lies on."""
    crawl = Rehearsal({}, ADDRESSES, FrontierPolicy(politeness=RULES, follows_sitemaps=True), answer=answer)
    rules = RobotsNote(RobotsState.RULES, sitemaps=["http://cdn.example/sitemap.xml"])
    told = RulesAnswered("cdn.example", "http://cdn.example", rules, "http://cdn.example/robots.txt", 0, True)
    crawl.frontier.add([Request("http://cdn.example/1.png", Purpose.REQUISITE, via="http://a.example/")], 1.0)

    crawl.frontier.apply([told], 2.0)
    assert crawl.frontier.counters.gauges.queued == 1

    crawl.add("http://cdn.example/page")
    crawl.frontier.apply([told], 3.0)
    assert crawl.frontier.counters.gauges.queued == 3
