"""How is a shard written as one stream of bytes?

A line with the version, then frames: a kind, a length, and a compressed body. The first frame names the shard
and its position in the log, then come its rows in blocks, and the last frame has their number and a digest of
everything before it. So a stream that was cut or changed, or belongs to another shard, is recognised, and
both ends hold no more than a block in memory.
"""

import struct
from collections.abc import Iterator
from typing import Final

import msgspec
import xxhash
import zstandard

from tiptoe.cluster.log_batch import POSITION_KEY, LogPosition
from tiptoe.errors import CrawlerError
from tiptoe.store.tables import FORMAT, Store, Table, Writes

__all__ = ["BrokenSnapshot", "SnapshotReader", "snapshot_blocks"]

FIRST_LINE: Final = b"tiptoe snapshot 1\n"
HEAD, ROWS, END = b"H", b"R", b"E"
BLOCK_BYTES: Final = 256 << 10
FRAME_BYTES_MAX: Final = 1 << 30
COMPRESSION_LEVEL: Final = 1

_frame = struct.Struct(">cI")


class BrokenSnapshot(CrawlerError):
    """A snapshot cannot be read: it was cut or changed, or belongs to something else."""


class SnapshotHead(msgspec.Struct, frozen=True, array_like=True):
    """What a snapshot contains."""

    format: int  # of keys and values in the tables
    shard: int
    position: LogPosition


class SnapshotEnd(msgspec.Struct, frozen=True, array_like=True):
    """What proves that a snapshot is complete."""

    rows: int
    digest: bytes  # of all bytes before this frame


_encode = msgspec.msgpack.Encoder().encode


def snapshot_blocks(store: Store, shard: int, position: LogPosition) -> Iterator[bytes]:
    """Yield a snapshot of a store as of the call, when it contains its log up to this position."""
    # All tables are opened now, before anything else can be written, so that they are consistent.
    tables = [(table, store.scan(table)) for table in Table]
    return _blocks(tables, SnapshotHead(FORMAT, shard, position))


def _blocks(tables: list[tuple[Table, Iterator[tuple[bytes, bytes]]]], head: SnapshotHead) -> Iterator[bytes]:
    packer = zstandard.ZstdCompressor(level=COMPRESSION_LEVEL, write_checksum=True)
    begin = FIRST_LINE + _packed(packer, HEAD, _encode(head))
    digest, rows = xxhash.xxh3_128(begin), 0
    yield begin
    for batch in _batches(tables):
        block = _packed(packer, ROWS, batch.encode())
        digest.update(block)
        rows += len(batch)
        yield block
    yield _packed(packer, END, _encode(SnapshotEnd(rows, digest.digest())))


def _batches(tables: list[tuple[Table, Iterator[tuple[bytes, bytes]]]]) -> Iterator[Writes]:
    batch, size = Writes(), 0
    for table, pairs in tables:
        for key, value in pairs:
            if table is Table.META and key == POSITION_KEY:
                continue  # it is in the head
            batch.append((table, key, value))
            size += len(key) + len(value)
            if size >= BLOCK_BYTES:
                yield batch
                batch, size = Writes(), 0
    if batch:
        yield batch


def _packed(packer: zstandard.ZstdCompressor, kind: bytes, body: bytes) -> bytes:
    data = packer.compress(body)
    return _frame.pack(kind, len(data)) + data


class SnapshotReader:
    """Takes a snapshot in pieces of any size and returns its rows in batches."""

    def __init__(self, shard: int) -> None:
        self._shard = shard
        self._buffer = bytearray()
        self._digest = xxhash.xxh3_128()
        self._unpacker = zstandard.ZstdDecompressor()
        self._rows = 0
        self._is_begun = False
        self._head: SnapshotHead | None = None
        self._is_complete = False

    def feed(self, piece: bytes) -> Iterator[Writes]:
        """Take a piece; yield the batches that are complete with it. Raises BrokenSnapshot."""
        self._buffer += piece
        if not self._is_begun:
            if len(self._buffer) < len(FIRST_LINE):
                return
            if not self._buffer.startswith(FIRST_LINE):
                raise self._broken("it does not begin like one of this version")
            self._is_begun = True
            self._pass(len(FIRST_LINE))
        while len(self._buffer) >= _frame.size:
            kind, size = _frame.unpack_from(self._buffer)
            if size > FRAME_BYTES_MAX:
                raise self._broken(f"a frame of {size} bytes")
            end = _frame.size + size
            if len(self._buffer) < end:
                return
            body = self._unpacked(bytes(self._buffer[_frame.size : end]))
            yield from self._frame(kind, body)
            self._pass(end)

    def finish(self) -> LogPosition:
        """Return the log position of the snapshot. Raises BrokenSnapshot if it is incomplete."""
        if self._head is None or not self._is_complete or self._buffer:
            raise self._broken("its end is missing")
        return self._head.position

    def _frame(self, kind: bytes, body: bytes) -> Iterator[Writes]:
        try:
            if kind == HEAD and self._head is None:
                self._take_head(msgspec.msgpack.decode(body, type=SnapshotHead))
            elif kind == ROWS and self._head is not None and not self._is_complete:
                batch = Writes.decode(body)
                self._rows += len(batch)
                yield batch
            elif kind == END and self._head is not None and not self._is_complete:
                self._take_end(msgspec.msgpack.decode(body, type=SnapshotEnd))
            else:
                raise self._broken(f"a frame {kind!r} where it cannot be")
        except msgspec.DecodeError as error:
            raise self._broken(str(error)) from error

    def _take_head(self, head: SnapshotHead) -> None:
        if head.format != FORMAT:
            raise self._broken(f"it has tables of format {head.format}, and this version reads {FORMAT}")
        if head.shard != self._shard:
            raise self._broken(f"it is of shard {head.shard}")
        self._head = head

    def _take_end(self, end: SnapshotEnd) -> None:
        if end != SnapshotEnd(self._rows, self._digest.digest()):
            raise self._broken("it is not what was written")
        self._is_complete = True

    def _unpacked(self, data: bytes) -> bytes:
        try:
            if not 0 <= zstandard.frame_content_size(data) <= FRAME_BYTES_MAX:
                raise self._broken("a frame of no size, or a larger one than is ever written")
            return self._unpacker.decompress(data)
        except zstandard.ZstdError as error:
            raise self._broken(str(error)) from error

    def _pass(self, size: int) -> None:
        self._digest.update(bytes(self._buffer[:size]))
        del self._buffer[:size]

    def _broken(self, found: str) -> BrokenSnapshot:
        return BrokenSnapshot(f"the snapshot of shard {self._shard} cannot be read: {found}")
