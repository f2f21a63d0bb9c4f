"""What must a robot not forget?

One SQLite file in its directory; a write is on disk before anything else depends on it. A command is recorded
before the server is told that it was taken, and its fate before that is reported: so each command is carried
out once, however often it is sent. A batch is recorded before it is sent, and deleted when the server has it.
"""

import json
import secrets
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from tiptoe.errors import CrawlerError
from tiptoe.protocol.robot_messages import CommandOutcome, OrderedCommand, RobotConfiguration
from tiptoe.robot.batch_plan import BatchPlan, FileStretch

__all__ = ["JOURNAL_FILE", "RobotJournal"]

JOURNAL_FILE: Final = "robot.sqlite"
FATES_AT_ONCE: Final = 500
SETTLED_KEPT: Final = 1000

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS command (
    number INTEGER PRIMARY KEY, content TEXT NOT NULL, is_done INTEGER, said TEXT NOT NULL DEFAULT '',
    is_told INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE IF NOT EXISTS sent (name TEXT PRIMARY KEY, size INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS batch (number INTEGER PRIMARY KEY, stretches TEXT NOT NULL) STRICT;
"""


class RobotJournal:
    """The records of a robot; thread-safe."""

    def __init__(self, directory: Path) -> None:
        self._lock = threading.RLock()
        path = directory / JOURNAL_FILE
        try:
            self._db = sqlite3.connect(path, timeout=10.0, check_same_thread=False, isolation_level=None)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")
            self._db.executescript(SCHEMA)
        except sqlite3.Error as error:
            raise CrawlerError(f"{path}: cannot be opened as the journal of a robot: {error}") from error
        if not self._fact("incarnation"):
            self._put_fact("incarnation", secrets.token_hex(8))

    @property
    def incarnation(self) -> str:
        """Identifies this journal: a new value whenever the journal was lost."""
        return self._fact("incarnation")

    @property
    def robot(self) -> str:
        """The id of the robot that began it; empty before that."""
        return self._fact("robot")

    @robot.setter
    def robot(self, name: str) -> None:
        self._put_fact("robot", name)

    @property
    def configuration(self) -> RobotConfiguration:
        return self._configuration("configuration")

    @property
    def held_version(self) -> int:
        """The version of the configuration, as numbered by the current server; 0: none from this server."""
        return int(self._fact("held_version") or self.configuration.version)

    def take_configuration(self, configuration: RobotConfiguration) -> None:
        with self._lock, self._db:
            self._db.execute("BEGIN IMMEDIATE")
            self._put_fact("configuration", msgspec.json.encode(configuration).decode())
            self._put_fact("held_version", str(configuration.version))

    def meet(self, made_at: float) -> bool:
        """Note since when the server knows this robot; return whether its numbering is new.

        Everything from a server with another numbering is deleted, except the configuration, which applies
        until there is another one."""
        if not made_at or float(self._fact("made_at") or 0.0) == made_at:
            return False
        is_another = bool(self._fact("made_at"))
        with self._lock, self._db:
            self._db.execute("BEGIN IMMEDIATE")
            self._put_fact("made_at", repr(made_at))
            if is_another:
                self._db.execute("DELETE FROM command")
                for name in ("last_command", "given_until", "held_version", "round_mark"):
                    self._put_fact(name, "0")
        return is_another

    @property
    def runs_with(self) -> RobotConfiguration:
        """The configuration that the crawl was started with last."""
        return self._configuration("runs_with")

    def note_start(self, configuration: RobotConfiguration) -> None:
        self._put_fact("runs_with", msgspec.json.encode(configuration).decode())

    @property
    def is_wanted(self) -> bool:
        """Whether the crawl should be running."""
        return self._fact("is_wanted") == "yes"

    @is_wanted.setter
    def is_wanted(self, value: bool) -> None:
        if value != self.is_wanted:
            self._put_fact("is_wanted", "yes" if value else "no")

    @property
    def round_mark(self) -> float:
        """The moment up to which other robots know what this one has downloaded."""
        return float(self._fact("round_mark") or 0.0)

    @round_mark.setter
    def round_mark(self, mark: float) -> None:
        self._put_fact("round_mark", repr(mark))

    # -- commands ---------------------------------------------------------

    @property
    def last_command(self) -> int:
        """The highest number of a command that was taken."""
        return int(self._fact("last_command") or 0)

    @property
    def given_until(self) -> float:
        """When the latest command that was taken was given, by the server's clock; 0: not known."""
        return float(self._fact("given_until") or 0.0)

    def take_commands(self, commands: Sequence[OrderedCommand]) -> None:
        """Record commands; those taken before are recognised by their numbers."""
        with self._lock, self._db:
            self._db.execute("BEGIN IMMEDIATE")
            for command in commands:
                values = (command.number, msgspec.json.encode(command).decode())
                self._db.execute("INSERT OR IGNORE INTO command (number, content) VALUES (?, ?)", values)
            last = max([self.last_command, *(command.number for command in commands)])
            self._put_fact("last_command", str(last))
            given_until = max([self.given_until, *(command.given_at for command in commands)])
            self._put_fact("given_until", repr(given_until))

    def next_command(self) -> OrderedCommand | None:
        """Return the first command that has no fate yet."""
        sql = "SELECT content FROM command WHERE is_done IS NULL ORDER BY number LIMIT 1"
        row = self._row(sql)
        return msgspec.json.decode(row[0], type=OrderedCommand) if row else None

    def settle(self, fate: CommandOutcome) -> None:
        """Record the fate of a command."""
        sql = "UPDATE command SET is_done = ?, said = ? WHERE number = ?"
        self._change(sql, (int(fate.is_done), fate.message, fate.number))

    def unreported_outcomes(self) -> list[CommandOutcome]:
        """Return the fates that the server does not know yet."""
        sql = (
            "SELECT number, is_done, said FROM command WHERE is_done IS NOT NULL AND NOT is_told "
            "ORDER BY number LIMIT ?"
        )
        with self._lock:
            rows = self._db.execute(sql, (FATES_AT_ONCE,)).fetchall()
        return [CommandOutcome(number=row[0], is_done=bool(row[1]), message=row[2]) for row in rows]

    def note_told(self, fates: Sequence[CommandOutcome]) -> None:
        """Record that the server knows these fates; delete old ones."""
        if not fates:
            return
        with self._lock, self._db:
            self._db.execute("BEGIN IMMEDIATE")
            numbers = [(fate.number,) for fate in fates]
            self._db.executemany("UPDATE command SET is_told = 1 WHERE number = ?", numbers)
            bound = self.last_command - SETTLED_KEPT
            self._db.execute("DELETE FROM command WHERE is_told AND number < ?", (bound,))

    # -- descriptions -----------------------------------------------------

    def sent(self) -> dict[str, int]:
        """Return how much of each file the server has."""
        with self._lock:
            return dict(self._db.execute("SELECT name, size FROM sent").fetchall())

    @property
    def next_batch(self) -> int:
        """The number that the next batch gets."""
        return int(self._fact("last_batch") or 0) + 1

    def planned_batch(self) -> BatchPlan | None:
        """Return the batch to send, or to send again."""
        row = self._row("SELECT number, stretches FROM batch ORDER BY number LIMIT 1")
        return BatchPlan(row[0], msgspec.json.decode(row[1], type=list[FileStretch])) if row else None

    def plan(self, batch: BatchPlan) -> None:
        """Record a batch before it is sent."""
        content = json.dumps([msgspec.to_builtins(stretch) for stretch in batch.stretches])
        self._change("INSERT INTO batch VALUES (?, ?)", (batch.number, content))

    def note_sent(self, batch: BatchPlan) -> None:
        """Record that the server has a batch."""
        with self._lock, self._db:
            self._db.execute("BEGIN IMMEDIATE")
            sizes = [(stretch.name, stretch.last) for stretch in batch.stretches]
            self._db.executemany("INSERT OR REPLACE INTO sent VALUES (?, ?)", sizes)
            self._db.execute("DELETE FROM batch WHERE number = ?", (batch.number,))
            self._put_fact("last_batch", str(batch.number))

    def close(self) -> None:
        with self._lock:
            self._db.close()

    # -- rows -------------------------------------------------------------

    def _configuration(self, name: str) -> RobotConfiguration:
        content = self._fact(name)
        return msgspec.json.decode(content, type=RobotConfiguration) if content else RobotConfiguration()

    def _fact(self, name: str) -> str:
        row = self._row("SELECT value FROM fact WHERE name = ?", (name,))
        return str(row[0]) if row else ""

    def _put_fact(self, name: str, value: str) -> None:
        self._change("INSERT OR REPLACE INTO fact VALUES (?, ?)", (name, value))

    def _row(self, sql: str, values: Sequence[object] = ()) -> tuple[Any, ...] | None:
        with self._lock:
            found: tuple[Any, ...] | None = self._db.execute(sql, values).fetchone()
            return found

    def _change(self, sql: str, values: Sequence[object]) -> None:
        with self._lock:
            self._db.execute(sql, values)
