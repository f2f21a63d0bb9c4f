"""How do the keeper's store and the disk, which outlive every process, behave?"""

import errno
import os
from pathlib import Path

from simulated.trace import Trace
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table, Writes

__all__ = ["Disk", "StoreHandle", "SurvivingStore"]


class SurvivingStore(MemoryStore):
    """A store that counts its changes and tells the trace of them."""

    def __init__(self, trace: Trace) -> None:
        super().__init__()
        self.changes = 0
        self._trace = trace

    def write(self, batch: Writes) -> None:
        for table, key, value in batch:
            if table is not Table.META:
                self.changes += 1
                self._trace.add(key)
                self._trace.add(value or b"\0")
        super().write(batch)


class StoreHandle:
    """What one keeper writes through: it ends with the keeper, what was written stays."""

    def __init__(self, kept: SurvivingStore) -> None:
        self._kept = kept
        self.get, self.get_many, self.scan = kept.get, kept.get_many, kept.scan
        self.is_over = False

    def write(self, batch: Writes) -> None:
        if not self.is_over:
            self._kept.write(batch)

    def close(self) -> None:
        """Nothing to let go of."""


class Disk:
    """The disk under the output files: it can be full, and it keeps what dead processes left open."""

    def __init__(self) -> None:
        self.is_full = False
        self._open: dict[int, tuple[int, int]] = {}

    def write(self, descriptor: int, data: memoryview) -> int:
        """Stand in for `os.write`."""
        if self.is_full:
            raise OSError(errno.ENOSPC, "no room (simulated)")
        status = os.fstat(descriptor)
        self._open[descriptor] = (status.st_dev, status.st_ino)
        return os.write(descriptor, data)

    def free_bytes(self, directory: Path) -> int:
        """Stand in for what the operating system says."""
        return 0 if self.is_full else 1 << 40

    def close_what_is_left(self) -> None:
        """Do what the kernel does for the dead: close their files."""
        for descriptor, place in self._open.items():
            try:
                status = os.fstat(descriptor)
            except OSError:
                continue  # its owner has closed it
            if (status.st_dev, status.st_ino) == place:
                os.close(descriptor)
