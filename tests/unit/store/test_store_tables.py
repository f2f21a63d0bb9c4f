"""The nouns of the keeper."""

from tiptoe.store.rocks import POINT_TABLES
from tiptoe.store.tables import Table


def test_table_names_are_what_is_on_disk() -> None:
    """A renamed table would be an empty one after an upgrade."""
    assert {table.value for table in Table} >= {"meta", "page", "queue", "host", "address", "parked", "lease"}
    assert len({table.value for table in Table}) == len(Table)


def test_tables_that_are_only_scanned_have_no_filter() -> None:
    """A Bloom filter answers questions about one key; these are read in order."""
    assert not POINT_TABLES & {Table.DUE, Table.PARKED, Table.NEW, Table.LEASE}
