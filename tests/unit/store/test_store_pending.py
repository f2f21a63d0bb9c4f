"""Do writes show before they are confirmed, and does the base see them only then?"""

import pytest

from tiptoe.errors import CrawlerError
from tiptoe.store.memory import MemoryStore
from tiptoe.store.pending import PendingStore
from tiptoe.store.tables import Store, Table, Writes


def write(store: Store, **rows: str | None) -> None:
    """Write some rows, None to delete one."""
    batch = Writes()
    for key, value in rows.items():
        batch.append((Table.DUE, key.encode(), None if value is None else value.encode()))
    store.write(batch)


def rows_in(store: Store) -> dict[str, str]:
    return {key.decode(): value.decode() for key, value in store.scan(Table.DUE)}


def test_what_is_confirmed_goes_to_the_base_with_the_rest_of_its_batch() -> None:
    """The sequence of a log and what it brought are one write."""
    base = MemoryStore()
    store = PendingStore(base)
    write(store, a="1", b="1")
    write(store, a="2")
    assert store.take() == [(Table.DUE, b"a", b"2"), (Table.DUE, b"b", b"1")]
    write(store, b=None, c="3")
    assert rows_in(base) == {}
    assert rows_in(store) == {"a": "2", "c": "3"}
    store.settle(Writes([(Table.META, b"sequence", b"7")]))
    assert rows_in(base) == {"a": "2", "b": "1"}
    assert base.get(Table.META, b"sequence") == b"7"
    assert rows_in(store) == {"a": "2", "c": "3"}
    assert store.take() == [(Table.DUE, b"b", None), (Table.DUE, b"c", b"3")]


def test_what_is_dropped_was_never_there() -> None:
    """A holder that has lost its shard must not show what nobody else knows."""
    base = MemoryStore()
    write(base, a="old", b="old")
    store = PendingStore(base)
    write(store, a=None)
    store.take()
    write(store, b="new", c="new")
    assert store.unconfirmed_rows == 3
    store.drop()
    assert store.unconfirmed_rows == 0
    assert not store.is_under_way
    assert not store.has_gathered
    assert rows_in(store) == {"a": "old", "b": "old"}


def test_a_row_that_is_deleted_twice_over_stays_deleted() -> None:
    """Each layer hides what lies below it."""
    base = MemoryStore()
    write(base, a="1")
    store = PendingStore(base)
    write(store, a=None)
    store.take()
    assert store.get(Table.DUE, b"a") is None
    write(store, a="3")
    assert store.get_many(Table.DUE, [b"a", b"b", b"a"]) == [b"3", None, b"3"]
    write(store, a=None)
    assert store.get_many(Table.DUE, [b"a", b"b"]) == [None, None]
    store.settle(Writes())
    assert rows_in(store) == {}


class FullStore(MemoryStore):
    """A store that has no room once."""

    is_full = True

    def write(self, batch: Writes) -> None:
        if self.is_full:
            raise CrawlerError("no room")
        super().write(batch)


def test_a_base_that_cannot_write_loses_nothing() -> None:
    """A full disk is emptied, and the batch goes to the base then."""
    base = FullStore()
    store = PendingStore(base)
    write(store, a="1")
    store.take()
    with pytest.raises(CrawlerError):
        store.settle(Writes())
    assert rows_in(store) == {"a": "1"}
    base.is_full = False
    store.settle(Writes())
    assert rows_in(base) == {"a": "1"}


def test_every_write_is_told() -> None:
    """Whoever sends batches away has to know that there is one."""
    told: list[int] = []
    store = PendingStore(MemoryStore(), on_write=lambda: told.append(1))
    write(store, a="1")
    write(store, a="2")
    assert len(told) == 2


def test_a_write_that_is_refused_does_not_show() -> None:
    """A shard that was lost takes nothing any more."""

    def refuse() -> None:
        raise CrawlerError("lost")

    store = PendingStore(MemoryStore(), on_write=refuse)
    with pytest.raises(CrawlerError, match="lost"):
        write(store, a="1")
    assert rows_in(store) == {}
