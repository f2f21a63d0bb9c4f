"""The frontier's promises, in virtual time."""

import random
import re
from collections import defaultdict
from itertools import pairwise

import pytest
from rehearsal import Rehearsal

from tiptoe.decide.scheduling import schedule_point
from tiptoe.experiment.frontier_player import PlayedRequest, links_to
from tiptoe.frontier.frontier import FrontierPolicy
from tiptoe.frontier.patience import PATIENCE, Trouble
from tiptoe.frontier.politeness import Politeness
from tiptoe.protocol.work import Purpose, Report, Request, Result, RobotsNote, RobotsState
from tiptoe.store.memory import MemoryStore
from tiptoe.url.scope import Scope

RULES = Politeness(req_delay=2.0, max_hosts=2, max_reqs=5, general_pause=60.0, backoff_first=10.0)


def small_web(hosts: int, pages: int, seed: int) -> dict[str, list[str]]:
    """Return a web in which every page links to some of its own host and some of others."""
    rng = random.Random(seed)
    urls = [f"http://h{h}.example/{p}" for h in range(hosts) for p in range(pages)]
    links = {url: rng.sample(urls, 4) for url in urls}
    for first, second in pairwise(urls):
        links[first].append(second)  # everything can be reached
    return links


def breaches(asked: list[PlayedRequest], rules: Politeness) -> list[str]:
    """Return what breaks POL-1..4 in a list of requests; knows nothing of the frontier."""
    found = []
    by_address = defaultdict(list)
    for request in sorted(asked, key=lambda request: request.at):
        by_address[request.address].append(request)
    for address, requests in by_address.items():
        hosts: dict[str, int] = {}
        last_of_host: dict[str, float] = {}
        ended_at = -1e9
        for request in requests:
            if request.at - ended_at >= rules.general_pause:
                hosts = {}
            if request.at < ended_at:
                found.append(f"{address}: two at once at {request.at}")
            if request.at - last_of_host.get(request.host, -1e9) < rules.req_delay - 1e-6:
                found.append(f"{request.host}: asked too soon at {request.at}")
            hosts[request.host] = hosts.get(request.host, 0) + 1
            if hosts[request.host] > rules.max_reqs:
                found.append(f"{request.host}: {hosts[request.host]} requests in a series")
            if len(hosts) > rules.max_hosts:
                found.append(f"{address}: {len(hosts)} hosts in a series")
            ended_at = last_of_host[request.host] = request.ended_at
    return found


@pytest.mark.parametrize("seed", range(5))
def test_every_page_is_asked_for_once_and_politely(seed: int) -> None:
    """The two promises that matter most: nothing is lost or doubled, nobody is disturbed."""
    links = small_web(hosts=6, pages=12, seed=seed)
    addresses = {f"h{h}.example": f"192.0.2.{h // 3}" for h in range(6)}
    crawl = Rehearsal(links, addresses, FrontierPolicy(politeness=RULES))
    crawl.run(["http://h0.example/0"])
    assert sorted(crawl.fetched) == sorted(links)
    assert breaches(crawl.asked, RULES) == []


def test_a_small_front_loses_no_host() -> None:
    """Hosts beyond the memory budget wait on disk and come back."""
    links = small_web(hosts=40, pages=3, seed=1)
    addresses = {f"h{h}.example": f"192.0.2.{h}" for h in range(40)}
    crawl = Rehearsal(links, addresses, FrontierPolicy(politeness=RULES, front_hosts=4))
    crawl.run(["http://h0.example/0"])
    assert sorted(crawl.fetched) == sorted(links)
    assert breaches(crawl.asked, RULES) == []


def test_rules_are_asked_for_before_the_first_page() -> None:
    """No page is fetched before robots.txt."""
    crawl = Rehearsal({}, {"a.example": "192.0.2.1"}, FrontierPolicy(politeness=RULES))
    crawl.run(["http://a.example/x"])
    assert [asked.url for asked in crawl.asked] == ["http://a.example/robots.txt", "http://a.example/x"]


def test_a_restart_rests_every_address_that_was_being_visited() -> None:
    """Nobody knows when the last request of a dead keeper ended."""
    store = MemoryStore()
    links = small_web(hosts=2, pages=5, seed=2)
    addresses = {"h0.example": "192.0.2.1", "h1.example": "192.0.2.1"}
    first = Rehearsal(links, addresses, FrontierPolicy(politeness=RULES), store)
    first.frontier.add([Request("http://h0.example/0")], 1000.0)
    first.step()  # looks the name up, leases the visit, and the keeper dies
    second = Rehearsal(links, addresses, FrontierPolicy(politeness=RULES), store, now=1010.0)
    assert second.frontier.recover(1010.0) >= 0
    second.frontier.check()
    second.frontier.tick(1010.0)
    assert second.frontier.visits(10, "h1", 1010.0) == []
    assert second.frontier.visits(10, "h1", 1069.9) == []
    second.run([])
    assert sorted(set(first.fetched + second.fetched)) == sorted(links)


