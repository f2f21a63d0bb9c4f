"""A holder of a shard that works until it is killed: its log is a file, its disk a real database.

python dying_holder.py DATABASE LOG
"""

import random
import sys
from collections.abc import Iterator
from pathlib import Path

from tiptoe.cluster.batch_appender import Append, BatchAppender
from tiptoe.cluster.log_batch import BatchReader, LogAuthor, LogPosition, position_of
from tiptoe.store.partition import PARTITION_BYTES, Partition
from tiptoe.store.pending import PendingStore
from tiptoe.store.rocks import RocksStore
from tiptoe.store.tables import Table, Writes

__all__ = ["SHARD", "open_part", "read_log", "read_on"]

SHARD = 5
LENGTH_BYTES = 4


def open_part(path: Path) -> tuple[RocksStore, Partition]:
    # Small buffers: files are written and merged all the time.
    store = RocksStore(
        path, block_cache_bytes=1 << 20, write_buffer_bytes=1 << 16, prefix_bytes=PARTITION_BYTES
    )
    return store, Partition(store, SHARD)


def read_log(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the whole messages of the file, with their sequences."""
    data, at, sequence = path.read_bytes() if path.exists() else b"", 0, 0
    while at + LENGTH_BYTES <= len(data):
        end = at + LENGTH_BYTES + int.from_bytes(data[at : at + LENGTH_BYTES], "big")
        if end > len(data):
            return
        sequence += 1
        yield sequence, data[at + LENGTH_BYTES : end]
        at = end


def read_on(part: Partition, log: Path) -> LogPosition:
    """Bring a partition up to date; return the place behind the last message."""
    reader = BatchReader("log.5", position_of(part) or LogPosition())
    for sequence, message in read_log(log):
        batch = reader.read(sequence, message)
        if batch is not None:
            part.write(Writes([*batch, *reader.position.row()]))
    return reader.position


def work(database: Path, log: Path) -> None:
    """Take the shard, and change random rows for as long as one lives."""
    _, part = open_part(database)
    place = read_on(part, log)
    store, rng = PendingStore(part), random.Random(place.sequence)
    appender = BatchAppender(LogAuthor("a", place.term + 1), place, message_bytes_max=2000)
    with log.open("r+b" if log.exists() else "w+b") as file:
        file.seek(sum(LENGTH_BYTES + len(message) for _, message in read_log(log)))
        file.truncate()
        while True:
            count = int(store.get(Table.META, b"count") or b"0") + 1
            batch = Writes([(Table.META, b"count", b"%d" % count)])
            for _ in range(rng.randrange(60)):
                table = rng.choice([Table.PAGE, Table.INBOX, Table.DUE])
                value = rng.choice([None, rng.randbytes(200)])
                batch.append((table, rng.randrange(500).to_bytes(8, "big"), value))
            store.write(batch)
            appender.begin(store.take())
            while isinstance(order := appender.order(), Append):
                file.write(len(order.data).to_bytes(LENGTH_BYTES, "big") + order.data)
                file.flush()
                appender.stored(order.expected + 1)
            store.settle(appender.position.row())


if __name__ == "__main__":
    work(Path(sys.argv[1]), Path(sys.argv[2]))
