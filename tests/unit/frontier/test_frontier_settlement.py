"""What follows from results that did not go well."""

import msgspec
import pytest
from rehearsal import Rehearsal

from tiptoe.frontier.effect import MirrorFound
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.mirrors import MIRROR_PAGES_MIN
from tiptoe.frontier.patience import PATIENCE, Trouble
from tiptoe.frontier.politeness import Politeness
from tiptoe.protocol.work import Purpose, Report, Request, Result, RobotsNote, RobotsState, Visit
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table, Writes
from tiptoe.url.address import host_key

RULES = Politeness(req_delay=2.0, max_hosts=2, max_reqs=50, general_pause=60.0, backoff_first=10.0)
ROBOTS = Request("http://a.example/robots.txt", Purpose.ROBOTS)


def crawl_of(*urls: str, store: MemoryStore | None = None) -> tuple[Frontier, Visit]:
    """Return a frontier and its first visit, to the host of these URLs."""
    frontier = Frontier(store or MemoryStore(), FrontierPolicy(politeness=RULES))
    frontier.add([Request(url) for url in urls], 0.0)
    frontier.resolved_all([("a.example", "192.0.2.1", "")], 0.0)
    frontier.tick(0.0)
    (visit,) = frontier.visits(1, "h1", 0.0)
    return frontier, visit


def tell(frontier: Frontier, visit: Visit, results: list[Result], now: float) -> None:
    told = {result.request.url for result in results}
    left = [request for work in visit.hosts for request in work.requests if request.url not in told]
    frontier.report([Report(visit.id, results, left, is_done=True, wants_more=False)], {}, now)
    frontier.check()


def first_visit_after(frontier: Frontier, now: float, host: str = "a.example") -> float:
    """Return when the host is visited next, to the second."""
    return first_visit(frontier, now, host)[0]


def first_visit(frontier: Frontier, now: float, host: str = "a.example") -> tuple[float, Visit]:
    """Return the next visit to the host, and its moment."""
    while True:
        frontier.tick(now)
        for visit in frontier.visits(10, "h1", now):
            if host in [work.host for work in visit.hosts]:
                return now, visit
        now += 1.0
        assert now < 1e5


@pytest.mark.parametrize("hours", [12, 24, 1000])
def test_a_host_whose_rules_expire_before_its_first_page_is_given_up(hours: int) -> None:
    """It would be asked for its rules for ever, and the crawl never end (POL-5)."""
    frontier, visit = crawl_of("http://a.example/", "http://a.example/x")
    note = RobotsNote(RobotsState.RULES, crawl_delay=hours * 3600.0, is_partial=True)
    tell(frontier, visit, [Result(ROBOTS, robots=note)], 0.0)
    assert frontier.is_finished()
    assert frontier.counters.totals.discards["crawl_delay"] == 2


def test_a_host_that_wants_a_page_in_eleven_hours_gets_its_wish() -> None:
    frontier, visit = crawl_of("http://a.example/")
    note = RobotsNote(RobotsState.RULES, crawl_delay=11 * 3600.0, is_partial=True)
    tell(frontier, visit, [Result(ROBOTS, robots=note)], 0.0)
    assert first_visit_after(frontier, 0.0) >= 11 * 3600.0


def test_retry_after_of_robots_txt_is_kept() -> None:
    """A server that cannot even send its rules knows best when to come back (POL-8)."""
    frontier, visit = crawl_of("http://a.example/")
    note = RobotsNote(RobotsState.UNREACHABLE, retry_after=3000.0)
    tell(frontier, visit, [Result(ROBOTS, robots=note)], 0.0)
    assert first_visit_after(frontier, 0.0) >= 3000.0


def test_an_absurd_retry_after_is_capped() -> None:
    """One header must not park a host for a year."""
    frontier, visit = crawl_of("http://a.example/")
    tell(frontier, visit, [Result(Request("http://a.example/"), status=503, retry_after=1e9)], 0.0)
    record = frontier.host("a.example")
    assert record is not None
    assert record.next_at <= RULES.retry_after_max * 1.1


def test_an_overloaded_host_holds_its_neighbours_for_a_while() -> None:
    """They share a server; but one Retry-After must not hold thousands of sites for a day."""
    frontier, visit = crawl_of("http://a.example/")
    frontier.add([Request("http://b.example/")], 0.0)
    frontier.resolved_all([("b.example", "192.0.2.1", "")], 0.0)
    tell(frontier, visit, [Result(Request("http://a.example/"), status=503, retry_after=80_000.0)], 0.0)
    assert first_visit_after(frontier, 0.0, "b.example") == 10 * RULES.general_pause


