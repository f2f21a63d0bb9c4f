"""How a visit is made, in virtual time."""

import asyncio
import contextlib
import gzip
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import pytest
from harvest_samples import (
    NO_RULES,
    PAGE,
    RULES,
    Names,
    Postbox,
    Web,
    make_answer,
    make_failure,
    make_tools,
    run_jumping,
    work_for,
)

from simulated.proofs import check_members, read_requests
from tiptoe.decide.fetching import fetch_point
from tiptoe.decide.filtering import PageFilter
from tiptoe.fetch.guard import AddressGuard
from tiptoe.fetch.outcome import Failure
from tiptoe.filters.definition import Directive, NamedFilter, RobotDefinition
from tiptoe.filters.robot_filters import RobotFilters
from tiptoe.frontier.politeness import Politeness
from tiptoe.frontier.repetition import remember_text
from tiptoe.frontier.troubles import SPREAD_URLS
from tiptoe.harvest.inquiry import Inquiries
from tiptoe.harvest.judgement import DuplicityRules
from tiptoe.harvest.outbox import Outbox
from tiptoe.harvest.parse_queue import ParseQueue
from tiptoe.harvest.slots import Slots
from tiptoe.harvest.tools import Tools
from tiptoe.harvest.walk import Switches, Walk
from tiptoe.protocol.messages import Inquiry, News
from tiptoe.protocol.work import HostWork, LastVisit, Purpose, Request, RobotsNote, RobotsState, Visit
from tiptoe.text.prose import PROSE_BYTES, prose_of
from tiptoe.write import appendfile
from tiptoe.write.appendfile import Write
from tiptoe.write.logentries import KIND

PLAIN = [("Content-Type", "text/plain")]


def denying(path: str) -> RobotFilters:
    """Return filters that deny this path."""
    names = ("enumeration-default", "generation-default")
    lines = [
        Directive(name, "MetaData", "filter-by-exact", {"src": "path", "deny": path}, "filter.conf:2")
        for name in names
    ]
    heads = [NamedFilter(name, "filter.conf:1") for name in names]
    return RobotFilters(RobotDefinition(filters=heads, directives=lines), {})


@dataclass
class Outing:
    """One walk, the web it sees, and a keeper that answers its reports."""

    directory: Path
    web: Web
    works: list[HostWork]
    more: list[list[HostWork]] = field(default_factory=list)  # what the keeper adds, in order
    politeness: Politeness = field(default_factory=lambda: RULES)
    meanwhile: Callable[["Outing"], None] | None = None  # called every tenth of a second
    lease_holds: bool = True
    transfers: int = 8  # requests that may be under way
    reads_tdmrep: bool = False
    compares: Callable[[int], bytes] | None = None  # marks by number of the question, half a second later
    names: Names = field(default_factory=Names)
    write: Write = os.write
    postbox: Postbox = field(default_factory=Postbox)
    denied: str = ""  # a path, by both filters of the operator

    def run(self) -> "Outing":
        run_jumping(self._run)
        return self

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        may_ask = asyncio.Event()
        may_ask.set()
        self.switches = Switches(may_ask, Slots(self.transfers), ParseQueue(8), lambda: self.lease_holds)
        tools = make_tools(self.directory, self.web, politeness=self.politeness, write=self.write)
        tools.time = loop.time
        if self.denied:
            tools.fetch = fetch_point(PageFilter(denying(self.denied)))
        self.outputs = tools.outputs
        self.outbox = Outbox(tools, self._hear, syncs=False)
        visit = Visit(7, "192.0.2.1", self.works)
        tools.resolver = self.names  # type: ignore[assignment]
        self.walk = Walk(
            visit,
            tools,
            self.outbox,
            self.switches,
            reads_tdmrep=self.reads_tdmrep,
            inquiries=self._inquiries(tools),
        )
        carrier = loop.create_task(self._carry())
        await asyncio.wait_for(self.walk.run(), 10_000.0)
        self.ended_at = loop.time()
        carrier.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await carrier

    def _inquiries(self, tools: Tools) -> Inquiries | None:
        marks = self.compares
        if marks is None:
            return None
        tools.duplicity = DuplicityRules(chars_min=1)

        def hear(inquiry: Inquiry) -> None:
            answers = {question.number: marks(question.number) for question in inquiry.questions}
            asyncio.get_running_loop().call_later(0.5, inquiries.answered, answers)

        inquiries = Inquiries(hear, tools.duplicity, report_seconds=0.1)
        return inquiries

    async def _carry(self) -> None:
        while True:
            await asyncio.sleep(0.1)
            if self.meanwhile is not None:
                self.meanwhile(self)
            await self.outbox.flush()

    def _hear(self, news: News) -> None:
        self.postbox.news.append(news)
        for report in news.reports:
            if report.is_done:
                self.outbox.answered(report.visit, self.more.pop(0) if self.more else [])

    @property
    def results(self) -> dict[str, str]:
        """What was told of each URL: status, failure or reason of a discard."""
        told = self.postbox.results
        return {result.request.url: result.failure or result.discard or str(result.status) for result in told}

    @property
    def returned(self) -> list[str]:
        return [request.url for request in self.postbox.returned]


