"""Which request was put off, and until when?

The table DUE, ordered by moment: what failed and is to be tried again, and names to be looked up again. The
first moment is kept in memory, because the keeper asks for it many times a second and seldom is it now.
"""

from dataclasses import dataclass
from itertools import islice
from math import inf
from typing import Final

import msgspec

from tiptoe.frontier.messages import Request
from tiptoe.store.tables import Batch, Store, Table
from tiptoe.url.address import page_key

__all__ = ["Deferred", "Due"]

MOMENT_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class Deferred:
    """One row of the table."""

    at: float
    row: bytes
    request: Request


class Due:
    """Requests by the moment from which they may be made."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(Request).decode
        self._first_at = next((_moment(row) for row, _ in store.scan(Table.DUE)), inf)

    def put(self, batch: Batch, request: Request, at: float) -> None:
        """Let a request wait for a moment."""
        row = _row(at) + page_key(request.url)
        self._first_at = min(self._first_at, _moment(row))
        batch.put(Table.DUE, row, self._encode(request))

    def take(self, batch: Batch, now: float, wanted: int) -> list[Request]:
        """Remove the first requests whose moment has come; at the start of a step only."""
        taken: list[Request] = []
        if now < self._first_at:
            return taken
        # Not from the start: what was taken lies in the store for a while, and is slow to pass.
        start = _row(self._first_at)
        self._first_at = inf
        for row, stored in self._store.scan(Table.DUE, start):
            if _moment(row) > now or len(taken) == wanted:
                self._first_at = _moment(row)
                break
            batch.delete(Table.DUE, row)
            taken.append(self._decode(stored))
        return taken

    def ahead(self, start_at: float, wanted: int) -> list[Deferred]:
        """Return the first requests whose moment is not before this one; at the start of a step only."""
        if self._first_at == inf:
            return []
        rows = self._store.scan(Table.DUE, _row(max(start_at, self._first_at)))
        return [Deferred(_moment(row), row, self._decode(stored)) for row, stored in islice(rows, wanted)]

    def bring_forward(self, batch: Batch, deferred: Deferred, at: float) -> None:
        """Give a request an earlier moment."""
        batch.delete(Table.DUE, deferred.row)
        self.put(batch, deferred.request, min(at, deferred.at))

    def strike(self, batch: Batch, deferred: Deferred) -> None:
        """A request is not to be made any more."""
        batch.delete(Table.DUE, deferred.row)

    def next_at(self) -> float | None:
        """Return the moment of the first one."""
        return None if self._first_at == inf else self._first_at


def _row(at: float) -> bytes:
    return int(at * 1000).to_bytes(MOMENT_BYTES, "big")


def _moment(row: bytes) -> float:
    return int.from_bytes(row[:MOMENT_BYTES], "big") / 1000