def test_what_a_host_given_up_still_sends_is_not_queued_again() -> None:
    """Results of a visit may follow the one that ended the host's time with us."""
    urls = [f"http://a.example/{number}" for number in range(MIRROR_PAGES_MIN + 2)]
    store = MemoryStore()
    frontier, visit = crawl_of(*urls, store=store)
    batch = Writes()
    for number in range(len(urls)):
        batch.put(Table.CONTENT, number.to_bytes(8, "big"), b"original.example")
    original = HostRecord("original.example", pages=1000)
    batch.put(Table.HOST, host_key(original.host), msgspec.msgpack.encode(original))
    store.write(batch)
    results = [
        Result(Request(url), status=200, text_hash=number.to_bytes(8, "big"))
        for number, url in enumerate(urls[:-2])
    ]
    results += [Result(Request(urls[-2]), failure="reset"), Result(Request(urls[-1]), status=500)]
    tell(frontier, visit, results, 0.0)
    record = frontier.host("a.example")
    assert record is not None
    assert (record.gone_because, record.queued) == ("mirror", 0)
    assert (frontier.counters.gauges.queued, frontier.counters.gauges.due) == (0, 0)
    assert frontier.is_finished()


def test_rules_found_elsewhere_do_not_cut_short_the_peace_a_host_asked_for() -> None:
    """It answered 429 to a page, then its rules arrived from the host they had moved to."""
    frontier, visit = crawl_of("http://a.example/")
    moved = RobotsNote(RobotsState.MOVED, location="http://b.example/robots.txt")
    busy = Result(Request("http://a.example/"), status=429, retry_after=5000.0)
    tell(frontier, visit, [busy, Result(ROBOTS, robots=moved)], 0.0)
    frontier.resolved_all([("b.example", "192.0.2.2", "")], 0.0)
    frontier.tick(0.0)
    (rules_request,) = frontier.visits(1, "h1", 0.0)
    note = RobotsNote(RobotsState.RULES)
    tell(frontier, rules_request, [Result(rules_request.hosts[0].requests[0], status=200, robots=note)], 1.0)
    assert first_visit_after(frontier, 1.0) >= 5000.0


def test_rules_that_move_on_and_on_are_as_if_there_were_none() -> None:
    """Five hops at least (RFC 9309), then a file that cannot be had is one that does not exist."""
    frontier, visit = crawl_of("http://a.example/")
    hosts = [f"r{number}.example" for number in range(9)]
    note = RobotsNote(RobotsState.MOVED, location=f"http://{hosts[0]}/robots.txt")
    tell(frontier, visit, [Result(ROBOTS, robots=note)], 0.0)
    now, hops = 0.0, 0
    for number, host in enumerate(hosts):
        assert frontier.new_hosts(5) == [host]
        now += 1.0
        frontier.resolved_all([(host, f"198.51.100.{number}", "")], now)
        frontier.tick(now)
        (rules_request,) = frontier.visits(1, "h1", now)
        onward = RobotsNote(RobotsState.MOVED, location=f"http://{hosts[number + 1]}/robots.txt")
        tell(
            frontier,
            rules_request,
            [Result(rules_request.hosts[0].requests[0], status=301, robots=onward)],
            now,
        )
        hops += 1
        if not frontier.counters.gauges.new_hosts:
            break
    assert hops == 5
    assert first_visit_after(frontier, now) < 1000.0


def test_a_challenge_slows_the_host_down_and_is_given_up_after_some_tries() -> None:
    """Who puts up a wall does not want us to run against it."""
    frontier, visit = crawl_of("http://a.example/")
    waits = []
    now = 0.0
    while True:
        (request,) = [request for work in visit.hosts for request in work.requests]
        tell(frontier, visit, [Result(request, status=200, discard="challenge")], now)
        if frontier.is_finished():
            break
        came = first_visit(frontier, now)
        waits.append(came[0] - now)
        now, visit = came
    assert len(waits) == PATIENCE[Trouble.CHALLENGE].tries - 1
    assert min(waits) >= PATIENCE[Trouble.CHALLENGE].first_wait * RULES.backoff_first * 0.9
    assert (frontier.counters.totals.outcomes["challenge"], frontier.counters.totals.discards) == (
        3,
        {"challenge": 1},
    )
    assert frontier.counters.totals.pages == 0