def pages(host: str, *paths: str) -> dict[str, object]:
    """Answers that differ: the same text under a third address would be no page any more."""
    urls = [f"http://{host}{path}" for path in paths]
    return {url: make_answer(url, PAGE.replace(b"Prvni", url.encode())) for url in urls}


def web_of(*groups: dict[str, object]) -> Web:
    return Web({url: answer for group in groups for url, answer in group.items()})  # type: ignore[misc]


def gaps(web: Web, host: str) -> list[float]:
    """Return the seconds between the end of each answer of a host and the next request to it."""
    spans = [(at, at + web.answers[url].seconds) for at, url in web.asked if f"//{host}/" in url]
    return [round(later[0] - earlier[1], 6) for earlier, later in pairwise(spans)]


def test_hosts_of_a_visit_take_turns_each_at_its_own_pace(tmp_path: Path) -> None:
    """While one host rests the other is asked; never two requests at once."""
    paths = ("/1", "/2", "/3")
    web = web_of(pages("a.example", *paths), pages("b.example", *paths))
    outing = Outing(tmp_path, web, [work_for("a.example", *paths), work_for("b.example", *paths)]).run()
    hosts = [url.split("/")[2][0] for url in web.urls]
    assert hosts == ["a", "b"] * 3
    assert min(gaps(web, "a.example") + gaps(web, "b.example")) >= RULES.req_delay
    spans = [(at, at + web.answers[url].seconds) for at, url in web.asked]
    assert all(later[0] >= earlier[1] for earlier, later in pairwise(spans))
    assert set(outing.results.values()) == {"200"}
    assert outing.returned == []


def test_rules_are_asked_for_before_the_first_page_and_only_once(tmp_path: Path) -> None:
    """No page is fetched before robots.txt, which is a request like any other."""
    web = web_of(pages("a.example", "/1", "/2"))
    web.answers["http://a.example/robots.txt"] = make_answer("http://a.example/robots.txt", b"", fields=PLAIN)
    Outing(tmp_path, web, [work_for("a.example", "/1", "/2", robots=None)]).run()
    assert web.urls == [f"http://a.example/{path}" for path in ("robots.txt", "1", "2")]
    assert min(gaps(web, "a.example")) >= RULES.req_delay


def test_disallowed_pages_are_never_asked_for(tmp_path: Path) -> None:
    """They are told, counted and listed (POL-5)."""
    web = web_of(pages("a.example", "/open", "/private"))
    rules = RobotsNote(RobotsState.RULES, [(False, "/private")])
    outing = Outing(tmp_path, web, [work_for("a.example", "/private", "/open", robots=rules)]).run()
    assert web.urls == ["http://a.example/open"]
    assert outing.results == {"http://a.example/private": "disallowed", "http://a.example/open": "200"}
    assert (tmp_path / "log" / "disallowed-h1-0001.txt").read_text() == "http://a.example/private\n"


def test_pages_that_the_filters_deny_are_never_asked_for(tmp_path: Path) -> None:
    """Also those that were queued before the filters were changed; robots.txt is asked for all the same."""
    web = web_of(pages("a.example", "/open", "/private"))
    web.answers["http://a.example/robots.txt"] = make_answer("http://a.example/robots.txt", b"", fields=PLAIN)
    works = [work_for("a.example", "/private", "/open", robots=None)]
    outing = Outing(tmp_path, web, works, denied="/private").run()
    assert web.urls == ["http://a.example/robots.txt", "http://a.example/open"]
    assert outing.results["http://a.example/private"] == "filtered"


