"""How are records appended to a growing file, completely or not at all?

Appended bytes wait in memory until `flush` hands them to the kernel, where they
survive the death of this process; `sync` makes them survive a power cut.

Rule: only whole records are ever left in the file. When the disk is full, the
file is cut back to what it held before, the bytes stay in memory, and a later
`flush` tries again: the offsets given out remain true.
"""

import contextlib
import errno
import fcntl
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from tiptoe.errors import DiskFull

__all__ = ["OPEN_SUFFIX", "AppendFile", "Write", "is_disk_full"]

OPEN_SUFFIX = ".open"
"""Suffix of the name of a file that is still being written."""

BUFFER_BYTES_MAX = 16 * 1024 * 1024
"""Maximum number of bytes waiting to be flushed; above it they are flushed at once."""

Write = Callable[[int, memoryview], int]
"""`os.write` or a replacement for it."""


class AppendFile:
    """A file that only grows; created by the first flush.

    Sizes: `size` counts everything appended, `flushed_size` what the kernel
    has, `acknowledged_size` what the keeper has recorded. Each is at least as
    large as the next.
    """

    def __init__(
        self, directory: Path, name: str, *, suffix: str = OPEN_SUFFIX, write: Write = os.write
    ) -> None:
        self.name = name
        self.path = directory / (name + suffix)
        self.size = 0
        self.flushed_size = 0
        self.acknowledged_size = 0
        self._write = write
        self._waiting: list[bytes] = []
        self._descriptor = -1
        self._is_made = False
        self._synced_size = 0

    def __repr__(self) -> str:
        return f"<AppendFile {self.name} {self.size} bytes, {self.size - self.flushed_size} to flush>"

    @property
    def is_settled(self) -> bool:
        """Whether the keeper has recorded every byte of the file."""
        return self.acknowledged_size == self.size

    def marks(self) -> dict[str, int]:
        """Return the flushed size, by name, unless the keeper has recorded it."""
        return {self.name: self.flushed_size} if self.flushed_size > self.acknowledged_size else {}

    def acknowledge(self, marks: Mapping[str, int]) -> None:
        """Note what the keeper has recorded."""
        self.acknowledged_size = max(self.acknowledged_size, marks.get(self.name, 0))

    def append(self, data: bytes) -> int:
        """Add one record and return its offset; on DiskFull nothing was added."""
        if self.size - self.flushed_size >= BUFFER_BYTES_MAX:
            self.flush()
        offset = self.size
        self._waiting.append(data)
        self.size += len(data)
        return offset

    def flush(self) -> None:
        """Write everything that waits; on DiskFull it goes on waiting."""
        if not self._waiting:
            return
        data = b"".join(self._waiting)
        self._waiting = [data]
        try:
            if self._descriptor < 0:
                self._open()
            self._write_whole(memoryview(data))
        except OSError as error:
            if is_disk_full(error):
                raise DiskFull(self.path) from error
            raise
        self._waiting.clear()
        self.flushed_size = self.size

    def sync(self) -> None:
        """Make what was flushed survive a power cut."""
        size = self.flushed_size
        if self._descriptor >= 0:
            os.fdatasync(self._descriptor)
        elif size > self._synced_size:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fdatasync(descriptor)
            finally:
                os.close(descriptor)
        self._synced_size = size

    def let_go(self) -> None:
        """Close the descriptor; the next flush opens the file again."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def close(self) -> None:
        """Close the file for good; what was not flushed is dropped."""
        self.let_go()
        self._synced_size = self.flushed_size

    def _open(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # O_EXCL: two writers with one name would make each other's offsets wrong.
        if_new = 0 if self._is_made else os.O_CREAT | os.O_EXCL
        flags = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | if_new
        descriptor = os.open(self.path, flags, 0o644)
        if self._is_made and os.fstat(descriptor).st_size != self.flushed_size:
            os.close(descriptor)
            raise OSError(errno.ESTALE, "changed while nobody held it", str(self.path))
        self._descriptor, self._is_made = descriptor, True
        # Tells the recovery that the writer is alive. Where files cannot be locked, the lease has to suffice.
        with contextlib.suppress(OSError):
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _write_whole(self, data: memoryview) -> None:
        done = 0
        try:
            while done < len(data):
                done += self._write(self._descriptor, data[done:])
        except OSError:
            os.ftruncate(self._descriptor, self.flushed_size)
            raise


def is_disk_full(error: OSError) -> bool:
    """Whether an error means lack of room: disk, quota or file size limit."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