@pytest.mark.parametrize("length", [1, 2, 3, 7])
def test_redirects_that_lead_back_are_a_loop(length: int) -> None:
    """The way round is known when its last part is; nobody goes there twice."""

    def around(request: Request, now: float) -> Result:
        number = int(request.url.rsplit("/", 1)[1])
        return Result(request, status=302, redirect=f"http://a.example/{(number + 1) % length}")

    crawl = Rehearsal({}, {"a.example": "192.0.2.1"}, FrontierPolicy(politeness=RULES), answer=around)
    crawl.run(["http://a.example/0"])
    assert crawl.frontier.counters.totals.discards == {"redirect_loop": 1}
    assert crawl.frontier.counters.totals.outcomes["redirect"] == length


def test_redirects_to_what_was_redirected_elsewhere_are_no_loop() -> None:
    targets = {"/0": "/1", "/1": "/2", "/5": "/0"}

    def onward(request: Request, now: float) -> Result:
        target = targets.get(request.url.removeprefix("http://a.example"))
        return Result(request, status=302, redirect=f"http://a.example{target}" if target else "")

    crawl = Rehearsal({}, {"a.example": "192.0.2.1"}, FrontierPolicy(politeness=RULES), answer=onward)
    crawl.run(["http://a.example/0"])
    crawl.run(["http://a.example/5"])
    assert crawl.frontier.counters.totals.discards == {}


def test_links_to_a_mirror_are_dropped_for_that_reason() -> None:
    """The operator is to see how much a mirror would have cost."""
    frontier, visit = crawl_of("http://a.example/", "http://a.example/x")
    frontier.apply([MirrorFound("a.example")], 0.0)
    tell(frontier, visit, [], 0.0)
    assert frontier.add([Request("http://a.example/y")], 0.0) == 0
    assert (frontier.counters.totals.discards, frontier.counters.totals.outcomes) == (
        {"mirror": 3},
        {"mirror": 1},
    )


def test_retry_after_of_an_errand_is_kept() -> None:
    """The host is left alone, and its address with it; that is no reason to give it up."""
    frontier, visit = crawl_of("http://a.example/")
    rules_request = Request("http://a.example/.well-known/tdmrep.json", Purpose.RULES_REQUEST)
    tell(frontier, visit, [Result(rules_request, status=503, retry_after=500.0)], 0.0)
    assert first_visit_after(frontier, 0.0) >= 500.0
    record = frontier.host("a.example")
    assert record is not None
    assert record.troubles == 0


def test_a_host_whose_reservation_can_never_be_read_is_given_up() -> None:
    """Its rules are known and only the rest is asked for, but not for ever."""
    frontier, visit = crawl_of("http://a.example/")
    partial = Result(ROBOTS, robots=RobotsNote(RobotsState.RULES, is_partial=True))
    away = Result(ROBOTS, robots=RobotsNote(RobotsState.UNREACHABLE))
    now, tries = 0.0, 1
    tell(frontier, visit, [partial, away], now)
    while not frontier.is_finished():
        now, visit = first_visit(frontier, now)
        assert visit.hosts[0].robots["http://a.example"].is_partial
        tries += 1
        tell(frontier, visit, [away], now)
    assert tries == PATIENCE[Trouble.ROBOTS_UNREACHABLE].give_up_after


@pytest.mark.parametrize("last", ["http", "https"])
def test_the_longest_crawl_delay_of_all_origins_of_a_host_counts(last: str) -> None:
    """http and https are one host to POL-1, and each may ask for its own delay."""
    frontier, visit = crawl_of("http://a.example/", "https://a.example/")
    wishes = {"http": 300.0, "https": 20.0}
    order = sorted(wishes, key=lambda scheme: scheme == last)
    notes = [
        Result(
            Request(f"{scheme}://a.example/robots.txt", Purpose.ROBOTS),
            status=200,
            robots=RobotsNote(RobotsState.RULES, crawl_delay=wishes[scheme]),
        )
        for scheme in order
    ]
    tell(frontier, visit, notes, 0.0)
    assert first_visit_after(frontier, 0.0) >= 300.0


def test_a_crawl_delay_that_was_taken_back_no_longer_counts() -> None:
    """Rules are read again every day, and may become milder."""
    record = HostRecord("a.example")
    record.wish_delay("http://a.example", 300.0)
    record.wish_delay("https://a.example", 20.0)
    record.wish_delay("http://a.example", 0.0)
    assert record.crawl_delay == 20.0


def test_origins_beyond_count_are_forgotten_mildest_first() -> None:
    """A host with a thousand ports must not fill its record."""
    record = HostRecord("a.example")
    for port in range(1000):
        record.wish_delay(f"http://a.example:{port}", float(1000 - port))
    assert (record.crawl_delay, len(record.crawl_delays)) == (1000.0, 8)


