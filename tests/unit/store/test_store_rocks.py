"""The tables on disk."""

from pathlib import Path

from rocksdict import Options, Rdict

from tiptoe.store.rocks import RocksStore
from tiptoe.store.tables import Table

ROWS = 2000


def test_a_database_in_levels_is_read_and_written_on(tmp_path: Path) -> None:
    """Crawls begun when tables were kept in levels go on."""
    options = Options(raw_mode=True)
    options.create_missing_column_families(True)
    levels = Rdict(str(tmp_path / "db"), options, column_families={"page": Options(raw_mode=True)})
    pages = levels.get_column_family("page")
    for number in range(ROWS):
        pages[number.to_bytes(16, "big")] = b"old"
    pages.compact_range(None, None)
    del pages
    levels.close()

    store = RocksStore(tmp_path / "db", write_buffer_bytes=1 << 20, block_cache_bytes=1 << 20)
    batch = store.batch()
    for number in range(0, ROWS, 2):
        batch.put(Table.PAGE, number.to_bytes(16, "big"), b"new")
    store.write(batch)
    store.close()

    store = RocksStore(tmp_path / "db", block_cache_bytes=1 << 20, write_buffer_bytes=1 << 20)
    expected = [b"new" if number % 2 == 0 else b"old" for number in range(ROWS)]
    assert [value for _, value in store.scan(Table.PAGE)] == expected
    assert store.get_many(Table.PAGE, [number.to_bytes(16, "big") for number in range(ROWS)]) == expected
    store.close()


def test_nothing_is_lost_while_runs_are_merged(tmp_path: Path) -> None:
    store = RocksStore(tmp_path / "db", write_buffer_bytes=1 << 16, block_cache_bytes=1 << 20)
    for round_number in range(40):
        batch = store.batch()
        for number in range(round_number % 3, ROWS, 3):
            batch.put(Table.PAGE, (number * 7919 % ROWS).to_bytes(16, "big"), bytes([round_number]) * 50)
        store.write(batch)
    found = dict(store.scan(Table.PAGE))
    store.close()
    assert len(found) == ROWS
    for number in range(ROWS):
        last = 39 - (39 - number % 3) % 3
        assert found[(number * 7919 % ROWS).to_bytes(16, "big")] == bytes([last]) * 50
