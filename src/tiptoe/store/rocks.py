"""How is the keeper's state kept on disk?

One RocksDB database, a column family per table. Memory is bounded by the block
cache and the write buffers, plus the Bloom filters (about 1.5 bytes a URL). A
batch is in the write-ahead log when `write` returns: a killed process loses
nothing.
"""

import contextlib
import errno
import json
import os
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from rocksdict import (
    BlockBasedOptions,
    Cache,
    DBCompactionStyle,
    DBCompressionType,
    MemtableFactory,
    Options,
    Rdict,
    ReadOptions,
    SliceTransform,
    WriteBatch,
)

from tiptoe.errors import CrawlerError, DamagedDatabase, DiskFull, SettingsError
from tiptoe.store.tables import FORMAT, FORMAT_KEY, Table, Writes

__all__ = [
    "SCATTERED_TABLES",
    "RocksStore",
    "check_format",
    "in_buckets",
    "noted_prefix_bytes",
    "trouble_with",
]

IDENTITY_KEY = b"identity"
IDENTITY_BYTES = 8

FULL = tuple(os.strerror(number) for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
DAMAGED = ("Corruption", os.strerror(errno.ENOENT), os.strerror(errno.EIO))
"""Words in the library's messages that indicate a full disk, or damage, rather than another failure."""

POINT_TABLES = frozenset(
    {Table.PAGE, Table.SIEVE, Table.QUEUE, Table.HOST, Table.ADDRESS, Table.ROBOTS, Table.SHAPE,
     Table.CONTENT, Table.PARAGRAPH}
)  # fmt: skip
"""Tables in which single keys are looked up: a Bloom filter says which files do not have a key."""


SCATTERED_TABLES = frozenset({Table.INBOX})
"""Tables that are written in random order of keys, and read and emptied for one host at a time."""

BUCKET_BYTES = 2
BUCKETS, BUCKET_HEIGHT, BUCKET_BRANCHING = 1 << 16, 4, 4
"""In memory, rows of these tables are in buckets by the first bytes of their keys, each bucket in order. With
one row per bucket, lookups would be fastest; with several, writing a file needs less sorting, because only
the buckets have to be sorted. A prefix that many keys share does not distinguish them, so the bytes after it
count."""

LIBRARY_NOTES = "rocksdict-config.json"
"""File in the database in which the library notes the length of the prefixes that make buckets."""

RUNS_MAX = 8
"""Maximum number of sorted runs of a table; above it they are merged."""


def check_format(path: Path, found: bytes | None) -> None:
    """Raise SettingsError if a database has another format, or does not say which it has."""
    if found != str(FORMAT).encode():
        written = f"of format {found.decode(errors='replace')}" if found else "of an unknown format"
        raise SettingsError(
            f"{path}: a database {written}, and this version of tiptoe reads format {FORMAT}; go on with the "
            "version that wrote it, or begin a new crawl with another --out"
        )


class RocksStore:
    """Ordered tables of bytes on disk; keys may have a prefix (see `store/partition.py`)."""

    def __init__(
        self, path: Path, *, block_cache_bytes: int, write_buffer_bytes: int, prefix_bytes: int = 0
    ) -> None:
        self._path = path
        self._bucket_bytes = prefix_bytes + BUCKET_BYTES
        has_data = any(path.glob("*.sst")) or any(path.glob("*.log"))
        if has_data and not (path / "CURRENT").exists():
            # Without CURRENT, the library would begin a new database in place of this one. (A crash while
            # the first files are created leaves no data, so it does not count as damage.)
            raise DamagedDatabase(path, found="the file CURRENT is missing")
        cache = Cache(block_cache_bytes)
        options = _database_options(write_buffer_bytes)
        families = {
            table.value: _table_options(cache, table, write_buffer_bytes, prefix_bytes) for table in Table
        }
        try:
            self._db = Rdict(str(path), options, column_families=families)
        except Exception as error:
            raise trouble_with(path, error, "opened") from error
        self._tables = {table: self._db.get_column_family(table.value) for table in Table}
        self._handles = {table: self._db.get_column_family_handle(table.value) for table in Table}
        try:
            self._sign()
        except SettingsError:
            self.close()
            raise

    def _sign(self) -> None:
        """Note in a new database its format and the identity of the crawl; refuse another format."""
        if next(self.scan(Table.META), None) is None:
            batch = Writes()
            batch.put(Table.META, FORMAT_KEY, str(FORMAT).encode())
            batch.put(Table.META, IDENTITY_KEY, secrets.token_hex(IDENTITY_BYTES).encode())
            self.write(batch)
        check_format(self._path, self.get(Table.META, FORMAT_KEY))

    @property
    def identity(self) -> str:
        """A random name that distinguishes this crawl from any other."""
        return (self.get(Table.META, IDENTITY_KEY) or b"").decode()

    def get(self, table: Table, key: bytes) -> bytes | None:
        try:
            value: bytes | None = self._tables[table].get(key)
        except Exception as error:
            raise trouble_with(self._path, error, "read") from error
        return value

    def get_many(self, table: Table, keys: Sequence[bytes]) -> list[bytes | None]:
        try:
            values: Any = self._tables[table].get(cast(Any, keys)) if keys else []
        except Exception as error:
            raise trouble_with(self._path, error, "read") from error
        return cast(list[bytes | None], values)

    def scan(
        self, table: Table, start: bytes = b"", stop: bytes | None = None
    ) -> Iterator[tuple[bytes, bytes]]:
        pairs: Any = self._tables[table].items(
            from_key=start, read_opt=self._scan_options(table, start, stop)
        )
        return self._to_the_end(table, start, stop, pairs)

    def _to_the_end(
        self, table: Table, start: bytes, stop: bytes | None, pairs: Iterator[tuple[bytes, bytes]]
    ) -> Iterator[tuple[bytes, bytes]]:
        """Yield pairs, and check that they end with the range, because the library also stops at damage.

        This also keeps `stop` alive, to which the library holds only a pointer.
        """
        last = start
        for pair in pairs:
            yield pair
            last = pair[0]
        after = self._tables[table].iter(self._scan_options(table, start, stop))
        after.seek(last + b"\0" if last > start else start)
        try:
            after.status()
        except Exception as error:
            raise trouble_with(self._path, error, "read") from error

    def _scan_options(self, table: Table, start: bytes, stop: bytes | None) -> ReadOptions:
        options = ReadOptions()
        if stop is not None:
            options.set_iterate_upper_bound(stop)
        if table in SCATTERED_TABLES and not self._is_in_one_bucket(start, stop):
            options.set_total_order_seek(True)
        return options

    def _is_in_one_bucket(self, start: bytes, stop: bytes | None) -> bool:
        bucket = start[: self._bucket_bytes]
        return len(bucket) == self._bucket_bytes and stop is not None and stop.startswith(bucket)

    def write(self, batch: Writes) -> None:
        raw, handles = WriteBatch(raw_mode=True), self._handles
        put, delete = raw.put, raw.delete
        for table, key, value in batch:
            if value is None:
                delete(key, handles[table])
            else:
                put(key, value, handles[table])
        self._write(raw)

    def drop_range(self, start: bytes, stop: bytes) -> None:
        raw = WriteBatch(raw_mode=True)
        for handle in self._handles.values():
            raw.delete_range(start, stop, handle)  # one entry per table, however many rows there are
        self._write(raw)

    def _write(self, raw: WriteBatch) -> None:
        try:
            self._db.write(raw)
        except Exception as error:
            raise trouble_with(self._path, error, "written") from error

    def purge(self) -> None:
        """Rewrite the tables, so that no deleted row stays on disk."""
        for _ in self.purging():
            pass

    def purging(self) -> Iterator[None]:
        """Do the same table by table, with a pause after each; others may use the store meanwhile.

        The sieve, by far the largest table, is not rewritten: it holds only hashes.
        """
        try:
            for rows in self._tables.values():
                rows.flush()  # also the sieve: the write-ahead log is kept until every table is written
            for table, rows in self._tables.items():
                if table is not Table.SIEVE:
                    rows.compact_range(None, None)
                    yield
        except Exception as error:
            raise trouble_with(self._path, error, "written") from error

    def close(self) -> None:
        self._tables.clear()
        self._handles.clear()
        # Closing writes once more, which fails if the disk is full; but all data is in the write-ahead log.
        with contextlib.suppress(Exception):
            self._db.close()


def in_buckets(options: Options, prefix_bytes: int) -> Options:
    """Set the prefix of keys by which a table is divided into buckets."""
    options.set_prefix_extractor(SliceTransform.create_fixed_prefix(prefix_bytes + BUCKET_BYTES))
    return options


def noted_prefix_bytes(path: Path) -> int:
    """Return the length of the prefix that all keys of a database have."""
    try:
        noted = json.loads((path / LIBRARY_NOTES).read_bytes())["prefix_extractors"]
        return int(noted[Table.INBOX.value]["Fixed"]) - BUCKET_BYTES
    except (OSError, ValueError, LookupError, TypeError):
        return 0


def trouble_with(path: Path, error: Exception, done: str) -> CrawlerError:
    """Return an error of the library, which has one class for all of them, as one of our errors."""
    text = str(error)
    if any(sign in text for sign in FULL):
        return DiskFull(path)
    if any(sign in text for sign in DAMAGED):
        return DamagedDatabase(path, found=text)
    return CrawlerError(
        f"{path}: the database cannot be {done}: {text}; when that is put right, the same command goes on"
    )


def _database_options(write_buffer_bytes: int) -> Options:
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.create_missing_column_families(True)
    options.set_max_background_jobs(2)
    # When the log is full, every table writes a file, however small; so the log may exceed the buffers.
    options.set_max_total_wal_size(8 * write_buffer_bytes)
    options.set_db_write_buffer_size(5 * write_buffer_bytes)
    options.set_keep_log_file_num(3)
    options.set_max_open_files(512)
    options.set_allow_concurrent_memtable_write(False)  # not supported by hashed tables; there is one writer
    return options


def _table_options(cache: Cache, table: Table, write_buffer_bytes: int, prefix_bytes: int) -> Options:
    options = Options(raw_mode=True)
    blocks = BlockBasedOptions()
    blocks.set_block_cache(cache)
    # Not in the cache: there, data evicts filters of a megabyte, which are then read again for a single key.
    # That made lookups ten times slower above 4 million URLs. Outside the cache they take 1.5 bytes per URL.
    blocks.set_cache_index_and_filter_blocks(False)
    if table in POINT_TABLES:
        blocks.set_bloom_filter(10, False)
        # The same for rows still in memory: most URLs looked up are new, and this triples the speed.
        options.set_memtable_prefix_bloom_ratio(0.1)
        options.set_memtable_whole_key_filtering(True)
    options.set_block_based_table_factory(blocks)
    if table in SCATTERED_TABLES:
        # Finding the place of each row among a quarter of a million took a tenth of the keeper's time. For
        # rows that come in order, are few, or are looked up one by one, the default list is faster.
        in_buckets(options, prefix_bytes)
        hashed = MemtableFactory.hash_skip_list(BUCKETS, BUCKET_HEIGHT, BUCKET_BRANCHING)  # type: ignore[call-arg]
        options.set_memtable_factory(hashed)
    # The fewer files there are, the fewer places have to be searched for the rows of a host.
    options.set_write_buffer_size(write_buffer_bytes * (2 if table in SCATTERED_TABLES else 1))
    options.set_compression_type(DBCompressionType.lz4())
    # New rows are spread over all keys, so merging by levels would rewrite a whole level. Runs of similar
    # size are merged half as often, and the filters make reading a few more of them cheap.
    options.set_compaction_style(DBCompactionStyle.universal())
    options.set_level_zero_file_num_compaction_trigger(RUNS_MAX)
    return options
