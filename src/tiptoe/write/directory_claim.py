"""How is a directory kept to one process at a time?

By a lock on a file in it. The system releases it when the process ends, however it ends.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tiptoe.errors import SettingsError

__all__ = ["claimed_directory"]


@contextmanager
def claimed_directory(directory: Path, lock: str, *, owner: str) -> Iterator[None]:
    """Create a directory if it is missing, and claim it; raise SettingsError if another process has it.

    `lock` is the name of the lock file, `owner` what holds the lock, as in "a robot".
    """
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(directory / lock, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise SettingsError(f"{directory}: {owner} is at work there already") from None
        yield
    finally:
        os.close(descriptor)
