"""Which files did a crawl have before many machines shared it, and on whose disk do they lie?

Their names tell neither a member nor a shard. So every shard is told, in a row of META, when the crawl is
divided; it goes when the pages of these files were asked for again, or the crawl is one again.
"""

from typing import Final

import msgspec

from tiptoe.store.tables import Store, Table, Writes

__all__ = ["IMPORTED", "ImportedFiles", "forget_imported", "imported_files", "note_imported"]

IMPORTED: Final = b"imported"
"""Key in META."""


class ImportedFiles(msgspec.Struct, frozen=True, array_like=True):
    """Files on the disk of the member that has brought a crawl in."""

    agent: str = ""
    files: list[str] = []

    def of(self, agent: str) -> list[str]:
        """Return those on the disk of a member."""
        return self.files if agent == self.agent else []


def note_imported(batch: Writes, imported: ImportedFiles) -> None:
    """Write it down."""
    batch.put(Table.META, IMPORTED, msgspec.msgpack.encode(imported))


def imported_files(store: Store) -> ImportedFiles:
    """Return what a shard was told; nothing when it knows of no such file, or no longer."""
    stored = store.get(Table.META, IMPORTED)
    return msgspec.msgpack.decode(stored, type=ImportedFiles) if stored else ImportedFiles()


def forget_imported(batch: Writes) -> None:
    """Know of them no longer."""
    batch.delete(Table.META, IMPORTED)
