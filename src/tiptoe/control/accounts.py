"""Which users have accounts, and is this their password?"""

import re
import sqlite3
import threading
from typing import Final

import argon2
import msgspec

from tiptoe.control.control_store import ControlStore
from tiptoe.control.user_role import UserRole

__all__ = ["Accounts", "UserAccount", "password_fault", "user_name_fault"]

PASSWORD_CHARS_MIN: Final = 10
PASSWORD_CHARS_MAX: Final = 200
USER_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
HASHED_AT_ONCE: Final = 2
"""Maximum passwords hashed at once, because each takes 64 MB; further logins wait."""


class UserAccount(msgspec.Struct, frozen=True):
    """A user who may log in with a name and a password."""

    name: str
    role: str
    made_at: float
    is_locked: bool = False


class Accounts:
    """Users and their passwords, hashed with argon2id."""

    def __init__(self, store: ControlStore, hasher: argon2.PasswordHasher | None = None) -> None:
        self._store = store
        self._hasher = hasher or argon2.PasswordHasher()  # argon2id, 64 MiB, 3 rounds, 4 lanes
        self._turns = threading.BoundedSemaphore(HASHED_AT_ONCE)
        # Compared with when there is no such user, so that response times do not reveal which names exist.
        self._nobody = self._hasher.hash("nobody has this password")

    def list_all(self) -> list[UserAccount]:
        """Return all users, sorted by name."""
        return [_account(row) for row in self._store.rows("SELECT * FROM user ORDER BY name")]

    def find(self, name: str) -> UserAccount | None:
        """Return the user with this name, if there is one."""
        row = self._store.row("SELECT * FROM user WHERE name = ?", [name])
        return _account(row) if row else None

    def add(self, name: str, password: str, role: UserRole, now: float) -> bool:
        """Add an account; return False when the name is taken."""
        values = [name, self._hashed(password), role.word, now]
        sql = "INSERT OR IGNORE INTO user (name, password, role, made_at) VALUES (?, ?, ?, ?)"
        return self._store.change(sql, values) == 1

    def admits(self, name: str, password: str) -> UserAccount | None:
        """Return the user, if name and password are right and the account is not locked."""
        row = self._store.row("SELECT * FROM user WHERE name = ?", [name])
        if not self._is_right(row["password"] if row else self._nobody, password) or row is None:
            return None
        if self._hasher.check_needs_rehash(row["password"]):
            self.set_password(name, password)
        return None if row["is_locked"] else _account(row)

    def set_password(self, name: str, password: str) -> None:
        self._store.change("UPDATE user SET password = ? WHERE name = ?", [self._hashed(password), name])

    def set_role(self, name: str, role: UserRole) -> None:
        self._store.change("UPDATE user SET role = ? WHERE name = ?", [role.word, name])

    def set_locked(self, name: str, *, is_locked: bool) -> None:
        self._store.change("UPDATE user SET is_locked = ? WHERE name = ?", [int(is_locked), name])

    def remove(self, name: str) -> None:
        self._store.change("DELETE FROM user WHERE name = ?", [name])

    def other_administrators(self, name: str) -> int:
        """Return how many unlocked administrators there are besides this one."""
        sql = "SELECT count(*) FROM user WHERE role = ? AND NOT is_locked AND name <> ?"
        row = self._store.row(sql, [UserRole.ADMINISTRATOR.word, name])
        return int(row[0]) if row else 0

    def _hashed(self, password: str) -> str:
        with self._turns:
            return self._hasher.hash(password)

    def _is_right(self, hashed: str, password: str) -> bool:
        with self._turns:
            try:
                return self._hasher.verify(hashed, password[:PASSWORD_CHARS_MAX])
            except argon2.exceptions.VerificationError:
                return False


def password_fault(password: str) -> str:
    """Return what is wrong with a new password; empty when nothing is."""
    if len(password) < PASSWORD_CHARS_MIN:
        return f"at least {PASSWORD_CHARS_MIN} characters"
    if len(password) > PASSWORD_CHARS_MAX:
        return f"at most {PASSWORD_CHARS_MAX} characters"
    if len(set(password)) < 4:
        return "more than a few characters over and over"
    return ""


def user_name_fault(name: str) -> str:
    """Return what is wrong with the name of a new user; empty when nothing is."""
    return "" if USER_NAME.fullmatch(name) else "letters, digits and . _ @ -, at most 64 of them"


def _account(row: sqlite3.Row) -> UserAccount:
    return UserAccount(row["name"], row["role"], row["made_at"], bool(row["is_locked"]))
