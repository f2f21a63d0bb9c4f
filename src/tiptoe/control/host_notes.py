"""What should users know about a host? The notes that they write for each other."""

from typing import Final

import msgspec

from tiptoe.control.control_store import ControlStore

__all__ = ["NOTE_CHARS_MAX", "HostNote", "HostNotes"]

NOTE_CHARS_MAX: Final = 2000


class HostNote(msgspec.Struct, frozen=True, kw_only=True):
    """A note about a host, with its author and time; empty: there is none."""

    note: str = ""
    user: str = ""
    at: float = 0.0


class HostNotes:
    """The notes about all hosts, at most one per host and crawl."""

    def __init__(self, store: ControlStore) -> None:
        self._store = store

    def read(self, crawl: str, host: str) -> HostNote:
        """Return the note about a host."""
        row = self._store.row("SELECT * FROM host_note WHERE crawl = ? AND host = ?", [crawl, host])
        return HostNote(note=row["note"], user=row["user"], at=row["at"]) if row else HostNote()

    def write(self, crawl: str, host: str, note: str, user: str, now: float) -> None:
        """Set or replace the note about a host."""
        values = [crawl, host, note, user, now]
        self._store.change("INSERT OR REPLACE INTO host_note VALUES (?, ?, ?, ?, ?)", values)