def test_work_of_a_lost_harvester_returns() -> None:
    """Its lease ends, nothing is lost, and the address still gets its rest."""
    crawl = Rehearsal({}, {"a.example": "192.0.2.1"}, FrontierPolicy(politeness=RULES))
    frontier = crawl.frontier
    frontier.add([Request("http://a.example/x"), Request("http://a.example/y")], 0.0)
    frontier.resolved_all([(frontier.new_hosts(1)[0], "192.0.2.1", "")], 0.0)
    frontier.tick(0.0)
    (visit,) = frontier.visits(1, "h1", 0.0)
    assert len(visit.hosts[0].requests) == 2
    assert frontier.lose("h1", 5.0) == 2
    frontier.check()
    assert frontier.visits(1, "h2", 64.0) == []
    (again,) = frontier.visits(1, "h2", 65.1)
    assert {r.url for r in again.hosts[0].requests} == {"http://a.example/x", "http://a.example/y"}


def test_a_result_after_the_lease_was_lost_changes_nothing() -> None:
    """A harvester that wakes up late must not settle what somebody else is doing."""
    crawl = Rehearsal({}, {"a.example": "192.0.2.1"}, FrontierPolicy(politeness=RULES))
    frontier = crawl.frontier
    frontier.add([Request("http://a.example/x")], 0.0)
    frontier.resolved_all([(frontier.new_hosts(1)[0], "192.0.2.1", "")], 0.0)
    frontier.tick(0.0)
    (visit,) = frontier.visits(1, "h1", 0.0)
    frontier.lose("h1", 5.0)
    late = Report(visit.id, [Result(visit.hosts[0].requests[0], status=200)], is_done=True)
    assert frontier.report([late], {}, 6.0) == {visit.id: []}
    assert frontier.counters.totals.pages == 0
    frontier.check()


def test_a_page_that_kills_harvesters_is_dropped_after_two_tries() -> None:
    """One hostile page may cost us two processes, not the crawl."""
    crawl = Rehearsal({}, {"a.example": "192.0.2.1"}, FrontierPolicy(politeness=RULES))
    frontier = crawl.frontier
    url = "http://a.example/killer"
    frontier.add([Request(url)], 0.0)
    frontier.resolved_all([("a.example", "192.0.2.1", "")], 0.0)
    now = 0.0
    for _ in range(2):
        frontier.tick(now)
        assert frontier.visits(1, "h1", now)
        frontier.lose("h1", now, suspects=frozenset({url}))
        now += 1000.0
    frontier.tick(now)
    assert frontier.visits(1, "h1", now) == []
    assert frontier.is_finished()
    page = frontier.page(url)
    assert page is not None
    assert page.outcome == "harvester_lost"


@pytest.mark.parametrize("rules_request", ["/robots.txt", "/.well-known/tdmrep.json", ":8080/robots.txt"])
def test_a_host_whose_rules_kill_harvesters_waits_ever_longer_and_is_given_up(rules_request: str) -> None:
    """Its pages are innocent, but nobody gets to them past such rules."""
    frontier = Rehearsal({}, {}, FrontierPolicy(politeness=RULES)).frontier
    url = "http://a.example/page"
    frontier.add([Request(url)], 0.0)
    frontier.resolved_all([("a.example", "192.0.2.1", "")], 0.0)
    now, deaths = 0.0, []
    while not frontier.is_finished():
        frontier.tick(now)
        if frontier.visits(1, "h1", now):
            deaths.append(now)
            assert frontier.lose("h1", now, suspects=frozenset({f"http://a.example{rules_request}"})) == 1
            frontier.check()
        now += 1.0
        assert now < 1e4
    assert len(deaths) == PATIENCE[Trouble.ROBOTS_UNREACHABLE].give_up_after
    waits = [second - first for first, second in pairwise(deaths)]
    assert waits == sorted(waits)
    record = frontier.host("a.example")
    assert record is not None
    assert (record.state.value, record.gone_because) == ("gone", "robots_unreachable")
    assert frontier.page(url) is None