def test_documents_are_pages_whose_text_stands_in_the_corpus() -> None:
    """What a summary promises has to be what lies in the files."""
    urls = [f"http://a.example/{name}" for name in ("text", "forbidden", "picture")]
    frontier, visit = crawl_of(*urls)
    rules = Result(ROBOTS, status=404, robots=RobotsNote(RobotsState.RULES))
    results = [
        Result(Request(urls[0]), status=200, text_chars=100),
        Result(Request(urls[1]), status=200, text_chars=70, discard="noindex"),
        Result(Request(urls[2]), status=200),
    ]
    tell(frontier, visit, [rules, *results], 1.0)
    counters = frontier.counters
    assert (counters.totals.pages, counters.totals.documents, counters.totals.text_chars) == (3, 1, 100)


def moved_to(frontier: Frontier, visit: Visit, holder: str) -> Request:
    """The rules of the visited host have moved; return the request for them at their holder."""
    note = RobotsNote(RobotsState.MOVED, location=f"http://{holder}/robots.txt")
    tell(frontier, visit, [Result(ROBOTS, robots=note)], 0.0)
    return Request(note.location, Purpose.ROBOTS, hops=1, via=ROBOTS.url, for_origin="http://a.example")


def asked_for_rules(frontier: Frontier, holder: str, now: float) -> Visit:
    """Return the visit to the host that holds the rules of another one."""
    frontier.resolved_all([(holder, "192.0.2.2", "")], now)
    return first_visit(frontier, now, holder)[1]


@pytest.mark.parametrize("failure", ["", "timed_out"])
def test_the_host_that_holds_the_rules_of_another_is_left_alone(failure: str) -> None:
    """It is a server like any other: what it asks for counts, whatever it was asked for (POL-8)."""
    frontier, visit = crawl_of("http://a.example/")
    rules = moved_to(frontier, visit, "b.example")
    frontier.add([Request("http://b.example/")], 0.0)
    rules_request = asked_for_rules(frontier, "b.example", 0.0)
    note = RobotsNote(RobotsState.UNREACHABLE, retry_after=3000.0)
    busy = Result(rules, status=503, retry_after=3000.0, robots=note)
    tell(frontier, rules_request, [Result(rules, failure=failure) if failure else busy], 1.0)
    holder = frontier.host("b.example")
    assert holder is not None
    assert holder.troubles == 0
    wait = PATIENCE[Trouble.TIMED_OUT].first_wait * RULES.backoff_first if failure else 3000.0
    assert holder.next_at >= 1.0 + wait
    assert first_visit_after(frontier, 1.0, "b.example") >= 1.0 + wait


@pytest.mark.parametrize("wish", [25.0, 5000.0], ids=["shorter", "longer"])
@pytest.mark.parametrize("is_before", [True, False], ids=["before", "after"])
def test_rules_found_elsewhere_end_no_wait_but_the_one_for_them(wish: float, is_before: bool) -> None:
    """429 on the robots.txt of another origin, before or after the host began to wait for its rules."""
    frontier, visit = crawl_of("http://a.example/", "https://a.example/")
    rules_request = Request("https://a.example/robots.txt", Purpose.RULES_REQUEST)
    busy = Result(rules_request, status=429, retry_after=wish)
    moved = Result(ROBOTS, robots=RobotsNote(RobotsState.MOVED, location="http://b.example/robots.txt"))
    tell(frontier, visit, [busy, moved] if is_before else [moved, busy], 0.0)
    there = asked_for_rules(frontier, "b.example", 0.0)
    note = RobotsNote(RobotsState.RULES)
    tell(frontier, there, [Result(there.hosts[0].requests[0], status=200, robots=note)], 1.0)
    record = frontier.host("a.example")
    assert record is not None
    assert record.next_at == wish


def test_a_host_comes_forward_when_its_rules_are_found_elsewhere() -> None:
    """Nothing but the way to its rules made it wait."""
    frontier, visit = crawl_of("http://a.example/")
    rules = moved_to(frontier, visit, "b.example")
    before = frontier.host("a.example")
    assert before is not None
    assert before.next_at >= 2 * RULES.backoff_first
    there = asked_for_rules(frontier, "b.example", 0.0)
    tell(frontier, there, [Result(rules, status=200, robots=RobotsNote(RobotsState.RULES))], 1.0)
    after = frontier.host("a.example")
    assert after is not None
    assert after.next_at == 1.0


