"""When is a snapshot of a shard made, and how does it replace the log before it?

An object is written, a key names it as the current one, then the log is cut and the previous object deleted:
in this order, so that at every moment the key names a complete snapshot and the log has what follows it.
Objects that may exist without being needed are listed in the key, from before they are written until they are
deleted: the agent that takes the next snapshot deletes what a crash has left.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Final

import msgspec

from tiptoe.cluster.engine import Engine, OutOfDate
from tiptoe.cluster.log_batch import LogPosition, position_of
from tiptoe.cluster.shard_log import log_subject
from tiptoe.cluster.snapshot_format import BrokenSnapshot, SnapshotReader, snapshot_blocks
from tiptoe.errors import CrawlerError
from tiptoe.store.partition import Partition

__all__ = [
    "GiveWay", "SnapshotNote", "current_snapshot", "drop_replaced", "is_snapshot_due", "load_snapshot",
    "no_hurry", "take_snapshot",
]  # fmt: skip

LOG_BYTES_MIN: Final = 16 << 20
"""Minimum length of a log that is worth a snapshot; a shorter one is read in about a second."""

LOG_SHARE: Final = 1.0
"""Bytes of log per byte of the previous snapshot: so snapshots at most double what is sent."""


GiveWay = Callable[[], Awaitable[None]]
"""Waits while more urgent work is under way."""


async def no_hurry() -> None:
    """Give way to nothing."""


class SnapshotNote(msgspec.Struct, frozen=True, array_like=True):
    """One snapshot: the log position up to which it goes, and its size in bytes."""

    position: LogPosition
    size: int


class SnapshotList(msgspec.Struct, frozen=True, array_like=True):
    """The value of a shard's key: the current snapshot, and objects that are not needed."""

    current: SnapshotNote | None = None
    spare: list[int] = []  # sequences of snapshots that were begun, or replaced


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(SnapshotList).decode


def _key(shard: int) -> str:
    return f"snapshot.{shard}"


def _object(shard: int, sequence: int) -> str:
    return f"snapshot.{shard}.{sequence}"


def is_snapshot_due(position: LogPosition, last: SnapshotNote | None) -> bool:
    """Return whether the log has become so long that a snapshot should replace it."""
    since = position.log_bytes - (last.position.log_bytes if last else 0)
    return since >= max(LOG_BYTES_MIN, LOG_SHARE * (last.size if last else 0))


async def current_snapshot(engine: Engine, shard: int) -> SnapshotNote | None:
    """Return the snapshot from which a shard is read."""
    return (await _listed(engine, shard))[0].current


async def _listed(engine: Engine, shard: int) -> tuple[SnapshotList, int]:
    found = await engine.get(_key(shard))
    if found is None:
        return SnapshotList(), 0
    try:
        return (_decode(found.value) if found.value is not None else SnapshotList()), found.revision
    except msgspec.DecodeError as error:
        raise CrawlerError(
            f"{_key(shard)}: not a list of snapshots ({error}); is it of this crawl?"
        ) from error


async def _put(engine: Engine, shard: int, listed: SnapshotList, revision: int) -> int:
    """Set the key of a shard; return its revision. Raises OutOfDate when another agent changed it first."""
    try:
        return await engine.put(_key(shard), _encode(listed), revision=revision)
    except OutOfDate:
        # An answer may have been lost: then it was our own write that came first.
        found = await engine.get(_key(shard))
        if found is None or found.value != _encode(listed):
            raise
        return found.revision


class _Counted:
    """Parts of an object, with the number of bytes read so far."""

    def __init__(self, parts: Iterable[bytes]) -> None:
        self._parts = parts
        self.size = 0

    def __iter__(self) -> Iterator[bytes]:
        for part in self._parts:
            self.size += len(part)
            yield part


async def take_snapshot(engine: Engine, shard: int, partition: Partition) -> SnapshotNote:
    """Make a snapshot of a partition, at its position in the log; only for the log's author, one at a time.

    Writes may go on meanwhile. Returns the current snapshot: this one, unless there was a later one. Raises
    OutOfDate when another agent made one at the same time, or EngineUnavailable; both can be retried.
    """
    listed, revision = await _listed(engine, shard)
    # Nothing is awaited between reading the position and the rows, so they belong together.
    position = position_of(partition)
    if position is None:
        raise CrawlerError(f"{partition!r} does not say how much of the log of shard {shard} it holds")
    blocks = _Counted(snapshot_blocks(partition, shard, position))
    sequence = position.sequence
    if listed.current is not None and listed.current.position.sequence >= sequence:
        return listed.current
    left = [spare for spare in listed.spare if spare != sequence]
    listed = msgspec.structs.replace(listed, spare=[*left, sequence])
    revision = await _put(engine, shard, listed, revision)
    await engine.put_object(_object(shard, sequence), blocks)
    note = SnapshotNote(position, blocks.size)
    replaced = [listed.current.position.sequence] if listed.current else []
    listed = SnapshotList(note, [*left, *replaced])
    try:
        revision = await _put(engine, shard, listed, revision)
    except OutOfDate:
        await engine.delete_object(_object(shard, sequence))
        raise
    await _drop_before(engine, shard, note, listed.spare, revision)
    return note


async def drop_replaced(engine: Engine, shard: int) -> None:
    """Delete what the current snapshot has replaced, in case a crash has left any of it.

    Only for the log's author. Raises OutOfDate or EngineUnavailable; both can be retried.
    """
    listed, revision = await _listed(engine, shard)
    if listed.current is not None:
        await _drop_before(engine, shard, listed.current, listed.spare, revision)


async def _drop_before(
    engine: Engine, shard: int, note: SnapshotNote, spare: Iterable[int], revision: int
) -> None:
    await engine.cut(log_subject(shard), before=note.position.sequence)
    for one in spare:
        await engine.delete_object(_object(shard, one))
    await _put(engine, shard, SnapshotList(note), revision)


async def load_snapshot(
    engine: Engine, shard: int, note: SnapshotNote, partition: Partition, give_way: GiveWay = no_hurry
) -> None:
    """Replace the rows of a partition by a snapshot. After BrokenSnapshot the partition is unusable.

    The partition gets a log position only after the last row, so an incomplete one is recognisable.
    """
    partition.drop()
    reader = SnapshotReader(shard)
    async with engine.get_object(_object(shard, note.position.sequence)) as pieces:
        if pieces is None:
            raise BrokenSnapshot(f"there is no object {_object(shard, note.position.sequence)}")
        async for piece in pieces:
            await give_way()
            for batch in reader.feed(piece):
                partition.write(batch)
    position = reader.finish()
    if position != note.position:
        raise BrokenSnapshot(
            f"{_object(shard, note.position.sequence)} is of {position}, not {note.position}"
        )
    partition.write(position.row())
