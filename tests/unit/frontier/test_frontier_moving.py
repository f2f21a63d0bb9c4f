"""A host moves to another frontier, whole."""

from collections import Counter

import pytest
from host_rows import gate_rows, rows_of
from vigil import DAY, UNIFORM, Watch, refused

from tiptoe.frontier.host import HostState
from tiptoe.protocol.work import Purpose, Report, Request, Result, RobotsNote, RobotsState, Visit
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table, Writes
from tiptoe.url.address import KEY_BYTES, host_key, host_of, origin_of

STATES = {
    "watched.example": HostState.IDLE,
    "slow.example": HostState.PARKED,
    "failing.example": HostState.PARKED,
    "gone.example": HostState.GONE,
    "blocked.example": HostState.IDLE,
    "new.example": HostState.NEW,
}


def answer(request: Request, now: float) -> Result:
    host = host_of(request.url)
    if host == "gone.example" and now > 2 * DAY:
        return refused(request, now)
    if host == "failing.example" and request.url.endswith("3"):
        return Result(request, status=500)
    if host == "slow.example" and request.url.endswith("2"):
        return Result(request, status=503, retry_after=5000.0)
    if request.last_visit is not None:
        return Result(request, status=304, is_changed=False)
    return Result(request, status=200, text_chars=100, text_hash=request.url.encode())


class Crawl(Watch):
    """Hosts with addresses and rules of their own."""

    def found(self, host: str) -> str:
        return f"192.0.2.{1 + sorted(STATES).index(host)}"

    def bring(self, visit: Visit) -> None:
        origins = {origin_of(request.url) for work in visit.hosts for request in work.requests}
        rules = RobotsNote(RobotsState.RULES, [(False, "/private")], crawl_delay=2.0)
        robots = [
            Result(Request(f"{origin}/robots.txt", Purpose.ROBOTS), status=200, robots=rules)
            for origin in sorted(origins)
            if "gone" not in origin
        ]
        self.tell([Report(visit.id, robots)])
        super().bring(visit)


def crawl() -> Crawl:
    """A crawl with hosts in many states, some days old, in the middle of its work."""
    begun = Crawl(answer=answer)
    hosts = sorted(STATES.keys() - {"new.example"})
    begun.add(*(f"http://{host}/{number}" for host in hosts for number in range(25)))
    begun.frontier.block("blocked.example", begun.now)
    begun.run(3 * DAY)
    begun.add(*(f"http://{host}/more{number}" for host in hosts for number in range(30)))
    begun.run(400.0)
    begun.add("http://new.example/", "http://new.example/more")
    begun.frontier.check()
    return begun


def moved(begun: Crawl, host: str) -> Crawl:
    """Return a crawl that has nothing but what a host took along."""
    there = Crawl(answer=answer)
    there.store, there.now = MemoryStore(), begun.now
    record = begun.frontier.host(host)
    assert record is not None
    for rows in (rows_of(begun.store, host), gate_rows(begun.store, record.gate)):
        there.store.write(Writes.decode(rows.encode()))
    there.start(UNIFORM)
    return there


@pytest.mark.parametrize("host", STATES)
def test_a_host_that_has_moved_is_the_same_host(host: str) -> None:
    """What is queued, put off, planned and to be waited for is as it was; nothing is asked earlier."""
    begun = crawl()
    there = moved(begun, host)
    there.frontier.check()
    assert there.frontier.host(host) == begun.frontier.host(host)
    assert rows_of(there.store, host) == rows_of(begun.store, host)
    asked = [(at, request.url) for at, request in there.run(3 * DAY)]
    expected = [(at, request.url) for at, request in begun.run(3 * DAY) if host_of(request.url) == host]
    # What a host in trouble is asked for first depends on the number of the visit.
    assert {url for _, url in asked} == {url for _, url in expected}
    assert [at for at, _ in asked[:20]] == [at for at, _ in expected[:20]]
    assert asked or host == "blocked.example"


def test_everything_that_bears_the_key_of_a_host_is_found() -> None:
    """A row that was left behind would be a request never made, or made twice."""
    begun = crawl()
    assert {host: begun.frontier.host(host).state for host in STATES} == STATES  # type: ignore[union-attr]
    met: Counter[Table] = Counter()
    for host in STATES:
        found = rows_of(begun.store, host)
        assert len({(table, key) for table, key, _ in found}) == len(found), "nothing twice"
        bearing = {
            (table, key, value)
            for table in Table
            if table.host_at is not None
            for key, value in begun.store.scan(table)
            if key[table.host_at : table.host_at + KEY_BYTES] == host_key(host)
        }
        assert set(found) == bearing
        met.update({table for table, _, _ in found})
    left_out = {table for table in Table if table.host_at is not None} - set(met)
    assert left_out == {Table.SHAPE, Table.INBOX, Table.AWAITED}, "the others are part of this"


def test_tables_say_where_the_key_of_a_host_stands() -> None:
    """Rows of a table that does not say belong to no host: to an address, a text, a file, or the crawl."""
    begun = crawl()
    known = {host_key(host) for host in STATES}
    for table in Table:
        for key, _ in begun.store.scan(table):
            if table.host_at is not None:
                assert key[table.host_at : table.host_at + KEY_BYTES] in known
            else:
                assert not any(host in key for host in known), f"{table} has rows of a host and does not say"
