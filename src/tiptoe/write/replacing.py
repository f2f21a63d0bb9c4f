"""How does a file come to be all at once?

It is written beside its place and moved there: whoever reads sees the old one or the new one, whole.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from tiptoe.errors import DiskFull
from tiptoe.write.appendfile import is_disk_full

__all__ = ["replace_lines"]


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
