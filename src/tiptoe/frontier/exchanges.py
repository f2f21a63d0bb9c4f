"""What may be requested before robots that share no cluster have compared their lists?

A crawl that waits for exchanges requests only URLs found before an exchange that is *closed*: by then the
other robots know of them and leave them to this one. Each chunk in a queue carries the number of exchanges
that had been opened when it was queued, so opening or closing one is a single write, however long the queues.

    found ─▶ exchange opened: its list holds everything found before ─▶ lists merged and read by all robots
          ─▶ exchange closed: what is left of the list may be requested
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
        self.are_awaited = False  # if not awaited, everything may be requested at once

    @property
    def opened(self) -> int:
        """How many exchanges were opened; URLs queued now carry this number."""
        return self._count.opened

    def open(self, batch: Writes) -> int:
        """Open an exchange; return its number, or 0 if this crawl waits for none."""
        if not self.are_awaited:
            return 0
        self._count.opened += 1
        self._write(batch)
        return self._count.opened

    def close(self, batch: Writes, number: int) -> None:
        """Close an exchange whose lists all robots have read; a number too high counts as the last one."""
        self._count.closed = max(self._count.closed, min(number, self._count.opened))
        self._write(batch)

    def is_awaited(self, number: int) -> bool:
        """Whether URLs that carry this number have to wait."""
        return self.are_awaited and number >= self._count.closed

    def _write(self, batch: Writes) -> None:
        batch.put(Table.META, EXCHANGE_KEY, msgspec.msgpack.encode(self._count))
