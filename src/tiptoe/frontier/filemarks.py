"""How much of each output file is committed, and is more to come?

A file is *open* (its harvester may still write to it, or has died), *finished* (complete, so the operator may
move it) or *away* (finished, and missing at the last check). Only the keeper can tell an open file that is
missing, which is lost, from a finished one, which may have been moved.
"""

import enum
from collections.abc import Mapping
from typing import NamedTuple

from tiptoe.store.tables import Store, Table, Writes

__all__ = ["FileMark", "FileMarks", "FileState", "is_numbered"]

SIZE_BYTES = 8
LOGS = "log/"
"""Folder of the logs, which are not numbered: each harvester writes only one file there."""


class FileState(enum.IntEnum):
    """What is known about a file."""

    OPEN = 0
    FINISHED = 1
    AWAY = 2


class FileMark(NamedTuple):
    """The committed size of a file, and its state."""

    size: int
    state: FileState = FileState.OPEN


class FileMarks:
    """The marks of all output files."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._followers: dict[str, str] = {}  # open file -> the next one its harvester will begin

    def note(self, batch: Writes, sizes: Mapping[str, int]) -> None:
        """Note the sizes of a harvester's files; a file whose successor exists is finished."""
        for name, size in sizes.items():
            follower = _follower_of(name) if is_numbered(name) else ""
            is_finished = bool(follower) and follower in sizes
            self.put(batch, name, FileMark(size, FileState.FINISHED if is_finished else FileState.OPEN))
            if follower and not is_finished:
                self._followers[name] = follower
        ended = [
            name for name, follower in self._followers.items() if follower in sizes and name not in sizes
        ]
        for name in ended:
            del self._followers[name]
            stored = self._store.get(Table.MARK, name.encode())
            if stored is not None:
                self.put(batch, name, FileMark(_read(stored).size, FileState.FINISHED))

    def put(self, batch: Writes, name: str, mark: FileMark | None) -> None:
        """Write the mark of a file; None removes it."""
        if mark is None:
            batch.delete(Table.MARK, name.encode())
        else:
            batch.put(Table.MARK, name.encode(), mark.size.to_bytes(SIZE_BYTES, "big") + bytes((mark.state,)))
        if mark is None or mark.state is not FileState.OPEN:
            self._followers.pop(name, None)

    def all(self) -> dict[str, FileMark]:
        """Return the mark of every file; between steps only."""
        return {name.decode(): _read(stored) for name, stored in self._store.scan(Table.MARK)}


def _read(stored: bytes) -> FileMark:
    return FileMark(int.from_bytes(stored[:SIZE_BYTES], "big"), FileState(stored[SIZE_BYTES]))


def is_numbered(name: str) -> bool:
    """Whether a file is one of a numbered series."""
    return not name.startswith(LOGS)


def _follower_of(name: str) -> str:
    """Return the name of the file that comes after this one."""
    stem, _, rest = name.rpartition("-")
    number, dot, suffix = rest.partition(".")
    return f"{stem}-{int(number) + 1:0{len(number)}d}{dot}{suffix}" if number.isdigit() else ""
