"""What can a store do, and which tables does it have?

Keys are bytes in byte order; rows that are used together are adjacent (host first).
A store does not show writes that were not committed yet.
"""

import enum
from collections.abc import Iterator, Sequence
from typing import Protocol

import msgspec

__all__ = ["FORMAT", "FORMAT_KEY", "Ranges", "Rows", "Store", "Table", "Writes", "after"]

FORMAT = 2
"""Version of the format of keys and values; a database with another one is not read. Raise it whenever the
format changes."""

FORMAT_KEY = b"format"


AFTER_MOMENT = 8
"""Position of the key of a host in tables that are ordered by a time or another number."""


class Table(enum.Enum):
    """The tables of the keeper, one column family each, with the position of the host's key in their keys.

    All rows of a host are found by that key: in tables whose keys begin with it, they are one range; in the
    others, the host's record or a row of such a range contains the number they are stored under (see
    `frontier/moving.py`). Rows of tables without a position do not move with a host: they belong to an
    address, a text, a file or the crawl.
    """

    __hash__ = object.__hash__  # used by every read and write; that of Enum is ten times slower

    host_at: int | None

    def __new__(cls, name: str, host_at: int | None = None) -> "Table":
        table = object.__new__(cls)
        table._value_ = name
        table.host_at = host_at
        return table

    META = "meta"  # name -> counters and identity of the crawl
    PAGE = "page", 0  # host key + url key -> PageRecord; on hosts of many pages empty while queued
    SIEVE = "sieve", 0  # host key -> url keys of the first pages that were found there, joined
    QUEUE = "queue", 0  # host key + class + sequence -> Chunks of requests
    HOST = "host", 0  # host key -> HostRecord
    ROBOTS = "robots", 0  # host key + origin -> RobotsNote
    INBOX = "inbox", 0  # host key + sequence -> LinkBatch that waits unread for the turn of its host
    AWAITED = "awaited", 0  # host key + sequence -> Letter to a host that has not arrived yet
    SHAPE = "shape", 0  # host key + shape key -> pages handed out whose URLs differ only in numbers
    DEFERRED = "deferred", 0  # host key + time + url key -> nothing: the rows of DUE by host
    DUE = "due", AFTER_MOMENT  # time + host key + url key -> request to be made later
    NEW = "new", AFTER_MOMENT  # sequence + host key -> host whose address is not known yet
    PARKED = "parked", AFTER_MOMENT  # rank, time + host key -> host with requests that waits
    REVISIT = "revisit", AFTER_MOMENT  # time + host key + url key -> Appointment of a page
    RESIDENCE = "residence"  # host key -> Residence, of hosts that have moved: see `frontier/residence.py`
    OUTBOX = "outbox"  # shard + number -> mail to that shard, until it is delivered
    TEXT = "text"  # number -> what a step adds to the index of texts, until all shards have their parts
    ADDRESS = "address"  # gate key -> AddressRecord
    LEASE = "lease"  # gate key -> Lease: the visit under way there
    MARK = "mark"  # output file -> its committed size, and whether it is finished
    HOLDING = "holding"  # row of output files + sequence -> Holding: the pages of one report
    CONTENT = "content"  # text hash -> first host with this text
    PARAGRAPH = "paragraph"  # hash -> first site, and counts or a text's URL; hash + site -> count there


def after(prefix: bytes) -> bytes | None:
    """Return the first key after all keys with this prefix; None if there is none."""
    kept = prefix.rstrip(b"\xff")
    return kept[:-1] + bytes((kept[-1] + 1,)) if kept else None


class Writes(list[tuple[Table, bytes, bytes | None]]):
    """Rows that are written together: table, key, and value, or None to delete; the last one of a key counts.

    An ordinary list: it can be read, measured, and sent to a copy of the tables.
    """

    __slots__ = ()

    def put(self, table: Table, key: bytes, value: bytes) -> None:
        """Write a row."""
        self.append((table, key, value))

    def delete(self, table: Table, key: bytes) -> None:
        """Delete a row, if it exists."""
        self.append((table, key, None))

    @property
    def size(self) -> int:
        """Bytes of all keys and values."""
        return sum(len(key) + len(value or b"") for _, key, value in self)

    def encode(self) -> bytes:
        """Return the writes as bytes, to be sent."""
        return _encode(list(self))

    @classmethod
    def decode(cls, encoded: bytes) -> "Writes":
        """Return the writes that were encoded."""
        return cls(_decode(encoded))


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[tuple[Table, bytes, bytes | None]]).decode


class Rows(Protocol):
    """Tables of bytes in which single rows are looked up."""

    def get(self, table: Table, key: bytes) -> bytes | None: ...

    def get_many(self, table: Table, keys: Sequence[bytes]) -> list[bytes | None]: ...


class Ranges(Rows, Protocol):
    """Ordered tables of bytes that are only read."""

    def scan(
        self, table: Table, start: bytes = b"", stop: bytes | None = None
    ) -> Iterator[tuple[bytes, bytes]]:
        """Yield pairs with start <= key < stop in key order, as of the call."""
        ...


class Store(Ranges, Protocol):
    """Ordered tables of bytes."""

    def write(self, batch: Writes) -> None:
        """Write all rows atomically."""
        ...

    def close(self) -> None: ...
