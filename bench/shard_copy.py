"""What does it cost to copy a shard to another machine?

A shard with a number of rows of about 150 bytes, like those of pages and queued requests, next to others in
one database: a snapshot of it is loaded into a second database, through memory; then it is dropped, and the
same rows are read from a log. Prints seconds and bytes.

    python bench/shard_copy.py --sizes 100000 1000000
"""

import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from sizes import wanted_sizes

from tiptoe.cluster.batch_appender import Append, BatchAppender
from tiptoe.cluster.engine import MESSAGE_BYTES_MAX
from tiptoe.cluster.log_batch import BatchReader, LogAuthor, LogPosition
from tiptoe.cluster.snapshot_format import SnapshotReader, snapshot_blocks
from tiptoe.settings.layers import Settings
from tiptoe.store.partition import PARTITION_BYTES, Partition
from tiptoe.store.rocks import RocksStore
from tiptoe.store.tables import Table, Writes

SHARD = 7
ROWS_A_BATCH = 200
VALUE = b"\x95\xd9\x30http://www.example.com/section-%d/article-%09d.html\xcb%s\x02\x00\xa0\xc0%s"


def rows(size: int) -> Iterator[tuple[Table, bytes, bytes]]:
    """Yield rows like those of pages: hashes, a URL, some numbers."""
    rng = random.Random(1)
    for number in range(size):
        if number % 50 == 0:
            host = rng.randbytes(8)
        table = Table.PAGE if number % 3 else Table.QUEUE
        value = VALUE % (number % 7, number, rng.randbytes(8), rng.randbytes(48))
        yield table, host + rng.randbytes(8), value


def batches(size: int) -> Iterator[Writes]:
    batch = Writes()
    for row in rows(size):
        batch.append(row)
        if len(batch) == ROWS_A_BATCH:
            yield batch
            batch = Writes()
    yield batch


def open_store(path: Path) -> RocksStore:
    sizes = Settings().frontier
    return RocksStore(
        path,
        block_cache_bytes=sizes.block_cache,
        write_buffer_bytes=sizes.write_buffer,
        prefix_bytes=PARTITION_BYTES,
    )


class Watch:
    """Prints what each part took: wall-clock time, and CPU time of all threads."""

    def __init__(self) -> None:
        self._at, self._spent = time.monotonic(), time.process_time()

    def lap(self, what: str) -> None:
        at, spent = time.monotonic(), time.process_time()
        print(f"  {what:<34} {at - self._at:>7.2f} s   {spent - self._spent:>7.2f} s CPU", flush=True)
        self._at, self._spent = at, spent


def measure(size: int, scratch: Path) -> None:
    """Print the cost of a shard with `size` rows."""
    print(f"{size:,} rows, {sum(len(k) + len(v) for _, k, v in rows(size)) / 1e6:.0f} MB")
    store, other = open_store(scratch / "one"), open_store(scratch / "two")
    part, copy = Partition(store, SHARD), Partition(other, SHARD)
    for neighbour in (SHARD - 1, SHARD + 1):
        for batch in batches(size // 10):
            Partition(store, neighbour).write(batch)
    watch = Watch()
    for batch in batches(size):
        part.write(batch)
    watch.lap("written")
    blocks = list(snapshot_blocks(part, SHARD, LogPosition()))
    watch.lap(f"snapshot, {sum(map(len, blocks)) / 1e6:.1f} MB")
    reader = SnapshotReader(SHARD)
    for block in blocks:
        for batch in reader.feed(block):
            copy.write(batch)
    reader.finish()
    watch.lap("loaded")
    assert all(
        mine == yours for mine, yours in zip(part.scan(Table.PAGE), copy.scan(Table.PAGE), strict=True)
    )
    watch.lap("compared")
    copy.drop()
    assert next(copy.scan(Table.PAGE), None) is None
    watch.lap("dropped")
    messages = list(_messages(size))
    watch.lap(f"log written, {sum(map(len, messages)) / 1e6:.1f} MB")
    log = BatchReader("log.7", LogPosition())
    for sequence, message in enumerate(messages, 1):
        copy.write(Writes([*(log.read(sequence, message) or ()), *log.position.row()]))
    watch.lap(f"log read, {ROWS_A_BATCH} rows a message")
    store.close()
    other.close()


def _messages(size: int) -> Iterator[bytes]:
    appender = BatchAppender(LogAuthor("bench", 1), LogPosition(), message_bytes_max=MESSAGE_BYTES_MAX)
    for batch in batches(size):
        appender.begin(batch)
        while isinstance(order := appender.order(), Append):
            yield order.data
            appender.stored(order.expected + 1)


def main() -> None:
    for size in wanted_sizes(__doc__, ROWS_A_BATCH):
        with tempfile.TemporaryDirectory() as scratch:
            measure(size, Path(scratch))


if __name__ == "__main__":
    main()
