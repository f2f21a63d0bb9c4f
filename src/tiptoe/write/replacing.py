"""How does a file come to be all at once?

It is written beside its place and moved there: whoever reads sees the old one or the new one, whole.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from tiptoe.errors import DiskFull
from tiptoe.write.appendfile import is_disk_full

__all__ = ["replace_durably", "replace_lines"]


def replace_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Put these lines in place of a file, all at once."""
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
    """Put this content in place of a file, all at once; not even a power cut takes it back."""
    part = path.with_name(path.name + ".part")
    part.unlink(missing_ok=True)  # one that a crash has left may be open to others
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
