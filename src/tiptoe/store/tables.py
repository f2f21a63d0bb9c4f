"""What can a store do, and which tables does it have?

Keys are bytes in byte order; what is used together lies together (host first).
A store does not show what has not been written yet.
"""

import enum
from collections.abc import Iterator, Sequence
from typing import Protocol

import msgspec

__all__ = ["FORMAT", "FORMAT_KEY", "Store", "Table", "Writes"]

FORMAT = 1
"""Of keys and values: a database of another number is not read. To be raised with every change of them."""

FORMAT_KEY = b"format"


class Table(enum.Enum):
    """The nouns of the keeper, one column family each."""

    __hash__ = object.__hash__  # looked up for every read and write: the one of Enum is ten times slower

    META = "meta"  # name -> counters and identity of the crawl
    PAGE = "page"  # host key + url key -> PageRecord; on hosts of many pages empty while queued
    SIEVE = "sieve"  # host key -> url keys of the first pages that were met there, joined
    QUEUE = "queue"  # host key + class + sequence -> Chunks of requests
    HOST = "host"  # host key -> HostRecord
    ADDRESS = "address"  # gate key -> AddressRecord
    ROBOTS = "robots"  # origin -> RobotsRecord
    INBOX = "inbox"  # host key + sequence -> Find that waits unread for the turn of its host
    NEW = "new"  # sequence -> host whose address is not known yet
    PARKED = "parked"  # rank + moment + host key -> host with requests, waiting for its moment
    DUE = "due"  # moment + host key + url key -> request to be made later
    DEFERRED = "deferred"  # host key + moment + url key -> nothing: the rows of DUE by host
    REVISIT = "revisit"  # moment + host key + url key -> purpose of a page that is to be visited again then
    LEASE = "lease"  # visit id -> Visit in the hands of a harvester
    MARK = "mark"  # output file -> its committed size, and whether it is finished
    HOLDING = "holding"  # row of output files + sequence -> Holding: the pages of one report
    SHAPE = "shape"  # host key + shape key -> pages handed out whose URLs differ only in numbers
    CONTENT = "content"  # text hash -> first host with this text
    PARAGRAPH = "paragraph"  # hash -> first site, and counts or a text's URL; hash + site -> count there


class Writes(list[tuple[Table, bytes, bytes | None]]):
    """Rows that are written together: table, key, and value, or None to delete; the last of a key counts.

    A list like any other: it can be read, measured, and sent to whoever keeps a copy of the tables.
    """

    __slots__ = ()

    def put(self, table: Table, key: bytes, value: bytes) -> None:
        """Write a row."""
        self.append((table, key, value))

    def delete(self, table: Table, key: bytes) -> None:
        """Delete a row, if it is there."""
        self.append((table, key, None))

    @property
    def size(self) -> int:
        """Bytes of all keys and values."""
        return sum(len(key) + len(value or b"") for _, key, value in self)

    def encode(self) -> bytes:
        """Return it as it can be sent."""
        return _encode(list(self))

    @classmethod
    def decode(cls, encoded: bytes) -> "Writes":
        """Return what was encoded."""
        return cls(_decode(encoded))


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[tuple[Table, bytes, bytes | None]]).decode


class Store(Protocol):
    """Ordered tables of bytes."""

    def get(self, table: Table, key: bytes) -> bytes | None: ...

    def get_many(self, table: Table, keys: Sequence[bytes]) -> list[bytes | None]: ...

    def scan(
        self, table: Table, start: bytes = b"", stop: bytes | None = None
    ) -> Iterator[tuple[bytes, bytes]]:
        """Yield pairs with start <= key < stop in key order, as of the call."""
        ...

    def write(self, batch: Writes) -> None:
        """Write all of it or nothing."""
        ...

    def close(self) -> None: ...
