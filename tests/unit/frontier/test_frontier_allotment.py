"""What a frontier may have of the limits of a crawl that has several."""

from tiptoe.experiment.frontier_player import links_to
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.frontier_limits import Allotment
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.frontier.revisits import Revisits
from tiptoe.frontier.step import Step
from tiptoe.protocol.work import Purpose, Report, Request, Result, RobotsNote, RobotsState, Visit
from tiptoe.store.memory import MemoryStore

RULES = Politeness(req_delay=1.0, general_pause=1.0, max_reqs=10, max_hosts=1)


def frontier_of(hosts: int, **limits: int) -> Frontier:
    """Return a frontier with ten pages on each of some hosts."""
    policy = FrontierPolicy(politeness=RULES, reads_tdmrep=False, follows_sitemaps=False, **limits)  # type: ignore[arg-type]
    frontier = Frontier(MemoryStore(), policy)
    frontier.add(
        [Request(f"http://h{host}.example/{page}") for host in range(hosts) for page in range(10)], 0.0
    )
    for host in frontier.new_hosts(hosts):
        frontier.resolved_all([(host, f"192.0.2.{int(host[1:].split('.')[0]) + 1}", "")], 0.0)
    frontier.tick(0.0)
    return frontier


def settle(frontier: Frontier, visit: Visit, now: float, *, size: int = 1000) -> None:
    requests = [request for work in visit.hosts for request in work.requests]
    rules = Request(f"http://{visit.hosts[0].host}/robots.txt", Purpose.ROBOTS)
    results = [Result(rules, status=404, robots=RobotsNote(RobotsState.RULES))]
    results += [Result(one, status=200, body_bytes=size, links=links_to([])) for one in requests]
    frontier.report([Report(visit.id, results, is_done=True)], {}, now)
    frontier.check()


def leased(visits: list[Visit]) -> int:
    return sum(len(work.requests) for visit in visits for work in visit.hosts)


def test_nothing_is_asked_for_before_something_is_allotted() -> None:
    frontier = frontier_of(2, pages_max=100)
    frontier.allot(Allotment(pages=0))
    assert frontier.visits(5, "h", 1.0) == []
    assert frontier.limits.is_starved
    assert frontier.is_held_back()
    assert frontier.is_finished(), "as far as its own part goes"


def test_an_allotment_is_used_up_and_not_exceeded() -> None:
    frontier = frontier_of(3, pages_max=100)
    frontier.allot(Allotment(pages=13))
    visits = frontier.visits(5, "h", 1.0)
    assert leased(visits) == frontier.limits.pages_used == 13
    frontier.allot(Allotment(pages=20))
    more = frontier.visits(5, "h", 1.0)
    assert leased(visits) + leased(more) == 20
    for visit in (*visits, *more):
        settle(frontier, visit, 2.0)
    assert frontier.is_limited()
    assert frontier.counters.totals.pages == 20


def test_who_could_ask_and_may_not_waits_for_no_moment() -> None:
    """Else its keeper would look again and again."""
    frontier = frontier_of(1, pages_max=100)
    frontier.allot(Allotment(pages=0))
    assert frontier.next_at() is not None
    frontier.visits(1, "h", 1.0)
    assert frontier.next_at() is None
    frontier.allot(Allotment(pages=5))
    assert frontier.next_at() is not None


def test_what_failed_can_be_used_again() -> None:
    frontier = frontier_of(2, pages_max=100)
    frontier.allot(Allotment(pages=9))
    visit, *_ = frontier.visits(5, "h", 1.0)
    assert not frontier.limits.is_starved or frontier.limits.room() == 0
    returned = [request for work in visit.hosts for request in work.requests]
    frontier.report([Report(visit.id, [], returned, is_done=True, wants_more=False)], {}, 2.0)
    frontier.tick(100.0)
    assert leased(frontier.visits(5, "h", 100.0)) == 9


def test_bytes_under_way_are_counted_by_what_a_page_has_on_average() -> None:
    """Else each of many frontiers would exceed its part by a whole visit."""
    frontier = frontier_of(9, bytes_max=10**9)
    frontier.allot(Allotment(body_bytes=1_000_000))
    for visit in frontier.visits(3, "h", 1.0):
        settle(frontier, visit, 2.0)
    used = frontier.counters.totals.body_bytes
    mean = frontier.limits.page_bytes
    assert used == frontier.counters.totals.pages * 1000
    frontier.allot(Allotment(body_bytes=used + 5 * mean))
    assert leased(frontier.visits(9, "h", 3.0)) == 5
    assert frontier.limits.bytes_expected == used + 5 * mean
    assert not frontier.has_bytes_enough()


def test_a_page_is_always_asked_for_while_bytes_are_left() -> None:
    """However large pages are."""
    frontier = frontier_of(2, bytes_max=10**9)
    frontier.allot(Allotment(body_bytes=1))
    (visit,) = frontier.visits(5, "h", 1.0)
    assert leased([visit]) == 1
    settle(frontier, visit, 2.0)
    assert frontier.has_bytes_enough()
    assert frontier.visits(5, "h", 100.0) == []


def test_without_an_allotment_the_limits_are_those_of_the_operator() -> None:
    frontier = frontier_of(3, pages_max=12)
    assert leased(frontier.visits(5, "h", 1.0)) == 12


def test_a_share_of_the_budget_of_revisits_can_be_given() -> None:
    policy = RevisitPolicy(strategy="optimal", visits_per_day=86400)
    revisits = Revisits(Step(MemoryStore(), hosts_cached_max=10), policy)
    revisits.allot(8640.0)
    assert revisits.optimal.budget == 0.1
    revisits.allot(0.0)
    assert revisits.optimal.budget == 0.1
