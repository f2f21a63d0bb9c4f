"""What a harvester is given, and what it is not given."""

from itertools import pairwise

import pytest

from tiptoe.frontier import errands
from tiptoe.frontier.dispatch import ADDRESS_EXPIRY_SECONDS
from tiptoe.frontier.effect import RulesWanted
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.protocol.work import (
    HostWork,
    Purpose,
    Report,
    Request,
    Result,
    RobotsNote,
    RobotsState,
    Visit,
)
from tiptoe.store.memory import MemoryStore

RULES = Politeness(req_delay=2.0, max_hosts=2, max_reqs=5, general_pause=60.0)
ADDRESS = "192.0.2.1"


def crawl_of(*urls: str, store: MemoryStore | None = None, **policy: object) -> Frontier:
    """Return a frontier that waits to ask for these URLs, all at one address."""
    frontier = Frontier(store or MemoryStore(), FrontierPolicy(politeness=RULES, **policy))  # type: ignore[arg-type]
    frontier.add([Request(url) for url in urls], 0.0)
    for host in frontier.new_hosts(100):
        frontier.resolved_all([(host, ADDRESS, "")], 0.0)
    frontier.tick(0.0)
    return frontier


def pages(host: str, count: int) -> list[str]:
    return [f"http://{host}/{number}" for number in range(count)]


def asked(works: list[HostWork]) -> dict[str, int]:
    return {work.host: len(work.requests) for work in works}


def done(visit: Visit, *, returned: list[Request] | None = None) -> Report:
    """Return the report of a visit in which everything that is not returned was answered."""
    back = returned or []
    requests = [request for work in visit.hosts for request in work.requests if request not in back]
    return Report(visit.id, [Result(request, status=200) for request in requests], back, is_done=True)


def test_a_first_visit_leaves_room_for_the_rules_of_the_host() -> None:
    """robots.txt and tdmrep.json are requests like any other (POL-3)."""
    frontier = crawl_of(*pages("a.example", 9))
    (visit,) = frontier.visits(1, "h1", 0.0)
    assert asked(visit.hosts) == {"a.example": RULES.max_reqs - 2}
    assert visit.hosts[0].budget == RULES.max_reqs


def test_a_visit_goes_on_until_its_budget_is_spent() -> None:
    """What the rules did not use up is used for pages."""
    frontier = crawl_of(*pages("a.example", 9))
    (visit,) = frontier.visits(1, "h1", 0.0)
    more = frontier.report([done(visit)], {}, 1.0)[visit.id]
    assert asked(more) == {"a.example": 2}
    again = Visit(visit.id, visit.address, more)
    assert frontier.report([done(again)], {}, 2.0)[visit.id] == []
    assert frontier.visits(1, "h1", 61.9) == []


def test_a_host_blocked_during_its_visit_gets_nothing_more() -> None:
    """A complaint is acted on at once, not at the end of the visit (POL-10)."""
    frontier = crawl_of(*pages("a.example", 9))
    (visit,) = frontier.visits(1, "h1", 0.0)
    frontier.block("a.example", 0.5)
    assert frontier.report([done(visit)], {}, 1.0)[visit.id] == []
    frontier.check()
    assert frontier.visits(1, "h1", 1000.0) == []


def test_an_address_blocked_during_a_visit_gets_nothing_more() -> None:
    """The same for everything behind an address, also inside a delivery network."""
    for ranges in ((), ("192.0.2.0/24",)):
        frontier = crawl_of(*pages("a.example", 9), cdn_ranges=ranges)
        (visit,) = frontier.visits(1, "h1", 0.0)
        assert frontier.visited_hosts(ADDRESS) == ["a.example"]
        frontier.block_address(ADDRESS)
        assert frontier.report([done(visit)], {}, 1.0)[visit.id] == []
        assert frontier.visits(1, "h1", 1000.0) == []
        frontier.block_address(ADDRESS, is_blocked=False)
        assert len(frontier.visits(1, "h1", 1000.0)) == 1


def test_a_host_that_was_left_early_is_not_offered_again_in_the_same_visit() -> None:
    """Requests would go back and forth between keeper and harvester for as long as the host wants peace."""
    frontier = crawl_of(*pages("a.example", 3), *pages("b.example", 3))
    (visit,) = frontier.visits(1, "h1", 0.0)
    left = visit.hosts[0].requests[1:]
    more = frontier.report([done(visit, returned=left)], {}, 1.0)[visit.id]
    assert visit.hosts[0].host not in asked(more)
    frontier.check()


