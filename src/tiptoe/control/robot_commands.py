"""Which commands was each robot given, and what was the result?

A command is *waiting* until it is sent to its robot, *sent* until the robot confirms that it is on its disk,
*taken* until it is carried out, and then *done* or *failed*. It only moves forward. A waiting command can be
*withdrawn*. A command that was sent but not taken is sent again: delivery is at least once, and the robot
recognises repetitions by the number.

A store that was restored from an older copy may hold commands that the robot took, or that were withdrawn,
before the copy was needed. Sent again they would undo what came after them, a `block` for instance. They are
recognised by their time: they are older than the latest command of the robot.
"""

import json
import sqlite3
from collections.abc import Sequence
from typing import Final

import msgspec

from tiptoe.control.control_store import ControlStore
from tiptoe.protocol.robot_messages import CommandOutcome, OrderedCommand

__all__ = ["UNSETTLED_MAX", "QueuedCommand", "RobotCommands"]

MESSAGE_CHARS_MAX: Final = 2000
SENT_AT_ONCE: Final = 100
UNSETTLED_MAX: Final = 1000
KEPT_MAX: Final = 5000
"""Maximum settled commands kept per robot; above it the oldest are deleted."""

LAG_MAX: Final = 1_000_000
"""Maximum by which a robot's number may be ahead of ours; above it the robot is not believed."""

