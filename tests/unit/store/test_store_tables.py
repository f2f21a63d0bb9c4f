"""The nouns of the keeper."""

from tiptoe.store.memory import MemoryStore
from tiptoe.store.rocks import POINT_TABLES
from tiptoe.store.tables import Table, Writes


def test_table_names_are_what_is_on_disk() -> None:
    """A renamed table would be an empty one after an upgrade."""
    assert {table.value for table in Table} >= {"meta", "page", "queue", "host", "address", "parked", "lease"}
    assert len({table.value for table in Table}) == len(Table)


def test_tables_that_are_only_scanned_have_no_filter() -> None:
    """A Bloom filter answers questions about one key; these are read in order."""
    assert not POINT_TABLES & {Table.DUE, Table.PARKED, Table.NEW, Table.LEASE}


def test_writes_can_be_read_measured_and_sent() -> None:
    """A copy of the tables elsewhere is kept by what each step has written."""
    writes = Writes()
    writes.put(Table.HOST, b"key", b"value")
    writes.put(Table.PAGE, b"\x00\xff", b"")
    writes.delete(Table.HOST, b"key")
    assert list(writes) == [
        (Table.HOST, b"key", b"value"),
        (Table.PAGE, b"\x00\xff", b""),
        (Table.HOST, b"key", None),
    ]
    assert writes.size == 3 + 5 + 2 + 3
    assert Writes.decode(writes.encode()) == writes
    here, there = MemoryStore(), MemoryStore()
    here.write(writes)
    there.write(Writes.decode(writes.encode()))
    assert [list(here.scan(table)) for table in Table] == [list(there.scan(table)) for table in Table]
