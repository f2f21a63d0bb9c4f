"""Which requests had begun and not ended when a harvester died?

A line of the request log is written when its request ends. Until then the
request has a place in a small file beside the log, mapped into memory: noting it
costs no system call, and the notes survive `kill -9`. The file is removed when the
log is closed; as long as its writer lives, it holds a lock on it.
"""

import fcntl
import mmap
import os
from pathlib import Path

import msgspec

from tiptoe.write.appendfile import is_disk_full

__all__ = ["Begun", "Underway", "read_underway"]

PLACE_BYTES = 512
PLACES_FIRST = 64
NOWHERE = -1
SEPARATOR = "\t"


class Begun(msgspec.Struct, frozen=True, gc=False):
    """A request that has begun."""

    started_at: float
    visit: str
    host: str
    address: str
    purpose: str
    url: str  # its first few hundred bytes


class Underway:
    """The requests of one incarnation that are under way; the file is created with the first."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = -1
        self._map: mmap.mmap | None = None
        self._free: list[int] = []

    def begin(self, started_at: float, visit: int, host: str, address: str, purpose: str, url: str) -> int:
        """Note a request that is about to be made; return its place, NOWHERE if the disk is full."""
        if not self._free and not self._grow():
            return NOWHERE
        assert self._map is not None
        at = self._free.pop()
        note = f"{started_at!r}\t{visit}\t{host}\t{address}\t{purpose}\t{url}".encode("utf-8", "replace")
        note = note[: PLACE_BYTES - 1] + b"\n"
        self._map[at : at + len(note)] = note
        return at

    def end(self, place: int) -> None:
        """Free the place of a request that has ended and whose line is in the log."""
        if place == NOWHERE:
            return
        assert self._map is not None
        self._map[place] = 0
        self._free.append(place)

    def let_go(self) -> None:
        """Close the file until the next request begins, unless one is under way."""
        if self._map is not None and len(self._free) * PLACE_BYTES == len(self._map):
            self.close()

    def close(self) -> None:
        """Remove the file: all requests have ended."""
        if self._map is not None:
            self._map.close()
            self._map = None
            self._free.clear()
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
            self._path.unlink(missing_ok=True)

    def _grow(self) -> bool:
        """Make room for twice as many requests; return False if the disk is full."""
        size = len(self._map) if self._map is not None else 0
        wanted = 2 * size or PLACES_FIRST * PLACE_BYTES
        try:
            if self._file < 0:
                self._open()
            # Writing to a hole in a mapped file would kill the process if the disk is full.
            os.posix_fallocate(self._file, 0, wanted)
        except OSError as error:
            if is_disk_full(error):
                return False
            raise
        if self._map is None:
            self._map = mmap.mmap(self._file, wanted)
        else:
            self._map.resize(wanted)
        self._free.extend(range(size, wanted, PLACE_BYTES))
        return True

    def _open(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        fcntl.flock(self._file, fcntl.LOCK_EX)


def read_underway(path: Path) -> list[Begun]:
    """Return the requests that a dead harvester had begun, by time; none while its writer lives."""
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return []
        data = file.read()
    places = (data[at : at + PLACE_BYTES] for at in range(0, len(data), PLACE_BYTES))
    notes = [_read(place) for place in places if place[:1] not in (b"\0", b"")]
    return sorted((note for note in notes if note is not None), key=lambda note: note.started_at)


def _read(place: bytes) -> Begun | None:
    parts = place.partition(b"\n")[0].decode("utf-8", "replace").split(SEPARATOR, 5)
    try:
        return Begun(float(parts[0]), *parts[1:])
    except (ValueError, TypeError):  # torn when its writer died
        return None
