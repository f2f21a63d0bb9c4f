"""Which files did a crawl have before many machines shared it, and on which member's disk are they?

Their names contain neither a member nor a shard. So every shard gets this list, in a row of META, when the
crawl is divided. The row is deleted when the pages of these files have been queued again, or the crawl is
merged again.
"""

from typing import Final

import msgspec

from tiptoe.store.tables import Store, Table, Writes

__all__ = ["IMPORTED", "ImportedFiles", "forget_imported", "imported_files", "note_imported"]

IMPORTED: Final = b"imported"
"""Key in META."""


class ImportedFiles(msgspec.Struct, frozen=True, array_like=True):
    """Files on the disk of the member that brought the crawl into the cluster."""

    agent: str = ""
    files: list[str] = []

    def of(self, agent: str) -> list[str]:
        """Return the files that are on the disk of this member."""
        return self.files if agent == self.agent else []


def note_imported(batch: Writes, imported: ImportedFiles) -> None:
    """Write the list into META."""
    batch.put(Table.META, IMPORTED, msgspec.msgpack.encode(imported))


def imported_files(store: Store) -> ImportedFiles:
    """Return the list of a shard; empty if there is none, or none any more."""
    stored = store.get(Table.META, IMPORTED)
    return msgspec.msgpack.decode(stored, type=ImportedFiles) if stored else ImportedFiles()


def forget_imported(batch: Writes) -> None:
    """Delete the list from META."""
    batch.delete(Table.META, IMPORTED)
