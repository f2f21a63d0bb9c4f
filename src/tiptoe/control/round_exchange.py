"""How do robots that share no cluster learn what the others have downloaded?

In periodic rounds (`robot_round.py`): their lists are gathered and merged into `rounds/downlist.txt`, and
each robot gets what is not its own. A round is kept in memory. If the server dies during one, the next one
starts over: a robot counts its list as sent only when it has taken the merged one, so nothing is lost, though
a list may be merged twice.
"""

import asyncio
import os
import threading
from collections.abc import Callable, Collection, Container
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.control.command_bell import CommandBell
from tiptoe.control.control_store import ControlStore
from tiptoe.control.robot_presence import RobotPresence
from tiptoe.control.robot_round import RobotRound
from tiptoe.control.web_problem import WebProblem
from tiptoe.errors import CrawlerError
from tiptoe.observe.downlist_file import read_lines
from tiptoe.observe.downlist_merge import Merged, merge_lists
from tiptoe.protocol.robot_messages import ListPart, RoundCall, RoundPart, RoundPartRequest

__all__ = ["RoundExchange", "RoundFacts"]

LOOK_SECONDS: Final = 1.0
EVERY_SECONDS_MIN: Final = 1.0
EVERY_SECONDS_MAX: Final = 30 * 86400.0
PART_BYTES: Final = 4_000_000
LIST_BYTES_MAX: Final = 4_000_000_000
FOLDER: Final = "rounds"
DOWNLIST: Final = "downlist.txt"
AWAY: Final = frozenset({"new", "silent", "revoked"})

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS robot_rounds (
    id INTEGER PRIMARY KEY CHECK (id = 1), every REAL NOT NULL, number INTEGER NOT NULL DEFAULT 0,
    at REAL NOT NULL DEFAULT 0, addresses INTEGER NOT NULL DEFAULT 0, downloaded INTEGER NOT NULL DEFAULT 0,
    twice INTEGER NOT NULL DEFAULT 0, fault TEXT NOT NULL DEFAULT ''
) STRICT;
INSERT OR IGNORE INTO robot_rounds (id, every) VALUES (1, 0);
"""


class RoundFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The state of the rounds."""

    every_seconds: float  # 0 = never
    number: int  # of the last round that was merged; 0 = none
    at: float
    addresses: int  # in the merged list
    downloaded: int
    twice: int  # downloaded by more than one robot before they exchanged lists
    fault: str
    teller: str  # whose turn it is in the round under way
    told: list[str]
    missed: list[str]


class _AllBut(Container[str]):
    """All robots that are no longer here, whether revoked or removed: every name except some."""

    def __init__(self, stay: Collection[str]) -> None:
        self._stay = stay

    def __contains__(self, name: object) -> bool:
        return name not in self._stay


