"""Hosts that were given up for reasons of ours come back when these are gone."""

import re

import pytest
from rehearsal import Rehearsal

from tiptoe.decide.scheduling import schedule_point
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.host import HostState
from tiptoe.frontier.patience import Trouble
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.frontier.reconsidering import DEPENDS_ON, YIELD_SETTINGS
from tiptoe.protocol.work import Purpose, Report, Request, Result, RobotsNote, RobotsState
from tiptoe.settings.schema import SETTINGS
from tiptoe.store.memory import MemoryStore
from tiptoe.url.dropped import Dropped
from tiptoe.url.scope import Scope

HOST = "a.example"
HOME = "http://a.example/"
PAGES = [f"http://a.example/{number}" for number in range(3)]


class FrontierOfRun(Frontier):
    """A frontier that tells where it is stored: the next run goes on from there."""

    def __init__(self, store: MemoryStore, policy: FrontierPolicy) -> None:
        super().__init__(store, policy)
        self.store = store


def frontier_with(urls: list[str], **policy: object) -> FrontierOfRun:
    frontier = FrontierOfRun(MemoryStore(), FrontierPolicy(**policy))  # type: ignore[arg-type]
    frontier.add([Request(url) for url in urls], 0.0)
    return frontier


def next_run(frontier: FrontierOfRun, **policy: object) -> FrontierOfRun:
    """Return the frontier of the next run, over the same store."""
    frontier.check()
    return FrontierOfRun(frontier.store, FrontierPolicy(**policy))  # type: ignore[arg-type]


def look_up(frontier: Frontier, failure: str, now: float) -> None:
    frontier.resolved_all([(HOST, "" if failure else "192.0.2.1", failure)], now)


def fail_to_look_up(frontier: Frontier, failure: str) -> None:
    """Let a name fail until its host is given up."""
    now = 0.0
    while state_of(frontier) is not HostState.GONE:
        frontier.tick(now)
        if HOST in frontier.new_hosts(10):
            look_up(frontier, failure, now)
        now += 3600.0


def state_of(frontier: Frontier) -> HostState:
    record = frontier.host(HOST)
    assert record is not None
    return record.state


def asked_for(frontier: Frontier, now: float) -> list[str]:
    """Look up the name, and return what is handed out then."""
    frontier.tick(now)
    if frontier.new_hosts(10):
        look_up(frontier, "", now)
    visits = frontier.visits(10, "h1", now)
    frontier.check()
    return sorted(request.url for visit in visits for work in visit.hosts for request in work.requests)


@pytest.mark.parametrize(
    ("failure", "setting"),
    [
        ("private_address", "fetch.allow_networks"),
        ("private_address", "fetch.proxy"),
        ("no_such_host", "fetch.nameservers"),
        ("dns_failed", "fetch.nameservers"),
        ("dns_failed", "fetch.proxy"),
    ],
)
def test_a_host_comes_back_with_all_it_had_queued_when_the_setting_has_changed(
    failure: str, setting: str
) -> None:
    frontier = frontier_with([HOME, *PAGES])
    fail_to_look_up(frontier, failure)
    assert frontier.is_finished()
    again = next_run(frontier)
    assert again.counters.gauges.queued == 0
    assert again.reconsider({setting}, (), 1e6).by_reason == {failure: 1}
    again.check()
    assert asked_for(again, 1e6) == sorted([HOME, *PAGES])


def test_a_host_stays_gone_when_other_settings_have_changed() -> None:
    frontier = frontier_with([HOME])
    fail_to_look_up(frontier, "private_address")
    again = next_run(frontier)
    assert again.reconsider({"crawl.max_pages", "fetch.connect_timeout"}, (), 1e6).by_reason == {}
    assert asked_for(again, 1e6) == []
    assert again.is_finished()


def test_what_is_judged_anew_may_be_given_up_again_and_come_back_once_more() -> None:
    """Nothing is lost on the way, and nothing is doubled."""
    frontier = frontier_with([HOME, *PAGES])
    fail_to_look_up(frontier, "private_address")
    for _ in range(3):
        frontier = next_run(frontier)
        frontier.reconsider({"fetch.allow_networks"}, (), 1e6)
        fail_to_look_up(frontier, "private_address")
    again = next_run(frontier)
    again.reconsider({"fetch.allow_networks"}, (), 1e6)
    assert asked_for(again, 1e6) == sorted([HOME, *PAGES])


def test_a_host_that_the_operator_names_again_is_judged_anew() -> None:
    frontier = frontier_with([HOME])
    fail_to_look_up(frontier, "no_such_host")
    frontier.add([Request("http://b.example/")], 1e5)
    frontier.resolved_all([("b.example", "192.0.2.2", "")], 1e5)
    answer_all(frontier, 1e5)
    again = next_run(frontier)
    assert again.reconsider((), (), 1e6).by_reason == {}  # others have answered: it is not our line
    found = again.reconsider((), [HOST, "never.example"], 1e6)
    assert (found.by_reason, found.named) == ({"no_such_host": 1}, {HOST})
    assert asked_for(again, 1e6) == [HOME]