def test_a_page_of_the_corpus_that_is_disallowed_by_now_is_noted_as_gone(tmp_path: Path) -> None:
    """Its text stays, but a mirror of what may be read does without it."""
    rules = RobotsNote(RobotsState.RULES, [(False, "/private")])
    work = work_for("a.example", "/private/new", robots=rules)
    known = Request("http://a.example/private", last_visit=LastVisit(1, version=1, outcome="ok"))
    work.requests.append(known)
    Outing(tmp_path, Web(), [work]).run()
    (lines,) = [path.read_text() for path in (tmp_path / "gone").glob("*")]
    assert '"url":"http://a.example/private"' in lines
    assert '"status":0,"reason":"disallowed"' in lines
    assert lines.count("\n") == 1


def test_a_crawl_delay_just_read_counts_from_the_next_request_on(tmp_path: Path) -> None:
    """The keeper could not know of it when it made the packet."""
    robots = b"User-agent: *\nCrawl-delay: 9"
    web = web_of(pages("a.example", "/1", "/2"))
    web.answers["http://a.example/robots.txt"] = make_answer(
        "http://a.example/robots.txt", robots, fields=PLAIN
    )
    Outing(tmp_path, web, [work_for("a.example", "/1", "/2", robots=None)]).run()
    assert len(web.urls) == 3
    assert min(gaps(web, "a.example")) >= 9.0


def test_a_slow_answer_makes_the_next_pause_longer(tmp_path: Path) -> None:
    """A host that takes ten seconds is under load (POL-8)."""
    web = web_of(pages("a.example", "/1", "/2"))
    web.answers["http://a.example/1"] = make_answer("http://a.example/1", seconds=10.0)
    Outing(tmp_path, web, [work_for("a.example", "/1", "/2")]).run()
    assert gaps(web, "a.example") == [20.0]


def test_the_budget_of_a_host_is_kept_also_with_its_rules(tmp_path: Path) -> None:
    """max-reqs counts everything (POL-3); what is left goes back."""
    web = web_of(pages("a.example", "/1", "/2", "/3"))
    outing = Outing(tmp_path, web, [work_for("a.example", "/1", "/2", "/3", robots=None, budget=2)]).run()
    assert web.urls == ["http://a.example/robots.txt", "http://a.example/1"]
    assert outing.returned == ["http://a.example/2", "http://a.example/3"]


def test_a_host_that_hangs_up_is_left_and_the_others_go_on(tmp_path: Path) -> None:
    """The rest of its requests returns to the keeper."""
    web = web_of(pages("a.example", "/1", "/2"), pages("b.example", "/1", "/2"))
    web.answers["http://a.example/1"] = make_failure("http://a.example/1")
    works = [work_for("a.example", "/1", "/2"), work_for("b.example", "/1", "/2")]
    outing = Outing(tmp_path, web, works).run()
    assert "http://a.example/2" not in web.urls
    assert outing.returned == ["http://a.example/2"]
    assert outing.results["http://b.example/2"] == "200"


def test_an_overloaded_host_ends_the_visit_to_its_address(tmp_path: Path) -> None:
    """503 means: not now. It is one machine that is overloaded, whatever its names (POL-8)."""
    web = web_of(pages("a.example", "/1", "/2"), pages("b.example", "/1", "/2"))
    web.answers["http://a.example/1"] = make_answer(
        "http://a.example/1", b"", status=503, fields=[("Retry-After", "60")]
    )
    works = [work_for("a.example", "/1", "/2"), work_for("b.example", "/1", "/2")]
    outing = Outing(tmp_path, web, works).run()
    assert web.urls == ["http://a.example/1"]
    assert outing.returned == ["http://a.example/2", "http://b.example/1", "http://b.example/2"]
    assert outing.postbox.results[0].retry_after == 60.0


def test_an_overload_on_the_way_to_the_rules_ends_the_visit_as_well(tmp_path: Path) -> None:
    web = web_of(pages("a.example", "/1"), pages("b.example", "/1"))
    robots = "http://a.example/robots.txt"
    web.answers[robots] = make_answer(robots, b"", status=429, fields=[("Retry-After", "900")])
    works = [work_for("a.example", "/1", robots=None), work_for("b.example", "/1")]
    outing = Outing(tmp_path, web, works).run()
    assert web.urls == [robots]
    assert outing.returned == ["http://a.example/1", "http://b.example/1"]


