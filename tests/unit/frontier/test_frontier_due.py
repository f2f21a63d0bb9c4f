"""Requests that were put off come back at their moment, none before and none lost."""

from hypothesis import given
from hypothesis import strategies as st

from tiptoe.frontier.counters import Gauges
from tiptoe.frontier.due import Due
from tiptoe.protocol.work import Request
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table, Writes


class Step:
    """A store in which every call is a step of its own."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.due = Due(self.store, Gauges())

    def put(self, number: int, at: float, host: str = "a.example") -> None:
        batch = Writes()
        self.due.put(batch, Request(f"http://{host}/{number}"), at)
        self.write(batch)

    def withdraw(self, host: str = "a.example") -> list[str]:
        batch = Writes()
        taken = [request.url.rpartition("/")[2] for request in self.due.withdraw(batch, host)]
        self.write(batch)
        return taken

    def write(self, batch: Writes) -> None:
        self.store.write(batch)
        self.due.committed()
        rows = [list(self.store.scan(table)) for table in (Table.DUE, Table.DEFERRED)]
        assert len(rows[0]) == len(rows[1])

    def take(self, now: float, wanted: int = 1000) -> list[str]:
        batch = Writes()
        taken = [request.url.rpartition("/")[2] for request in self.due.take(batch, now, wanted)]
        self.write(batch)
        return taken


def test_a_request_comes_back_at_its_moment_and_once() -> None:
    step = Step()
    step.put(1, at=100.0)
    assert step.due.next_at() == 100.0
    assert step.take(now=99.9) == []
    assert step.take(now=100.0) == ["1"]
    assert step.take(now=200.0) == []
    assert step.due.next_at() is None


def test_an_earlier_moment_is_not_missed_behind_a_later_one() -> None:
    step = Step()
    step.put(1, at=100.0)
    step.take(now=50.0)
    step.put(2, at=60.0)
    assert step.due.next_at() == 60.0
    assert step.take(now=60.0) == ["2"]
    assert step.due.next_at() == 100.0


def test_what_was_too_much_for_one_step_comes_with_the_next() -> None:
    step = Step()
    for number in range(5):
        step.put(number, at=10.0 + number)
    assert step.take(now=20.0, wanted=3) == ["0", "1", "2"]
    assert step.due.next_at() == 13.0
    assert step.take(now=20.0, wanted=3) == ["3", "4"]


def test_a_keeper_that_starts_again_knows_the_first_moment() -> None:
    step = Step()
    step.put(1, at=100.0)
    assert Due(step.store, Gauges()).next_at() == 100.0


def test_what_waits_for_a_host_can_be_taken_back() -> None:
    step = Step()
    for number, host in enumerate(("a.example", "b.example", "a.example", "b.example")):
        step.put(number, 10.0 + number, host)
    assert step.withdraw() == ["0", "2"]
    assert step.due.next_at() == 11.0
    assert step.withdraw() == []
    assert step.take(now=100.0) == ["1", "3"]
    assert step.due.next_at() is None


def test_what_was_put_off_in_the_same_step_is_taken_back_too() -> None:
    """A visit brings a page that failed, and then the end of its host."""
    step = Step()
    step.put(1, 10.0)
    batch = Writes()
    assert [request.url for request in step.due.take(batch, 10.0, 9)] == ["http://a.example/1"]
    step.due.put(batch, Request("http://a.example/2"), 20.0)
    step.due.put(batch, Request("http://b.example/3"), 30.0)
    assert [request.url for request in step.due.withdraw(batch, "a.example")] == ["http://a.example/2"]
    assert step.due.withdraw(batch, "a.example") == []
    step.write(batch)
    assert step.due.next_at() == 30.0
    assert step.take(now=100.0) == ["3"]


# Puts at a moment, and takes as the clock goes on.
ORDERS = st.lists(st.tuples(st.booleans(), st.integers(0, 50), st.integers(1, 3)), max_size=40)


@given(ORDERS)
def test_nothing_comes_early_and_nothing_stays_behind(orders: list[tuple[bool, int, int]]) -> None:
    step, now = Step(), 0
    waiting: dict[str, int] = {}
    for number, (is_put, seconds, wanted) in enumerate(orders):
        if is_put:
            step.put(number, at=float(now + seconds))
            waiting[str(number)] = now + seconds
        else:
            now += seconds // 5
            taken = step.take(float(now), wanted)
            ripe = sorted(at for at in waiting.values() if at <= now)
            assert sorted(waiting.pop(name) for name in taken) == ripe[:wanted]
        assert step.due.next_at() == min(waiting.values(), default=None)


@given(st.floats(0.0, 1e10))
def test_a_moment_of_any_precision_is_neither_early_nor_missed(at: float) -> None:
    """Rows are in milliseconds; between two of them nothing may be lost."""
    step = Step()
    step.put(1, at)
    next_at = step.due.next_at()
    assert next_at is not None
    assert at <= next_at <= at + 0.002
    assert step.take(next_at) == ["1"]
    step.put(2, at)
    assert step.withdraw() == ["2"]
