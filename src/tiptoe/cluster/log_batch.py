"""What does the log of a shard contain?

Batches of writes, compressed, each in one message or in several consecutive ones. A message names its author
and the message it follows, so the log is a chain: a reader sees at once when something is missing, and an
incomplete batch has no effect.

Rule: a batch is applied completely or not at all, and only after the one before it.
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
"""Maximum uncompressed size of a batch; a larger one is not read, whatever a message claims."""

POSITION_KEY: Final = b"log position"
"""Key of the row in table META that tells how much of the log a store contains."""


class BrokenLog(CrawlerError):
    """The log of a shard contains something that none of its holders can have written."""

    def __init__(self, subject: str, sequence: int, found: str) -> None:
        super().__init__(
            f"{subject}: message {sequence}: {found}; nothing behind it can be used; "
            "does another crawl, or another version of tiptoe, use the same name?"
        )
        self.subject = subject
        self.sequence = sequence


class LogGap(CrawlerError):
    """Messages after those already read are gone: a snapshot replaces them."""


class LogAuthor(msgspec.Struct, frozen=True, array_like=True):
    """The holder of a shard: an agent and its term, a number higher than that of all earlier holders."""

    agent: str
    term: int


class LogPosition(msgspec.Struct, frozen=True, array_like=True):
    """A position in a log, after a message."""

    sequence: int = 0
    log_bytes: int = 0  # of all messages up to here, including those that were cut off
    term: int = 0  # of its author

    def behind(self, sequence: int, message: bytes, author: LogAuthor) -> "LogPosition":
        """Return the position after the next message."""
        return LogPosition(sequence, self.log_bytes + len(message), author.term)

    def row(self) -> Writes:
        """Return the position as a row, to be written together with the batch of the message."""
        return Writes([(Table.META, POSITION_KEY, _encode(self))])


def position_of(store: Rows) -> LogPosition | None:
    """Return how much of its log a store contains; None when that is not recorded."""
    stored = store.get(Table.META, POSITION_KEY)
    return None if stored is None else _decode_position(stored)


class BatchPart(msgspec.Struct, frozen=True, array_like=True):
    """One message: a batch, or a part of a larger one."""

    version: int
    author: LogAuthor
    number: int  # of the batch, counted by its author; batch 0 is empty and marks its beginning
    part: int
    parts: int
    behind: LogPosition  # after the message that its author expected to be the last
    data: bytes

    def encode(self) -> bytes:
        return _encode(self)


_encode = msgspec.msgpack.Encoder().encode
_pack = zstandard.ZstdCompressor(level=COMPRESSION_LEVEL, write_checksum=True).compress
_unpack = zstandard.ZstdDecompressor().decompress
_decode_part = msgspec.msgpack.Decoder(BatchPart).decode
_decode_position = msgspec.msgpack.Decoder(LogPosition).decode


def compressed(batch: Writes) -> bytes:
    """Return the compressed form in which a batch is sent."""
    encoded = batch.encode()
    if len(encoded) > BATCH_BYTES_MAX:
        raise CrawlerError(f"a batch of {len(encoded)} bytes is more than a log takes ({BATCH_BYTES_MAX})")
    return _pack(encoded)


def part_data_max(author: LogAuthor, message_bytes_max: int) -> int:
    """Return how many bytes of a batch fit into one message of an author."""
    largest = (1 << 63) - 1
    place = LogPosition(largest, largest, largest)
    frame = len(BatchPart(VERSION, author, largest, largest, largest, place, b"").encode())
    room = message_bytes_max - frame - 4  # the length of the data takes up to four bytes more
    assert room > 0, f"messages of {message_bytes_max} bytes have no room for anything"
    return room


class BatchReader:
    """Puts batches together from the messages of a log as they arrive."""

    def __init__(self, subject: str, position: LogPosition) -> None:
        self.position = position  # after the last message that was read
        self._subject = subject
        self._last: BatchPart | None = None
        self._data: list[bytes] = []

    def read(self, sequence: int, message: bytes) -> Writes | None:
        """Take the next message; return the batch that it completes, if any.

        Raises LogGap when messages before it are missing, and BrokenLog when it cannot be right.
        """
        if sequence <= self.position.sequence:
            return None  # delivered twice
        part = self._decoded(sequence, message)
        if part.behind != self.position:
            raise LogGap(
                f"{self._subject}: message {sequence} follows {part.behind.sequence}, "
                f"and {self.position.sequence} was the last one here"
            )
        if found := self._trouble(part):
            raise BrokenLog(self._subject, sequence, found)
        if part.part == 0:
            self._data.clear()  # parts of an author that was stopped half-way
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
        """Return how a message contradicts what its author and earlier ones wrote; empty if it does not."""
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