@pytest.mark.parametrize("status", [301, 404, 500])
def test_retry_after_ends_the_visit_whatever_the_status(tmp_path: Path, status: int) -> None:
    """Whoever says when to come back is not asked before (POL-8)."""
    web = web_of(pages("a.example", "/1", "/2"))
    wish = [("Retry-After", "60"), ("Location", "/3")]
    web.answers["http://a.example/1"] = make_answer("http://a.example/1", b"", status=status, fields=wish)
    outing = Outing(tmp_path, web, [work_for("a.example", "/1", "/2")]).run()
    assert web.urls == ["http://a.example/1"]
    assert outing.returned == ["http://a.example/2"]


def test_a_broken_page_does_not_end_the_visit(tmp_path: Path) -> None:
    """500 concerns the page, a timeout concerns the host."""
    web = web_of(pages("a.example", "/2", "/4"))
    web.answers["http://a.example/1"] = make_answer("http://a.example/1", b"", status=500)
    web.answers["http://a.example/3"] = make_failure("http://a.example/3", Failure.TIMED_OUT)
    outing = Outing(tmp_path, web, [work_for("a.example", "/1", "/2", "/3", "/4")]).run()
    assert list(outing.results.values()) == ["500", "200", "timed_out"]
    assert outing.returned == ["http://a.example/4"]


def test_a_host_that_fails_with_one_page_after_the_other_is_left(tmp_path: Path) -> None:
    """The keeper waits with it then, and asks for one page at a time."""
    paths = [f"/{number}" for number in range(2 * SPREAD_URLS)]
    web = web_of()
    for path in paths:
        web.answers[f"http://a.example{path}"] = make_answer(f"http://a.example{path}", b"", status=500)
    outing = Outing(tmp_path, web, [work_for("a.example", *paths, budget=50)]).run()
    assert (len(web.urls), len(outing.returned)) == (SPREAD_URLS, SPREAD_URLS)


def test_a_good_answer_between_two_failures_keeps_us_at_a_host(tmp_path: Path) -> None:
    paths = [f"/{number}" for number in range(2 * SPREAD_URLS)]
    web = web_of(pages("a.example", paths[SPREAD_URLS - 1]))
    for path in paths:
        web.answers.setdefault(
            f"http://a.example{path}", make_answer(f"http://a.example{path}", b"", status=500)
        )
    outing = Outing(tmp_path, web, [work_for("a.example", *paths, budget=50)]).run()
    assert (len(web.urls), outing.returned) == (2 * SPREAD_URLS, [])


def test_rules_that_cannot_be_had_keep_us_out(tmp_path: Path) -> None:
    """Nothing but robots.txt is asked for."""
    web = web_of(pages("a.example", "/1"))
    robots = "http://a.example/robots.txt"
    web.answers[robots] = make_answer(robots, b"", status=500)
    outing = Outing(tmp_path, web, [work_for("a.example", "/1", robots=None)]).run()
    assert web.urls == [robots]
    assert outing.returned == ["http://a.example/1"]
    assert outing.postbox.results[-1].robots == RobotsNote(RobotsState.UNREACHABLE)


def test_a_wait_too_long_for_a_visit_is_the_keepers_business(tmp_path: Path) -> None:
    """A Crawl-delay of an hour must not keep the address busy."""
    rules = RobotsNote(RobotsState.RULES, crawl_delay=3600.0)
    web = web_of(pages("a.example", "/1", "/2"))
    outing = Outing(tmp_path, web, [work_for("a.example", "/1", "/2", robots=rules)]).run()
    assert web.urls == ["http://a.example/1"]
    assert outing.returned == ["http://a.example/2"]
    assert outing.ended_at < 10.0


def test_a_slow_pace_that_was_configured_is_no_reason_to_leave(tmp_path: Path) -> None:
    """Whoever sets req-delay to two minutes means it."""
    slow = replace(RULES, req_delay=120.0)
    web = web_of(pages("a.example", "/1", "/2"))
    Outing(tmp_path, web, [work_for("a.example", "/1", "/2")], politeness=slow).run()
    assert gaps(web, "a.example") == [120.0]


def test_further_work_is_done_at_the_same_pace_with_the_rules_already_read(tmp_path: Path) -> None:
    """The keeper adds to a visit for as long as there is budget."""
    web = web_of(pages("a.example", "/1", "/2"))
    web.answers["http://a.example/robots.txt"] = make_answer("http://a.example/robots.txt", b"", fields=PLAIN)
    first, second = work_for("a.example", "/1", robots=None), work_for("a.example", "/2", robots=None)
    outing = Outing(tmp_path, web, [first], more=[[second]]).run()
    assert web.urls == [f"http://a.example/{path}" for path in ("robots.txt", "1", "2")]
    assert min(gaps(web, "a.example")) >= RULES.req_delay
    assert outing.more == []


