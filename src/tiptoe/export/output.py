"""How is a file written so that it appears complete or not at all?

It is written under another name, `.part`, and renamed when everything succeeded.
An export that fails, or is interrupted, leaves the earlier file unchanged.
"""

import fcntl
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from tiptoe.errors import SettingsError

__all__ = ["PART_SUFFIX", "STANDARD_OUTPUT", "Output"]

STANDARD_OUTPUT = Path("-")
PART_SUFFIX = ".part"
BUFFER_BYTES = 1 << 20


class Output:
    """The file that an export writes, and a second one beside it if the format needs that."""

    def __init__(self, path: Path, *, force: bool = False) -> None:
        self._path = path
        self._force = force
        self._stack = ExitStack()
        self._parts: list[tuple[BinaryIO, Path, Path]] = []  # the file, its temporary name, its final name
        self.written_bytes = 0

    def __enter__(self) -> "Output":
        try:
            self.file: BinaryIO = sys.stdout.buffer if self.is_stream else self._open(self._path)
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        try:
            if kind is None:
                self._finish()
        finally:
            self._stack.close()

    @property
    def is_stream(self) -> bool:
        return self._path == STANDARD_OUTPUT

    @property
    def folder(self) -> Path:
        """A folder with room for a file of this size."""
        return self._path.parent

    def adopt(self, made: Path) -> None:
        """Replace what was written by a file made by another library in the same folder."""
        _, part, path = self._parts[0]
        os.replace(made, part)
        file = self._stack.enter_context(part.open("r+b"))
        file.seek(0, os.SEEK_END)
        self._parts[0] = (file, part, path)

    def beside(self, suffix: str) -> BinaryIO | None:
        """Return a second file named after the first; None if the first has no name."""
        return None if self.is_stream else self._open(self._path.with_name(self._path.name + suffix))

    def _open(self, path: Path) -> BinaryIO:
        if path.exists() and not path.is_file():
            raise SettingsError(
                f"--out {path}: already exists, and is no file; --out - is the standard output"
            )
        if path.exists() and not self._force:
            raise SettingsError(f"--out {path}: already exists; --force replaces it")
        part = path.with_name(path.name + PART_SUFFIX)
        descriptor = os.open(part, os.O_RDWR | os.O_CREAT, 0o666)
        file = self._stack.enter_context(os.fdopen(descriptor, "r+b", buffering=BUFFER_BYTES))
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise SettingsError(f"--out {path}: another export is writing it") from None
        file.truncate()
        self._parts.append((file, part, path))
        self._stack.callback(part.unlink, missing_ok=True)
        return file

    def _finish(self) -> None:
        self.file.flush()
        for file, _, _ in self._parts:
            file.flush()
            os.fsync(file.fileno())
            self.written_bytes += file.tell()
        for _, part, path in self._parts:
            part.rename(path)
