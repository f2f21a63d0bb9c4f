"""How does a store look with writes that somebody else has to confirm first?

They show at once, over a base that does not have them yet. What has gathered is taken as one batch and sent
away; while it is under way the next gathers. When it is confirmed it goes to the base, whole; when it turns
out that it never will be, everything unconfirmed is forgotten. The base never holds what was not confirmed.

Rule: reads cost hardly more than those of the base while little is pending in the table that is read.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Sequence

from tiptoe.store.tables import Store, Table, Writes

__all__ = ["PendingStore"]


class _PendingTable:
    """Rows of one table, the deleted ones as None; in order from the first scan on."""

    __slots__ = ("order", "rows")

    def __init__(self) -> None:
        self.rows: dict[bytes, bytes | None] = {}
        self.order: list[bytes] | None = None

    def put(self, key: bytes, value: bytes | None) -> None:
        if self.order is not None and key not in self.rows:
            insort(self.order, key)
        self.rows[key] = value

    def between(self, start: bytes, stop: bytes | None) -> list[tuple[bytes, bytes | None]]:
        if self.order is None:
            self.order = sorted(self.rows)
        order, rows = self.order, self.rows
        end = len(order) if stop is None else bisect_left(order, stop)
        return [(key, rows[key]) for key in order[bisect_left(order, start) : end]]


Layer = dict[Table, _PendingTable]


class PendingStore:
    """Writes over a store: such as gather, over one batch that is under way, over what is confirmed.

    `on_write` is told of every write, before it shows.
    """

    def __init__(self, base: Store, on_write: Callable[[], None] = lambda: None) -> None:
        self._base = base
        self._on_write = on_write
        self._gathering: Layer = {}
        self._under_way: Layer = {}
        self._taken = Writes()

    @property
    def unconfirmed_rows(self) -> int:
        """How many rows there are over the base."""
        return _rows(self._gathering) + _rows(self._under_way)

    @property
    def has_gathered(self) -> bool:
        """Whether there is something to be taken."""
        return bool(self._gathering)

    @property
    def is_under_way(self) -> bool:
        """Whether a batch was taken that is neither confirmed nor dropped."""
        return bool(self._under_way)

    # -- a store like any other --------------------------------------------

    def get(self, table: Table, key: bytes) -> bytes | None:
        for layer in (self._gathering, self._under_way):
            if table in layer and key in (rows := layer[table].rows):
                return rows[key]
        return self._base.get(table, key)

    def get_many(self, table: Table, keys: Sequence[bytes]) -> list[bytes | None]:
        found: dict[bytes, bytes | None] = {}
        for layer in (self._under_way, self._gathering):
            if table in layer and not (rows := layer[table].rows).keys().isdisjoint(keys):
                found.update((key, rows[key]) for key in keys if key in rows)
        if not found:
            return self._base.get_many(table, keys)
        below = [key for key in keys if key not in found]
        found.update(zip(below, self._base.get_many(table, below), strict=True))
        return [found[key] for key in keys]

    def scan(
        self, table: Table, start: bytes = b"", stop: bytes | None = None
    ) -> Iterator[tuple[bytes, bytes]]:
        below = self._base.scan(table, start, stop)
        for layer in (self._under_way, self._gathering):
            if table in layer and (over := layer[table].between(start, stop)):
                below = _merged(over, below)
        return below

    def write(self, batch: Writes) -> None:
        self._on_write()
        gathering = self._gathering
        for table, key, value in batch:
            if table not in gathering:
                gathering[table] = _PendingTable()
            gathering[table].put(key, value)

    def close(self) -> None:
        """Forget what is not confirmed; the base belongs to somebody else."""
        self.drop()

    # -- from here to the base ---------------------------------------------

    def take(self) -> Writes:
        """Return what has gathered, each row once, to be sent; one batch at a time is under way."""
        assert not self._under_way, "one batch after the other"
        self._under_way, self._gathering = self._gathering, {}
        self._taken = Writes(
            (table, key, value)
            for table, pending in self._under_way.items()
            for key, value in pending.rows.items()
        )
        return self._taken

    def settle(self, more: Writes) -> None:
        """Write the batch under way to the base, with further rows; if that fails, nothing has changed."""
        self._base.write(Writes([*self._taken, *more]))
        self._under_way, self._taken = {}, Writes()

    def drop(self) -> None:
        """Forget everything that is not confirmed."""
        self._gathering, self._under_way, self._taken = {}, {}, Writes()


def _rows(layer: Layer) -> int:
    return sum(len(pending.rows) for pending in layer.values())


def _merged(
    over: list[tuple[bytes, bytes | None]], below: Iterator[tuple[bytes, bytes]]
) -> Iterator[tuple[bytes, bytes]]:
    """Yield rows in order; where both have one, that which lies over the other, unless it is deleted."""
    lower = next(below, None)
    for key, value in over:
        while lower is not None and lower[0] < key:
            yield lower
            lower = next(below, None)
        if lower is not None and lower[0] == key:
            lower = next(below, None)
        if value is not None:
            yield key, value
    if lower is not None:
        yield lower
        yield from below
