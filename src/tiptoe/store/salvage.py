"""What can be saved of a database that was damaged?

Every row that can be read is copied to a new one. The library keeps rows in blocks of some kilobytes, each
with a checksum: one that fails is stepped over, and costs the rows in it. Which those were nobody can say;
their number is estimated by their neighbours.
"""

import gc
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rocksdict import AccessType, Options, Rdict, ReadOptions

from tiptoe.store.rocks import SCATTERED_TABLES, RocksStore, in_buckets, noted_prefix_bytes, trouble_with
from tiptoe.store.tables import Table, Writes

__all__ = ["Salvaged", "salvage"]

BATCH_BYTES: Final = 4 << 20
KEY_BYTES_MAX: Final = 256
"""Longer than any key of a table with many rows."""


@dataclass(slots=True)
class Salvaged:
    """What came of one table."""

    rows: int = 0
    holes: int = 0  # stretches of keys that could not be read


def salvage(
    path: Path, target: Path, *, buffer_bytes: int, advance: Callable[[int], object] = lambda count: None
) -> dict[Table, Salvaged]:
    """Copy what can be read of a database to a new one; `advance` hears how many rows were."""
    shutil.rmtree(target, ignore_errors=True)
    prefix_bytes = noted_prefix_bytes(path)  # before anybody opens it otherwise
    source = _open(path, prefix_bytes)
    saved = {}
    store = RocksStore(
        target, block_cache_bytes=buffer_bytes, write_buffer_bytes=buffer_bytes, prefix_bytes=prefix_bytes
    )
    try:
        for table in Table:
            saved[table] = found = Salvaged()
            family = _family(source, table)
            if family is not None:
                _copy(_rows(family, found), store, table, found, advance)
            del family
    finally:
        store.close()
        source.close()
        del source
        gc.collect()  # the library holds its lock as long as anything points to it
    return saved


def _open(path: Path, prefix_bytes: int) -> Any:
    """Open a damaged database to be read; if its list of files is wrong, it is made anew first."""
    try:
        return _open_as_it_is(path, prefix_bytes)
    except Exception:
        gc.collect()
    try:
        Rdict.repair(str(path), Options(raw_mode=True))
        return _open_as_it_is(path, prefix_bytes)
    except Exception as error:
        raise trouble_with(path, error, "opened") from error


def _open_as_it_is(path: Path, prefix_bytes: int) -> Any:
    options = Options(raw_mode=True)
    options.set_paranoid_checks(False)
    scattered = {table.value for table in SCATTERED_TABLES}
    families = {
        name: in_buckets(Options(raw_mode=True), prefix_bytes)
        if name in scattered
        else Options(raw_mode=True)
        for name in Rdict.list_cf(str(path))
        if name != "default"
    }
    return Rdict(str(path), options, column_families=families, access_type=AccessType.read_only())


def _family(source: Any, table: Table) -> Any:
    """Return the rows of a table; None when it has not a single file."""
    with suppress(Exception):
        return source.get_column_family(table.value)
    return None


def _copy(
    rows: Iterator[tuple[bytes, bytes]], store: RocksStore, table: Table, found: Salvaged,
    advance: Callable[[int], object],
) -> None:  # fmt: skip
    batch, size, count = Writes(), 0, 0
    for key, value in rows:
        batch.put(table, key, value)
        size += len(key) + len(value)
        count += 1
        if size >= BATCH_BYTES:
            store.write(batch)
            advance(count)
            found.rows += count
            batch, size, count = Writes(), 0, 0
    store.write(batch)
    found.rows += count


def _rows(family: Any, found: Salvaged) -> Iterator[tuple[bytes, bytes]]:
    """Yield every row of a table that can be read, in the order of their keys."""
    start: bytes | None = b""
    while start is not None:
        rows = _from(family, start)
        last = start
        while rows.valid():
            last = rows.key()
            yield last, rows.value()
            rows.next()
        if _is_well(rows):
            return
        found.holes += 1
        start = _next_readable(family, last)


def _from(family: Any, key: bytes) -> Any:
    options = ReadOptions()
    options.set_total_order_seek(True)
    rows = family.iter(options)
    rows.seek(key)
    return rows


def _is_well(rows: Any) -> bool:
    try:
        rows.status()
    except Exception:
        return False
    return True


def _next_readable(family: Any, key: bytes) -> bytes | None:
    """Return the first key after damage from which rows can be read; None when there are none.

    Steps grow from the last bits of the key to its first ones until one leads across; then the shortest is
    looked for by halves.
    """
    width = min(max(len(key), 8) + 8, KEY_BYTES_MAX)
    base = int.from_bytes(key[:width].ljust(width, b"\0"), "big")
    most = (1 << 8 * width) - 1
    near, step = base, 1
    while True:
        far = min(base + step, most)
        if _is_across(family, far, width):
            break
        if far == most:
            return None
        near, step = far, step * 2
    while far - near > 1:
        middle = (near + far) // 2
        if _is_across(family, middle, width):
            far = middle
        else:
            near = middle
    rows = _from(family, far.to_bytes(width, "big"))
    return bytes(rows.key()) if rows.valid() else None


def _is_across(family: Any, number: int, width: int) -> bool:
    return _is_well(_from(family, number.to_bytes(width, "big")))