def answer_all(frontier: Frontier, now: float) -> None:
    """Let whoever is visited answer with a page."""
    for visit in frontier.visits(10, "h1", now):
        results = [Result(request, status=200) for work in visit.hosts for request in work.requests]
        frontier.report([Report(visit.id, results, is_done=True, wants_more=False)], {}, now + 1.0)


def test_a_blocked_host_stays_blocked_whatever_has_changed() -> None:
    """Politeness yields to nothing."""
    frontier = frontier_with([HOME])
    fail_to_look_up(frontier, "private_address")
    frontier.block(HOST, 1e5)
    again = next_run(frontier)
    again.reconsider({"fetch.allow_networks"}, [HOST], 1e6)
    assert asked_for(again, 1e6) == []
    again.block(HOST, 1e6, is_blocked=False)
    assert asked_for(again, 1e6) == [HOME]


@pytest.mark.parametrize("failure", ["dns_failed", "no_such_host"])
def test_when_nobody_has_ever_answered_it_was_our_line(failure: str) -> None:
    """No setting has changed: the name server of the house was down."""
    frontier = frontier_with([HOME])
    fail_to_look_up(frontier, failure)
    again = next_run(frontier)
    assert again.reconsider((), (), 1e6).by_reason == {failure: 1}
    assert asked_for(again, 1e6) == [HOME]


def test_pauses_that_are_granted_now_bring_a_host_back() -> None:
    """It depends on our own settings how long is too long."""
    wish = RobotsNote(RobotsState.RULES, crawl_delay=50_000.0)
    frontier = frontier_with([HOME, *PAGES])
    look_up(frontier, "", 0.0)
    frontier.tick(0.0)
    (visit,) = frontier.visits(1, "h1", 0.0)
    rules = Request(HOME + "robots.txt", Purpose.ROBOTS)
    requests = visit.hosts[0].requests
    frontier.report(
        [Report(visit.id, [Result(rules, status=200, robots=wish)], returned=requests, is_done=True)], {}, 1.0
    )
    record = frontier.host(HOST)
    assert record is not None
    assert record.gone_because == Dropped.CRAWL_DELAY
    same = next_run(frontier)
    assert same.reconsider({"fetch.proxy", "politeness.general_pause"}, (), 1e6).by_reason == {}
    shorter = next_run(frontier, politeness=Politeness(retry_after_max=3600.0))
    assert shorter.reconsider({"politeness.retry_after_max"}, (), 1e6).by_reason == {Dropped.CRAWL_DELAY: 1}
    assert asked_for(shorter, 1e6) == sorted([HOME, *PAGES])


def test_a_page_with_which_its_host_was_given_up_is_asked_for_again() -> None:
    """Its proxy was down; the page itself was never answered."""
    frontier = frontier_with([HOME, *PAGES])
    look_up(frontier, "", 0.0)
    now = 0.0
    while state_of(frontier) is not HostState.GONE:
        frontier.tick(now)
        for visit in frontier.visits(1, "h1", now):
            first, *others = visit.hosts[0].requests
            refused = Result(first, failure=Trouble.REFUSED.value)
            report = Report(visit.id, [refused], returned=others, is_done=True, wants_more=False)
            frontier.report([report], {}, now)
        now += 3600.0
        frontier.check()
    again = next_run(frontier)
    assert again.reconsider({"fetch.proxy"}, (), now).by_reason == {"refused": 1}
    again.check()
    assert asked_for(again, now + 1e5) == sorted([HOME, *PAGES])


def test_a_host_that_does_not_let_us_in_is_given_up_at_once_and_tried_at_the_next_start() -> None:
    """Another try with the same password may lock an account; that a secret was put right cannot be seen."""
    frontier = frontier_with([HOME, *PAGES])
    look_up(frontier, "", 0.0)
    frontier.tick(0.0)
    (visit,) = frontier.visits(1, "h1", 0.0)
    first, *others = visit.hosts[0].requests
    results = [
        Result(Request(HOME, Purpose.LOGIN), status=200),  # the page with the form has an address of its own
        Result(first, discard="login_failed", detail="the site shows the login form again"),
    ]
    frontier.report([Report(visit.id, results, returned=others, is_done=True)], {}, 1.0)
    frontier.check()
    assert state_of(frontier) is HostState.GONE
    assert (frontier.counters.totals.requests, frontier.is_finished()) == (1, True)
    again = next_run(frontier)
    assert again.reconsider((), (), 1e6).by_reason == {"login_failed": 1}
    assert asked_for(again, 1e6) == sorted([HOME, *PAGES])


