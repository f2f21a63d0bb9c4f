"""A look into a database that somebody else has open."""

import os
from pathlib import Path

import pytest

from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.store.readonly import ReadOnlyStore
from tiptoe.store.rocks import RocksStore
from tiptoe.store.tables import Table, Writes


def put(store: RocksStore, first: int, count: int) -> None:
    batch = Writes()
    for number in range(first, first + count):
        batch.put(Table.PAGE, number.to_bytes(8), bytes(100))
    store.write(batch)


def test_a_running_crawl_is_seen_as_it_was_when_one_looked(tmp_path: Path) -> None:
    """What the keeper writes meanwhile, moves and deletes must not disturb the reader."""
    store = RocksStore(tmp_path / "db", write_buffer_bytes=1 << 20, block_cache_bytes=1 << 20)
    for first in range(0, 20_000, 1000):
        put(store, first, 1000)
    with ReadOnlyStore(tmp_path / "db", [Table.PAGE, Table.META]) as glance:
        rows = glance.scan(Table.PAGE)
        assert next(rows)[0] == (0).to_bytes(8)
        files = set((tmp_path / "db").glob("*.sst"))
        while files & set((tmp_path / "db").glob("*.sst")):
            for first in range(0, 40_000, 1000):
                put(store, first, 1000)
        assert sum(1 for _ in rows) == 19_999
        assert glance.get(Table.PAGE, (7).to_bytes(8)) == bytes(100)
        assert glance.get(Table.META, b"x") is None
        del rows
    store.close()


def test_a_stopped_crawl_stays_as_it_is(tmp_path: Path) -> None:
    """Not even a log is left there: it may be somebody's evidence."""
    store = RocksStore(tmp_path / "db", block_cache_bytes=1 << 20, write_buffer_bytes=1 << 20)
    put(store, 0, 10)
    store.close()
    before = {path: path.read_bytes() for path in (tmp_path / "db").iterdir()}
    with ReadOnlyStore(tmp_path / "db", [Table.PAGE]) as glance:
        assert sum(1 for _ in glance.scan(Table.PAGE)) == 10
    assert {path: path.read_bytes() for path in (tmp_path / "db").iterdir()} == before


def test_where_nothing_is_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="there is no database"):
        ReadOnlyStore(tmp_path / "db", [Table.PAGE])
    assert not (tmp_path / "db").exists()


def test_what_cannot_be_read_is_a_message(tmp_path: Path) -> None:
    (tmp_path / "CURRENT").write_text("MANIFEST-000007\n")
    with pytest.raises(CrawlerError, match="the database is damaged"):
        ReadOnlyStore(tmp_path, [Table.PAGE])


def test_what_a_killed_process_had_written_is_read(tmp_path: Path) -> None:
    """Its last writes stand in the log only; a reader that refuses logs would see nothing after a crash."""
    child = os.fork()
    if child == 0:
        store = RocksStore(tmp_path / "db", block_cache_bytes=1 << 20, write_buffer_bytes=1 << 20)
        batch = Writes()
        batch.put(Table.PAGE, b"key", b"value")
        store.write(batch)
        os._exit(0)  # without closing
    assert os.waitpid(child, 0)[1] == 0
    with ReadOnlyStore(tmp_path / "db", [Table.PAGE]) as glance:
        assert glance.get_many(Table.PAGE, [b"other", b"key"]) == [None, b"value"]
