"""Why nothing is asked for, as the frontier has it."""

from collections.abc import Iterator

import pytest

from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.frontier.waits import Waits
from tiptoe.protocol.status import Cause, WaitReason
from tiptoe.protocol.work import Purpose, Report, Request, Result, RobotsNote, RobotsState
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Store, Table

RULES = Politeness(req_delay=2.0, max_hosts=2, max_reqs=50, general_pause=300.0, backoff_first=60.0)


def frontier_of(store: Store | None = None, **policy: object) -> Frontier:
    return Frontier(store or MemoryStore(), FrontierPolicy(politeness=RULES, **policy))  # type: ignore[arg-type]


def sow(frontier: Frontier, *urls: str, addresses: dict[str, str] | None = None) -> None:
    """Add seeds and look their names up, each at an address of its own unless told otherwise."""
    frontier.add([Request(url) for url in urls], 0.0)
    for number, host in enumerate(frontier.new_hosts(10_000)):
        address = (addresses or {}).get(host, f"192.0.{2 + number // 250}.{1 + number % 250}")
        frontier.resolved_all([(host, address, "")], 0.0)
    frontier.tick(0.0)


def visit_all(frontier: Frontier, now: float, **answer: object) -> None:
    """Make every visit that may begin; the first page of a host is answered so, others are returned."""
    for visit in frontier.visits(100, "h1", now):
        results, returned = [], []
        for work in visit.hosts:
            rules = Request(f"http://{work.host}/robots.txt", Purpose.ROBOTS)
            results.append(Result(rules, status=404, robots=RobotsNote(RobotsState.RULES)))
            results.append(Result(work.requests[0], **answer))  # type: ignore[arg-type]
            returned += work.requests[1:]
        report = Report(visit.id, results, returned, is_done=True, wants_more=False)
        frontier.report([report], {}, now)
    frontier.check()


def reasons(frontier: Frontier, now: float) -> dict[Cause, WaitReason]:
    return {reason.cause: reason for reason in frontier.waiting(now).reasons}


def test_nothing_is_waited_for_in_an_empty_crawl() -> None:
    waiting = frontier_of().waiting(0.0)
    assert (waiting.reasons, waiting.next_at, waiting.more_hosts) == ([], None, 0)


def test_hosts_whose_address_rests_are_counted_with_the_first_moment() -> None:
    """The commonest reason of all: 21 waiting, 0 visited now, for minutes."""
    frontier = frontier_of(pages_per_host=0)
    sow(frontier, *(f"http://{host}.example/{page}" for host in "abc" for page in range(60)))
    visit_all(frontier, 10.0, status=200, body_bytes=9)
    found = reasons(frontier, 20.0)
    assert found == {Cause.REST: WaitReason(cause=Cause.REST, count=3, next_at=310.0)}
    assert frontier.waiting(20.0).next_at == 310.0


def test_hosts_of_one_address_wait_for_each_other() -> None:
    frontier = frontier_of()
    hosts = [f"h{number}.example" for number in range(5)]
    sow(frontier, *(f"http://{host}/" for host in hosts), addresses=dict.fromkeys(hosts, "192.0.2.1"))
    frontier.visits(1, "h1", 0.0)
    assert reasons(frontier, 1.0)[Cause.REST].count == 3


@pytest.mark.parametrize("status", [429, 503, 301])
def test_a_host_that_asked_for_peace_is_named_with_its_moment(status: int) -> None:
    frontier = frontier_of()
    sow(frontier, *(f"http://{host}.example/{page}" for host in "ab" for page in ("", "2")))
    visit_all(frontier, 10.0, status=status, retry_after=3600.0)
    found = reasons(frontier, 400.0)[Cause.PEACE]
    assert (found.next_at, found.host) == (3610.0, "a.example")
    assert found.count == 2


def test_hosts_in_trouble_are_counted_by_their_trouble() -> None:
    frontier = frontier_of()
    sow(frontier, *(f"http://{host}.example/{page}" for host in "ab" for page in ("", "2")))
    visit_all(frontier, 10.0, failure="timed_out")
    found = reasons(frontier, 60.0)
    assert set(found) == {Cause.TROUBLE, Cause.DEFERRED}
    assert (found[Cause.TROUBLE].count, found[Cause.TROUBLE].trouble) == (2, "timed_out")


def test_hosts_whose_rules_cannot_be_had_say_why() -> None:
    """Most hosts that are down are met so: their robots.txt is the first thing we ask for."""
    frontier = frontier_of()
    sow(frontier, "http://a.example/")
    (visit,) = frontier.visits(1, "h1", 0.0)
    rules_request = Result(Request("http://a.example/robots.txt", Purpose.RULES_REQUEST), failure="refused")
    note = Result(
        Request("http://a.example/robots.txt", Purpose.ROBOTS), robots=RobotsNote(RobotsState.UNREACHABLE)
    )
    returned = visit.hosts[0].requests
    frontier.report(
        [Report(visit.id, [rules_request, note], returned, is_done=True, wants_more=False)], {}, 0.0
    )
    found = reasons(frontier, 1.0)[Cause.ROBOTS]
    assert (found.count, found.host, found.trouble) == (1, "a.example", "refused")
    assert found.next_at is not None