def test_a_drained_walk_finishes_its_request_and_returns_the_rest(tmp_path: Path) -> None:
    """A clean stop asks nothing more and loses nothing."""

    def drain(outing: Outing) -> None:
        outing.switches.is_draining = True

    web = web_of(pages("a.example", "/1", "/2", "/3"))
    outing = Outing(tmp_path, web, [work_for("a.example", "/1", "/2", "/3")], meanwhile=drain).run()
    assert outing.results == {"http://a.example/1": "200"}
    assert outing.returned == ["http://a.example/2", "http://a.example/3"]
    assert [report.wants_more for report in outing.postbox.news[-1].reports] == [False]


def test_a_host_the_operator_blocks_is_left_at_once(tmp_path: Path) -> None:
    """The other host of the visit goes on (POL-10)."""

    def cancel(outing: Outing) -> None:
        outing.walk.leave("a.example")
        outing.walk.leave("unknown.example")

    web = web_of(pages("a.example", "/1", "/2"), pages("b.example", "/1", "/2"))
    works = [work_for("a.example", "/1", "/2"), work_for("b.example", "/1", "/2")]
    outing = Outing(tmp_path, web, works, meanwhile=cancel).run()
    assert [url for url in web.urls if "a.example" in url] == ["http://a.example/1"]
    assert outing.returned == ["http://a.example/2"]
    assert outing.results["http://b.example/2"] == "200"


def test_an_address_that_may_not_be_entered_any_more_is_not_visited(tmp_path: Path) -> None:
    """The keeper may know it from a run with other networks; each host ends as if it were looked up now."""
    rules = Request("http://a.example/robots.txt", Purpose.ROBOTS, for_origin="http://b.example")
    works = [work_for("a.example", "/1", robots=None), work_for("b.example", "/1", "/2")]
    works[0].requests.insert(0, rules)
    web = web_of(pages("a.example", "/1"), pages("b.example", "/1", "/2"))
    more = [[work_for("a.example", "/3")]]
    outing = Outing(tmp_path, web, works, more=more, names=Names(AddressGuard())).run()
    assert web.asked == []
    assert outing.results == {
        "http://a.example/robots.txt": "private_address",
        "http://a.example/1": "private_address",
        "http://b.example/1": "private_address",
        "http://b.example/2": "private_address",
    }
    assert outing.returned == ["http://a.example/3"]


def test_files_of_this_machine_have_no_address_to_be_judged(tmp_path: Path) -> None:
    """Whether they may be read is said by `scope.schemes`."""
    work = HostWork("", 2.0, 5, [Request("file:///srv/page")])
    outing = Outing(tmp_path, Web(), [work], names=Names(AddressGuard(is_closed=True))).run()
    assert outing.results == {"file:///srv/page": "404"}


def test_an_address_is_judged_once_for_a_visit(tmp_path: Path) -> None:
    """It stays the same, whatever the keeper adds."""
    outing = Outing(
        tmp_path, Web(), [work_for("a.example", "/1")], more=[[work_for("a.example", "/2")]]
    ).run()
    assert outing.names.asked == ["192.0.2.1"]
    assert len(outing.results) == 2


def test_while_everything_is_held_nothing_is_asked(tmp_path: Path) -> None:
    """A full disk or a pause: requests wait, none is lost."""
    moments = []

    def hold_for_a_while(outing: Outing) -> None:
        now = asyncio.get_running_loop().time()
        moments.append(now)
        if now < 30.0:
            outing.switches.may_ask.clear()
        else:
            outing.switches.may_ask.set()

    web = web_of(pages("a.example", "/1", "/2"))
    Outing(tmp_path, web, [work_for("a.example", "/1", "/2")], meanwhile=hold_for_a_while).run()
    first, second = [at for at, _ in web.asked]
    assert first == 0.0
    assert second >= 30.0


