"""How do several crawls' worth of tables share one store?

All keys of a partition begin with its number, in every table: so it is one range of each, which can be read,
copied and dropped without touching anything else. Rows of the store as a whole are beside the partitions,
under names (`format`, `identity`): the bytes of a number are always lower than a letter.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

from tiptoe.store.tables import Store, Table, Writes, after

__all__ = ["PARTITIONS_MAX", "PARTITION_BYTES", "DividedStore", "Partition"]

PARTITION_BYTES = 2
"""Length of the number that precedes every key."""

PARTITIONS_MAX = 1 << 14
"""Maximum number of partitions; higher numbers would begin with the bytes of letters."""


class DividedStore(Store, Protocol):
    """A store that is shared by partitions."""

    def drop_range(self, start: bytes, stop: bytes) -> None:
        """Delete the rows with start <= key < stop in all tables, atomically and in little time."""
        ...


class Partition:
    """One part of a store: a store of its own."""

    def __init__(self, whole: DividedStore, number: int) -> None:
        assert 0 <= number < PARTITIONS_MAX, f"there is no partition {number}"
        self._whole = whole
        self._prefix = number.to_bytes(PARTITION_BYTES, "big")
        end = after(self._prefix)
        assert end is not None
        self._end = end

    def __repr__(self) -> str:
        return f"<Partition {int.from_bytes(self._prefix, 'big')}>"

    def get(self, table: Table, key: bytes) -> bytes | None:
        return self._whole.get(table, self._prefix + key)

    def get_many(self, table: Table, keys: Sequence[bytes]) -> list[bytes | None]:
        prefix = self._prefix
        return self._whole.get_many(table, [prefix + key for key in keys])

    def scan(
        self, table: Table, start: bytes = b"", stop: bytes | None = None
    ) -> Iterator[tuple[bytes, bytes]]:
        end = self._end if stop is None else self._prefix + stop
        rows = self._whole.scan(table, self._prefix + start, end)
        return ((key[PARTITION_BYTES:], value) for key, value in rows)

    def write(self, batch: Writes) -> None:
        prefix = self._prefix
        self._whole.write(Writes([(table, prefix + key, value) for table, key, value in batch]))

    def drop(self) -> None:
        """Delete the whole partition."""
        self._whole.drop_range(self._prefix, self._end)

    def close(self) -> None:
        """Do nothing: the database belongs to other partitions too."""
