"""Where do the descriptions of robots wait for the catalog?

In one directory per robot, laid out like that of a crawl: pages in `corpus/`, pages that have left the web in
`gone/`, so that anything that reads the files of a crawl can read these. A batch is appended and flushed to
the disk, then its number and the sizes of the files are committed in one write. After a crash, files are cut
back to these sizes: the robot, which got no answer, sends that batch again. So each is stored exactly once.
"""

import itertools
import os
import shutil
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.control.control_store import ControlStore
from tiptoe.control.web_problem import WebProblem
from tiptoe.protocol.robot_messages import DescriptionBatch
from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.corpus import Document
from tiptoe.write.gone import GonePage
from tiptoe.write.output_kinds import CORPUS, GONE_LIST, OutputKind

__all__ = ["DescriptionSpool", "SpoolAmounts"]

SPOOL_FOLDER: Final = "robots"
FILE_BYTES_MAX: Final = 64_000_000
"""Maximum size of a file; above it the next one is begun."""

FREE_BYTES_MIN: Final = 100_000_000
"""Minimum free disk space; below it batches are refused, and robots keep them and try again."""

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS robot_batch (
    robot TEXT NOT NULL, incarnation TEXT NOT NULL, number INTEGER NOT NULL, at REAL NOT NULL,
    pages INTEGER NOT NULL DEFAULT 0, gone INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (robot, incarnation)
) STRICT;
CREATE TABLE IF NOT EXISTS robot_file (
    robot TEXT NOT NULL, folder TEXT NOT NULL, number INTEGER NOT NULL, size INTEGER NOT NULL,
    PRIMARY KEY (robot, folder)
) STRICT;
"""


class SpoolAmounts(msgspec.Struct, frozen=True, kw_only=True):
    """How much one robot has sent."""

    pages: int = 0
    gone: int = 0
    last_at: float = 0.0


class DescriptionSpool:
    """Stores batches; may be used by many threads."""

    def __init__(self, store: ControlStore, directory: Path | None) -> None:
        self._store = store
        self._home = None if directory is None else directory.absolute() / SPOOL_FOLDER
        self._lock = threading.Lock()
        store.extend(SCHEMA)

    def directory_of(self, robot: str) -> Path:
        """Return the directory of a robot's descriptions."""
        if self._home is None:
            raise WebProblem(409, "this server keeps nothing; start it with --dir")
        return self._home / robot

    def committed(self, robot: str) -> dict[str, int]:
        """Return the committed size of each file that is being written, by its final name."""
        rows = self._store.rows("SELECT * FROM robot_file WHERE robot = ?", [robot])
        return {f"{row['folder']}/{_file_name(row['number'], row['folder'])}": row["size"] for row in rows}

    def last_batch(self, robot: str, incarnation: str) -> int:
        """Return the number of the last stored batch of an incarnation; 0 = none."""
        sql = "SELECT number FROM robot_batch WHERE robot = ? AND incarnation = ?"
        row = self._store.row(sql, [robot, incarnation])
        return int(row[0]) if row else 0

    def amounts(self, robot: str) -> SpoolAmounts:
        sql = (
            "SELECT coalesce(sum(pages), 0), coalesce(sum(gone), 0), coalesce(max(at), 0) "
            "FROM robot_batch WHERE robot = ?"
        )
        row = self._store.row(sql, [robot])
        return SpoolAmounts(pages=row[0], gone=row[1], last_at=row[2]) if row else SpoolAmounts()

    def take(self, robot: str, batch: DescriptionBatch, now: float) -> int:
        """Store a batch unless it is stored already; return the number of the last stored one."""
        pages, gone = _checked(batch.pages, Document, "pages"), _checked(batch.gone, GonePage, "gone")
        with self._lock:
            last = self.last_batch(robot, batch.incarnation)
            if batch.number <= last:
                return last
            self._expect_room(robot)
            places = [
                self._append(robot, kind, lines)
                for kind, lines in ((CORPUS, pages), (GONE_LIST, gone))
                if lines
            ]
            with self._store.together():
                for folder, number, size in places:
                    sql = "INSERT OR REPLACE INTO robot_file VALUES (?, ?, ?, ?)"
                    self._store.change(sql, [robot, folder, number, size])
                sql = (
                    "INSERT INTO robot_batch VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                    "number = excluded.number, at = excluded.at, pages = pages + excluded.pages, "
                    "gone = gone + excluded.gone"
                )
                values = [robot, batch.incarnation, batch.number, now, len(pages), len(gone)]
                self._store.change(sql, values)
        return batch.number

    def forget(self, robot: str) -> None:
        """Forget a robot; its directory is renamed, so that a later robot of this name does not use it."""
        with self._lock:
            home = self.directory_of(robot)
            if home.is_dir():  # before its sizes are deleted, because a file without one is overwritten
                places = (home.with_name(f"{robot}.removed-{number}") for number in itertools.count(1))
                home.rename(next(place for place in places if not place.exists()))
            with self._store.together():
                self._store.change("DELETE FROM robot_batch WHERE robot = ?", [robot])
                self._store.change("DELETE FROM robot_file WHERE robot = ?", [robot])

    def _append(self, robot: str, kind: OutputKind, lines: Sequence[bytes]) -> tuple[str, int, int]:
        """Append lines durably to the current file of a kind; return its folder, number and size."""
        row = self._store.row("SELECT * FROM robot_file WHERE robot = ? AND folder = ?", [robot, kind.folder])
        number, size = (row["number"], row["size"]) if row else (1, 0)
        folder = self.directory_of(robot) / kind.folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if size >= FILE_BYTES_MAX:
            _finish(folder, number, kind.folder, size)
            number, size = number + 1, 0
        path = folder / (_file_name(number, kind.folder) + OPEN_SUFFIX)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "wb") as file:  # does not truncate an open descriptor
            file.truncate(size)  # the rest was never acknowledged
            file.seek(size)
            file.write(b"".join(line + b"\n" for line in lines))
            file.flush()
            os.fsync(file.fileno())
            size = file.tell()
        _sync_folder(folder)
        return kind.folder, number, size

    def _expect_room(self, robot: str) -> None:
        home = self.directory_of(robot)
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        if shutil.disk_usage(home).free < FREE_BYTES_MIN:
            raise WebProblem(503, "the disk of the server is full; keep the batch and try again later")