@pytest.mark.parametrize("note", ["http://b.example/robots.txt", "http://a.example.b:8x/", "a.example", "?"])
def test_a_note_about_nothing_of_ours_accuses_nobody(note: str) -> None:
    """Its writer may have died in the middle of it."""
    frontier = Rehearsal({}, {}, FrontierPolicy(politeness=RULES)).frontier
    frontier.add([Request("http://a.example/")], 0.0)
    frontier.resolved_all([("a.example", "192.0.2.1", "")], 0.0)
    frontier.tick(0.0)
    assert frontier.visits(1, "h1", 0.0)
    assert frontier.lose("h1", 0.0, suspects=frozenset({note})) == 1
    frontier.check()
    frontier.tick(RULES.general_pause)
    assert frontier.visits(1, "h1", RULES.general_pause)


def test_hosts_that_do_not_exist_are_given_up() -> None:
    """Dead links are common; they must not keep a crawl alive for ever."""
    crawl = Rehearsal({"http://a.example/": ["http://dead.example/"]}, {"a.example": "192.0.2.1"})
    crawl.run(["http://a.example/"])
    record = crawl.frontier.host("dead.example")
    assert record is not None
    assert (record.state.value, record.gone_because) == ("gone", "no_such_host")


def test_an_overloaded_host_is_left_alone_for_as_long_as_it_asks() -> None:
    """Retry-After counts for the whole host, not for one URL."""
    answered = []

    def busy_once(request: Request, now: float) -> Result:
        answered.append((request.url, now))
        if len(answered) == 1:
            return Result(request, status=503, retry_after=500.0)
        return Result(request, status=200)

    crawl = Rehearsal({}, {"a.example": "192.0.2.1"}, FrontierPolicy(politeness=RULES), answer=busy_once)
    crawl.run(["http://a.example/x"])
    assert len(answered) == 2
    assert answered[1][1] - answered[0][1] >= 500.0


def test_waits_grow_with_each_trouble_and_end() -> None:
    """A host that always says 503 is asked ever more rarely, then no more."""
    moments = []

    def always_busy(request: Request, now: float) -> Result:
        moments.append(now)
        return Result(request, status=503)

    crawl = Rehearsal({}, {"a.example": "192.0.2.1"}, FrontierPolicy(politeness=RULES), answer=always_busy)
    crawl.run(["http://a.example/x"])
    gaps = [later - earlier for earlier, later in pairwise(moments)]
    assert len(moments) == PATIENCE[Trouble.OVERLOADED].tries
    assert gaps[-1] >= 16 * RULES.backoff_first
    assert crawl.frontier.counters.totals.discards == {"overloaded": 1}


def test_server_errors_of_one_page_do_not_hold_up_the_host() -> None:
    """A broken page is tried again later, the others go on."""
    tries = []

    def broken_twice(request: Request, now: float) -> Result:
        tries.append(request.url)
        failed = request.url.endswith("/bad") and tries.count(request.url) < 3
        return Result(request, status=500 if failed else 200)

    crawl = Rehearsal({}, {"a.example": "192.0.2.1"}, FrontierPolicy(politeness=RULES), answer=broken_twice)
    crawl.run(["http://a.example/bad", "http://a.example/good"])
    assert tries.count("http://a.example/bad") == 3
    assert tries.count("http://a.example/good") == 1


def test_unreachable_rules_keep_us_away_and_in_the_end_for_good() -> None:
    """5xx for robots.txt means: stay out (RFC 9309)."""
    crawl = Rehearsal({}, {"a.example": "192.0.2.1"}, FrontierPolicy(politeness=RULES))
    frontier = crawl.frontier
    frontier.add([Request("http://a.example/x")], 0.0)
    frontier.resolved_all([("a.example", "192.0.2.1", "")], 0.0)
    now, visits = 0.0, 0
    while not frontier.is_finished():
        frontier.tick(now)
        for visit in frontier.visits(1, "h1", now):
            visits += 1
            rules = Request("http://a.example/robots.txt", Purpose.ROBOTS)
            note = RobotsNote(RobotsState.UNREACHABLE)
            report = Report(
                visit.id, [Result(rules, status=503, robots=note)], visit.hosts[0].requests, is_done=True
            )
            assert frontier.report([report], {}, now) == {visit.id: []}
            frontier.check()
        now += 10.0
    assert visits == PATIENCE[Trouble.ROBOTS_UNREACHABLE].give_up_after
    record = frontier.host("a.example")
    assert record is not None
    assert record.gone_because == "robots_unreachable"


