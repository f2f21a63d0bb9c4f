"""Every store keeps the same contract: one suite over all of them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tiptoe.errors import CrawlerError
from tiptoe.store.memory import MemoryStore
from tiptoe.store.partition import PARTITION_BYTES, DividedStore, Partition
from tiptoe.store.pending import PendingStore
from tiptoe.store.rocks import RocksStore
from tiptoe.store.tables import Store, Table, Writes

SMALL = {"block_cache_bytes": 1 << 20, "write_buffer_bytes": 1 << 20}


def open_rocks(path: Path, *, prefix_bytes: int = 0) -> RocksStore:
    return RocksStore(path, **SMALL, prefix_bytes=prefix_bytes)


class EverPending(PendingStore):
    """What is written stays pending: some of it under way, some of it gathering, some of it in the base."""

    def __init__(self, base: Store) -> None:
        super().__init__(base)
        self._batches = 0

    def write(self, batch: Writes) -> None:
        super().write(batch)
        self._batches += 1
        if self._batches % 3:
            if self.is_under_way:
                self.settle(Writes())
            self.take()


def part_of(whole: DividedStore) -> Partition:
    """Return a partition between two others that are full."""
    for number in (4, 6):
        fill(Partition(whole, number), Table.DUE, {b"": b"x", b"a": b"x", b"\xff": b"x"})
    return Partition(whole, 5)


@pytest.fixture(params=["memory", "rocks", "memory part", "rocks part", "memory pending", "part pending"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    whole: DividedStore
    if request.param.startswith("memory"):
        whole = MemoryStore()
    else:
        whole = open_rocks(tmp_path / "db", prefix_bytes=PARTITION_BYTES if "part" in request.param else 0)
    made: Store = part_of(whole) if "part" in request.param else whole
    yield EverPending(made) if "pending" in request.param else made
    whole.close()


def fill(store: Store, table: Table, pairs: dict[bytes, bytes]) -> None:
    batch = Writes()
    for key, value in pairs.items():
        batch.put(table, key, value)
    store.write(batch)


def test_what_was_written_is_read_back(store: Store) -> None:
    """An empty value is a value: a queued URL has one."""
    fill(store, Table.PAGE, {b"a": b"1", b"b": b""})
    assert store.get(Table.PAGE, b"a") == b"1"
    assert store.get(Table.PAGE, b"b") == b""
    assert store.get(Table.PAGE, b"c") is None


def test_tables_are_apart(store: Store) -> None:
    """The same key means another thing elsewhere."""
    fill(store, Table.PAGE, {b"a": b"page"})
    fill(store, Table.HOST, {b"a": b"host"})
    assert store.get(Table.PAGE, b"a") == b"page"
    assert store.get(Table.HOST, b"a") == b"host"
    assert [*store.scan(Table.DUE)] == []


def test_many_are_read_in_the_order_asked(store: Store) -> None:
    """The seen test matches answers to links by position."""
    fill(store, Table.PAGE, {b"a": b"1", b"b": b""})
    assert store.get_many(Table.PAGE, [b"b", b"x", b"a", b"b"]) == [b"", None, b"1", b""]
    assert store.get_many(Table.PAGE, []) == []


def test_a_scan_keeps_its_bound(store: Store) -> None:
    """Also when nobody else does: a bound that is forgotten ends the scan anywhere."""
    fill(store, Table.MARK, {f"documents/{number}".encode(): b"" for number in range(20)} | {b"x": b""})
    for _ in range(50):
        pairs = store.scan(Table.MARK, b"documents/", bytes(bytearray(b"documents0")))
        assert len(list(pairs)) == 20


HOSTS = [bytes([number]) * 8 for number in (3, 1, 250, 2)]


def letters(store: Store, host: bytes) -> list[bytes]:
    return [key[8:] for key, _ in store.scan(Table.INBOX, host, host + b"\xff" * 9)]


def test_letters_of_a_host_are_found_among_those_of_others(store: Store) -> None:
    """Those before and behind it are not, and a host without letters has none."""
    for sequence in range(20):
        fill(store, Table.INBOX, {host + sequence.to_bytes(8, "big"): b"x" for host in HOSTS})
    numbers = [sequence.to_bytes(8, "big") for sequence in range(20)]
    assert [letters(store, host) for host in HOSTS] == [numbers] * 4
    assert letters(store, bytes(8)) == []
    batch = Writes()
    for number in numbers[:15]:
        batch.delete(Table.INBOX, HOSTS[0] + number)
    store.write(batch)
    assert letters(store, HOSTS[0]) == numbers[15:]


def test_all_letters_are_found_in_order(store: Store) -> None:
    """They are counted when a crawl goes on."""
    keys = [host + sequence.to_bytes(8, "big") for sequence in range(20) for host in HOSTS]
    for key in keys:
        fill(store, Table.INBOX, {key: b"x"})
    assert [key for key, _ in store.scan(Table.INBOX)] == sorted(keys)
    assert [key for key, _ in store.scan(Table.INBOX, keys[0])] == sorted(keys)[40:]


def test_letters_in_files_and_in_memory_are_read_alike(tmp_path: Path) -> None:
    """A crawl that goes on finds the old ones, and the new ones among them."""
    for opened in range(4):
        store = open_rocks(tmp_path / "db")
        for sequence in range(200):
            number = (1000 * opened + sequence).to_bytes(8, "big")
            fill(store, Table.INBOX, {host + number: b"x" * 500 for host in HOSTS})
        assert [len(letters(store, host)) for host in HOSTS] == [200 * (opened + 1)] * 4
        found = [key for key, _ in store.scan(Table.INBOX)]
        assert found == sorted(set(found))
        assert len(found) == 800 * (opened + 1)
        store.close()


def test_a_scan_is_in_byte_order_and_within_its_bounds(store: Store) -> None:
    """Moments are keys: their order is the order of time."""
    fill(store, Table.DUE, {key: key for key in (b"\xff", b"b", b"\x00", b"ab", b"a")})
    assert [key for key, _ in store.scan(Table.DUE)] == [b"\x00", b"a", b"ab", b"b", b"\xff"]
    assert [key for key, _ in store.scan(Table.DUE, b"a", b"b")] == [b"a", b"ab"]
    assert [key for key, _ in store.scan(Table.DUE, b"aa")] == [b"ab", b"b", b"\xff"]
    assert [*store.scan(Table.DUE, b"c", b"d")] == []


def test_a_scan_shows_the_table_as_it_was_when_it_began(store: Store) -> None:
    """Due requests are moved while the table of due requests is read."""
    fill(store, Table.DUE, {b"a": b"1", b"b": b"2"})
    pairs = store.scan(Table.DUE)
    fill(store, Table.DUE, {b"c": b"3"})
    batch = Writes()
    batch.delete(Table.DUE, b"b")
    store.write(batch)
    assert [*pairs] == [(b"a", b"1"), (b"b", b"2")]
    assert [key for key, _ in store.scan(Table.DUE)] == [b"a", b"c"]


def test_a_batch_is_unseen_until_it_is_written(store: Store) -> None:
    """A step that fails half-way must leave no trace."""
    batch = Writes()
    batch.put(Table.PAGE, b"a", b"1")
    batch.put(Table.HOST, b"h", b"2")
    assert store.get(Table.PAGE, b"a") is None
    store.write(batch)
    assert (store.get(Table.PAGE, b"a"), store.get(Table.HOST, b"h")) == (b"1", b"2")


def test_the_last_word_of_a_batch_counts(store: Store) -> None:
    """A step may change its mind."""
    batch = Writes()
    batch.put(Table.PAGE, b"a", b"1")
    batch.put(Table.PAGE, b"a", b"2")
    batch.put(Table.PAGE, b"b", b"1")
    batch.delete(Table.PAGE, b"b")
    batch.delete(Table.PAGE, b"c")
    batch.put(Table.PAGE, b"c", b"3")
    store.write(batch)
    assert [*store.scan(Table.PAGE)] == [(b"a", b"2"), (b"c", b"3")]


def test_deleting_what_is_not_there_is_fine(store: Store) -> None:
    """Deletes need no look before them."""
    batch = Writes()
    batch.delete(Table.PAGE, b"never")
    store.write(batch)
    assert [*store.scan(Table.PAGE)] == []


def test_a_reopened_database_has_everything(tmp_path: Path) -> None:
    """The crawl goes on tomorrow."""
    first = open_rocks(tmp_path / "db")
    fill(first, Table.PAGE, {b"a": b"1", b"b": b""})
    first.close()
    second = open_rocks(tmp_path / "db")
    assert [*second.scan(Table.PAGE)] == [(b"a", b"1"), (b"b", b"")]
    second.close()


def test_a_database_that_is_in_use_says_so(tmp_path: Path) -> None:
    """Two keepers on one frontier would ask everything twice."""
    first = open_rocks(tmp_path / "db")
    with pytest.raises(CrawlerError, match="cannot be opened"):
        open_rocks(tmp_path / "db")
    first.close()


keys = st.binary(max_size=3)
tables = st.sampled_from([Table.PAGE, Table.DUE])
write = st.tuples(tables, keys, st.one_of(st.none(), st.binary(max_size=3)))
scan = st.tuples(tables, keys, st.one_of(st.none(), keys))


@pytest.fixture(scope="module")
def make_rocks(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], RocksStore]:
    return lambda: open_rocks(tmp_path_factory.mktemp("rocks") / "db")


Rows = list[tuple[Table, bytes, bytes | None]]


def batch_of(rows: Rows) -> Writes:
    batch = Writes()
    for table, key, value in rows:
        if value is None:
            batch.delete(table, key)
        else:
            batch.put(table, key, value)
    return batch


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.lists(write, max_size=6), scan), max_size=12))
def test_no_store_can_be_told_from_another(
    make_rocks: Callable[[], RocksStore],
    steps: list[tuple[Rows, tuple[Table, bytes, bytes | None]]],
) -> None:
    """What tests prove over memory must hold on disk, in a partition, and while writes are pending."""
    memory, rocks, parts = MemoryStore(), make_rocks(), MemoryStore()
    stores: list[Store] = [
        rocks, Partition(parts, 0), Partition(parts, 1),
        EverPending(Partition(parts, 2)), EverPending(MemoryStore()),
    ]  # fmt: skip
    for writes, (table, start, stop) in steps:
        for store in (memory, *stores):
            store.write(batch_of(writes))
        asked = [start, *(key for _, key, _ in writes)]
        for store in stores:
            assert memory.get_many(table, asked) == store.get_many(table, asked)
            assert memory.get(table, start) == store.get(table, start)
            assert [*memory.scan(table, start, stop)] == [*store.scan(table, start, stop)]
    rocks.close()