def test_a_limit_of_pages_per_host_drops_only_what_is_beyond_it() -> None:
    """The second host of a visit must not pay for the first one's appetite."""
    frontier = crawl_of(*pages("a.example", 4), *pages("b.example", 4), pages_per_host=4)
    now, fetched = 0.0, []
    while not frontier.is_finished():
        frontier.tick(now)
        for visit in frontier.visits(1, "h1", now):
            works = visit.hosts
            while works:
                fetched += [request.url for work in works for request in work.requests]
                works = frontier.report([done(Visit(visit.id, "", works))], {}, now)[visit.id]
        frontier.check()
        now += 61.0
    assert sorted(fetched) == sorted([*pages("a.example", 4), *pages("b.example", 4)])
    assert frontier.counters.totals.discards.get("host_full", 0) == 0


def test_when_a_host_was_asked_last_stays_known_if_it_is_given_up_meanwhile() -> None:
    """Tried again after a restart, perhaps at another address, it must get the pause it asked for (POL-1)."""
    store = MemoryStore()
    frontier = crawl_of("http://a.example/", store=store)
    (visit,) = frontier.visits(1, "h1", 0.0)
    (request,) = visit.hosts[0].requests
    frontier.report([Report(visit.id, [Result(request, failure="private_address")])], {}, 1.0)
    frontier.report([Report(visit.id, [], is_done=True)], {}, 2.0)
    record = Frontier(store, frontier.policy).host("a.example")
    assert record is not None
    assert (record.gone_because, record.left_at) == ("private_address", 2.0)


def test_a_host_that_is_visited_at_its_new_address_gets_nothing_more_at_the_old_one() -> None:
    """One that was given up may be tried again, and have moved, before the visit to its neighbour ends."""
    often = RevisitPolicy(strategy="uniform", first_seconds=60.0, min_seconds=60.0, max_seconds=60.0)
    frontier = crawl_of(*pages("a.example", 9), *pages("b.example", 9), revisit=often)
    (visit,) = frontier.visits(1, "h1", 0.0)
    ours, neighbours = (work.requests for work in sorted(visit.hosts, key=lambda work: work.host))
    failed = [Result(request, failure="private_address") for request in ours]
    frontier.report([Report(visit.id, failed)], {}, 1.0)
    frontier.tick(62.0)
    frontier.resolved_all([("a.example", "192.0.2.9", "")], 62.0)
    frontier.tick(90.0)
    (elsewhere,) = frontier.visits(1, "h2", 90.0)
    assert asked(elsewhere.hosts).keys() == {"a.example"}
    answered = [Result(request, status=200) for request in neighbours]
    more = frontier.report([Report(visit.id, answered, is_done=True)], {}, 91.0)[visit.id]
    assert asked(more).keys() == {"b.example"}
    frontier.report([done(Visit(visit.id, "", more))], {}, 92.0)
    frontier.check()


def test_a_host_that_is_full_still_gives_the_rules_of_others() -> None:
    """Else a site whose robots.txt has moved to a host that is full would be given up for it."""
    frontier = crawl_of(*pages("a.example", 3), pages_per_host=1)
    (visit,) = frontier.visits(1, "h1", 0.0)
    assert frontier.report([done(visit)], {}, 1.0)[visit.id] == []
    rules = Request("http://a.example/robots.txt", Purpose.ROBOTS, for_origin="http://b.example")
    frontier.apply([RulesWanted("a.example", rules)], 2.0)
    frontier.add([Request(url) for url in pages("a.example", 9)], 3.0)
    frontier.tick(100.0)
    (visit,) = frontier.visits(1, "h1", 100.0)
    assert visit.hosts[0].requests == [rules]
    assert frontier.report([done(visit)], {}, 101.0)[visit.id] == []
    frontier.check()
    assert frontier.is_finished()


