"""Where is the catalog of a crawl stored?

In `DIR/catalog`, in a generation that `current.json` names, or in a database under the same name. A new
catalog is built beside the one in use and replaces it when it is complete; remains of others are deleted.
"""

import contextlib
import fcntl
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.catalog.catalog import Catalog
from tiptoe.catalog.catalog_index import CatalogIndex, IndexWriter
from tiptoe.catalog.embedded_index import EmbeddedIndex, EmbeddedWriter
from tiptoe.errors import CorruptFile, CrawlerError, SettingsError
from tiptoe.write.replacing import replace_lines

__all__ = ["CatalogDirectory", "CatalogInUse", "has_catalog", "open_catalog"]

FOLDER: Final = "catalog"
CURRENT: Final = "current.json"
LOCK: Final = "writer.lock"
FORMAT: Final = 3
"""Format of the data in an index; an index of another format is rebuilt."""


class CatalogInUse(CrawlerError):
    """Another process is writing the catalog."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"{folder}: another process writes the catalog; wait until it is done")


class _Current(msgspec.Struct):
    """Which catalog is in use."""

    id: str
    generation: int
    format: int = FORMAT
    is_database: bool = False

    @property
    def name(self) -> str:
        return f"{self.id}-{self.generation:04d}"


def has_catalog(directory: Path) -> bool:
    """Return whether a catalog of this crawl was ever built."""
    return (directory / FOLDER / CURRENT).is_file()


def open_catalog(directory: Path, database: str = "") -> Catalog:
    """Open the catalog of a crawl for searching; `database` is the setting catalog.database.

    Raises SettingsError when there is none.
    """
    opened = _expect_current(directory, database)

    def successor() -> CatalogIndex | None:
        nonlocal opened
        if _read_current(directory) == opened:
            return None
        opened = _expect_current(directory, database)
        return _open_index(directory, database, opened)

    return Catalog(_open_index(directory, database, opened), successor=successor)


def _expect_current(directory: Path, database: str) -> _Current:
    current = _read_current(directory)
    remedy = f"`tiptoe catalog build {directory}` makes it"
    if current is None:
        raise SettingsError(f"{directory}: it has no catalog yet; {remedy}")
    if current.format != FORMAT or current.is_database != bool(database):
        raise SettingsError(
            f"{directory}: its catalog is not what this version and its settings want; {remedy}"
        )
    return current


def _open_index(directory: Path, database: str, current: _Current) -> CatalogIndex:
    if database:
        from tiptoe.catalog.postgres_index import PostgresIndex

        return PostgresIndex(database, current.name)
    return EmbeddedIndex(_path(directory, current), directory)


class CatalogDirectory:
    """The catalog of a crawl, as used by the one process that writes it."""

    def __init__(self, directory: Path, database: str = "") -> None:
        self._directory = directory
        self._database = database

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Keep other writers out while the context lasts; raise CatalogInUse when there is one."""
        folder = self._directory / FOLDER
        folder.mkdir(exist_ok=True)
        with (folder / LOCK).open("ab") as lock:
            try:
                fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise CatalogInUse(folder) from None
            yield

    def current_writer(self) -> IndexWriter | None:
        """Open the catalog in use for updating; None when it must be rebuilt."""
        current = _read_current(self._directory)
        if current is None or current.format != FORMAT or current.is_database != bool(self._database):
            return None
        self._clean(current)
        return self._open(current)

    @contextlib.contextmanager
    def new_writer(self) -> Iterator[IndexWriter]:
        """Open a new catalog that replaces the one in use when the context ends without an error."""
        before = _read_current(self._directory)
        identity = before.id if before else secrets.token_hex(8)
        generation = before.generation + 1 if before else 1
        current = _Current(identity, generation, is_database=bool(self._database))
        self._remove(current)
        writer = self._open(current)
        try:
            if before is None:  # the first one is used from its first page on
                writer.commit({})
                self._use(current)
            yield writer
        finally:
            writer.close()
        self._use(current)
        self._clean(current)

    def _use(self, current: _Current) -> None:
        replace_lines(self._directory / FOLDER / CURRENT, [msgspec.json.encode(current)])

    def _open(self, current: _Current) -> IndexWriter:
        if self._database:
            from tiptoe.catalog.postgres_index import PostgresWriter

            return PostgresWriter(self._database, current.name)
        return EmbeddedWriter(_path(self._directory, current), self._directory)

    def _remove(self, current: _Current) -> None:
        """Remove what a killed build has left under a name."""
        shutil.rmtree(_path(self._directory, current), ignore_errors=True)
        if self._database:
            from tiptoe.catalog.postgres_index import remove_catalog

            remove_catalog(self._database, current.name)

    def _clean(self, current: _Current) -> None:
        """Remove all catalogs of this crawl except the one in use."""
        for path in (self._directory / FOLDER).glob("index-*"):
            if self._database or path != _path(self._directory, current):
                shutil.rmtree(path, ignore_errors=True)
        if self._database:
            from tiptoe.catalog.postgres_index import remove_other_catalogs

            remove_other_catalogs(self._database, current.id, current.name)


def _path(directory: Path, current: _Current) -> Path:
    return directory / FOLDER / f"index-{current.generation:04d}"


def _read_current(directory: Path) -> _Current | None:
    path = directory / FOLDER / CURRENT
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Current)
    except FileNotFoundError:
        return None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CorruptFile(path, offset=0, found=f"not the name of a catalog ({error})") from error
