"""Which configuration does each robot have, and which did it have before?

A change is a new version; versions are never changed, so that it is known what was in force when. Going back
to one makes a new version, too.
"""

import json
import sqlite3
from typing import Final

import msgspec

from tiptoe.control.control_store import ControlStore
from tiptoe.protocol.robot_messages import RobotConfiguration

__all__ = ["ConfigurationVersion", "RobotConfigurations"]

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS robot_configuration (
    robot TEXT NOT NULL, version INTEGER NOT NULL, settings TEXT NOT NULL, seeds TEXT NOT NULL,
    filters TEXT NOT NULL, user TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (robot, version)
) STRICT;
"""


class ConfigurationVersion(msgspec.Struct, frozen=True, kw_only=True):
    """One version, with its author."""

    configuration: RobotConfiguration
    user: str
    at: float


class RobotConfigurations:
    """The configurations of all robots, by version."""

    def __init__(self, store: ControlStore) -> None:
        self._store = store
        store.extend(SCHEMA)

    def current(self, robot: str) -> RobotConfiguration:
        """Return the last version; an empty one with number 0 when there is none."""
        found = self.history(robot, count=1)
        return found[0].configuration if found else RobotConfiguration()

    def current_version(self, robot: str) -> int:
        """Return the number of the last version; 0 = there is none."""
        row = self._store.row("SELECT max(version) FROM robot_configuration WHERE robot = ?", [robot])
        return int(row[0] or 0) if row else 0

    def newer(self, robot: str, version: int) -> RobotConfiguration | None:
        """Return the last version, or None if it is this one."""
        return self.current(robot) if self.current_version(robot) not in (0, version) else None

    def history(self, robot: str, *, count: int = 50) -> list[ConfigurationVersion]:
        """Return the versions, newest first."""
        sql = "SELECT * FROM robot_configuration WHERE robot = ? ORDER BY version DESC LIMIT ?"
        return [_version(row) for row in self._store.rows(sql, [robot, count])]

    def find(self, robot: str, version: int) -> ConfigurationVersion | None:
        sql = "SELECT * FROM robot_configuration WHERE robot = ? AND version = ?"
        row = self._store.row(sql, [robot, version])
        return _version(row) if row else None

    def add(self, robot: str, wanted: RobotConfiguration, user: str, now: float) -> RobotConfiguration:
        """Store a configuration as the next version, and return it."""
        sql = (
            "INSERT INTO robot_configuration SELECT ?, coalesce(max(version), 0) + 1, ?, ?, ?, ?, ? "
            "FROM robot_configuration WHERE robot = ? RETURNING version"
        )
        values = [
            robot, json.dumps(wanted.settings), wanted.seeds, json.dumps(wanted.filters), user, now, robot,
        ]  # fmt: skip
        row = self._store.row(sql, values)
        assert row is not None
        return msgspec.structs.replace(wanted, version=int(row[0]))

    def remove_all_of(self, robot: str) -> None:
        self._store.change("DELETE FROM robot_configuration WHERE robot = ?", [robot])


def _version(row: sqlite3.Row) -> ConfigurationVersion:
    configuration = RobotConfiguration(
        version=row["version"],
        settings=json.loads(row["settings"]),
        seeds=row["seeds"],
        filters=json.loads(row["filters"]),
    )
    return ConfigurationVersion(configuration=configuration, user=row["user"], at=row["at"])
