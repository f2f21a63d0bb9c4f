"""How is a file replaced atomically?

It is written beside its final path and then renamed: readers see either the old or the new file, complete.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from tiptoe.errors import DiskFull
from tiptoe.write.appendfile import is_disk_full

__all__ = ["replace_durably", "replace_lines"]


def replace_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Replace the contents of a file by these lines, atomically."""
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        part.unlink(missing_ok=True)
        if is_disk_full(error):
            raise DiskFull(part) from error
        raise
    os.replace(part, path)


def replace_durably(path: Path, content: bytes, *, mode: int = 0o666) -> None:
    """Replace the contents of a file atomically, so that it survives a power cut."""
    part = path.with_name(path.name + ".part")
    part.unlink(missing_ok=True)  # one left by a crash may have other permissions
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
