"""How does a store work without a disk?

The same contract as `rocks`, for tests and simulation: a dictionary per table,
and, from the first scan on, a sorted list of its keys.
"""

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence

from tiptoe.store.tables import Table, Writes

__all__ = ["MemoryStore"]


class MemoryStore:
    """Ordered tables of bytes in memory."""

    def __init__(self) -> None:
        self._tables: dict[Table, dict[bytes, bytes]] = {table: {} for table in Table}
        self._order: dict[Table, list[bytes]] = {}

    def get(self, table: Table, key: bytes) -> bytes | None:
        return self._tables[table].get(key)

    def get_many(self, table: Table, keys: Sequence[bytes]) -> list[bytes | None]:
        return list(map(self._tables[table].get, keys))

    def scan(
        self, table: Table, start: bytes = b"", stop: bytes | None = None
    ) -> Iterator[tuple[bytes, bytes]]:
        content = self._tables[table]
        if table not in self._order:
            self._order[table] = sorted(content)
        order = self._order[table]
        end = len(order) if stop is None else bisect_left(order, stop)
        found = [(key, content[key]) for key in order[bisect_left(order, start) : end]]
        return iter(found)

    def write(self, batch: Writes) -> None:
        for table, key, value in batch:
            content = self._tables[table]
            order = self._order.get(table)
            if value is None:
                if content.pop(key, None) is not None and order is not None:
                    del order[bisect_left(order, key)]
                continue
            if order is not None and key not in content:
                insort(order, key)
            content[key] = value

    def drop_range(self, start: bytes, stop: bytes) -> None:
        for table, content in self._tables.items():
            for key in [key for key in content if start <= key < stop]:
                del content[key]
            self._order.pop(table, None)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""
