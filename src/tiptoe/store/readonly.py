"""How is the state of a crawl read while its keeper uses it?

RocksDB calls this a secondary instance: it reads the keeper's files, takes no lock, changes nothing, and
shows the state as of when it was opened. So it works on a running, a stopped and a crashed crawl alike.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, cast

from rocksdict import AccessType, Options, Rdict, ReadOptions

from tiptoe.errors import SettingsError
from tiptoe.store.rocks import (
    SCATTERED_TABLES,
    check_format,
    in_buckets,
    noted_prefix_bytes,
    trouble_with,
)
from tiptoe.store.tables import FORMAT_KEY, Table

__all__ = ["ReadOnlyStore"]


class ReadOnlyStore:
    """Some tables of a database, for reading only."""

    def __init__(self, path: Path, tables: Iterable[Table]) -> None:
        if not (path / "CURRENT").is_file():
            raise SettingsError(f"{path}: there is no database of a crawl")
        self._path = path
        options = Options(raw_mode=True)
        options.set_max_open_files(-1)  # an open file stays readable when the keeper deletes it
        families = {table.value: Options(raw_mode=True) for table in (Table.META, *tables)}
        self._own = TemporaryDirectory(prefix="tiptoe-")  # for the library's own files
        try:
            # The library writes down how these tables are read, and would change that if they were left out.
            for name in {table.value for table in SCATTERED_TABLES} & set(Rdict.list_cf(str(path))):
                families[name] = in_buckets(Options(raw_mode=True), noted_prefix_bytes(path))
            access = AccessType.secondary(self._own.name)
            self._db = Rdict(str(path), options, column_families=families, access_type=access)
            self._db.try_catch_up_with_primary()
        except Exception as error:
            self._own.cleanup()
            raise trouble_with(path, error, "read") from error
        try:
            check_format(path, self.get(Table.META, FORMAT_KEY))
        except SettingsError:
            self.close()
            raise

    def __enter__(self) -> "ReadOnlyStore":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database and remove the library's own files."""
        self._db.close()
        self._own.cleanup()

    def get(self, table: Table, key: bytes) -> bytes | None:
        """Return one value."""
        return self.get_many(table, [key])[0]

    def get_many(self, table: Table, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of several keys."""
        try:
            values: Any = self._db.get_column_family(table.value).get(cast(Any, keys)) if keys else []
        except Exception as error:
            raise trouble_with(self._path, error, "read") from error
        return cast(list[bytes | None], values)

    def scan(
        self, table: Table, start: bytes = b"", stop: bytes | None = None
    ) -> Iterator[tuple[bytes, bytes]]:
        """Yield pairs with start <= key < stop in key order."""
        family = self._db.get_column_family(table.value)
        options = ReadOptions()
        options.set_total_order_seek(True)
        last = b""
        pairs: Any = family.items(from_key=start, read_opt=options)
        for pair in pairs:
            if stop is not None and pair[0] >= stop:
                return
            yield pair
            last = pair[0]
        after = family.iter()
        after.seek(last + b"\0")
        try:
            after.status()  # the library ends a scan at damage just as at the end of the table
        except Exception as error:
            raise trouble_with(self._path, error, "read") from error