def _checked(lines: Sequence[msgspec.Raw], kind: type[Document] | type[GonePage], name: str) -> list[bytes]:
    """Return lines in the form that is stored; raise WebProblem unless all are valid."""
    decode, encode = msgspec.json.Decoder(kind).decode, msgspec.json.encode
    try:
        found = [decode(line) for line in lines]
        msgspec.msgpack.encode(found)  # as a catalog stores them; fails for numbers that are too long
        if any(not 0 <= (getattr(one, "usability", None) or 0) <= 1 for one in found):
            raise OverflowError("usability: from 0 to 1")
        return [encode(one) for one in found]  # encoded again, so that each is a single line
    except (msgspec.DecodeError, UnicodeDecodeError, OverflowError) as error:
        raise WebProblem(422, f"{name}: {error}", errors={name: str(error)}) from error


def _file_name(number: int, folder: str) -> str:
    suffix = next(kind.suffix for kind in (CORPUS, GONE_LIST) if kind.folder == folder)
    return f"robot-{number:05}{suffix}"


def _finish(folder: Path, number: int, kind: str, size: int) -> None:
    """Give a full file its final name, after cutting off what was never acknowledged."""
    path = folder / (_file_name(number, kind) + OPEN_SUFFIX)
    if path.exists():
        os.truncate(path, size)
        path.rename(folder / _file_name(number, kind))


def _sync_folder(folder: Path) -> None:
    """Make the name of a new file durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
