"""Was a record read before, perhaps from a copy of its file?

Archives are copied and renamed, and two globs may name the same one. A record is known by the id of its
document and its version: a file that is changed and changed back has the same id again, but a later version.
"""

from typing import Final

import xxhash

from tiptoe.store.tables import Rows, Table, Writes
from tiptoe.write.corpus import Document

__all__ = ["KnownRecords"]

SEEN: Final = Table.SIEVE


class KnownRecords:
    """The records that were read, as hashes of 128 bits."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._uncommitted: set[bytes] = set()

    def admit(self, batch: Writes, document: Document) -> bool:
        """Return whether a document comes from a record that was not read before, and note it."""
        key = xxhash.xxh3_128_digest(f"{document.version} {document.id}".encode())
        if key in self._uncommitted or self._rows.get(SEEN, key) is not None:
            return False
        self._uncommitted.add(key)
        batch.put(SEEN, key, b"")
        return True

    def committed(self) -> None:
        """Free memory after the batch has been written."""
        self._uncommitted.clear()
