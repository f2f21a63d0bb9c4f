"""Which answer is this process reading right now?

An answer, whether a page or the rules of a host, may hang or crash its parser. The note survives
the process, so the keeper knows which URL to suspect.
"""

import mmap
from pathlib import Path

__all__ = ["BusyNote"]

NOTE_BYTES = 4096


class BusyNote:
    """One URL in a small memory-mapped file: writing it costs no system call."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._is_sealed = False
        with path.open("w+b") as file:
            # Written, not just extended: on a full disk, writing to an unallocated page kills the process.
            file.write(bytes(NOTE_BYTES))
            file.flush()
            self._map = mmap.mmap(file.fileno(), NOTE_BYTES)

    def begin(self, url: str) -> None:
        """Note that the answer of this URL is being read."""
        if self._is_sealed:
            return
        note = url.encode("utf-8", "replace")[: NOTE_BYTES - 1] + b"\n"
        self._map[: len(note)] = note

    def end(self) -> None:
        """Clear the note: the answer was read."""
        if not self._is_sealed:
            self._map[:1] = b"\n"

    def seal(self) -> None:
        """Keep the present note: the process ends because of it, and later answers must not overwrite it."""
        self._is_sealed = True

    def close(self) -> None:
        self._map.close()
        self._path.unlink(missing_ok=True)