def test_what_lies_within_the_bounds_again_is_asked_for() -> None:
    frontier = frontier_with([HOME, *PAGES])
    look_up(frontier, "", 0.0)
    narrow = next_run(frontier, schedule=schedule_point(Scope(exclude_hosts=(re.compile("a.example"),))))
    assert asked_for(narrow, 10.0) == []
    assert narrow.counters.gauges.queued == 0
    wide = next_run(narrow)
    assert wide.reconsider({"scope.exclude"}, (), 20.0).by_reason == {"out_of_scope": 1}
    assert asked_for(wide, 20.0) == sorted([HOME, *PAGES])


def test_a_crawl_with_revisits_judges_anew_as_well() -> None:
    """There a host that was given up keeps its queue and waits for a chance of its own."""
    revisit = RevisitPolicy(strategy="uniform")
    frontier = frontier_with([HOME, *PAGES], revisit=revisit)
    fail_to_look_up(frontier, "private_address")
    again = next_run(frontier, revisit=revisit)
    assert again.reconsider({"fetch.allow_networks"}, (), 1e6).by_reason == {"private_address": 1}
    assert asked_for(again, 1e6) == sorted([HOME, *PAGES])


def test_a_rehearsal_with_a_dead_name_server_ends_whole() -> None:
    """The same pages in the end as if nothing had been wrong."""
    links = {HOME: PAGES, PAGES[0]: ["http://b.example/x"]}
    addresses = {HOST: "192.0.2.1", "b.example": "192.0.2.2"}
    broken = Rehearsal(links, {})
    broken.run([HOME])
    assert broken.fetched == []
    mended = Rehearsal(links, addresses, store=broken.store, now=broken.now)
    mended.frontier.reconsider((), (), mended.now)
    mended.run([])
    whole = Rehearsal(links, addresses)
    whole.run([HOME])
    assert sorted(mended.fetched) == sorted(whole.fetched)


# -- single pages --------------------------------------------------------


def played(answers: dict[str, int]) -> Rehearsal:
    """Return a crawl of pages with these statuses; what is not named is found."""

    def answer(request: Request, now: float) -> Result:
        return Result(request, status=answers.get(request.url, 200), seconds=0.1, body_bytes=10, text_chars=9)

    return Rehearsal({}, {HOST: "192.0.2.1"}, answer=answer)


def asks(crawl: Rehearsal, url: str) -> int:
    return sum(asked.request.url == url for asked in crawl.asked)


def test_a_page_that_was_given_up_is_asked_for_when_it_is_named_again() -> None:
    """As `tiptoe why` says of it; its host has answered others, and was never given up."""
    answers = {PAGES[0]: 500}
    crawl = played(answers)
    crawl.run([HOME, *PAGES])
    assert (asks(crawl, PAGES[0]), asks(crawl, PAGES[1])) == (3, 1)
    assert crawl.frontier.add([Request(PAGES[0]), Request(PAGES[0]), Request(PAGES[1])], crawl.now) == 1
    crawl.frontier.check()
    del answers[PAGES[0]]
    crawl.run([])
    assert (asks(crawl, PAGES[0]), asks(crawl, PAGES[1])) == (4, 1)
    assert crawl.frontier.add([Request(url) for url in PAGES], crawl.now) == 0


def test_a_page_that_is_to_be_tried_again_anyway_is_not_queued_twice() -> None:
    crawl = played({PAGES[0]: 500})
    crawl.run([PAGES[0]], until=1010.0)
    assert (asks(crawl, PAGES[0]), crawl.frontier.is_finished()) == (1, False)
    assert crawl.frontier.add([Request(PAGES[0])], crawl.now) == 0
    crawl.frontier.check()


# -- the tables ----------------------------------------------------------


def test_every_trouble_says_on_which_settings_it_depends() -> None:
    assert set(DEPENDS_ON) == set(Trouble)


def test_the_settings_named_exist() -> None:
    named = YIELD_SETTINGS.union(*DEPENDS_ON.values())
    assert named - SETTINGS.keys() == set()


def test_every_host_is_looked_at_however_many_there_are() -> None:
    """They are read and written in steps."""
    urls = [f"http://h{number}.example/" for number in range(2500)]
    frontier = frontier_with(urls, front_hosts=500)
    while names := frontier.new_hosts(500):
        frontier.resolved_all([(name, "", "private_address") for name in names], 0.0)
    again = next_run(frontier, front_hosts=500)
    assert again.reconsider({"fetch.allow_networks"}, (), 10.0).by_reason == {"private_address": 2500}
    assert again.counters.gauges.new_hosts == again.counters.gauges.queued == 2500
    again.check()
