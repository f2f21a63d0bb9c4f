"""Which answer is this process reading right now?

An answer, be it a page or the rules of a host, may hang or crash its parser. The note survives
the process, so that the keeper knows what to suspect.
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
        self._is_sealed = False
        with path.open("w+b") as file:
            # Written and not only made long: a map without room behind it ends the process on a full disk.
            file.write(bytes(NOTE_BYTES))
            file.flush()
            self._map = mmap.mmap(file.fileno(), NOTE_BYTES)

    def begin(self, url: str) -> None:
        """From now on this answer is to blame."""
        if self._is_sealed:
            return
        note = url.encode("utf-8", "replace")[: NOTE_BYTES - 1] + b"\n"
        self._map[: len(note)] = note

    def end(self) -> None:
        """The answer was read; nobody is to blame."""
        if not self._is_sealed:
            self._map[:1] = b"\n"

    def seal(self) -> None:
        """We end because of what stands here: what is read until then must not cover it."""
        self._is_sealed = True

    def close(self) -> None:
        self._map.close()
        self._path.unlink(missing_ok=True)
