"""Which links give access once?

They are for the first administrator, for watching a single crawl (`--crawl`), and for invited users.
"""

import sqlite3
from typing import Final

import msgspec

from tiptoe.control.control_store import ControlStore
from tiptoe.control.secret_keys import hash_of_key, new_key
from tiptoe.control.user_role import UserRole

__all__ = ["OneTimeLink", "OneTimeLinks"]

FIRST: Final = "first"  # to make the first account
LOOK: Final = "look"  # for a session without an account
JOIN: Final = "join"  # to choose the password of an account that an administrator has prepared


class OneTimeLink(msgspec.Struct, frozen=True):
    """What a link permits."""

    purpose: str
    user: str
    role: UserRole
    ends_at: float


class OneTimeLinks:
    """Links that have not been used yet."""

    FIRST = FIRST
    LOOK = LOOK
    JOIN = JOIN

    def __init__(self, store: ControlStore) -> None:
        self._store = store

    def make(self, purpose: str, role: UserRole, ends_at: float, *, user: str = "") -> str:
        """Return the key of a new link, which replaces an earlier one for the same purpose and user."""
        key = new_key()
        with self._store.together():
            self._store.change("DELETE FROM link WHERE purpose = ? AND user = ?", [purpose, user])
            values = [hash_of_key(key), purpose, user, role.word, ends_at]
            self._store.change("INSERT INTO link VALUES (?, ?, ?, ?, ?)", values)
        return key

    def look(self, key: str, now: float) -> OneTimeLink | None:
        """Return a valid link without using it up."""
        row = self._store.row("SELECT * FROM link WHERE key = ? AND ends_at > ?", [hash_of_key(key), now])
        return _link(row) if row else None

    def use(self, key: str, now: float) -> OneTimeLink | None:
        """Return a valid link and use it up."""
        sql = "DELETE FROM link WHERE key = ? AND ends_at > ? RETURNING *"
        row = self._store.row(sql, [hash_of_key(key), now])
        return _link(row) if row else None

    def list_of(self, purpose: str, now: float) -> list[OneTimeLink]:
        """Return the valid links for a purpose, by user."""
        sql = "SELECT * FROM link WHERE purpose = ? AND ends_at > ? ORDER BY user"
        return [_link(row) for row in self._store.rows(sql, [purpose, now])]

    def withdraw(self, purpose: str, user: str) -> bool:
        """Make a link invalid; return False when there is none."""
        sql = "DELETE FROM link WHERE purpose = ? AND user = ?"
        return self._store.change(sql, [purpose, user]) > 0


def _link(row: sqlite3.Row) -> OneTimeLink:
    return OneTimeLink(row["purpose"], row["user"], UserRole.named(row["role"]), row["ends_at"])