class RoundExchange:
    """The rounds of all robots; may be used by many threads."""

    def __init__(
        self, store: ControlStore, directory: Path | None, presence: RobotPresence, bell: CommandBell
    ) -> None:
        store.extend(SCHEMA)
        self._store = store
        self._home = None if directory is None else directory.absolute() / FOLDER
        self._presence = presence
        self._bell = bell
        self._lock = threading.Lock()
        self._round: RobotRound | None = None

    @property
    def every_seconds(self) -> float:
        row = self._store.row("SELECT every FROM robot_rounds")
        return float(row[0]) if row else 0.0

    def set_every(self, seconds: float) -> None:
        """Set the interval of rounds in seconds; 0 = never."""
        if seconds and not EVERY_SECONDS_MIN <= seconds <= EVERY_SECONDS_MAX:
            raise WebProblem(
                422, "every: from 1s to 30d, or 0s for never", errors={"every": "from 1s to 30d"}
            )
        self._store.change("UPDATE robot_rounds SET every = ?", [seconds])

    def facts(self) -> RoundFacts:
        row = self._store.row("SELECT * FROM robot_rounds")
        assert row is not None
        with self._lock:
            under_way = self._round
            return RoundFacts(
                every_seconds=row["every"], number=row["number"], at=row["at"], addresses=row["addresses"],
                downloaded=row["downloaded"], twice=row["twice"], fault=row["fault"],
                teller=under_way.teller if under_way else "",
                told=list(under_way.told) if under_way else [],
                missed=list(under_way.missed) if under_way else [],
            )  # fmt: skip

    async def run(self, clock: Callable[[], float]) -> None:
        """Hold rounds until cancelled."""
        while True:
            await asyncio.to_thread(self.turn, clock())
            await asyncio.sleep(LOOK_SECONDS)

    def turn(self, now: float) -> None:
        """Carry out the next step of a round, if one is due."""
        every = self.every_seconds
        if not every or self._home is None:
            self._round = None
            return
        seen = {one.name: one for one in self._presence.see_all(now)}
        there = [name for name, one in seen.items() if one.word not in AWAY and one.report.runs_with]
        with self._lock:
            if self._round is None or (self._round.is_over and now - self._round.began_at >= every):
                if len(there) < 2:
                    return
                self._home.mkdir(parents=True, exist_ok=True, mode=0o700)
                last = self.last_number
                self._round = RobotRound(max(int(now), last + 1), there, now)
            under_way = self._round
            while under_way.pass_over(now, is_there=under_way.teller in there):
                pass
            is_merging = under_way.is_merging
        if is_merging:
            stay = {name for name, one in seen.items() if one.word != "revoked"}
            self._merge(under_way, _AllBut(stay), now)
        for name in (under_way.teller, *(under_way.told if under_way.is_over else ())):
            if name and name not in under_way.taken:
                self._bell.ring(name)

    @property
    def last_number(self) -> int:
        row = self._store.row("SELECT number FROM robot_rounds")
        return int(row[0]) if row else 0

    def call(self, robot: str, *, told: int, taken: int) -> RoundCall | None:
        """Return what a robot should do next in the current round."""
        with self._lock:
            return self._round.call(robot, told=told, taken=taken) if self._round else None

    def take_part(self, robot: str, part: ListPart, now: float) -> bool:
        """Take in a part of a robot's list; return False when it is not that robot's turn."""
        with self._lock:
            under_way = self._round
            if under_way is None or under_way.number != part.round or under_way.teller != robot:
                return False
            path = self._list_of(robot)
            content = part.content.encode()
            if not 0 <= part.offset <= LIST_BYTES_MAX or len(content) > 4 * PART_BYTES:
                raise WebProblem(413, "the list is too long")
            with path.open("r+b" if part.offset else "wb") as file:
                if file.seek(0, os.SEEK_END) < part.offset:
                    raise WebProblem(409, "a part of the list is missing; begin again")
                file.truncate(part.offset)
                file.seek(part.offset)
                file.write(content)
            if part.is_last:
                under_way.note_told(robot, now)
        if part.is_last:
            self._bell.ring(under_way.teller)
        return True

    def give_part(self, robot: str, request: RoundPartRequest) -> RoundPart:
        """Return a part of the list of what other robots have downloaded."""
        with self._lock:
            under_way = self._round
            if under_way is None or under_way.number != request.round or not under_way.is_over:
                raise WebProblem(409, "this round is over; wait for the next one")
        with self._merged.open("rb") as file:
            file.seek(max(request.offset, 0))
            lines = file.read(PART_BYTES)
            lines += file.readline()
            offset, size = file.tell(), os.fstat(file.fileno()).st_size
        if offset >= size:
            with self._lock:
                under_way.taken.append(robot)
        suffix = f"\t{robot}".encode()
        kept = b"".join(line + b"\n" for line in lines.splitlines() if not line.endswith(suffix))
        return RoundPart(content=kept.decode("utf-8", "replace"), next_offset=offset, is_last=offset >= size)

    def _merge(self, under_way: RobotRound, left: Container[str], now: float) -> None:
        known = self._merged if self._merged.exists() else None
        fault, merged = "", Merged(0, 0, 0)
        damaged = [name for name in under_way.told if not self._is_whole(name)]
        with self._lock:
            under_way.reject(damaged)
        try:
            scratch = self._merged.with_suffix(".new")
            lists = [self._list_of(name) for name in under_way.told]
            merged = merge_lists(lists, scratch, known=known, left=left)
            with scratch.open("rb") as file:
                os.fsync(file.fileno())
            scratch.replace(self._merged)
        except (CrawlerError, OSError) as error:
            fault = str(error)[:500]
        with self._lock:
            under_way.note_merged()
            if fault:
                under_way.told.clear()  # so that no robot is given an incomplete list
        sql = (
            "UPDATE robot_rounds SET number = ?, at = ?, addresses = ?, downloaded = ?, twice = ?, fault = ?"
        )
        values = [under_way.number, now, merged.addresses, merged.downloaded, merged.twice, fault]
        self._store.change(sql, values)

    def _is_whole(self, robot: str) -> bool:
        """Return whether a list is readable and has only lines of its robot; else it alone is rejected."""
        try:
            return all(line.robot == robot for line in read_lines(self._list_of(robot)))
        except (CrawlerError, OSError):
            return False

    @property
    def _merged(self) -> Path:
        assert self._home is not None
        return self._home / DOWNLIST

    def _list_of(self, robot: str) -> Path:
        assert self._home is not None
        return self._home / f"list-{robot}"
