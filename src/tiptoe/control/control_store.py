"""Where does the control server store its data?

In one SQLite file in its directory. A write has reached the disk before the request is answered (WAL,
synchronous FULL), so `kill -9` loses nothing that was acknowledged. Missing tables are created; `SCHEMA` is
only ever extended."""

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tiptoe.errors import CrawlerError, SettingsError

__all__ = ["ControlStore"]

FILE_NAME: Final = "control.sqlite"
BUSY_SECONDS: Final = 10.0

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS user (
    name TEXT PRIMARY KEY, password TEXT NOT NULL, role TEXT NOT NULL,
    made_at REAL NOT NULL, is_locked INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE IF NOT EXISTS session (
    key TEXT PRIMARY KEY, user TEXT NOT NULL, role TEXT NOT NULL, csrf TEXT NOT NULL,
    made_at REAL NOT NULL, used_at REAL NOT NULL, address TEXT NOT NULL, browser TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS token (
    id TEXT PRIMARY KEY, key TEXT NOT NULL UNIQUE, user TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL,
    made_at REAL NOT NULL, used_at REAL NOT NULL, ends_at REAL NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS link (
    key TEXT PRIMARY KEY, purpose TEXT NOT NULL, user TEXT NOT NULL, role TEXT NOT NULL, ends_at REAL NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS trail (
    id INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, user TEXT NOT NULL, action TEXT NOT NULL,
    target TEXT NOT NULL, detail TEXT NOT NULL, address TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS trail_target ON trail (target, id);
CREATE TABLE IF NOT EXISTS crawl (
    name TEXT PRIMARY KEY, directory TEXT NOT NULL UNIQUE, note TEXT NOT NULL DEFAULT '',
    made_at REAL NOT NULL, settings TEXT NOT NULL DEFAULT '{}', seeds TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE IF NOT EXISTS host_note (
    crawl TEXT NOT NULL, host TEXT NOT NULL, note TEXT NOT NULL, user TEXT NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (crawl, host)
) STRICT;
"""


class ControlStore:
    """The tables of the control server; may be used by many threads."""

    def __init__(self, directory: Path | None) -> None:
        """Open, or create, the file in a directory; None keeps everything in memory."""
        self._lock = threading.RLock()
        if directory is not None:
            _make_private(directory)
        place = ":memory:" if directory is None else str(directory / FILE_NAME)
        try:
            self._db = sqlite3.connect(
                place, timeout=BUSY_SECONDS, check_same_thread=False, isolation_level=None
            )
            self._db.row_factory = sqlite3.Row
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")
            self._db.executescript(SCHEMA)
        except sqlite3.Error as error:
            raise CrawlerError(
                f"{place}: cannot be opened as the store of a control server: {error}"
            ) from error

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[sqlite3.Row]:
        """Return the rows of a query."""
        with self._lock:
            return self._db.execute(sql, values).fetchall()

    def row(self, sql: str, values: Sequence[object] = ()) -> sqlite3.Row | None:
        """Return the first row of a query, if any."""
        with self._lock:
            found: sqlite3.Row | None = self._db.execute(sql, values).fetchone()
            return found

    def change(self, sql: str, values: Sequence[object] = ()) -> int:
        """Write durably; return the number of rows affected."""
        with self._lock:
            return self._db.execute(sql, values).rowcount

    def extend(self, schema: str) -> None:
        """Create further tables and indexes that are missing."""
        with self._lock:
            self._db.executescript(schema)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Write all changes made within the context as one transaction."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def close(self) -> None:
        with self._lock:
            self._db.close()


def _make_private(directory: Path) -> None:
    """Create the directory, for its owner only, because it holds password hashes and sessions."""
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.chmod(directory, 0o700)
    except OSError as error:
        raise SettingsError(f"{directory}: cannot be written to: {error.strerror}") from error