STALE_SAID: Final = (
    "this server was restored from an older copy, and the robot has taken later commands since; "
    "give it again if you still want it"
)

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS robot_command (
    number INTEGER PRIMARY KEY AUTOINCREMENT, robot TEXT NOT NULL, command TEXT NOT NULL, user TEXT NOT NULL,
    made_at REAL NOT NULL, state TEXT NOT NULL DEFAULT 'waiting', said TEXT NOT NULL DEFAULT '',
    sent_at REAL NOT NULL DEFAULT 0, settled_at REAL NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX IF NOT EXISTS robot_command_robot ON robot_command (robot, number);
CREATE INDEX IF NOT EXISTS robot_command_open ON robot_command (robot, state, number);
"""
OPEN: Final = "('waiting', 'sent', 'taken')"


class QueuedCommand(msgspec.Struct, frozen=True, kw_only=True):
    """A command and its state."""

    command: OrderedCommand
    robot: str
    user: str
    made_at: float
    state: str  # waiting, sent, taken, done, failed, withdrawn
    message: str = ""
    sent_at: float = 0.0
    settled_at: float = 0.0


class RobotCommands:
    """The commands to all robots."""

    def __init__(self, store: ControlStore) -> None:
        self._store = store
        store.extend(SCHEMA)

    def add(self, robots: Sequence[str], command: OrderedCommand, user: str, now: float) -> list[int]:
        """Queue a command for all of these robots, or for none; return one number per robot."""
        content = json.dumps(msgspec.to_builtins(command))
        numbers: list[int] = []
        with self._store.together():
            for robot in robots:
                sql = (
                    "INSERT INTO robot_command (robot, command, user, made_at) VALUES (?, ?, ?, ?) "
                    "RETURNING number"
                )
                row = self._store.row(sql, [robot, content, user, now])
                assert row is not None
                numbers.append(int(row[0]))
        return numbers

    def open_count(self, robot: str) -> int:
        """Return how many commands of a robot are not settled yet."""
        sql = f"SELECT count(*) FROM robot_command WHERE robot = ? AND state IN {OPEN}"  # noqa: S608
        row = self._store.row(sql, [robot])
        return int(row[0]) if row else 0

    def hand_out(
        self, robot: str, after: int, now: float, *, given_until: float = 0.0
    ) -> list[OrderedCommand]:
        """Return a robot's commands after number `after`, up to which it has taken them; they become sent.

        `given_until`: when the latest command was given that it has taken; 0 if it does not say.
        """
        if after - self._last_number < LAG_MAX and self._is_behind(after, robot):
            self._catch_up(after, robot, given_until, now)
        if not any(_is_news(row, after) for row in self._open_rows(robot)):
            return [_ordered(row) for row in self._open_rows(robot) if row["number"] > after][:SENT_AT_ONCE]
        with self._store.together():
            # Read again, because one may have been withdrawn in between.
            rows = self._open_rows(robot)
            wanted = [row for row in rows if row["number"] > after][:SENT_AT_ONCE]
            for row in rows:
                if row["number"] <= after and row["state"] == "sent":
                    self._move(row["number"], robot, "sent", "taken")
            for row in wanted:
                if row["state"] == "waiting":
                    self._move(row["number"], robot, "waiting", "sent", sent_at=now)
        return [_ordered(row) for row in wanted]

    def settle(self, robot: str, fates: Sequence[CommandOutcome], now: float) -> None:
        """Record the results of commands, unless they are settled or belong to another robot."""
        if not fates:
            return
        sql = (
            "UPDATE robot_command SET state = ?, said = ?, settled_at = ? "  # noqa: S608  nothing foreign in it
            f"WHERE number = ? AND robot = ? AND state IN {OPEN}"
        )
        with self._store.together():
            for fate in fates:
                state = "done" if fate.is_done else "failed"
                self._store.change(sql, [state, fate.message[:MESSAGE_CHARS_MAX], now, fate.number, robot])
            self._forget(robot)

    def withdraw(self, number: int, now: float) -> bool:
        """Withdraw a command that was not sent to its robot yet."""
        sql = (
            "UPDATE robot_command SET state = 'withdrawn', settled_at = ? "
            "WHERE number = ? AND state = 'waiting'"
        )
        return self._store.change(sql, [now, number]) == 1

    def find(self, number: int) -> QueuedCommand | None:
        row = self._store.row("SELECT * FROM robot_command WHERE number = ?", [number])
        return _queued(row) if row else None

    def list_of(self, robot: str = "", *, before: int = 0, count: int = 50) -> list[QueuedCommand]:
        """Return the commands to one robot, or to all, newest first."""
        sql = (
            "SELECT * FROM robot_command WHERE (? = '' OR robot = ?) AND (? = 0 OR number < ?) "
            "ORDER BY number DESC LIMIT ?"
        )
        return [_queued(row) for row in self._store.rows(sql, [robot, robot, before, before, count])]

    def remove_all_of(self, robot: str) -> None:
        self._store.change("DELETE FROM robot_command WHERE robot = ?", [robot])

    @property
    def _last_number(self) -> int:
        """The highest number of a command to any robot."""
        row = self._store.row("SELECT seq FROM sqlite_sequence WHERE name = 'robot_command'")
        return int(row[0]) if row else 0

    def _is_behind(self, after: int, robot: str) -> bool:
        """Return whether a robot has taken commands unknown here, because this store was restored or lost."""
        return self._last_number < after or bool(self._passed_over(after, robot))

    def _catch_up(self, after: int, robot: str, given_until: float, now: float) -> None:
        """Continue above the number that a robot knows, because commands below it would never be sent.

        Those that are older than what the robot has taken are withdrawn instead.
        """
        with self._store.together():
            # Another robot may have reported a higher one before.
            last = max(after, self._last_number)
            self._store.change("DELETE FROM sqlite_sequence WHERE name = 'robot_command'")
            self._store.change("INSERT INTO sqlite_sequence VALUES ('robot_command', ?)", [last])
            for row in self._passed_over(after, robot):
                if row["made_at"] <= given_until:
                    self._withdraw_stale(row["number"], now)
                    continue
                self._store.change("DELETE FROM robot_command WHERE number = ?", [row["number"]])
                values = [robot, row["command"], row["user"], row["made_at"]]
                sql = "INSERT INTO robot_command (robot, command, user, made_at) VALUES (?, ?, ?, ?)"
                self._store.change(sql, values)

    def _withdraw_stale(self, number: int, now: float) -> None:
        sql = "UPDATE robot_command SET state = 'withdrawn', said = ?, settled_at = ? WHERE number = ?"
        self._store.change(sql, [STALE_SAID, now, number])

    def _passed_over(self, after: int, robot: str) -> list[sqlite3.Row]:
        """Return the commands that wait for a robot although it has taken a higher number."""
        rows = self._open_rows(robot)
        return [row for row in rows if row["state"] == "waiting" and row["number"] <= after]

    def _move(
        self, number: int, robot: str, before: str, after: str, *, sent_at: float | None = None
    ) -> None:
        sql = (
            "UPDATE robot_command SET state = ?, sent_at = coalesce(?, sent_at) "
            "WHERE number = ? AND robot = ? AND state = ?"
        )
        self._store.change(sql, [after, sent_at, number, robot, before])

    def _open_rows(self, robot: str) -> list[sqlite3.Row]:
        sql = f"SELECT * FROM robot_command WHERE robot = ? AND state IN {OPEN} ORDER BY number"  # noqa: S608
        return self._store.rows(sql, [robot])

    def _forget(self, robot: str) -> None:
        sql = (
            "DELETE FROM robot_command WHERE robot = ? AND settled_at > 0 AND number <= "
            "(SELECT number FROM robot_command WHERE robot = ? ORDER BY number DESC LIMIT 1 OFFSET ?)"
        )
        self._store.change(sql, [robot, robot, KEPT_MAX])


def _is_news(row: sqlite3.Row, after: int) -> bool:
    """Return whether a poll by a robot that has taken commands up to `after` changes a command's state."""
    return bool(row["state"] == ("sent" if row["number"] <= after else "waiting"))


def _ordered(row: sqlite3.Row) -> OrderedCommand:
    given = {"number": row["number"], "given_at": row["made_at"]}
    return msgspec.convert(json.loads(row["command"]) | given, OrderedCommand)


def _queued(row: sqlite3.Row) -> QueuedCommand:
    return QueuedCommand(
        command=_ordered(row),
        robot=row["robot"],
        user=row["user"],
        made_at=row["made_at"],
        state=row["state"],
        message=row["said"],
        sent_at=row["sent_at"],
        settled_at=row["settled_at"],
    )
