"""Which hashes were met before, when there are a hundred million of them?

An open-addressing table of 64-bit numbers in files of a temporary directory, mapped into memory.
The kernel keeps in memory what fits and lets go of the rest, so a corpus may be
larger than the machine. A hash takes 11 to 21 bytes there; 10^8 of them took 1.07 GB, 1.3 µs each,
and no memory beside it. (A Python set would take 7 GB that cannot be let go, RocksDB ten times as long.)
"""

import mmap
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["SeenHashes", "map_file", "seen_hashes"]

SEGMENTS_BITS = 6
SEGMENT_SHIFT = 64 - SEGMENTS_BITS
SLOTS_FIRST = 1 << 12
FILL_MAX = 0.75
HASH_BYTES = 8


class HashTable:
    """A table that doubles when three quarters are full. An empty slot is 0."""

    __slots__ = ("_bytes", "_folder", "count", "mask", "slots")

    def __init__(self, folder: Path | None, slots: int = SLOTS_FIRST) -> None:
        self._folder = folder
        self.count = 0
        self._bytes = map_file(folder, slots * HASH_BYTES)
        self.slots = memoryview(self._bytes).cast("Q")
        self.mask = slots - 1

    def grow(self) -> None:
        """Move everything to a table of double size."""
        larger = HashTable(self._folder, 2 * len(self.slots))
        slots, mask = larger.slots, larger.mask
        for number in self.slots:
            if number:
                place = number & mask
                while slots[place]:
                    place = (place + 1) & mask
                slots[place] = number
        self.close()
        self._bytes, self.slots, self.mask = larger._bytes, slots, mask

    def close(self) -> None:
        self.slots.release()
        self._bytes.close()


class SeenHashes:
    """A set of 64-bit hashes that only grows."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._segments: dict[int, HashTable] = {}  # by the first bits of the hashes in them

    def __contains__(self, number: int) -> bool:
        segment = self._segments.get(number >> SEGMENT_SHIFT)
        return segment is not None and segment.slots[_place(segment, number or 1)] != 0

    def __len__(self) -> int:
        return sum(segment.count for segment in self._segments.values())

    def add(self, number: int) -> bool:
        """Put a hash in; return whether it is new."""
        segment = self._segments.get(number >> SEGMENT_SHIFT)
        if segment is None:
            segment = self._segments[number >> SEGMENT_SHIFT] = HashTable(self._folder)
        number = number or 1
        place = _place(segment, number)
        if segment.slots[place]:
            return False
        segment.slots[place] = number
        segment.count += 1
        if segment.count > FILL_MAX * segment.mask:
            segment.grow()
        return True

    def close(self) -> None:
        """Give the files back."""
        for segment in self._segments.values():
            segment.close()


@contextmanager
def seen_hashes(folder: Path | None = None) -> Iterator[SeenHashes]:
    """Keep hashes while the `with` lasts; their files lie in `folder`, or where temporary files lie."""
    seen = SeenHashes(folder)
    try:
        yield seen
    finally:
        seen.close()


def _place(segment: HashTable, number: int) -> int:
    """Return the slot that holds a number, or the empty one where it belongs."""
    slots, mask = segment.slots, segment.mask
    place = number & mask
    while (found := slots[place]) and found != number:
        place = (place + 1) & mask
    return place


def map_file(folder: Path | None, size: int) -> mmap.mmap:
    """Return so much room that is zero, in a file without a name."""
    with tempfile.TemporaryFile(dir=folder) as file:
        # Reserved at once: a disk that is full later would end the process, not raise an error.
        os.posix_fallocate(file.fileno(), 0, size)
        return mmap.mmap(file.fileno(), size)
