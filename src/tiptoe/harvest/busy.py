"""Which page is this process reading right now?

A page may hang or crash the parser. The note survives the process, so that
the keeper knows which page to suspect.
"""

import mmap
from pathlib import Path

__all__ = ["BusyNote"]

NOTE_BYTES = 4096


class BusyNote:
    """One URL in a small file mapped into memory: a write costs no system call."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        with path.open("w+b") as file:
            # Written and not only made long: a map without room behind it ends the process on a full disk.
            file.write(bytes(NOTE_BYTES))
            file.flush()
            self._map = mmap.mmap(file.fileno(), NOTE_BYTES)

    def begin(self, url: str) -> None:
        """From now on this page is to blame."""
        note = url.encode("utf-8", "replace")[: NOTE_BYTES - 1] + b"\n"
        self._map[: len(note)] = note

    def end(self) -> None:
        """The page was read; nobody is to blame."""
        self._map[:1] = b"\n"

    def close(self) -> None:
        self._map.close()
        self._path.unlink(missing_ok=True)
