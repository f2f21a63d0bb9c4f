"""Are the partitions of a store apart, and is each dropped alone?"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tiptoe.store.memory import MemoryStore
from tiptoe.store.partition import PARTITION_BYTES, PARTITIONS_MAX, DividedStore, Partition
from tiptoe.store.readonly import ReadOnlyStore
from tiptoe.store.rocks import RocksStore, noted_prefix_bytes
from tiptoe.store.salvage import salvage
from tiptoe.store.tables import FORMAT_KEY, Table, Writes

SMALL = {"block_cache_bytes": 1 << 20, "write_buffer_bytes": 1 << 20}
HOSTS = [bytes([number]) * 8 for number in (3, 1, 250, 0)]


def open_rocks(path: Path) -> RocksStore:
    return RocksStore(path, **SMALL, prefix_bytes=PARTITION_BYTES)


@pytest.fixture(params=["memory", "rocks"])
def whole(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[DividedStore]:
    made: DividedStore = MemoryStore() if request.param == "memory" else open_rocks(tmp_path / "db")
    yield made
    made.close()


def fill(part: Partition, value: bytes) -> None:
    """Write some rows to every table."""
    batch = Writes()
    for table in Table:
        for host in HOSTS:
            batch.put(table, host + b"12345678", value)
        batch.put(table, b"", value)
    part.write(batch)


def values_in(part: Partition) -> list[bytes]:
    return [value for table in Table for _, value in part.scan(table)]


def test_a_partition_that_is_dropped_takes_nobody_along(whole: DividedStore) -> None:
    """An agent gives a shard away and goes on with those beside it."""
    parts = [Partition(whole, number) for number in (0, 255, 256, PARTITIONS_MAX - 1)]
    for part in parts:
        fill(part, repr(part).encode())
    rows = len(Table) * (len(HOSTS) + 1)
    parts[1].drop()
    assert [len(values_in(part)) for part in parts] == [rows, 0, rows, rows]
    assert set(values_in(parts[2])) == {b"<Partition 256>"}
    assert parts[1].get(Table.PAGE, HOSTS[0] + b"12345678") is None
    fill(parts[1], b"again")
    assert values_in(parts[1]) == [b"again"] * rows


def test_rows_of_the_whole_store_survive_all_partitions(tmp_path: Path) -> None:
    """Its format and its name stand beside them."""
    store = open_rocks(tmp_path / "db")
    identity = store.identity
    for number in (0, 63, PARTITIONS_MAX - 1):
        Partition(store, number).drop()
    assert store.identity == identity
    assert store.get(Table.META, FORMAT_KEY)
    store.close()


def test_a_dropped_partition_stays_dropped_on_disk(tmp_path: Path) -> None:
    """Also rows that are in files already, and also when the process was killed right after."""
    store = open_rocks(tmp_path / "db")
    for _ in range(40):
        fill(Partition(store, 1), b"x" * 2000)
        fill(Partition(store, 2), b"y" * 2000)
    Partition(store, 1).drop()
    store.close()
    store = open_rocks(tmp_path / "db")
    assert values_in(Partition(store, 1)) == []
    assert set(values_in(Partition(store, 2))) == {b"y" * 2000}
    store.close()


def test_letters_of_a_host_are_found_in_files_and_in_memory(tmp_path: Path) -> None:
    """The table that is kept in buckets has its buckets within the partition."""
    for opened in range(3):
        store = open_rocks(tmp_path / "db")
        parts = [Partition(store, number) for number in range(3)]
        for sequence in range(100):
            number = (1000 * opened + sequence).to_bytes(8, "big")
            for part in parts:
                batch = Writes((Table.INBOX, host + number, b"x" * 500) for host in HOSTS)
                part.write(batch)
        for part in parts:
            for host in HOSTS:
                assert len([*part.scan(Table.INBOX, host, host + b"\xff" * 9)]) == 100 * (opened + 1)
            assert len([*part.scan(Table.INBOX)]) == 400 * (opened + 1)
        store.close()


def test_a_partitioned_database_is_known_as_such(tmp_path: Path) -> None:
    """Who reads it beside the keeper, or saves what is left of it, leaves it as it is."""
    store = open_rocks(tmp_path / "db")
    fill(Partition(store, 1), b"x")
    store.close()
    with ReadOnlyStore(tmp_path / "db", (Table.INBOX,)) as reader:
        assert len([*reader.scan(Table.INBOX)]) == len(HOSTS) + 1
    assert noted_prefix_bytes(tmp_path / "db") == PARTITION_BYTES
    salvage(tmp_path / "db", tmp_path / "saved", buffer_bytes=1 << 20)
    assert noted_prefix_bytes(tmp_path / "saved") == PARTITION_BYTES
    saved = open_rocks(tmp_path / "saved")
    assert len(values_in(Partition(saved, 1))) == len(Table) * (len(HOSTS) + 1)
    saved.close()
    whole = RocksStore(tmp_path / "whole", **SMALL)
    whole.close()
    assert noted_prefix_bytes(tmp_path / "whole") == 0
    assert noted_prefix_bytes(tmp_path / "nothing") == 0
