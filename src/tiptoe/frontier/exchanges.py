"""What may be asked for before robots that share no cluster have compared their lists?

A crawl that waits for exchanges asks only for what was met before an exchange that is *closed*: the others
know of it by then, and nobody else asks for it. Each chunk in a queue bears the number of exchanges that had
been opened when it came there; so opening and closing one is a single write, however long the queues are.

    met ─▶ exchange opened: its list holds all that was met before ─▶ lists merged, and taken by all
        ─▶ exchange closed: what is left of it may be asked for
"""

from typing import Final

import msgspec

from tiptoe.store.tables import Rows, Table, Writes

__all__ = ["Exchanges"]

EXCHANGE_KEY: Final = b"exchange"


class Count(msgspec.Struct, array_like=True):
    """How many exchanges there were."""

    opened: int = 0
    closed: int = 0


class Exchanges:
    """The exchanges of a crawl, numbered from 1."""

    def __init__(self, rows: Rows) -> None:
        stored = rows.get(Table.META, EXCHANGE_KEY)
        self._count = msgspec.msgpack.decode(stored, type=Count) if stored else Count()
        self.are_awaited = False  # else everything may be asked for at once

    @property
    def opened(self) -> int:
        """How many were opened: what is met now bears this number."""
        return self._count.opened

    def open(self, batch: Writes) -> int:
        """Begin another one; return its number, 0 if this crawl waits for none."""
        if not self.are_awaited:
            return 0
        self._count.opened += 1
        self._write(batch)
        return self._count.opened

    def close(self, batch: Writes, number: int) -> None:
        """The lists of this one were taken by all; one that was never opened means nothing."""
        self._count.closed = max(self._count.closed, min(number, self._count.opened))
        self._write(batch)

    def is_awaited(self, number: int) -> bool:
        """Whether what bears this number has to wait."""
        return self.are_awaited and number >= self._count.closed

    def _write(self, batch: Writes) -> None:
        batch.put(Table.META, EXCHANGE_KEY, msgspec.msgpack.encode(self._count))
