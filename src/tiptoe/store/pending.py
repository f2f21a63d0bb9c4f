"""How does a store show writes that have to be confirmed elsewhere first?

They are visible at once, on top of a base that does not have them yet. The writes that have gathered are
taken as one batch and sent away; while it is under way, the next batch gathers. When a batch is confirmed, it
is written to the base atomically; if it can never be confirmed, everything unconfirmed is forgotten. The base
never contains anything unconfirmed.

Rule: reads cost hardly more than those of the base while little is pending in the table that is read.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Sequence

from tiptoe.store.tables import Store, Table, Writes

__all__ = ["PendingStore"]


class _PendingTable:
    """Rows of one table, deleted ones as None; kept in order from the first scan on."""

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
    """Layers over a store: writes that gather, over one batch that is under way, over what is confirmed.

    `on_write` is called before every write becomes visible.
    """

    def __init__(self, base: Store, on_write: Callable[[], None] = lambda: None) -> None:
        self._base = base
        self._on_write = on_write
        self._gathering: Layer = {}
        self._under_way: Layer = {}
        self._taken = Writes()

    @property
    def unconfirmed_rows(self) -> int:
        """How many rows are not in the base yet."""
        return _rows(self._gathering) + _rows(self._under_way)

    @property
    def has_gathered(self) -> bool:
        """Whether there are writes to be taken."""
        return bool(self._gathering)

    @property
    def is_under_way(self) -> bool:
        """Whether a batch was taken that is not yet confirmed or dropped."""
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
        """Forget what is not confirmed; the base stays open, because it is not ours."""
        self.drop()

    # -- from here to the base ---------------------------------------------

    def take(self) -> Writes:
        """Return the gathered writes, each row once, to be sent; only one batch may be under way."""
        assert not self._under_way, "one batch after the other"
        self._under_way, self._gathering = self._gathering, {}
        self._taken = Writes(
            (table, key, value)
            for table, pending in self._under_way.items()
            for key, value in pending.rows.items()
        )
        return self._taken

    def settle(self, more: Writes) -> None:
        """Write the batch under way and further rows to the base; if that fails, nothing has changed."""
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
    """Yield the rows of both in order; rows of `over` replace or delete those below."""
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
