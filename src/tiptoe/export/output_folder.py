"""How is a folder written so that it appears complete or not at all?

It is made under another name, `.part`, and renamed when everything succeeded; an earlier folder stays until
then. Only a folder that was made in this way is ever replaced: anything else is not ours to delete.
"""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from tiptoe.errors import SettingsError
from tiptoe.export.output import PART_SUFFIX

__all__ = ["OutputFolder"]


class OutputFolder:
    """The folder that an export writes; `is_ours` recognises an earlier export, which `kind` names."""

    def __init__(self, path: Path, *, kind: str, is_ours: Callable[[Path], bool], force: bool) -> None:
        if path.name in ("", ".."):
            raise SettingsError(f"--out {path}: give a name for the folder that is to be made")
        self._path = path
        self._kind = kind
        self._is_ours = is_ours
        self._force = force
        self._lock = -1
        self.part = path.with_name(path.name + PART_SUFFIX)

    def __enter__(self) -> Path:
        """Return the folder to write files to."""
        self._check()
        self.part.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(self.part, os.O_RDONLY)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            raise SettingsError(f"--out {self._path}: another export is writing it") from None
        _empty(self.part)
        return self.part

    def __exit__(self, kind: object, *error: object) -> None:
        try:
            if kind is None:
                self._finish()
            else:
                shutil.rmtree(self.part, ignore_errors=True)
        finally:
            os.close(self._lock)

    def _check(self) -> None:
        """Raise SettingsError unless the folder may be created or replaced."""
        if not os.path.lexists(self._path):
            return
        if not self._path.is_dir():
            raise SettingsError(f"--out {self._path}: already exists, and is no folder")
        if not any(self._path.iterdir()):
            return
        if not self._is_ours(self._path):
            raise SettingsError(f"--out {self._path}: has files in it that are no {self._kind} of ours")
        if not self._force:
            raise SettingsError(f"--out {self._path}: already exists; --force replaces it")

    def _finish(self) -> None:
        os.fsync(self._lock)
        if not self._path.is_dir():
            self.part.rename(self._path)
            return
        old = self._path.with_name(f".{self._path.name}-{os.getpid()}")
        self._path.rename(old)
        self.part.rename(self._path)
        shutil.rmtree(old)


def _empty(folder: Path) -> None:
    """Remove what a killed export has left."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
