"""What stands in the log of a shard?

Batches of writes, compressed, each in one message or in several that follow each other. A message says who
wrote it and behind which one it was put, so the log is a chain: whoever reads it sees at once when something
is missing, and a batch of which not all came shows as nothing.

Rule: a batch is applied whole or not at all, and only behind the one before it.
"""

from typing import Final

import msgspec
import zstandard

from tiptoe.errors import CrawlerError
from tiptoe.store.tables import Rows, Table, Writes

__all__ = [
    "POSITION_KEY",
    "VERSION",
    "BatchPart",
    "BatchReader",
    "BrokenLog",
    "LogAuthor",
    "LogGap",
    "LogPosition",
    "compressed",
    "part_data_max",
    "position_of",
]

VERSION: Final = 1
COMPRESSION_LEVEL: Final = 1
BATCH_BYTES_MAX: Final = 1 << 30
"""Of a batch that is not compressed: more is not read, whatever a message says."""

POSITION_KEY: Final = b"log position"
"""Row of the table META that says how much of the log a store holds."""


class BrokenLog(CrawlerError):
    """The log of a shard holds what none of its holders can have written."""

    def __init__(self, subject: str, sequence: int, found: str) -> None:
        super().__init__(
            f"{subject}: message {sequence}: {found}; nothing behind it can be used; "
            "does another crawl, or another version of tiptoe, use the same name?"
        )
        self.subject = subject
        self.sequence = sequence


class LogGap(CrawlerError):
    """Messages behind those that were read are gone: a snapshot stands for them."""


class LogAuthor(msgspec.Struct, frozen=True, array_like=True):
    """Who holds a shard: an agent, and the number of this holding, higher than those of all before it."""

    agent: str
    term: int


class LogPosition(msgspec.Struct, frozen=True, array_like=True):
    """A place in a log: behind a message."""

    sequence: int = 0
    log_bytes: int = 0  # of all messages up to here, those that were cut off included
    term: int = 0  # of its author

    def behind(self, sequence: int, message: bytes, author: LogAuthor) -> "LogPosition":
        """Return the place behind the next message."""
        return LogPosition(sequence, self.log_bytes + len(message), author.term)

    def row(self) -> Writes:
        """Return it as a row, to be written together with what the message brought."""
        return Writes([(Table.META, POSITION_KEY, _encode(self))])


def position_of(store: Rows) -> LogPosition | None:
    """Return how much of its log a store holds; None when it does not say."""
    stored = store.get(Table.META, POSITION_KEY)
    return None if stored is None else _decode_position(stored)


class BatchPart(msgspec.Struct, frozen=True, array_like=True):
    """One message: a batch, or a part of a larger one."""

    version: int
    author: LogAuthor
    number: int  # of the batch, counted by its author from 0, which is empty and marks that it has begun
    part: int
    parts: int
    behind: LogPosition  # the message that it follows: what its author expected to be the last
    data: bytes

    def encode(self) -> bytes:
        return _encode(self)


_encode = msgspec.msgpack.Encoder().encode
_pack = zstandard.ZstdCompressor(level=COMPRESSION_LEVEL, write_checksum=True).compress
_unpack = zstandard.ZstdDecompressor().decompress
_decode_part = msgspec.msgpack.Decoder(BatchPart).decode
_decode_position = msgspec.msgpack.Decoder(LogPosition).decode


def compressed(batch: Writes) -> bytes:
    """Return a batch as it is sent."""
    encoded = batch.encode()
    if len(encoded) > BATCH_BYTES_MAX:
        raise CrawlerError(f"a batch of {len(encoded)} bytes is more than a log takes ({BATCH_BYTES_MAX})")
    return _pack(encoded)


def part_data_max(author: LogAuthor, message_bytes_max: int) -> int:
    """Return how many bytes of data fit into one message of an author."""
    largest = (1 << 63) - 1
    place = LogPosition(largest, largest, largest)
    frame = len(BatchPart(VERSION, author, largest, largest, largest, place, b"").encode())
    room = message_bytes_max - frame - 4  # the length of the data takes up to four bytes more
    assert room > 0, f"messages of {message_bytes_max} bytes have no room for anything"
    return room


class BatchReader:
    """Puts batches together from the messages of a log, as they come."""

    def __init__(self, subject: str, position: LogPosition) -> None:
        self.position = position  # behind the last message that was read
        self._subject = subject
        self._last: BatchPart | None = None
        self._data: list[bytes] = []

    def read(self, sequence: int, message: bytes) -> Writes | None:
        """Take the next message; return the batch that it completes.

        Raises LogGap when there is something missing before it, and BrokenLog when it cannot be right.
        """
        if sequence <= self.position.sequence:
            return None  # told twice
        part = self._decoded(sequence, message)
        if part.behind != self.position:
            raise LogGap(
                f"{self._subject}: message {sequence} follows {part.behind.sequence}, "
                f"and {self.position.sequence} was the last one here"
            )
        if found := self._trouble(part):
            raise BrokenLog(self._subject, sequence, found)
        if part.part == 0:
            self._data.clear()  # of an author who was stopped half-way
        self._data.append(part.data)
        if sum(map(len, self._data)) > BATCH_BYTES_MAX:
            raise BrokenLog(self._subject, sequence, "part of a larger batch than is ever sent")
        self._last = msgspec.structs.replace(part, data=b"")
        batch = self._batch(sequence) if part.part == part.parts - 1 else None
        self.position = self.position.behind(sequence, message, part.author)
        return batch

    def _decoded(self, sequence: int, message: bytes) -> BatchPart:
        try:
            part = _decode_part(message)
        except msgspec.DecodeError as error:
            raise BrokenLog(self._subject, sequence, f"not a part of a batch ({error})") from error
        if part.version != VERSION:
            raise BrokenLog(self._subject, sequence, f"of version {part.version}, and not {VERSION}")
        return part

    def _trouble(self, part: BatchPart) -> str:
        """Return what is wrong with a message by what its author, and those before, have written."""
        last, term = self._last, self.position.term
        if not 0 <= part.part < part.parts:
            return f"part {part.part} of {part.parts}"
        if part.author.term < term:
            return f"it is of term {part.author.term}, after one of term {term}"
        if last is None:
            return "the rest of a batch whose beginning is not here" if part.part else ""
        is_open = last.part < last.parts - 1
        if part.part:
            is_next = is_open and part == msgspec.structs.replace(
                last, part=last.part + 1, behind=part.behind, data=part.data
            )
            return "" if is_next else f"part {part.part} of batch {part.number} is not what comes next"
        if part.number and (part.author != last.author or is_open or part.number != last.number + 1):
            return f"batch {part.number} of {part.author} is not what comes next"
        return ""

    def _batch(self, sequence: int) -> Writes:
        data = b"".join(self._data)
        self._data.clear()
        try:
            if not 0 <= zstandard.frame_content_size(data) <= BATCH_BYTES_MAX:
                raise BrokenLog(self._subject, sequence, "a batch of no size, or of more than is ever sent")
            return Writes.decode(_unpack(data))
        except (zstandard.ZstdError, msgspec.DecodeError) as error:
            raise BrokenLog(self._subject, sequence, f"not a batch ({error})") from error
