"""Which file does the next record go to, and how much of each file is safe?

Files are numbered, `stem-00001.suffix` and so on. One is open for appending;
earlier ones may still wait for the keeper's acknowledgement.

Rule: a file loses its `.open` only when the keeper has recorded all of it, so a
finished file is committed permanently.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from isal.isal_zlib import crc32

from tiptoe.write.appendfile import OPEN_SUFFIX, AppendFile, Write

__all__ = ["NumberedFiles", "rename_finished"]


def rename_finished(path: Path) -> None:
    """Give an open file its final name."""
    os.rename(path, path.with_name(path.name.removesuffix(OPEN_SUFFIX)))


class NumberedFiles:
    """Append-only files; when one is full, the next is begun.

    Every file begins with `opening(name)`. A record is never split over two
    files; one bigger than `size_max` has a file to itself.
    """

    def __init__(
        self,
        directory: Path,
        stem: str,
        suffix: str,
        *,
        size_max: int,
        opening: Callable[[str], bytes] | None = None,
        finish: Callable[[Path], None] = rename_finished,
        write: Write = os.write,
    ) -> None:
        self._directory = directory
        self._stem = stem
        self._suffix = suffix
        self._size_max = size_max
        self._opening = opening
        self._finish_file = finish
        self._write = write
        self._number = 0
        self._current: AppendFile | None = None
        self._full: list[AppendFile] = []

    def __repr__(self) -> str:
        return f"<NumberedFiles {self._stem}*{self._suffix} at {self._number}, {len(self._full)} full>"

    @property
    def size(self) -> int:
        """Number of bytes in the current file."""
        return self._current.size if self._current else 0

    def append(self, data: bytes) -> tuple[str, int]:
        """Add one record; return the file's final name and the record's offset."""
        if self._current and self._current.size + len(data) > self._size_max:
            self.rotate()
        file = self._current or self._begin()
        return file.name, file.append(data)

    def append_line(self, line: bytes) -> int:
        """Add a line, given without its line feed; return its CRC-32, line feed included."""
        line += b"\n"
        self.append(line)
        return crc32(line)

    def rotate(self) -> None:
        """Begin a new file with the next record."""
        if self._current:
            self._full.append(self._current)
            self._current = None

    def flush(self) -> None:
        """Write everything that waits; on DiskFull the rest waits for the next call."""
        for file in self._files():
            file.flush()

    def sync(self) -> None:
        """Make what was flushed survive a power cut."""
        for file in self._files():
            file.sync()

    def marks(self) -> dict[str, int]:
        """Return the flushed size of each file whose size the keeper has not recorded yet."""
        return {name: size for file in self._files() for name, size in file.marks().items()}

    def acknowledge(self, marks: Mapping[str, int]) -> None:
        """Note what the keeper has recorded; finish full files that are recorded completely."""
        for file in self._files():
            file.acknowledge(marks)
        for file in [file for file in self._full if file.is_settled]:
            self._finish(file)
            self._full.remove(file)

    @property
    def is_settled(self) -> bool:
        """Whether the keeper has recorded everything."""
        return all(file.is_settled for file in self._files())

    def let_go(self) -> None:
        """Close descriptors until something is written again."""
        for file in self._files():
            file.let_go()

    def close(self) -> None:
        """Finish files that are recorded completely; leave the rest open for the recovery."""
        self.flush()
        self.rotate()
        self.acknowledge({})
        while self._full:
            self._full.pop().close()

    def abandon(self) -> None:
        """Close, but drop what was not flushed; the recovery may have handled the files already."""
        self.rotate()
        while self._full:
            file = self._full.pop()
            if file.is_settled:
                with suppress(FileNotFoundError):
                    self._finish(file)
            file.close()

    def _files(self) -> list[AppendFile]:
        return [*self._full, self._current] if self._current else self._full

    def _begin(self) -> AppendFile:
        self._number += 1
        name = f"{self._stem}-{self._number:05d}{self._suffix}"
        file = AppendFile(self._directory, name, write=self._write)
        if self._opening:
            file.append(self._opening(name))
        self._current = file
        return file

    def _finish(self, file: AppendFile) -> None:
        file.sync()
        file.close()
        self._finish_file(file.path)
