"""Which programs have access, and on whose behalf?

A token acts for the user who made it, with that user's role or a lesser one, and is deleted with the user. It
can be made only in a session, never by another token: so a leaked token is worthless once it has expired or
is revoked.
"""

import secrets
import sqlite3
from typing import Final

import msgspec

from tiptoe.control.control_store import ControlStore
from tiptoe.control.secret_keys import hash_of_key, new_key
from tiptoe.control.user_role import UserRole

__all__ = ["AccessToken", "AccessTokens"]

PREFIX: Final = "tiptoe_"
"""Makes a token recognisable as one wherever it turns up."""

NOTED_EVERY: Final = 60.0
TOKENS_PER_USER_MAX: Final = 50
NAME_CHARS_MAX: Final = 80


class AccessToken(msgspec.Struct, frozen=True):
    """A program's access on behalf of a user."""

    id: str
    user: str
    name: str
    role: str
    made_at: float
    used_at: float  # 0 = never
    ends_at: float  # 0 = never


class AccessTokens:
    """The tokens of all users."""

    def __init__(self, store: ControlStore) -> None:
        self._store = store

    def make(
        self, user: str, name: str, role: UserRole, now: float, *, ends_at: float = 0.0
    ) -> tuple[str, str] | None:
        """Return a new token, to be shown once, and its id; None when the user has too many."""
        count = self._store.row("SELECT count(*) FROM token WHERE user = ?", [user])
        if count is not None and count[0] >= TOKENS_PER_USER_MAX:
            return None
        key, id = PREFIX + new_key(), secrets.token_hex(6)
        values = [id, hash_of_key(key), user, name[:NAME_CHARS_MAX], role.word, now, 0.0, ends_at]
        self._store.change("INSERT INTO token VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
        return key, id

    def find(self, key: str, now: float) -> AccessToken | None:
        """Return the token with this key, if it is valid."""
        row = self._store.row("SELECT * FROM token WHERE key = ?", [hash_of_key(key)])
        if row is None or (row["ends_at"] and row["ends_at"] < now):
            return None
        if now - row["used_at"] > NOTED_EVERY:
            self._store.change("UPDATE token SET used_at = ? WHERE id = ?", [now, row["id"]])
        return _token(row)

    def list_of(self, user: str | None = None) -> list[AccessToken]:
        """Return the tokens of one user, or of all, newest first."""
        where, values = ("", []) if user is None else ("WHERE user = ?", [user])
        sql = f"SELECT * FROM token {where} ORDER BY made_at DESC"  # noqa: S608  nothing foreign in it
        return [_token(row) for row in self._store.rows(sql, values)]

    def revoke(self, id: str, *, user: str | None = None) -> bool:
        """Revoke a token; if a user is given, only one of that user."""
        if user is None:
            return self._store.change("DELETE FROM token WHERE id = ?", [id]) == 1
        return self._store.change("DELETE FROM token WHERE id = ? AND user = ?", [id, user]) == 1

    def revoke_all_of(self, user: str) -> int:
        return self._store.change("DELETE FROM token WHERE user = ?", [user])


def _token(row: sqlite3.Row) -> AccessToken:
    return AccessToken(
        row["id"], row["user"], row["name"], row["role"], row["made_at"], row["used_at"], row["ends_at"]
    )
