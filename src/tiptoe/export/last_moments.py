"""Which number is the largest that goes with a hash, when there are a hundred million of them?

Like `seen.py`: open addressing in files of a temporary directory, mapped into memory, so that a
corpus may have more pages than the machine has memory for. A pair takes 21 to 43 bytes there.
"""

import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tiptoe.export.seen import FILL_MAX, HASH_BYTES, SEGMENT_SHIFT, SLOTS_FIRST, map_file

__all__ = ["LastMoments", "last_moments"]


class MomentTable:
    """Pairs of hash and number, one after the other, in a table that doubles when it is nearly full."""

    __slots__ = ("_bytes", "_folder", "count", "mask", "words")

    def __init__(self, folder: Path | None, slots: int = SLOTS_FIRST) -> None:
        self._folder = folder
        self._bytes: mmap.mmap = map_file(folder, 2 * slots * HASH_BYTES)
        self.words = memoryview(self._bytes).cast("Q")
        self.mask = slots - 1
        self.count = 0

    def place(self, key: int) -> int:
        """Return where a hash stands, or the empty place where it belongs."""
        words, mask = self.words, self.mask
        slot = key & mask
        while (found := words[2 * slot]) and found != key:
            slot = (slot + 1) & mask
        return 2 * slot

    def grow(self) -> None:
        """Move everything to a table of double size."""
        larger = MomentTable(self._folder, 2 * (self.mask + 1))
        for at in range(0, len(self.words), 2):
            if key := self.words[at]:
                place = larger.place(key)
                larger.words[place], larger.words[place + 1] = key, self.words[at + 1]
        self.close()
        self._bytes, self.words, self.mask = larger._bytes, larger.words, larger.mask

    def close(self) -> None:
        self.words.release()
        self._bytes.close()


class LastMoments:
    """The largest number by 64-bit hash."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._segments: dict[int, MomentTable] = {}  # by the first bits of the hashes in them

    def __len__(self) -> int:
        return sum(segment.count for segment in self._segments.values())

    def get(self, key: int) -> int | None:
        """Return the largest number noted for a hash; None if there is none."""
        segment = self._segments.get(key >> SEGMENT_SHIFT)
        if segment is None:
            return None
        place = segment.place(key or 1)
        return segment.words[place + 1] if segment.words[place] else None

    def note(self, key: int, number: int) -> None:
        """Remember a number unless a larger one is known."""
        segment = self._segments.get(key >> SEGMENT_SHIFT)
        if segment is None:
            segment = self._segments[key >> SEGMENT_SHIFT] = MomentTable(self._folder)
        key = key or 1
        place = segment.place(key)
        if segment.words[place]:
            segment.words[place + 1] = max(number, segment.words[place + 1])
            return
        segment.words[place], segment.words[place + 1] = key, number
        segment.count += 1
        if segment.count > FILL_MAX * segment.mask:
            segment.grow()

    def close(self) -> None:
        """Give the files back."""
        for segment in self._segments.values():
            segment.close()


@contextmanager
def last_moments(folder: Path | None = None) -> Iterator[LastMoments]:
    """Keep moments while the `with` lasts; their files lie in `folder`, or where temporary files lie."""
    moments = LastMoments(folder)
    try:
        yield moments
    finally:
        moments.close()
