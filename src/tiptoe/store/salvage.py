"""What can be saved from a damaged database?

Every row that can be read is copied to a new database. The library keeps rows in blocks of some kilobytes,
each with a checksum; a block that fails it is skipped, and its rows are lost. It is unknown which rows those
were; their number is estimated from the neighbouring blocks.
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
"""Maximum length of keys that are searched; no table with many rows has longer ones."""


@dataclass(slots=True)
class Salvaged:
    """What was saved of one table."""

    rows: int = 0
    holes: int = 0  # stretches of keys that could not be read


def salvage(
    path: Path, target: Path, *, buffer_bytes: int, advance: Callable[[int], object] = lambda count: None
) -> dict[Table, Salvaged]:
    """Copy the readable rows of a database to a new one; `advance` is called with numbers of copied rows."""
    shutil.rmtree(target, ignore_errors=True)
    prefix_bytes = noted_prefix_bytes(path)  # read first, because opening may change the note
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
        gc.collect()  # the library keeps its lock while any reference to the database exists
    return saved


def _open(path: Path, prefix_bytes: int) -> Any:
    """Open a damaged database for reading; if its list of files is wrong, rebuild the list first."""
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
    """Return the rows of a table; None if it has no files."""
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
    """Yield every readable row of a table, in the order of keys."""
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
    """Return the first key after damage from which rows can be read; None if there is none.

    Steps are doubled, beginning at the last bits of the key, until one leads past the damage; then the
    shortest such step is found by bisection.
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
