"""What waits to be asked of a host, class by class."""

from collections import Counter

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tiptoe.frontier.counters import Gauges
from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.priority import CLASSES, QUEUES, REVISITS
from tiptoe.frontier.queues import CHUNK_URLS_MAX, Chunk, Queues
from tiptoe.protocol.work import Purpose, Request
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table, Writes


def test_requests_come_back_as_they_were_put_in() -> None:
    """A retry knows how often it was tried, a link where it was found."""
    store = MemoryStore()
    queues, record, batch = Queues(store, Gauges()), HostRecord("a.example"), Writes()
    request = Request(
        "http://a.example/x", Purpose.FEED, 3, 1, 2, "http://b.example/", 0.25, "http://c.example"
    )
    queues.push(record, 2, Chunk.of(request))
    assert queues.take(batch, record, 5) == [request]
    assert record.queued == 0


def test_a_class_is_first_in_first_out_across_chunks() -> None:
    """Breadth first: what was found first is asked first."""
    store = MemoryStore()
    queues, record, batch = Queues(store, Gauges()), HostRecord("a.example"), Writes()
    queues.push(record, 1, Chunk(["1", "2", "3"]))
    queues.push(record, 1, Chunk(["4", "5"]))
    assert [request.url for request in queues.take(batch, record, 2)] == ["1", "2"]
    assert [request.url for request in queues.take(batch, record, 9)] == ["3", "4", "5"]


def test_hosts_do_not_see_each_others_queues() -> None:
    """They lie in one table."""
    store = MemoryStore()
    queues, batch = Queues(store, Gauges()), Writes()
    first, second = HostRecord("a.example"), HostRecord("b.example")
    queues.push(first, 0, Chunk(["a"]))
    queues.push(second, 0, Chunk(["b"]))
    assert [request.url for request in queues.take(batch, second, 9)] == ["b"]
    assert queues.clear(batch, first) == 1


class Shelf(RuleBasedStateMachine):
    """One host's queues beside four plain lists; steps are committed now and then."""

    def __init__(self) -> None:
        super().__init__()
        self.store = MemoryStore()
        self.queues = Queues(self.store, Gauges())
        self.record = HostRecord("a.example")
        self.batch = Writes()
        self.waiting: list[list[str]] = [[] for _ in range(QUEUES)]
        self.made = 0

    @rule(index=st.integers(0, QUEUES - 1), count=st.integers(1, 7))
    def push(self, index: int, count: int) -> None:
        urls = [f"{self.made + n}" for n in range(count)]
        self.made += count
        self.queues.push(self.record, index, Chunk(urls, depth=index))
        self.waiting[index] += urls

    @rule(wanted=st.integers(0, 12))
    def take(self, wanted: int) -> None:
        had = [len(queue) for queue in self.waiting[:CLASSES]]
        taken = self.queues.take(self.batch, self.record, wanted)
        self.record.visits += 1
        assert len(taken) == min(wanted, sum(had))
        for request in taken:
            assert self.waiting[request.depth].pop(0) == request.url
        if wanted >= 2 * CLASSES:
            served = Counter(request.depth for request in taken)
            assert all(served[index] for index in range(CLASSES) if had[index]), "a class got no share"

    @rule(wanted=st.integers(0, 12))
    def take_revisits(self, wanted: int) -> None:
        taken = self.queues.take_revisits(self.batch, self.record, wanted)
        due = self.waiting[REVISITS]
        assert [request.url for request in taken] == due[:wanted]
        del due[:wanted]

    @rule()
    def clear(self) -> None:
        """What is new is dropped; pages that are watched stay."""
        assert self.queues.clear(self.batch, self.record) == sum(map(len, self.waiting[:CLASSES]))
        self.waiting = [*([] for _ in range(CLASSES)), self.waiting[REVISITS]]

    @rule()
    def commit(self) -> None:
        self.queues.write(self.batch)
        self.store.write(self.batch)
        self.batch = Writes()
        self.queues.committed()
        on_disk = sum(1 for _ in self.store.scan(Table.QUEUE))
        assert on_disk == sum(self.record.tails) - sum(self.record.heads)

    @rule()
    def restart(self) -> None:
        self.commit()
        self.queues = Queues(self.store, Gauges())

    @invariant()
    def counts_are_right(self) -> None:
        assert self.record.waiting == [len(queue) for queue in self.waiting]

    def teardown(self) -> None:
        while self.record.queued:
            self.take(3)
            self.take_revisits(3)
        self.commit()
        assert [*self.store.scan(Table.QUEUE)] == []


TestShelf = Shelf.TestCase
TestShelf.settings = settings(max_examples=50, stateful_step_count=25, deadline=None)


def test_a_long_find_is_kept_in_parts() -> None:
    """What is left of a chunk is written again at each visit: 10 000 links must not make that dear."""
    store = MemoryStore()
    queues, record, batch = Queues(store, Gauges()), HostRecord("a.example"), Writes()
    urls = [f"http://a.example/{number}" for number in range(CHUNK_URLS_MAX * 2 + 5)]
    queues.push(record, 1, Chunk(urls, depth=3, via="http://a.example/"))
    queues.write(batch)
    store.write(batch)
    queues.committed()
    assert (record.tails[1], record.waiting[1]) == (3, len(urls))
    taken = queues.take(Writes(), record, len(urls))
    assert [request.url for request in taken] == urls
    assert {(request.depth, request.via) for request in taken} == {(3, "http://a.example/")}
