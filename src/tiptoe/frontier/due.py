"""Which requests are deferred, and until when?

The table DUE, ordered by time: requests that failed and are to be tried again, and names to look up again.
The first time is kept in memory, because the keeper checks it many times a second and it has rarely come.

The table DEFERRED lists the same rows by host, so that they can be found when a host is given up.
"""

from dataclasses import dataclass
from itertools import islice
from math import ceil, inf
from typing import Final

import msgspec

from tiptoe.frontier.counters import Gauges
from tiptoe.protocol.work import Purpose, Request
from tiptoe.store.tables import Store, Table, Writes
from tiptoe.url.address import KEY_BYTES, host_key, page_key

__all__ = ["Deferred", "Due", "by_host", "by_moment"]

MOMENT_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class Deferred:
    """One row of the table."""

    at: float
    row: bytes
    request: Request


class Due:
    """Requests by the time from which they may be made."""

    def __init__(self, store: Store, gauges: Gauges) -> None:
        self._store = store
        self._gauges = gauges
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(Request).decode
        self._first_at = next((_moment(row) for row, _ in store.scan(Table.DUE)), inf)
        self._put: dict[bytes, Request] = {}  # rows of the open step, which the store does not show yet
        self._removed: set[bytes] = set()  # rows removed in the open step, which the store still shows

    def put(self, batch: Writes, request: Request, at: float) -> None:
        """Defer a request until the given time."""
        self._put_row(batch, _row(at) + page_key(request.url), request)

    def _put_row(self, batch: Writes, row: bytes, request: Request) -> None:
        self._first_at = min(self._first_at, _moment(row))
        batch.put(Table.DUE, row, self._encode(request))
        batch.put(Table.DEFERRED, by_host(row), b"")
        self._put[row] = request
        self._removed.discard(row)
        self._count(request, 1)

    def take(self, batch: Writes, now: float, wanted: int) -> list[Request]:
        """Remove and return the first requests whose time has come; at the start of a step only."""
        taken: list[Request] = []
        if now < self._first_at:
            return taken
        # Not from the start of the table: deleted rows slow a scan down for a while.
        start = _bytes(int(self._first_at * 1000))
        self._first_at = inf
        for row, stored in self._store.scan(Table.DUE, start):
            if _moment(row) > now or len(taken) == wanted:
                self._first_at = _moment(row)
                break
            request = self._decode(stored)
            self._remove(batch, row, request)
            taken.append(request)
        return taken

    def withdraw(self, batch: Writes, host: str) -> list[Request]:
        """Remove and return everything that is deferred for a host."""
        key = host_key(host)
        listed = self._store.scan(Table.DEFERRED, key, key + b"\xff" * MOMENT_BYTES)
        rows = [place for row, _ in listed if (place := by_moment(row)) not in self._removed]
        rows += [row for row in self._put if row[MOMENT_BYTES:].startswith(key) and row not in rows]
        requests = []
        for row in rows:
            request = self._put.get(row)
            if request is None:
                stored = self._store.get(Table.DUE, row)
                assert stored is not None, f"due row {row.hex()} is missing"
                request = self._decode(stored)
            requests.append(request)
            self._remove(batch, row, request)
        if rows and self._first_at in map(_moment, rows):
            self._look_for_first()
        return requests

    def carry_off(self, batch: Writes, row: bytes) -> bytes:
        """Remove a request that moves to another shard with its host; return it as stored."""
        stored = self._store.get(Table.DUE, row)
        assert stored is not None, f"due row {row.hex()} is missing"
        self._remove(batch, row, self._decode(stored))
        return stored

    def carry_in(self, batch: Writes, row: bytes, stored: bytes) -> None:
        """Take over a deferred request from another shard, unchanged."""
        self._put_row(batch, row, self._decode(stored))

    def ahead(self, start_at: float, wanted: int) -> list[Deferred]:
        """Return the first requests that are due at `start_at` or later; at the start of a step only."""
        if self._first_at == inf:
            return []
        rows = self._store.scan(Table.DUE, _row(max(start_at, self._first_at)))
        return [Deferred(_moment(row), row, self._decode(stored)) for row, stored in islice(rows, wanted)]

    def bring_forward(self, batch: Writes, deferred: Deferred, at: float) -> None:
        """Make a request due earlier."""
        self._remove(batch, deferred.row, deferred.request)
        self.put(batch, deferred.request, min(at, deferred.at))

    def next_at(self) -> float | None:
        """Return when the first request is due."""
        return None if self._first_at == inf else self._first_at

    def committed(self) -> None:
        """The batch of this step has been written."""
        self._put.clear()
        self._removed.clear()

    def _count(self, request: Request, by: int) -> None:
        self._gauges.due += by
        if request.purpose is Purpose.ADDRESS:
            self._gauges.await_lookup(request.via, by)

    def _remove(self, batch: Writes, row: bytes, request: Request) -> None:
        batch.delete(Table.DUE, row)
        batch.delete(Table.DEFERRED, by_host(row))
        self._put.pop(row, None)
        self._removed.add(row)
        self._count(request, -1)

    def _look_for_first(self) -> None:
        stored = self._store.scan(Table.DUE, _bytes(int(self._first_at * 1000)))
        first = next((_moment(row) for row, _ in stored if row not in self._removed), inf)
        self._first_at = min([first, *map(_moment, self._put)])


def _row(at: float) -> bytes:
    # Rounded up: a request taken even slightly too early would be deferred again.
    return _bytes(ceil(at * 1000))


def _bytes(milliseconds: int) -> bytes:
    return milliseconds.to_bytes(MOMENT_BYTES, "big")


def _moment(row: bytes) -> float:
    return int.from_bytes(row[:MOMENT_BYTES], "big") / 1000


def by_host(row: bytes) -> bytes:
    """Return the key in DEFERRED that corresponds to this one in DUE."""
    moment, host, url = row[:MOMENT_BYTES], row[MOMENT_BYTES:-KEY_BYTES], row[-KEY_BYTES:]
    return host + moment + url


def by_moment(row: bytes) -> bytes:
    """Return the key in DUE that corresponds to this one in DEFERRED."""
    host, moment, url = row[:KEY_BYTES], row[KEY_BYTES:-KEY_BYTES], row[-KEY_BYTES:]
    return moment + host + url
