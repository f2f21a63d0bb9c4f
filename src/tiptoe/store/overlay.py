"""What would a store hold if this had been written to it?

Writes stay in memory, over a store that is only read. For single rows that are
never deleted: nothing else is looked for below.
"""

from collections.abc import Iterator, Sequence

from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Rows, Table

__all__ = ["Overlay"]


class Overlay(MemoryStore):
    """Rows in memory over those of a store."""

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
        """Yield what was written."""
        for table, content in self._tables.items():
            for key, value in content.items():
                yield table, key, value
