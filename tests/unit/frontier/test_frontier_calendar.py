"""Pages by the moment of their next visit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.frontier.calendar import Appointment, Calendar, Entry, moment_of
from tiptoe.protocol.work import Purpose
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Writes

KEY, OTHER = b"k" * 16, b"o" * 16
PAGE = Appointment(Purpose.PAGE)


def test_what_is_due_comes_in_the_order_of_its_moments() -> None:
    store = MemoryStore()
    calendar, batch = Calendar(store), Writes()
    calendar.enter(batch, KEY, 30.0, Appointment(Purpose.FEED, 2))
    calendar.enter(batch, OTHER, 20.0, PAGE)
    store.write(batch)
    calendar.committed()
    assert calendar.next_at() == 20.0
    assert calendar.due(19.999, 9) == []
    feed = Entry(30.0, KEY, Appointment(Purpose.FEED, 2))
    assert calendar.due(30.0, 9) == [Entry(20.0, OTHER, PAGE), feed]
    assert calendar.due(30.0, 1) == [Entry(20.0, OTHER, PAGE)]
    assert calendar.ahead(20.0, 9) == [feed]


def test_an_entry_of_the_open_step_is_known_and_can_be_struck() -> None:
    """Two hints about one page may come in one report."""
    store = MemoryStore()
    calendar, batch = Calendar(store), Writes()
    at = calendar.enter(batch, KEY, 12.3456, PAGE)
    assert calendar.find(KEY, at) == PAGE
    calendar.strike(batch, KEY, at)
    assert calendar.find(KEY, at) is None
    store.write(batch)
    calendar.committed()
    assert calendar.next_at() is None


def test_an_entry_before_all_others_is_not_overlooked() -> None:
    """The calendar remembers where it begins; a hint may bring a page to before that."""
    store = MemoryStore()
    calendar = Calendar(store)

    def write(key: bytes, at: float) -> None:
        batch = Writes()
        calendar.enter(batch, key, at, PAGE)
        store.write(batch)
        calendar.committed()

    write(KEY, 500.0)
    assert calendar.next_at() == 500.0
    assert calendar.due(400.0, 9) == []
    write(OTHER, 300.0)
    assert calendar.next_at() == 300.0
    assert [entry.key for entry in calendar.due(600.0, 9)] == [OTHER, KEY]


@pytest.mark.parametrize("at", [0.0, 1.0005, 12.345678, 1_700_000_000.123456])
def test_no_visit_comes_before_its_moment(at: float) -> None:
    assert at - 1.1e-5 <= moment_of(at) <= at + 0.001


@given(at=st.floats(0.0, 1e10))
def test_a_moment_that_went_through_a_record_finds_its_entry(at: float) -> None:
    """Records hold fractions of seconds, the table milliseconds."""
    store = MemoryStore()
    calendar, batch = Calendar(store), Writes()
    noted = calendar.enter(batch, KEY, at, PAGE)
    store.write(batch)
    calendar.committed()
    assert calendar.find(KEY, noted) == PAGE
    assert moment_of(noted) == noted