@pytest.mark.parametrize("status", [302, 304, 403, 404, 408, 500, 502])
@pytest.mark.parametrize("purpose", [Purpose.PAGE, Purpose.RULES_REQUEST])
def test_retry_after_holds_the_host_whatever_the_status(status: int, purpose: Purpose) -> None:
    """RFC 9110 knows it with redirects too, and a server under attack sends it with anything (POL-8)."""
    frontier, visit = crawl_of("http://a.example/", "http://a.example/b")
    redirect = "http://a.example/c" if status == 302 else ""
    asked = Request("http://a.example/", purpose)
    result = Result(asked, status=status, redirect=redirect, retry_after=3000.0)
    tell(frontier, visit, [result], 0.0)
    assert first_visit_after(frontier, 0.0) == 3000.0


def test_a_visit_is_not_extended_on_a_host_that_wants_peace() -> None:
    """The redirect it sent along with its wish would be followed at once."""
    frontier, visit = crawl_of("http://a.example/")
    away = Result(Request("http://a.example/"), 302, redirect="http://a.example/b", retry_after=1e9)
    more = frontier.report([Report(visit.id, [away], is_done=True)], {}, 0.0)
    assert more[visit.id] == []
    record = frontier.host("a.example")
    assert record is not None
    assert (record.next_at, record.troubles) == (RULES.retry_after_max, 0)


def test_a_visit_is_not_extended_at_an_address_that_is_to_be_left_alone() -> None:
    """One of its hosts is overloaded, and they are all one machine (POL-8)."""
    frontier = Frontier(MemoryStore(), FrontierPolicy(politeness=RULES))
    frontier.add([Request("http://a.example/"), *(Request(f"http://b.example/{i}") for i in range(60))], 0.0)
    for host in ("a.example", "b.example"):
        frontier.resolved_all([(host, "192.0.2.1", "")], 0.0)
    frontier.tick(0.0)
    (visit,) = frontier.visits(1, "h1", 0.0)
    assert {work.host for work in visit.hosts} == {"a.example", "b.example"}
    results = [Result(request, status=200) for work in visit.hosts for request in work.requests]
    results = [r if "b.example" in r.request.url else Result(r.request, status=503) for r in results]
    more = frontier.report([Report(visit.id, results, is_done=True)], {}, 1.0)
    assert more[visit.id] == []


def test_a_crawl_delay_that_was_found_elsewhere_counts_from_the_last_answer() -> None:
    """The host was asked for its rules just now, and sent us to another one for them (POL-5)."""
    frontier, visit = crawl_of("http://a.example/")
    note = RobotsNote(RobotsState.MOVED, location="http://b.example/robots.txt")
    tell(frontier, visit, [Result(ROBOTS, robots=note)], 10.0)
    there = asked_for_rules(frontier, "b.example", 10.0)
    rules = RobotsNote(RobotsState.RULES, crawl_delay=1800.0)
    tell(frontier, there, [Result(there.hosts[0].requests[0], status=200, robots=rules)], 20.0)
    assert first_visit_after(frontier, 20.0) >= 1810.0


@pytest.mark.parametrize("is_address", [False, True], ids=["host", "address"])
def test_a_word_to_be_slower_holds_for_the_very_next_request(is_address: bool) -> None:
    """Also for a host that has its place in the queue already (POL-10)."""
    frontier, visit = crawl_of("http://a.example/", "http://a.example/b")
    page = Result(visit.hosts[0].requests[0], status=200)
    tell(frontier, visit, [Result(ROBOTS, robots=RobotsNote(RobotsState.RULES)), page], 10.0)
    if is_address:
        frontier.slow_address("192.0.2.1", 3600.0)
    else:
        frontier.slow("a.example", 3600.0)
    assert first_visit_after(frontier, 10.0) >= 3610.0


def test_troubles_of_other_kinds_do_not_use_up_the_patience_with_one() -> None:
    """A host that was slow and busy before is not given up for the first connection it refuses."""
    frontier, visit = crawl_of(*(f"http://a.example/{number}" for number in range(10)))
    now = 0.0
    row = [("timed_out", 0), ("", 503), *[("refused", 0)] * PATIENCE[Trouble.REFUSED].give_up_after]
    for failure, status in row[:-1]:
        tell(frontier, visit, [Result(visit.hosts[0].requests[0], status=status, failure=failure)], now)
        now, visit = first_visit(frontier, now)
    tell(frontier, visit, [Result(visit.hosts[0].requests[0], failure="refused")], now)
    record = frontier.host("a.example")
    assert record is not None
    assert record.gone_because == "refused"


def test_unmodified_is_no_answer_to_whoever_never_had_the_page() -> None:
    """A cache on the way may say so unasked; the page is not taken for fetched."""
    frontier, visit = crawl_of("http://a.example/")
    tell(frontier, visit, [Result(Request("http://a.example/"), status=304)], 0.0)
    assert dict(frontier.counters.totals.outcomes) == {"http_304": 1}
