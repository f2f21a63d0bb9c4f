"""Hosts of a blocked address make room for those that may be asked."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.protocol.work import Report, Request
from tiptoe.store.memory import MemoryStore

CROWDED, OTHER = "192.0.2.1", "198.51.100."
RULES = Politeness(req_delay=1.0, max_hosts=5, max_reqs=5, general_pause=1.0)


def frontier_over(store: MemoryStore, front_hosts: int = 20) -> Frontier:
    return Frontier(store, FrontierPolicy(politeness=RULES, front_hosts=front_hosts, reads_tdmrep=False))


def park(frontier: Frontier, hosts: list[str], now: float) -> None:
    """Let hosts wait: those that begin with c at the crowded address, each other one at its own."""
    frontier.add([Request(f"http://{host}/") for host in hosts], now)
    while names := frontier.new_hosts(50):
        found = [(name, CROWDED if name[0] == "c" else OTHER + name[1:].split(".")[0], "") for name in names]
        frontier.resolved_all(found, now)
        frontier.tick(now)
        frontier.check()


def visited(frontier: Frontier, now: float, turns: int) -> set[str]:
    """Let time pass; return the hosts that had a visit."""
    met: set[str] = set()
    for _ in range(turns):
        frontier.tick(now)
        frontier.check()
        visits = frontier.visits(10, "h1", now)
        met |= {work.host for visit in visits for work in visit.hosts}
        reports = [
            Report(visit.id, [], [request for work in visit.hosts for request in work.requests], is_done=True)
            for visit in visits
        ]
        frontier.report(reports, {}, now)
        frontier.check()
        now += 2.0
    return met


def test_a_blocked_address_with_more_hosts_than_memory_does_not_stop_the_others() -> None:
    """One word of an operator about one provider must not be the end of a crawl."""
    frontier = frontier_over(MemoryStore())
    crowd = [f"c{number}.example" for number in range(100)]
    others = [f"o{number}.example" for number in range(40)]
    park(frontier, crowd, 1000.0)
    frontier.block_address(CROWDED)
    park(frontier, others, 2000.0)
    assert visited(frontier, 3000.0, 60) == set(others)


def test_hosts_come_back_when_their_address_is_opened_again_also_after_a_restart() -> None:
    store = MemoryStore()
    frontier = frontier_over(store)
    crowd = {f"c{number}.example" for number in range(60)}
    park(frontier, sorted(crowd), 1000.0)
    frontier.block_address(CROWDED)
    assert visited(frontier, 2000.0, 10) == set()
    assert frontier.counters.gauges.parked_hosts == 60
    again = frontier_over(store)
    assert visited(again, 3000.0, 5) == set()
    again.block_address(CROWDED, is_blocked=False)
    assert visited(again, 4000.0, 40) == crowd


def test_a_crawl_of_which_nothing_but_a_blocked_address_is_left_has_ended() -> None:
    frontier = frontier_over(MemoryStore())
    park(frontier, [f"c{number}.example" for number in range(60)], 1000.0)
    frontier.block_address(CROWDED)
    visited(frontier, 2000.0, 40)
    assert frontier.is_finished()
    frontier.block_address(CROWDED, is_blocked=False)
    assert not frontier.is_finished()


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(["block", "unblock", "restart", "visit", "more", "host"]), max_size=15))
def test_nobody_is_lost_whatever_is_blocked_and_when(steps: list[str]) -> None:
    store = MemoryStore()
    frontier = frontier_over(store, 6)
    known: set[str] = set()
    now = 1000.0
    for number, step in enumerate([*steps, "unblock"]):
        now += 10.0
        if step in ("block", "unblock"):
            frontier.block_address(CROWDED, is_blocked=step == "block")
        elif step == "restart":
            frontier = frontier_over(store, 6)
        elif step == "visit":
            visited(frontier, now, 2)
        elif step == "host" and known:
            frontier.block(sorted(known)[0], now)
            frontier.block(sorted(known)[0], now, is_blocked=False)
        elif step == "more":
            fresh = [f"{letter}{10 * number + n}.example" for letter in "co" for n in range(8)]
            park(frontier, fresh, now)
            known |= set(fresh)
        frontier.check()
    assert visited(frontier, now + 1000.0, 30 + len(known)) == known
