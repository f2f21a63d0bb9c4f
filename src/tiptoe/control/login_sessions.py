"""Which user does a browser belong to?

A session begins with a password or a one-time link and ends after half a day without a request, after a week,
on logout, or when an administrator ends it. The browser has the key, the server its hash."""

import sqlite3
from typing import Final

import msgspec

from tiptoe.control.control_store import ControlStore
from tiptoe.control.secret_keys import hash_of_key, new_key
from tiptoe.control.user_role import UserRole

__all__ = ["WHOLE_SECONDS", "LoginSession", "LoginSessions"]

IDLE_SECONDS: Final = 12 * 3600.0
WHOLE_SECONDS: Final = 7 * 24 * 3600.0
NOTED_EVERY: Final = 60.0
"""Minimum time between two updates of a session's last use, because each is a write to the disk."""

BROWSER_CHARS_MAX: Final = 200
SESSIONS_PER_USER_MAX: Final = 50


class LoginSession(msgspec.Struct, frozen=True):
    """The session of one browser."""

    id: str  # the hash of its key: identifies the session, but gives no access
    user: str
    role: UserRole
    csrf: str  # the token that forms must contain
    made_at: float
    used_at: float
    address: str
    browser: str


class LoginSessions:
    """The open sessions."""

    def __init__(self, store: ControlStore) -> None:
        self._store = store

    def begin(self, user: str, role: UserRole, now: float, *, address: str = "", browser: str = "") -> str:
        """Begin a session; return the key for the browser's cookie."""
        key = new_key()
        values = [
            hash_of_key(key),
            user,
            role.word,
            new_key(),
            now,
            now,
            address,
            browser[:BROWSER_CHARS_MAX],
        ]
        with self._store.together():
            self._drop_old(user, now)
            self._store.change("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
        return key

    def find(self, key: str, now: float) -> LoginSession | None:
        """Return the session with this key, if it is still valid."""
        row = self._store.row("SELECT * FROM session WHERE key = ?", [hash_of_key(key)])
        if row is None:
            return None
        if now - row["used_at"] > IDLE_SECONDS or now - row["made_at"] > WHOLE_SECONDS:
            self.end(row["key"])
            return None
        if now - row["used_at"] > NOTED_EVERY:
            self._store.change("UPDATE session SET used_at = ? WHERE key = ?", [now, row["key"]])
        return _session(row)

    def list_all(self, now: float) -> list[LoginSession]:
        """Return the open sessions, most recently used first."""
        sql = "SELECT * FROM session WHERE used_at >= ? AND made_at >= ? ORDER BY used_at DESC LIMIT 500"
        return [_session(row) for row in self._store.rows(sql, [now - IDLE_SECONDS, now - WHOLE_SECONDS])]

    def end(self, id: str) -> bool:
        """End a session."""
        return self._store.change("DELETE FROM session WHERE key = ?", [id]) == 1

    def end_all_of(self, user: str, *, but: str = "") -> int:
        """End all sessions of a user, except one if it is given."""
        return self._store.change("DELETE FROM session WHERE user = ? AND key <> ?", [user, but])

    def _drop_old(self, user: str, now: float) -> None:
        self._store.change("DELETE FROM session WHERE used_at < ?", [now - IDLE_SECONDS])
        self._store.change(
            "DELETE FROM session WHERE user = ? AND key NOT IN "
            "(SELECT key FROM session WHERE user = ? ORDER BY used_at DESC LIMIT ?)",
            [user, user, SESSIONS_PER_USER_MAX - 1],
        )


def _session(row: sqlite3.Row) -> LoginSession:
    return LoginSession(
        row["key"], row["user"], UserRole.named(row["role"]), row["csrf"], row["made_at"], row["used_at"],
        row["address"], row["browser"],
    )  # fmt: skip
