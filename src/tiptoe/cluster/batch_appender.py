"""Was a message stored, and what is to be sent next?

One author appends its batches to the log of a shard, one message at a time, although answers get lost:
nothing is sent before it is known whether the previous message was stored. Decisions only, no I/O.

An append expects the last message to be the one that its author knows. So when it is in doubt whether a
message was stored, sending the same one again is harmless, and the end of the log gives the answer: it is
there, or nothing is new and it is sent again, or another agent has written and the shard is lost.
"""

from collections import deque
from typing import Final, NamedTuple

from tiptoe.cluster.engine import LogMessage
from tiptoe.cluster.log_batch import (
    VERSION,
    BatchPart,
    LogAuthor,
    LogPosition,
    compressed,
    part_data_max,
)
from tiptoe.errors import CrawlerError
from tiptoe.store.tables import Writes

__all__ = ["Append", "BatchAppender", "LookAtLast", "ShardLost"]

REFUSALS_MAX: Final = 10
"""Maximum refusals of one message while the log shows no reason for them; after more the shard is lost."""


class ShardLost(CrawlerError):
    """Another agent holds the shard: whatever was not acknowledged is void."""


class Append(NamedTuple):
    """Order: append a message after the one with this sequence."""

    data: bytes
    expected: int


class LookAtLast(NamedTuple):
    """Order: read the last message of the log."""


class BatchAppender:
    """The end of a log as its author sees it: idle, with a message to be sent, or with one in doubt."""

    def __init__(self, author: LogAuthor, position: LogPosition, *, message_bytes_max: int) -> None:
        self.author = author
        self.position = position  # after the last message known to be stored
        self._data_max = part_data_max(author, message_bytes_max)
        self._number = 0
        self._data: deque[bytes] = deque()  # of the parts that are not stored yet
        self._parts = 0
        self._message = b""
        self._is_in_doubt = False
        self._refusals = 0

    def begin(self, batch: Writes) -> None:
        """Take the next batch; the one before it must be stored."""
        assert not self._data, "one batch after the other"
        data = compressed(batch)
        self._data.extend(data[at : at + self._data_max] for at in range(0, len(data), self._data_max))
        self._parts = len(self._data)
        self._prepare()

    def order(self) -> Append | LookAtLast | None:
        """Return the next order; None when the batch is stored."""
        if not self._data:
            return None
        return LookAtLast() if self._is_in_doubt else Append(self._message, self.position.sequence)

    @property
    def is_refused_again(self) -> bool:
        """Whether the engine contradicts itself, which takes a while to pass."""
        return self._refusals > 1

    def stored(self, sequence: int) -> None:
        """Note that the message was acknowledged."""
        self.position = self.position.behind(sequence, self._message, self.author)
        self._is_in_doubt = False
        self._refusals = 0
        self._data.popleft()
        if self._data:
            self._prepare()
        else:
            self._number += 1

    def unanswered(self) -> None:
        """Note that the order was not answered, so that it may have been carried out."""
        self._is_in_doubt = True

    def refused(self) -> None:
        """Note that the log has another end than expected; perhaps our own message that was in doubt."""
        self._is_in_doubt = True
        self._refusals += 1

    def looked(self, last: LogMessage | None) -> None:
        """Take in the last message of the log; raise ShardLost when another agent wrote it."""
        if last is not None and last.data == self._message:
            self.stored(last.sequence)
            return
        is_unchanged = last is None or last.sequence <= self.position.sequence
        if not is_unchanged or self._refusals > REFUSALS_MAX:
            what = f"message {last.sequence}" if last else "nothing"
            raise ShardLost(
                f"{self.author.agent} (term {self.author.term}) has lost the shard: "
                f"its log ends with {what}, not with {self.position.sequence}"
            )
        self._is_in_doubt = False

    def _prepare(self) -> None:
        part = self._parts - len(self._data)
        self._message = BatchPart(
            VERSION, self.author, self._number, part, self._parts, self.position, self._data[0]
        ).encode()
