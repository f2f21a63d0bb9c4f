"""Who did what, and when?

Every change that a user makes here, and every login, leaves a line. Lines are never changed; the oldest are
deleted when there are too many."""

from typing import Final

import msgspec

from tiptoe.control.control_store import ControlStore

__all__ = ["ActionTrail", "TrailLine"]

LINES_MAX: Final = 200_000
DROPPED_AT_ONCE: Final = 1000
DETAIL_CHARS_MAX: Final = 2000


class TrailLine(msgspec.Struct, frozen=True):
    """One action of a user."""

    id: int
    at: float
    user: str
    action: str  # as "crawl.pause"
    target: str  # as "crawl/news"
    detail: str
    address: str


class ActionTrail:
    """The lines of all actions."""

    def __init__(self, store: ControlStore) -> None:
        self._store = store

    def note(
        self, user: str, action: str, target: str = "", detail: str = "", *, now: float, address: str = ""
    ) -> None:
        """Write a line."""
        values = [now, user, action, target, detail[:DETAIL_CHARS_MAX], address]
        sql = (
            "INSERT INTO trail (at, user, action, target, detail, address) "
            "VALUES (?, ?, ?, ?, ?, ?) RETURNING id"
        )
        row = self._store.row(sql, values)
        if row is not None and row[0] % DROPPED_AT_ONCE == 0:
            self._store.change("DELETE FROM trail WHERE id <= ?", [row[0] - LINES_MAX])

    def read(self, *, before: int = 0, count: int = 50, target: str = "", words: str = "") -> list[TrailLine]:
        """Return lines, newest first: optionally before another one, about a target, with some words."""
        sql = (
            "SELECT * FROM trail WHERE (? = 0 OR id < ?) AND (? = '' OR target = ?) AND (? = '' OR "
            "instr(lower(user || ' ' || action || ' ' || target || ' ' || detail), lower(?))) "
            "ORDER BY id DESC LIMIT ?"
        )
        rows = self._store.rows(sql, [before, before, target, target, words, words, count])
        return [TrailLine(*row) for row in rows]
