"""Which page is to be visited again, and when?

The table REVISIT, ordered by time. A host that was given up may have an entry
too: the time at which it gets another chance.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from math import ceil

import msgspec

from tiptoe.frontier.host import HostRecord
from tiptoe.protocol.work import Purpose
from tiptoe.store.tables import Store, Table, Writes
from tiptoe.url.address import KEY_BYTES, host_key

__all__ = ["NO_URL", "Appointment", "Calendar", "Entry", "moment_of", "row_of"]

MOMENT_BYTES = 8

NO_URL = bytes(KEY_BYTES)
"""Takes the place of the URL's key when an entry is about the host itself."""


class Appointment(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What is to be done at a given time."""

    purpose: Purpose
    tries: int = 0  # failed attempts at this visit
    is_ordered: bool = False  # by a round: made whatever its value


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the calendar."""

    at: float
    key: bytes  # of the page
    appointment: Appointment


def moment_of(at: float) -> float:
    """Return a time as the calendar stores it: in whole milliseconds."""
    return _milliseconds(at) / 1000


class Calendar:
    """Pages by the time of their next visit; each operation costs O(log pages).

    The caller of `enter` must note the time in the page record: without it the entry cannot be found again.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(Appointment).decode
        self._open: dict[bytes, Appointment | None] = {}  # entries of the open step; None = struck
        # No entry comes before this row. Scans start here, because deleted rows slow them down for a while.
        self._floor = b""

    def enter(self, batch: Writes, key: bytes, at: float, appointment: Appointment) -> float:
        """Enter a visit; return its time as it must be noted in the page record."""
        row = row_of(at, key)
        self._floor = min(self._floor, row)
        self._open[row] = appointment
        batch.put(Table.REVISIT, row, self._encode(appointment))
        return moment_of(at)

    def strike(self, batch: Writes, key: bytes, at: float) -> None:
        """Remove the entry of a page at this time."""
        row = row_of(at, key)
        self._open[row] = None
        batch.delete(Table.REVISIT, row)

    def carry_in(self, batch: Writes, row: bytes, stored: bytes) -> None:
        """Take over an entry from another shard, unchanged."""
        self._floor = min(self._floor, row)
        self._open[row] = self._decode(stored)
        batch.put(Table.REVISIT, row, stored)

    def carry_off(self, batch: Writes, row: bytes) -> bytes | None:
        """Remove an entry that moves to another shard; return it as stored, or None if there is none."""
        stored = self._store.get(Table.REVISIT, row)
        if stored is not None:
            self._open[row] = None
            batch.delete(Table.REVISIT, row)
        return stored

    def enter_chance(self, batch: Writes, record: HostRecord, at: float) -> None:
        """Enter when a host that was given up gets another chance."""
        record.chance_at = self.enter(batch, host_key(record.host) + NO_URL, at, Appointment(Purpose.ADDRESS))

    def strike_chance(self, batch: Writes, record: HostRecord) -> None:
        """Remove the chance of a host, if it has one."""
        if record.chance_at:
            self.strike(batch, host_key(record.host) + NO_URL, record.chance_at)
            record.chance_at = 0.0

    def find(self, key: bytes, at: float) -> Appointment | None:
        """Return the entry of a page at this time; None if there is none (it may be queued or visited)."""
        row = row_of(at, key)
        if row in self._open:
            return self._open[row]
        stored = self._store.get(Table.REVISIT, row)
        return self._decode(stored) if stored else None

    def due(self, now: float, wanted: int) -> list[Entry]:
        """Return the first entries whose time has come; at the start of a step only."""
        stop = (int(now * 1000) + 1).to_bytes(MOMENT_BYTES, "big")
        due = list(islice(self._entries(self._floor, stop), wanted))
        self._raise_floor(row_of(due[0].at, due[0].key) if due else stop)
        return due

    def ahead(self, now: float, wanted: int) -> list[Entry]:
        """Return the first entries whose time has not come yet; at the start of a step only."""
        start = (int(now * 1000) + 1).to_bytes(MOMENT_BYTES, "big")
        return list(islice(self._entries(start, None), wanted))

    def next_at(self) -> float | None:
        """Return the time of the first entry."""
        for entry in self._entries(self._floor, None):
            self._raise_floor(row_of(entry.at, entry.key))
            return entry.at
        return None

    def _entries(self, start: bytes, stop: bytes | None) -> Iterator[Entry]:
        for row, stored in self._store.scan(Table.REVISIT, start, stop):
            at = int.from_bytes(row[:MOMENT_BYTES], "big") / 1000
            yield Entry(at, row[MOMENT_BYTES:], self._decode(stored))

    def _raise_floor(self, row: bytes) -> None:
        if not self._open:  # otherwise the open step may hold an earlier entry that is not in the store yet
            self._floor = max(self._floor, row)

    def committed(self) -> None:
        """The batch has been written."""
        self._open.clear()


def _milliseconds(at: float) -> int:
    """Return the time in milliseconds, rounded up except for errors of floating point."""
    return ceil(at * 1000 - 0.01)


def row_of(at: float, key: bytes) -> bytes:
    """Return the key of a page's entry for a visit at this time."""
    return _milliseconds(at).to_bytes(MOMENT_BYTES, "big") + key
