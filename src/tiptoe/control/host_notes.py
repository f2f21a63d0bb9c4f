"""What should people know of a host? Notes that they write down for each other."""

from typing import Final

import msgspec

from tiptoe.control.control_store import ControlStore

__all__ = ["NOTE_CHARS_MAX", "HostNote", "HostNotes"]

NOTE_CHARS_MAX: Final = 2000


class HostNote(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody wrote down, and when; empty: nothing."""

    note: str = ""
    user: str = ""
    at: float = 0.0


class HostNotes:
    """The notes of all hosts; one for each host of a crawl."""

    def __init__(self, store: ControlStore) -> None:
        self._store = store

    def read(self, crawl: str, host: str) -> HostNote:
        """Return the note of a host."""
        row = self._store.row("SELECT * FROM host_note WHERE crawl = ? AND host = ?", [crawl, host])
        return HostNote(note=row["note"], user=row["user"], at=row["at"]) if row else HostNote()

    def write(self, crawl: str, host: str, note: str, user: str, now: float) -> None:
        """Put a note in place of the one there is."""
        values = [crawl, host, note, user, now]
        self._store.change("INSERT OR REPLACE INTO host_note VALUES (?, ?, ?, ?, ?)", values)