def test_after_a_long_hold_the_rules_are_asked_for_again(tmp_path: Path) -> None:
    """A crawl that pauses for days must not go on with the rules of last week (POL-5)."""

    def hold_for_long(outing: Outing) -> None:
        if asyncio.get_running_loop().time() < 500.0:
            outing.switches.may_ask.clear()
        else:
            outing.switches.may_ask.set()

    web = web_of(pages("a.example", "/1", "/2"))
    web.answers["http://a.example/robots.txt"] = make_answer("http://a.example/robots.txt", b"", fields=PLAIN)
    first, second = work_for("a.example", "/1", "/2", robots=None), work_for("a.example", "/2", robots=None)
    outing = Outing(tmp_path, web, [first], more=[[second]] * 20, meanwhile=hold_for_long).run()
    assert "http://a.example/2" in outing.returned
    after = [url for at, url in web.asked if at >= 500.0]
    assert after[0] == "http://a.example/robots.txt"


def test_without_a_lease_nothing_is_asked(tmp_path: Path) -> None:
    """Somebody else may have been given this work."""
    web = web_of(pages("a.example", "/1"))
    outing = Outing(tmp_path, web, [work_for("a.example", "/1")], lease_holds=False).run()
    assert web.urls == []
    assert outing.returned == ["http://a.example/1"]


def test_who_is_blocked_while_waiting_for_a_place_is_not_asked(tmp_path: Path) -> None:
    """Between its moment and a free transfer a request may wait long enough for the world to change."""
    web = web_of(pages("a.example", "/1", "/2"))

    def block_then_make_room(outing: Outing) -> None:
        outing.walk.leave("a.example")
        outing.switches.transfers.give_back()

    work = work_for("a.example", "/1", "/2")
    outing = Outing(tmp_path, web, [work], transfers=0, meanwhile=block_then_make_room).run()
    assert web.urls == []
    assert sorted(outing.returned) == ["http://a.example/1", "http://a.example/2"]


def test_short_visits_get_to_the_pages_all_the_same(tmp_path: Path) -> None:
    """First the rules, then what is reserved, then pages: each visit goes on where the last one ended."""
    asked, robots = [], None
    for visit in "123":
        web = web_of(pages("a.example", "/1"))
        work = work_for("a.example", "/1", robots=robots, budget=1)
        outing = Outing(tmp_path / visit, web, [work], reads_tdmrep=True).run()
        notes = [result.robots for result in outing.postbox.results if result.robots]
        robots = notes[-1] if notes else robots
        asked += web.urls
    paths = ["/robots.txt", "/.well-known/tdmrep.json", "/1"]
    assert asked == [f"http://a.example{path}" for path in paths]


# -- texts that are repeated ---------------------------------------------


def answers_alike(count: int) -> Web:
    """A site that says the same under every address, and leads on from each."""
    urls = [f"http://a.example/{number}" for number in range(count)]
    bodies = {url: PAGE.replace(b"/x", f"/x{number}".encode()) for number, url in enumerate(urls)}
    return Web({url: make_answer(url, body) for url, body in bodies.items()})


def test_of_a_text_under_many_addresses_two_are_kept_and_links_of_ten_followed(tmp_path: Path) -> None:
    """Whoever answers nonsense with one page answers all of it with that page."""
    work = work_for("a.example", *(f"/{number}" for number in range(12)), budget=20)
    outing = Outing(tmp_path, answers_alike(12), [work]).run()
    assert list(outing.results.values()) == ["200"] * 2 + ["repeated_text"] * 10
    assert [bool(result.links) for result in outing.postbox.results] == [True] * 10 + [False] * 2
    assert sum(news.discards.get("repeated_links", 0) for news in outing.postbox.news) == 2


@pytest.mark.parametrize("is_extension", [False, True], ids=["another visit", "more work"])
def test_a_text_is_repeated_whichever_harvester_has_met_it(tmp_path: Path, is_extension: bool) -> None:
    """What decides is what the keeper sends along, not what this process happens to remember."""
    first = Outing(tmp_path / "1", answers_alike(2), [work_for("a.example", "/0", "/1")]).run()
    work = work_for("a.example", "/2")
    for result in first.postbox.results:
        work.texts = remember_text(work.texts, result.request, result.text_hash, result.discard)
    outing = Outing(tmp_path / "2", answers_alike(3), [work])
    if is_extension:
        outing.works, outing.more = [work_for("a.example")], [[work]]
    assert outing.run().results == {"http://a.example/2": "repeated_text"}
    alone = Outing(tmp_path / "3", answers_alike(3), [work_for("a.example", "/2")]).run()
    assert alone.results == {"http://a.example/2": "200"}


