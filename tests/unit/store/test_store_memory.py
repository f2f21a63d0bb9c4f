"""The store without a disk; what all stores promise is in tests/contracts."""

from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table, Writes


def test_a_second_store_knows_nothing_of_the_first() -> None:
    """Tests must not meet in a table."""
    first, second = MemoryStore(), MemoryStore()
    batch = Writes()
    batch.put(Table.PAGE, b"a", b"1")
    first.write(batch)
    assert second.get(Table.PAGE, b"a") is None


def test_closing_it_keeps_what_it_holds() -> None:
    """A simulated crash is a new frontier over the same memory."""
    store = MemoryStore()
    batch = Writes()
    batch.put(Table.PAGE, b"a", b"1")
    store.write(batch)
    store.close()
    assert store.get(Table.PAGE, b"a") == b"1"
