"""Two hosts whose names have the same key: the first is crawled, the other cannot be had."""

from collections.abc import Callable

import pytest
from rehearsal import Rehearsal

from tiptoe.experiment.frontier_player import links_to
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.protocol.work import Purpose, Report, Request, Result, RobotsNote, RobotsState
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table
from tiptoe.url.address import host_of
from tiptoe.url.dropped import Dropped

ONE, OTHER = "bupxavguiv5raxxx.evil.cz", "fk53j4ajx65ocxxx.evil.cz"
RULES = Politeness(req_delay=1.0, max_hosts=2, max_reqs=5, general_pause=10.0)
POLICY = FrontierPolicy(politeness=RULES)
ADDRESSES = {ONE: "192.0.2.1", OTHER: "192.0.2.2", "a.example": "192.0.2.3"}


def names(*hosts: str) -> list[str]:
    return [f"http://{host}/" for host in hosts]


@pytest.mark.parametrize("seeds", [(ONE, OTHER), (OTHER, ONE)])
def test_of_two_seeds_with_one_key_the_first_is_crawled(seeds: tuple[str, str]) -> None:
    """Also within one step, when neither stands in the store."""
    crawl = Rehearsal({}, ADDRESSES, POLICY)
    crawl.run(names(*seeds))
    assert crawl.fetched == names(seeds[0])
    assert crawl.frontier.counters.totals.discards == {Dropped.KEY_TAKEN: 1}
    assert crawl.frontier.counters.totals.hosts == 1
    assert crawl.frontier.host(seeds[1]) is None


@pytest.mark.parametrize("links_at_once", [1, 3])
def test_links_to_a_host_whose_key_is_taken_are_dropped_and_counted(links_at_once: int) -> None:
    """They may come by hand, or as letters in the box of the other host."""
    pages = [f"http://a.example/{number}" for number in range(8)]
    ours = [f"http://{ONE}/{number}" for number in range(8)]
    theirs = [f"http://{OTHER}/{number}" for number in range(8 * links_at_once)]
    links = {
        page: [ours[number], *theirs[number * links_at_once : (number + 1) * links_at_once]]
        for number, page in enumerate(pages)
    }
    crawl = Rehearsal(links, ADDRESSES, POLICY)
    crawl.run([*names(ONE), *pages])
    assert sorted(crawl.fetched) == sorted([*names(ONE), *pages, *ours])
    assert crawl.frontier.counters.totals.discards == {Dropped.KEY_TAKEN: 8 * links_at_once}
    assert crawl.frontier.counters.totals.hosts == 2


def test_a_letter_to_a_host_whose_key_is_taken_is_dropped_when_it_is_opened() -> None:
    """It lay in the box of the other host, which reads it in its turn."""
    store = MemoryStore()
    frontier = Frontier(store, POLICY)
    frontier.add([Request(url) for url in names("a.example", ONE)], 0.0)
    for host in frontier.new_hosts(9):
        frontier.resolved_all([(host, ADDRESSES[host], "")], 0.0)
    frontier.tick(0.0)
    frontier.block(ONE, 0.0)  # so that it is not visited yet
    (visit,) = frontier.visits(9, "h1", 0.0)
    frontier.block(ONE, 0.0, is_blocked=False)
    (request,) = visit.hosts[0].requests
    result = Result(request, status=200, links=links_to([f"http://{OTHER}/1"]))
    frontier.report([Report(visit.id, [result], is_done=True)], {}, 1.0)
    frontier.check()
    assert len([*store.scan(Table.INBOX)]) == 1
    frontier.tick(1.0)
    (visit,) = frontier.visits(9, "h1", 1.0)
    assert [request.url for work in visit.hosts for request in work.requests] == names(ONE)
    assert frontier.counters.totals.discards == {Dropped.KEY_TAKEN: 1}
    frontier.check()


def test_rules_that_have_moved_to_a_host_whose_key_is_taken_cannot_be_had() -> None:
    """The host they belong to stays away, as from rules that cannot be reached."""
    frontier = Frontier(MemoryStore(), POLICY)
    frontier.add([Request(url) for url in names(ONE)], 0.0)
    frontier.resolved_all([(ONE, ADDRESSES[ONE], "")], 0.0)
    frontier.tick(0.0)
    (visit,) = frontier.visits(9, "h1", 0.0)
    robots = Request(f"http://{ONE}/robots.txt", Purpose.ROBOTS)
    moved = Result(robots, robots=RobotsNote(RobotsState.MOVED, location=f"http://{OTHER}/robots.txt"))
    frontier.report([Report(visit.id, [moved], visit.hosts[0].requests, is_done=True)], {}, 1.0)
    frontier.check()
    record = frontier.host(ONE)
    assert record is not None
    assert (record.queued, record.robots_troubles) == (1, 1)
    assert record.next_at >= 2 * RULES.backoff_first
    assert frontier.counters.totals.discards == {Dropped.KEY_TAKEN: 1}
    assert frontier.new_hosts(9) == []


@pytest.mark.parametrize(
    "order",
    [
        lambda frontier: frontier.block(OTHER, 0.0),
        lambda frontier: frontier.block(OTHER, 0.0, is_blocked=False),
        lambda frontier: frontier.slow(OTHER, 60.0),
        lambda frontier: frontier.resolved_all([(OTHER, "192.0.2.2", "")], 0.0),
    ],
)
def test_an_order_about_a_host_whose_key_is_taken_changes_nothing(order: Callable[[Frontier], None]) -> None:
    """It is never asked for anything; and the other one was not meant."""
    crawl = Rehearsal({}, ADDRESSES, POLICY)
    crawl.frontier.add([Request(url) for url in names(ONE)], 0.0)
    order(crawl.frontier)
    crawl.frontier.check()
    record = crawl.frontier.host(ONE)
    assert record is not None
    assert (record.is_blocked, record.slowed_to, record.address) == (False, 0.0, "")
    crawl.run([])
    assert [host_of(url) for url in crawl.fetched] == [ONE]