@pytest.mark.parametrize("failure", ["no_such_host", "dns_failed"])
def test_names_to_look_up_again_are_counted_with_their_moment(failure: str) -> None:
    frontier = frontier_of()
    frontier.add([Request(f"http://{name}.example/") for name in "abc"], 0.0)
    assert reasons(frontier, 0.0)[Cause.LOOKUP].count == 3
    for host in frontier.new_hosts(10):
        frontier.resolved_all([(host, "", failure)], 0.0)
    frontier.check()
    found = reasons(frontier, 1.0)
    assert set(found) == {Cause.LOOKUP_AGAIN}
    reason = found[Cause.LOOKUP_AGAIN]
    assert (reason.count, reason.trouble) == (3, failure)
    assert reason.next_at == frontier.next_at()


def test_requests_that_are_to_be_repeated_are_told_from_names() -> None:
    frontier = frontier_of()
    sow(frontier, "http://a.example/")
    visit_all(frontier, 0.0, status=500)
    frontier.add([Request("http://dead.example/")], 0.0)
    frontier.resolved_all([(frontier.new_hosts(1)[0], "", "no_such_host")], 0.0)
    found = reasons(frontier, 1.0)
    assert found[Cause.DEFERRED].count == found[Cause.LOOKUP_AGAIN].count == 1
    assert (found[Cause.DEFERRED].host, found[Cause.DEFERRED].trouble) == ("a.example", "server_error")


def test_blocked_hosts_and_those_of_a_blocked_address_are_counted() -> None:
    frontier = frontier_of()
    sow(frontier, *(f"http://{name}.example/" for name in "abcd"), addresses={"a.example": "192.0.2.200"})
    frontier.block("b.example", 0.0)
    frontier.block("b.example", 0.0)
    frontier.block_address("192.0.2.200")
    frontier.tick(0.0)
    frontier.check()
    assert reasons(frontier, 0.0)[Cause.BLOCKED].count == 2
    frontier.block("b.example", 0.0, is_blocked=False)
    frontier.block_address("192.0.2.200", is_blocked=False)
    frontier.check()
    assert Cause.BLOCKED not in reasons(frontier, 0.0)


def test_pages_that_are_not_due_yet_are_told() -> None:
    frontier = frontier_of(revisit=RevisitPolicy(strategy="uniform", is_endless=True))
    sow(frontier, "http://a.example/")
    visit_all(frontier, 10.0, status=200, body_bytes=9, text_chars=90)
    frontier.tick(20.0)
    found = reasons(frontier, 20.0)[Cause.REVISIT]
    assert found.count == 1
    assert found.next_at == frontier.next_at()


def test_what_is_waited_for_is_known_again_after_a_restart() -> None:
    store = MemoryStore()
    frontier = frontier_of(store)
    sow(frontier, "http://a.example/", "http://b.example/", "http://b.example/2")
    visit_all(frontier, 0.0, status=429, retry_after=5000.0)
    frontier.add([Request("http://dead.example/")], 0.0)
    frontier.resolved_all([(frontier.new_hosts(1)[0], "", "no_such_host")], 0.0)
    before = frontier.waiting(1000.0)
    again = frontier_of(store)
    again.tick(1000.0)
    assert again.waiting(1000.0) == before


class CountingStore(MemoryStore):
    """Counts what is read."""

    reads = 0

    def get(self, table: Table, key: bytes) -> bytes | None:
        self.reads += 1
        return super().get(table, key)

    def scan(
        self, table: Table, start: bytes = b"", stop: bytes | None = None
    ) -> Iterator[tuple[bytes, bytes]]:
        for row in super().scan(table, start, stop):
            self.reads += 1
            yield row


@pytest.mark.parametrize("hosts", [10, 2000])
def test_it_costs_the_same_however_many_hosts_wait(hosts: int) -> None:
    """A display asks twice a second, also of a crawl with a million hosts."""
    store = CountingStore()
    frontier = frontier_of(store)
    frontier.add([Request(f"http://h{number}.example/") for number in range(2 * hosts)], 0.0)
    for number, host in enumerate(frontier.new_hosts(hosts)):
        frontier.resolved_all([(host, "", "no_such_host" if number % 2 else "dns_failed")], float(number))
    for number, host in enumerate(frontier.new_hosts(hosts)):
        frontier.resolved_all([(host, f"10.{number // 200}.0.{number % 200}", "")], 0.0)
    frontier.tick(1.0)
    store.reads = 0
    waiting = frontier.waiting(5000.0)
    assert sum(reason.count for reason in waiting.reasons) == 2 * hosts
    assert store.reads <= 51


def test_of_many_that_come_and_go_only_those_that_are_there_are_remembered() -> None:
    waits = Waits()
    key = (Cause.REST, "")
    waits.add("always.example", key, 1e9)
    for number in range(10_000):
        waits.add(f"h{number}.example", key, float(number))
        waits.remove(f"h{number}.example")
    waits.check()
    assert waits.first(key) == (1e9, "always.example")


def test_waiting_hosts_are_those_whose_queue_is_not_empty() -> None:
    """A host that has nothing more to ask for waits for nothing."""
    frontier = frontier_of()
    sow(frontier, "http://a.example/")
    visit_all(frontier, 0.0, status=200, body_bytes=9)
    assert frontier.waiting(1.0).reasons == []