def test_the_queue_of_a_full_host_is_gone_through_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million seeds on a host that has reached its limit must not hold up all other hosts."""
    monkeypatch.setattr(errands, "SOUGHT_MAX", 20)
    store = MemoryStore()
    earlier = crawl_of(*pages("a.example", 100), store=store)
    (visit,) = earlier.visits(1, "h1", 0.0)
    earlier.report([done(visit)], {}, 1.0)
    frontier = Frontier(store, FrontierPolicy(politeness=RULES, pages_per_host=1))
    rules = Request("http://a.example/robots.txt", Purpose.ROBOTS, for_origin="http://b.example")
    frontier.recover(2.0)
    frontier.apply([RulesWanted("a.example", rules)], 2.0)
    asked_for: list[list[Request]] = []
    left, now = [frontier.counters.gauges.queued], 100.0
    while not asked_for:
        frontier.tick(now)
        asked_for = [work.requests for visit in frontier.visits(1, "h1", now) for work in visit.hosts]
        frontier.check()
        left.append(frontier.counters.gauges.queued)
        now += 0.25
    assert asked_for == [[rules]]
    assert all(before - after <= 25 for before, after in pairwise(left[:-1]))
    assert len(left) > 5


def test_a_visit_keeps_its_address_when_the_name_of_one_host_must_be_looked_up_again() -> None:
    """An empty address would let the client look the name up by itself, past the guard."""
    frontier = crawl_of("http://a.example/")
    later = ADDRESS_EXPIRY_SECONDS + 1
    frontier.add([Request("http://b.example/")], later - 10)
    frontier.resolved_all([("b.example", ADDRESS, "")], later - 10)
    frontier.tick(later)
    (visit,) = frontier.visits(5, "h1", later)
    assert (visit.address, asked(visit.hosts)) == (ADDRESS, {"b.example": 1})
    assert frontier.new_hosts(5) == ["a.example"]
    frontier.check()


def test_a_page_and_the_rules_at_one_address_are_told_apart() -> None:
    """Pages link to robots.txt, and the rules of another host may have moved there."""
    url = "http://a.example/robots.txt"
    frontier = crawl_of(url)
    (visit,) = frontier.visits(1, "h1", 0.0)
    note = RobotsNote(RobotsState.RULES)
    results = [
        Result(Request(url, Purpose.RULES_REQUEST), status=200),
        Result(Request(url, Purpose.ROBOTS), robots=note),
        Result(Request(url, Purpose.LOGIN), status=403),
        Result(visit.hosts[0].requests[0], status=200),
    ]
    frontier.report([Report(visit.id, results, is_done=True)], {}, 1.0)
    frontier.check()
    page = frontier.page(url)
    assert page is not None
    assert page.outcome == "ok"


def test_a_result_for_a_host_outside_the_visit_is_refused() -> None:
    """A fault of a harvester must not move a host it was never given."""
    frontier = crawl_of("http://a.example/")
    (visit,) = frontier.visits(1, "h1", 0.0)
    frontier.add([Request("http://b.example/")], 0.0)
    frontier.resolved_all([("b.example", "192.0.2.2", "")], 0.0)
    stray = Result(Request("http://b.example/robots.txt", Purpose.RULES_REQUEST), status=200)
    frontier.report([Report(visit.id, [stray], visit.hosts[0].requests, is_done=True)], {}, 1.0)
    frontier.check()
    assert frontier.counters.totals.discards == {"not_leased": 1}


def test_fresh_rules_are_sent_along_and_stale_ones_are_not() -> None:
    """robots.txt is asked for once a day, not once a visit (POL-5)."""
    frontier = crawl_of(*pages("a.example", 9))
    (visit,) = frontier.visits(1, "h1", 0.0)
    assert visit.hosts[0].robots == {}
    robots = Result(
        Request("http://a.example/robots.txt", Purpose.ROBOTS), robots=RobotsNote(RobotsState.RULES)
    )
    report = Report(visit.id, [robots], visit.hosts[0].requests, is_done=True)
    frontier.report([report], {}, 0.0)
    (second,) = frontier.visits(1, "h1", 61.0)
    assert list(second.hosts[0].robots) == ["http://a.example"]
    frontier.report([done(second)], {}, 61.0)
    later = 61.0 + RULES.robots_expiry
    frontier.tick(later)
    for host in frontier.new_hosts(1):
        frontier.resolved_all([(host, ADDRESS, "")], later)
    for visit in frontier.visits(1, "h1", later):
        assert visit.hosts[0].robots == {}


@pytest.mark.parametrize("pages_max", [1, 3, 7])
def test_no_more_is_handed_out_than_the_limit_of_pages_allows(pages_max: int) -> None:
    """Requests under way count: a limit is not a target to overshoot."""
    urls = [url for number in range(6) for url in pages(f"h{number}.example", 3)]
    frontier = crawl_of(*urls, pages_max=pages_max, cdn_ranges=("192.0.2.0/24",))
    handed = [request for visit in frontier.visits(100, "h1", 0.0) for request in visit.hosts[0].requests]
    assert len(handed) == pages_max


@pytest.mark.parametrize(
    ("before", "after", "visits"), [(("192.0.2.0/24",), (), 1), ((), ("192.0.2.0/24",), 2)]
)
def test_hosts_wait_where_the_ranges_of_networks_say_now(
    before: tuple[str, ...], after: tuple[str, ...], visits: int
) -> None:
    """Not where they said when the names were looked up: else an address had as many visits as hosts."""
    store = MemoryStore()
    crawl_of(*pages("a.example", 2), *pages("b.example", 2), store=store, cdn_ranges=before)
    policy = FrontierPolicy(politeness=Politeness(max_hosts=1), cdn_ranges=after)
    frontier = Frontier(store, policy)
    frontier.recover(0.0)
    frontier.tick(1.0)
    assert frontier.visits(9, "h1", 1.0) == []
    for host in frontier.new_hosts(9):
        frontier.resolved_all([(host, ADDRESS, "")], 1.0)
    frontier.tick(2.0)
    assert len(frontier.visits(9, "h1", 2.0)) == visits
    frontier.check()