def test_rules_that_moved_to_another_host_are_fetched_there() -> None:
    """The redirect is a polite request to the other host, not a detour of this visit."""
    addresses = {"a.example": "192.0.2.1", "b.example": "192.0.2.2"}
    crawl = Rehearsal({}, addresses, FrontierPolicy(politeness=RULES))
    frontier = crawl.frontier
    frontier.add([Request("http://a.example/x")], 0.0)
    frontier.resolved_all([("a.example", "192.0.2.1", "")], 0.0)
    frontier.tick(0.0)
    (visit,) = frontier.visits(1, "h1", 0.0)
    rules = Request("http://a.example/robots.txt", Purpose.ROBOTS)
    moved = RobotsNote(RobotsState.MOVED, location="http://b.example/rules.txt")
    frontier.report(
        [Report(visit.id, [Result(rules, status=301, robots=moved)], visit.hosts[0].requests, True)], {}, 1.0
    )
    assert frontier.new_hosts(5) == ["b.example"]
    frontier.resolved_all([("b.example", "192.0.2.2", "")], 1.0)
    frontier.tick(1.0)
    (other,) = frontier.visits(5, "h1", 1.0)
    (rules_request,) = other.hosts[0].requests
    assert (rules_request.url, rules_request.for_origin) == ("http://b.example/rules.txt", "http://a.example")
    note = RobotsNote(RobotsState.RULES, [(False, "/private")], crawl_delay=7.0)
    frontier.report(
        [Report(other.id, [Result(rules_request, status=200, robots=note)], is_done=True)], {}, 2.0
    )
    frontier.check()
    frontier.tick(100.0)
    (back,) = frontier.visits(5, "h1", 100.0)
    assert back.hosts[0].robots["http://a.example"].rules == [(False, "/private")]
    assert back.hosts[0].delay == 7.0


def test_a_redirect_within_the_host_is_followed_in_the_same_visit() -> None:
    """Else every http seed of an https site would cost a general pause."""
    crawl = Rehearsal({}, {"a.example": "192.0.2.1"}, FrontierPolicy(politeness=RULES))

    def moved(request: Request, now: float) -> Result:
        if request.url.startswith("http:"):
            return Result(request, status=301, redirect="https://a.example/")
        return Result(request, status=200)

    crawl.answer = moved
    crawl.run(["http://a.example/"])
    assert crawl.frontier.counters.totals.visits == 1
    page = crawl.frontier.page("https://a.example/")
    assert page is not None
    assert page.outcome == "ok"


def test_redirect_chains_end() -> None:
    """A server can redirect for ever."""

    def onward(request: Request, now: float) -> Result:
        number = int(request.url.rsplit("/", 1)[1])
        return Result(request, status=302, redirect=f"http://a.example/{number + 1}")

    crawl = Rehearsal({}, {"a.example": "192.0.2.1"}, FrontierPolicy(politeness=RULES), answer=onward)
    crawl.run(["http://a.example/0"])
    assert crawl.frontier.counters.totals.discards == {"redirect_chain": 1}


def test_scope_depth_and_page_limits_hold() -> None:
    """What is out of scope is counted, not queued."""
    links = small_web(hosts=4, pages=10, seed=3)
    addresses = {f"h{h}.example": f"192.0.2.{h}" for h in range(4)}
    scope = Scope(include_hosts=(re.compile(r"^h[01]\."),), depth_max=2)
    crawl = Rehearsal(links, addresses, FrontierPolicy(politeness=RULES, schedule=schedule_point(scope)))
    crawl.run(["http://h0.example/0"])
    assert {url.split("/")[2] for url in crawl.fetched} <= {"h0.example", "h1.example"}
    assert crawl.frontier.counters.totals.discards["out_of_scope"] > 0
    limited = Rehearsal(links, addresses, FrontierPolicy(politeness=RULES, pages_max=7))
    limited.run(["http://h0.example/0"])
    assert len(limited.fetched) == 7
    per_host = Rehearsal(links, addresses, FrontierPolicy(politeness=RULES, pages_per_host=3))
    per_host.run(["http://h0.example/0"])
    assert max(sum(h in url for url in per_host.fetched) for h in ("h0.", "h1.", "h2.", "h3.")) <= 3


def test_no_more_hosts_are_met_than_the_filters_allow() -> None:
    """Counted where it is remembered: outcomes do not depend on which harvester found a link."""
    links = {f"http://h{h}.example/": [f"http://h{h + 1}.example/"] for h in range(5)}
    addresses = {f"h{h}.example": f"192.0.2.{h}" for h in range(6)}
    crawl = Rehearsal(links, addresses, FrontierPolicy(politeness=RULES, hosts_max=3))
    crawl.run(["http://h0.example/"])
    assert sorted(crawl.fetched) == [f"http://h{h}.example/" for h in range(3)]
    assert crawl.frontier.counters.totals.discards["many_hosts"] == 1


