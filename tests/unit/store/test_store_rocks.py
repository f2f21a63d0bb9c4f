"""The tables on disk."""

from pathlib import Path

import pytest

from tiptoe.errors import DamagedDatabase, SettingsError
from tiptoe.store.readonly import ReadOnlyStore
from tiptoe.store.rocks import RocksStore
from tiptoe.store.tables import FORMAT_KEY, Table, Writes

ROWS = 2000
SMALL = {"block_cache_bytes": 1 << 20, "write_buffer_bytes": 1 << 20}


def test_a_database_of_another_format_is_refused(tmp_path: Path) -> None:
    """To read it as if it were ours would be to forget who is blocked, and what was asked for."""
    store = RocksStore(tmp_path / "db", **SMALL)
    batch = Writes()
    batch.put(Table.META, FORMAT_KEY, b"0")
    store.write(batch)
    store.close()
    for look in (
        lambda: RocksStore(tmp_path / "db", **SMALL),
        lambda: ReadOnlyStore(tmp_path / "db", [Table.PAGE]),
    ):
        with pytest.raises(SettingsError, match=r"of format 0.* reads format \d+; .*another --out"):
            look()


def test_a_database_that_does_not_say_its_format_is_refused(tmp_path: Path) -> None:
    store = RocksStore(tmp_path / "db", **SMALL)
    batch = Writes()
    batch.put(Table.META, b"run", b"ended")
    batch.delete(Table.META, FORMAT_KEY)
    store.write(batch)
    store.close()
    with pytest.raises(SettingsError, match="of an unknown format"):
        RocksStore(tmp_path / "db", **SMALL)


def test_what_is_deleted_and_purged_is_on_no_disk(tmp_path: Path) -> None:
    """A database keeps deleted rows for months, and an owner who wants to be forgotten means now."""

    def is_there() -> bool:
        return any(b"a.example" in path.read_bytes() for path in (tmp_path / "db").iterdir())

    store = RocksStore(tmp_path / "db", **SMALL)
    put, delete = Writes(), Writes()
    for number in range(9):
        put.put(Table.PAGE, b"key%d" % number, b"http://a.example/%d" % number)
        delete.delete(Table.PAGE, b"key%d" % number)
    store.write(put)
    store.close()
    store = RocksStore(tmp_path / "db", **SMALL)
    store.write(delete)
    assert is_there()
    store.purge()
    store.close()
    assert not is_there()


def test_a_database_whose_making_was_cut_short_is_made_anew(tmp_path: Path) -> None:
    """A kill in the first moment of a crawl costs nothing: no data were there yet."""
    (tmp_path / "db").mkdir()
    for name in ("IDENTITY", "LOG", "MANIFEST-000001"):
        (tmp_path / "db" / name).write_bytes(b"")
    store = RocksStore(tmp_path / "db", **SMALL)
    assert store.identity
    store.close()


@pytest.mark.parametrize("name", ["000004.log", "000009.sst"])
def test_a_database_with_data_is_not_made_anew(tmp_path: Path, name: str) -> None:
    (tmp_path / "db").mkdir()
    (tmp_path / "db" / name).write_bytes(b"x")
    with pytest.raises(DamagedDatabase, match="CURRENT is missing"):
        RocksStore(tmp_path / "db", **SMALL)


def test_a_crawl_keeps_its_identity_and_shares_it_with_no_other(tmp_path: Path) -> None:
    """By it a harvester that comes back knows the crawl that it worked for."""
    names = []
    for path in ("a", "a", "b"):
        store = RocksStore(tmp_path / path, **SMALL)
        names.append(store.identity)
        store.close()
    assert names[0] == names[1] != names[2]
    assert all(names)


def test_nothing_is_lost_while_runs_are_merged(tmp_path: Path) -> None:
    store = RocksStore(tmp_path / "db", write_buffer_bytes=1 << 16, block_cache_bytes=1 << 20)
    for round_number in range(40):
        batch = Writes()
        for number in range(round_number % 3, ROWS, 3):
            batch.put(Table.PAGE, (number * 7919 % ROWS).to_bytes(16, "big"), bytes([round_number]) * 50)
        store.write(batch)
    found = dict(store.scan(Table.PAGE))
    store.close()
    assert len(found) == ROWS
    for number in range(ROWS):
        last = 39 - (39 - number % 3) % 3
        assert found[(number * 7919 % ROWS).to_bytes(16, "big")] == bytes([last]) * 50