def test_of_a_page_that_says_nothing_new_all_is_told_and_of_others_enough(tmp_path: Path) -> None:
    """The keeper decides; what it knows of the host only makes shorter what it has to hear."""
    said = [f"Paragraph {letter} is as long as it has to be here, and it ends." for letter in "abcdefgh"]
    pages = {f"http://a.example/{n}": "".join(f"<p>{text}" for text in said[: 4 + 4 * n]) for n in range(2)}
    web = Web({url: make_answer(url, body.encode()) for url, body in pages.items()})
    work = work_for("a.example", "/0", "/1")
    work.prose = prose_of(said[:1])
    told = Outing(tmp_path, web, [work]).run().postbox.results
    assert [len(result.prose or b"") // PROSE_BYTES for result in told] == [4, 7]


# -- copies --------------------------------------------------------------


def test_a_copy_is_left_out_and_its_links_are_followed(tmp_path: Path) -> None:
    """What it says is known, where it leads perhaps not."""
    web = web_of(pages("a.example", "/1"))
    web.answers["http://a.example/2"] = make_answer("http://a.example/2", PAGE.replace(b"/x", b"/y"))
    outing = Outing(tmp_path, web, [work_for("a.example", "/1", "/2")])
    outing.compares = lambda number: bytes((0, 0, 0)) if number == 1 else bytes((0, 1, 1))
    outing.run()
    assert outing.results == {"http://a.example/1": "200", "http://a.example/2": "duplicate"}
    links = [url for result in outing.postbox.results for found in result.links for url in found.urls]
    assert links == ["http://a.example/x", "http://a.example/y"]
    (corpus,) = (tmp_path / "corpus").glob("*")
    (line,) = [json.loads(line) for line in corpus.read_text("utf-8").splitlines()]
    assert (line["url"], line["duplicity"], line["repeated"]) == ("http://a.example/1", 0.0, [])
    assert [len(result.fingerprint) for result in outing.postbox.results] == [24, 24]


def test_the_archive_says_of_which_page_another_is_a_copy(tmp_path: Path) -> None:
    """Who looks for a page that is missing from the corpus finds its text under that address."""
    web = web_of(pages("a.example", "/1"))
    outing = Outing(tmp_path, web, [work_for("a.example", "/1")])
    outing.compares = lambda number: b"\1http://b.example/first"
    assert outing.run().results == {"http://a.example/1": "duplicate"}
    outing.outputs.flush()
    (archive,) = (tmp_path / "warc").glob("*.warc.gz*")
    assert b"duplicateOf: http://b.example/first\r\n" in gzip.decompress(archive.read_bytes())


def test_a_text_that_nobody_can_judge_is_kept_and_says_so(tmp_path: Path) -> None:
    web = web_of(pages("a.example", "/1"))
    outing = Outing(tmp_path, web, [work_for("a.example", "/1")])
    outing.compares = lambda number: b""
    assert outing.run().results == {"http://a.example/1": "200"}
    (corpus,) = (tmp_path / "corpus").glob("*")
    line = json.loads(corpus.read_text("utf-8"))
    assert line["duplicity"] is None
    assert line["repeated"] is None


def test_waiting_for_the_keeper_shortens_no_pause(tmp_path: Path) -> None:
    """A pause counts from the end of an answer; a page that waits longer makes it longer."""
    paths = ("/1", "/2", "/3")
    web = web_of(pages("a.example", *paths))
    outing = Outing(tmp_path, web, [work_for("a.example", *paths, budget=50)])
    outing.compares = lambda number: bytes((0, 0, 0))
    outing.run()
    assert gaps(web, "a.example") == [RULES.req_delay] * 2


def test_nothing_is_told_of_a_page_before_it_is_written(tmp_path: Path) -> None:
    """A page that still waits for its answer is in no file and in no report."""
    web = web_of(pages("a.example", "/1"))
    outing = Outing(tmp_path, web, [work_for("a.example", "/1")])
    seen: list[tuple[int, int]] = []

    def look(outing: Outing) -> None:
        written = sum(path.read_bytes().count(b"\n") for path in (tmp_path / "corpus").glob("*"))
        seen.append((len(outing.postbox.results), written))

    outing.meanwhile = look
    outing.compares = lambda number: bytes((0, 0, 0))
    outing.run()
    assert seen[0] == (0, 0)
    assert {told for told, _ in seen[:7]} == {0}  # a quarter of a second to answer, half of one to ask
    assert len(outing.postbox.results) == 1


def test_what_is_broken_off_when_we_leave_is_given_back_and_held_against_nobody(tmp_path: Path) -> None:
    """An operator who stops a crawl does not wait for a server that never answers."""
    web = web_of(pages("a.example", "/1", "/2", "/3"))
    web.answers["http://a.example/2"] = make_failure("http://a.example/2", Failure.HARVESTER_LOST)
    outing = Outing(tmp_path, web, [work_for("a.example", "/1", "/2", "/3")]).run()
    assert web.urls == ["http://a.example/1", "http://a.example/2"]
    assert outing.results == {"http://a.example/1": "200"}
    assert outing.returned == ["http://a.example/2", "http://a.example/3"]


def test_rules_that_are_broken_off_when_we_leave_are_not_taken_for_unreachable(tmp_path: Path) -> None:
    robots = "http://a.example/robots.txt"
    web = web_of(pages("a.example", "/1"), {robots: make_failure(robots, Failure.HARVESTER_LOST)})
    outing = Outing(tmp_path, web, [work_for("a.example", "/1", robots=None)]).run()
    assert outing.results == {}
    assert outing.returned == ["http://a.example/1"]


# -- a full disk ---------------------------------------------------------

FULL_SECONDS = 30.0


def write_when_there_is_room(descriptor: int, data: memoryview) -> int:
    """Stand in for a disk that is full for the first half a minute."""
    if asyncio.get_running_loop().time() < FULL_SECONDS:
        raise OSError(28, "No space left on device")
    return os.write(descriptor, data)


def test_rules_that_find_the_disk_full_are_archived_when_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A harvester pauses and says so; it does not end, and loses and doubles nothing."""
    monkeypatch.setattr(appendfile, "BUFFER_BYTES_MAX", 2_500)  # the first of the answers alone has more
    robots = "http://a.example/robots.txt"
    noise = os.urandom(2_000).hex().encode()
    web = web_of(pages("a.example", "/1"), {robots: make_answer(robots, b"# " + noise, fields=PLAIN)})
    work = work_for("a.example", "/1", robots=None)
    outing = Outing(tmp_path, web, [work], reads_tdmrep=True, write=write_when_there_is_room).run()
    assert web.urls == [robots, "http://a.example/.well-known/tdmrep.json", "http://a.example/1"]
    assert outing.postbox.news[0].trouble
    assert outing.postbox.news[-1].trouble == ""
    assert outing.ended_at >= FULL_SECONDS
    assert outing.results["http://a.example/1"] == "200"
    (warc,) = tmp_path.glob("warc/*.warc.gz.open")
    report = check_members(warc)
    assert report.is_sound
    assert report.kinds == {"warcinfo": 1, "response": 3, "request": 3, "metadata": 3}


@pytest.mark.parametrize("is_elsewhere", [False, True], ids=["their own", "of another host"])
def test_long_rules_wait_for_room_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_elsewhere: bool
) -> None:
    """Nothing is asked by rules that the audit could not read; memory does not fill up with them either."""
    monkeypatch.setattr(appendfile, "BUFFER_BYTES_MAX", 12_000)  # one of them, and some requests
    text = b"User-agent: *\n" + b"".join(b"Disallow: /private/%03d/\n" % number for number in range(300))
    hosts = ("a.example", "b.example")
    web = web_of(*(pages(host, "/1") for host in hosts))
    for host in hosts:
        robots = f"http://{host}/robots.txt"
        web.answers[robots] = make_answer(robots, text, fields=PLAIN)
    works = [work_for(host, "/1", robots=NO_RULES if is_elsewhere else None) for host in hosts]
    if is_elsewhere:
        for work in works:
            rules = Request(f"http://{work.host}/robots.txt", Purpose.ROBOTS, for_origin="http://c.example")
            work.requests.insert(0, rules)
    outing = Outing(tmp_path, web, works, write=write_when_there_is_room).run()
    assert outing.ended_at >= FULL_SECONDS
    assert outing.returned == []
    (log,) = tmp_path.glob("log/requests-*.jsonl")
    assert [entry.url for entry in read_requests(log)] == web.urls
    lines = [line for line in log.read_bytes().splitlines() if line.startswith(KIND + b"robots")]
    assert [line.count(b"/private/") for line in lines] == [300, 300]
