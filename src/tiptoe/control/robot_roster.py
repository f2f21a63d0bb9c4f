"""Which robots are registered, and which of them has this secret?

A robot has a name and a secret of its own. The secret is shown once; only its hash is stored. It identifies
that robot and gives access to nothing else: neither to pages, nor to anything of other robots.
"""

import re
import sqlite3
from typing import Final

import msgspec

from tiptoe.control.control_store import ControlStore
from tiptoe.control.secret_keys import hash_of_key, new_key
from tiptoe.control.web_problem import WebProblem

__all__ = ["KnownRobot", "RobotRoster", "robot_name_fault"]

PREFIX: Final = "tiptoerobot_"
"""Makes a secret recognisable as one wherever it turns up."""

ROBOT_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
ROBOTS_MAX: Final = 1000

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS robot (
    name TEXT PRIMARY KEY, secret TEXT UNIQUE, made_at REAL NOT NULL, note TEXT NOT NULL DEFAULT '',
    incarnation TEXT NOT NULL DEFAULT '', heard_at REAL NOT NULL DEFAULT 0, address TEXT NOT NULL DEFAULT '',
    version TEXT NOT NULL DEFAULT '', machine TEXT NOT NULL DEFAULT '', directory TEXT NOT NULL DEFAULT '',
    report TEXT NOT NULL DEFAULT ''
) STRICT;
"""


class KnownRobot(msgspec.Struct, frozen=True, kw_only=True):
    """A robot as stored."""

    name: str
    made_at: float
    note: str = ""
    is_revoked: bool = False
    incarnation: str = ""
    heard_at: float = 0.0  # 0 = never
    address: str = ""
    version: str = ""
    machine: str = ""
    directory: str = ""
    report: str = ""  # the last one, as JSON


class RobotRoster:
    """The robots by name."""

    def __init__(self, store: ControlStore) -> None:
        self._store = store
        store.extend(SCHEMA)

    def list_all(self) -> list[KnownRobot]:
        """Return all robots, sorted by id."""
        return [_robot(row) for row in self._store.rows("SELECT * FROM robot ORDER BY name")]

    def find(self, name: str) -> KnownRobot | None:
        row = self._store.row("SELECT * FROM robot WHERE name = ?", [name])
        return _robot(row) if row else None

    def get(self, name: str) -> KnownRobot:
        """Return a robot; raise WebProblem when there is none of this name."""
        robot = self.find(name)
        if robot is None:
            raise WebProblem(404, f"there is no robot {name!r}")
        return robot

    def add(self, name: str, now: float, *, note: str = "") -> str:
        """Add a robot and return its secret; raise WebProblem when the name is invalid or taken."""
        if fault := robot_name_fault(name):
            raise WebProblem(422, f"name: {fault}", errors={"name": fault})
        if len(self.list_all()) >= ROBOTS_MAX:
            raise WebProblem(409, f"there are {ROBOTS_MAX} robots; remove some first")
        secret = PREFIX + new_key()
        sql = "INSERT OR IGNORE INTO robot (name, secret, made_at, note) VALUES (?, ?, ?, ?)"
        if not self._store.change(sql, [name, hash_of_key(secret), now, note]):
            raise WebProblem(409, f"there is a robot {name} already", errors={"name": "taken"})
        return secret

    def admit(self, secret: str) -> KnownRobot | None:
        """Return the robot with this secret; None when the secret is unknown or was revoked."""
        row = self._store.row("SELECT * FROM robot WHERE secret = ?", [hash_of_key(secret)])
        return _robot(row) if row else None

    def renew(self, name: str) -> str:
        """Return a new secret of a robot; the previous one becomes invalid."""
        secret = PREFIX + new_key()
        self._store.change("UPDATE robot SET secret = ? WHERE name = ?", [hash_of_key(secret), name])
        return secret

    def revoke(self, name: str) -> bool:
        """Revoke a robot's secret until it gets a new one; return False when it had none."""
        return (
            self._store.change("UPDATE robot SET secret = NULL WHERE name = ? AND secret NOT NULL", [name])
            == 1
        )

    def remove(self, name: str) -> None:
        self._store.change("DELETE FROM robot WHERE name = ?", [name])

    def begin(self, name: str, incarnation: str, now: float, *, address: str, version: str, machine: str,
              directory: str) -> None:  # fmt: skip
        """Record the process that uses this id from now on."""
        sql = (
            "UPDATE robot SET incarnation = ?, heard_at = ?, address = ?, version = ?, machine = ?, "
            "directory = ? WHERE name = ?"
        )
        self._store.change(sql, [incarnation, now, address, version, machine, directory, name])

    def note_report(self, name: str, now: float, *, address: str, report: str) -> None:
        """Keep the last report of a robot."""
        sql = "UPDATE robot SET heard_at = ?, address = ?, report = ? WHERE name = ?"
        self._store.change(sql, [now, address, report, name])


def robot_name_fault(name: str) -> str:
    """Return what is wrong with the id of a robot; empty if it is valid."""
    return "" if ROBOT_NAME.fullmatch(name) else "small letters, digits, - and _, at most 63 of them"


def _robot(row: sqlite3.Row) -> KnownRobot:
    return KnownRobot(
        name=row["name"],
        made_at=row["made_at"],
        note=row["note"],
        is_revoked=row["secret"] is None,
        incarnation=row["incarnation"],
        heard_at=row["heard_at"],
        address=row["address"],
        version=row["version"],
        machine=row["machine"],
        directory=row["directory"],
        report=row["report"],
    )