def test_a_blocked_host_is_not_handed_out_and_comes_back_when_allowed() -> None:
    """An operator who gets a complaint acts at once."""
    crawl = Rehearsal({}, {"a.example": "192.0.2.1"}, FrontierPolicy(politeness=RULES))
    frontier = crawl.frontier
    frontier.add([Request("http://a.example/x")], 0.0)
    frontier.resolved_all([("a.example", "192.0.2.1", "")], 0.0)
    frontier.tick(0.0)
    frontier.block("a.example", 0.0)
    frontier.check()
    assert frontier.visits(1, "h1", 1.0) == []
    frontier.block("a.example", 2.0, is_blocked=False)
    assert len(frontier.visits(1, "h1", 3.0)) == 1


def test_a_blocked_address_does_not_keep_a_crawl_alive() -> None:
    """Its hosts wait for the operator; everybody else is done."""
    crawl = Rehearsal({}, {"a.example": "192.0.2.1"}, FrontierPolicy(politeness=RULES))
    frontier = crawl.frontier
    frontier.add([Request("http://a.example/x")], 0.0)
    frontier.resolved_all([("a.example", "192.0.2.1", "")], 0.0)
    frontier.tick(0.0)
    assert not frontier.is_finished()
    frontier.block_address("192.0.2.1")
    assert frontier.is_finished()
    frontier.block_address("192.0.2.1", is_blocked=False)
    assert not frontier.is_finished()


def test_hosts_in_a_content_delivery_network_do_not_share_a_pause() -> None:
    """Thousands of sites share one address there (POL-11)."""
    addresses = {f"h{h}.example": "192.0.2.1" for h in range(6)}
    policy = FrontierPolicy(politeness=RULES, cdn_ranges=("192.0.2.0/24",))
    crawl = Rehearsal({}, addresses, policy)
    frontier = crawl.frontier
    frontier.add([Request(f"http://h{h}.example/") for h in range(6)], 0.0)
    for host in frontier.new_hosts(10):
        frontier.resolved_all([(host, addresses[host], "")], 0.0)
    frontier.tick(0.0)
    assert len(frontier.visits(10, "h1", 0.0)) == 6


def test_a_downloaded_list_is_not_asked_for_again() -> None:
    """Others may have fetched these already."""
    crawl = Rehearsal({"http://a.example/": ["http://a.example/old"]}, {"a.example": "192.0.2.1"})
    crawl.frontier.mark_downloaded(["http://a.example/old"], 0.0)
    crawl.run(["http://a.example/"])
    assert crawl.fetched == ["http://a.example/"]


def test_mirrors_are_recognised_and_left() -> None:
    """A host that only repeats another host's text is a waste of everybody's time."""

    def same_text(request: Request, now: float) -> Result:
        number = int(request.url.rsplit("/", 1)[1])
        host = request.url.split("/")[2]
        found = links_to([f"http://{host}/{number + 1}"]) if number < 150 else []
        return Result(request, status=200, text_hash=number.to_bytes(8, "big"), links=found)

    addresses = {"first.example": "192.0.2.1", "copy.example": "192.0.2.2"}
    policy = FrontierPolicy(politeness=RULES, schedule=schedule_point(hops_max=200))
    crawl = Rehearsal({}, addresses, policy, answer=same_text)
    crawl.run(["http://first.example/0"])
    crawl.run(["http://copy.example/0"])
    first, copy = crawl.frontier.host("first.example"), crawl.frontier.host("copy.example")
    assert first is not None
    assert copy is not None
    assert (first.gone_because, first.pages) == ("", 151)
    assert copy.gone_because == "mirror"
    assert copy.pages <= 20 + RULES.max_reqs


def test_a_host_that_shares_some_texts_with_others_is_no_mirror() -> None:
    """Licences, cookie notices and error pages are the same everywhere."""

    def half_shared(request: Request, now: float) -> Result:
        number = int(request.url.rsplit("/", 1)[1])
        host = request.url.split("/")[2]
        found = links_to([f"http://{host}/{number + 1}"]) if number < 60 else []
        text = f"{number}" if number % 2 else f"{host} {number}"
        return Result(request, status=200, text_hash=text.encode(), links=found)

    addresses = {"first.example": "192.0.2.1", "second.example": "192.0.2.2"}
    crawl = Rehearsal({}, addresses, FrontierPolicy(politeness=RULES), answer=half_shared)
    crawl.run(["http://first.example/0"])
    crawl.run(["http://second.example/0"])
    second = crawl.frontier.host("second.example")
    assert second is not None
    assert (second.gone_because, second.pages, second.copies) == ("", 61, 30)
