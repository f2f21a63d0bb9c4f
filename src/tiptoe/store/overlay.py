"""What would a store contain if this were written to it?

Writes stay in memory, on top of a store that is only read. Only for reading single
rows, and for rows that are never deleted.
"""

from collections.abc import Iterator, Sequence

from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Rows, Table

__all__ = ["Overlay"]


class Overlay(MemoryStore):
    """Rows in memory on top of those of a store."""

    def __init__(self, base: Rows) -> None:
        super().__init__()
        self._base = base

    def __len__(self) -> int:
        return sum(map(len, self._tables.values()))

    def get(self, table: Table, key: bytes) -> bytes | None:
        return self.get_many(table, [key])[0]

    def get_many(self, table: Table, keys: Sequence[bytes]) -> list[bytes | None]:
        own = self._tables[table]
        below = [key for key in keys if key not in own]
        found = dict(zip(below, self._base.get_many(table, below), strict=True))
        return [own[key] if key in own else found[key] for key in keys]

    def rows(self) -> Iterator[tuple[Table, bytes, bytes]]:
        """Yield the rows that were written."""
        for table, content in self._tables.items():
            for key, value in content.items():
                yield table, key, value
