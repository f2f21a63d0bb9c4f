"""Which page is to be visited again, and when?

The table REVISIT, ordered by moment. A host that was given up has an entry too:
the moment at which it gets another chance.
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
"""Stands in place of the key of a URL when an entry is about the host itself."""


class Appointment(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What is to be done at a moment."""

    purpose: Purpose
    tries: int = 0  # of this visit, that failed
    is_ordered: bool = False  # by a round: it is made whatever it is worth


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the calendar."""

    at: float
    key: bytes  # of the page
    appointment: Appointment


def moment_of(at: float) -> float:
    """Return a moment as the calendar knows it: in whole milliseconds."""
    return _milliseconds(at) / 1000


class Calendar:
    """Pages by the moment of their next visit; costs O(log pages) each time.

    Whoever enters a page notes the moment in its record: only with it can the entry be found again.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(Appointment).decode
        self._open: dict[bytes, Appointment | None] = {}  # entries of the open step; None = struck
        # Nothing stands before this. What was struck lies in the store for a while, and is slow to pass.
        self._floor = b""

    def enter(self, batch: Writes, key: bytes, at: float, appointment: Appointment) -> float:
        """Note a visit; return its moment as it is to be noted in the record."""
        row = row_of(at, key)
        self._floor = min(self._floor, row)
        self._open[row] = appointment
        batch.put(Table.REVISIT, row, self._encode(appointment))
        return moment_of(at)

    def strike(self, batch: Writes, key: bytes, at: float) -> None:
        """Remove the entry of this moment."""
        row = row_of(at, key)
        self._open[row] = None
        batch.delete(Table.REVISIT, row)

    def carry_in(self, batch: Writes, row: bytes, stored: bytes) -> None:
        """Take over an entry as it stood elsewhere."""
        self._floor = min(self._floor, row)
        self._open[row] = self._decode(stored)
        batch.put(Table.REVISIT, row, stored)

    def carry_off(self, batch: Writes, row: bytes) -> bytes | None:
        """Remove an entry that goes elsewhere; return it as it stands, None when it is not there."""
        stored = self._store.get(Table.REVISIT, row)
        if stored is not None:
            self._open[row] = None
            batch.delete(Table.REVISIT, row)
        return stored

    def enter_chance(self, batch: Writes, record: HostRecord, at: float) -> None:
        """Note when a host that was given up gets another chance."""
        record.chance_at = self.enter(batch, host_key(record.host) + NO_URL, at, Appointment(Purpose.ADDRESS))

    def strike_chance(self, batch: Writes, record: HostRecord) -> None:
        """Remove the chance of a host, if it has one."""
        if record.chance_at:
            self.strike(batch, host_key(record.host) + NO_URL, record.chance_at)
            record.chance_at = 0.0

    def find(self, key: bytes, at: float) -> Appointment | None:
        """Return the entry of this moment; None when the page is not there, but queued or visited."""
        row = row_of(at, key)
        if row in self._open:
            return self._open[row]
        stored = self._store.get(Table.REVISIT, row)
        return self._decode(stored) if stored else None

    def due(self, now: float, wanted: int) -> list[Entry]:
        """Return the first entries whose moment has come; at the start of a step only."""
        stop = (int(now * 1000) + 1).to_bytes(MOMENT_BYTES, "big")
        due = list(islice(self._entries(self._floor, stop), wanted))
        self._raise_floor(row_of(due[0].at, due[0].key) if due else stop)
        return due

    def ahead(self, now: float, wanted: int) -> list[Entry]:
        """Return the first entries whose moment has not come; at the start of a step only."""
        start = (int(now * 1000) + 1).to_bytes(MOMENT_BYTES, "big")
        return list(islice(self._entries(start, None), wanted))

    def next_at(self) -> float | None:
        """Return the moment of the first entry."""
        for entry in self._entries(self._floor, None):
            self._raise_floor(row_of(entry.at, entry.key))
            return entry.at
        return None

    def _entries(self, start: bytes, stop: bytes | None) -> Iterator[Entry]:
        for row, stored in self._store.scan(Table.REVISIT, start, stop):
            at = int.from_bytes(row[:MOMENT_BYTES], "big") / 1000
            yield Entry(at, row[MOMENT_BYTES:], self._decode(stored))

    def _raise_floor(self, row: bytes) -> None:
        if not self._open:  # else something may have been entered that is not in the store yet
            self._floor = max(self._floor, row)

    def committed(self) -> None:
        """The batch has been written."""
        self._open.clear()


def _milliseconds(at: float) -> int:
    """Return the first whole millisecond that is not earlier, but for what fractions lose."""
    return ceil(at * 1000 - 0.01)


def row_of(at: float, key: bytes) -> bytes:
    """Return where the entry of a page stands at a moment."""
    return _milliseconds(at).to_bytes(MOMENT_BYTES, "big") + key
