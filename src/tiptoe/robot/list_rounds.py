"""How does a robot take part in a round, in which it sends what it has downloaded and gets what others have?

What it has sent counts only once it has received the merged list: an interrupted round has no effect.
"""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tiptoe.keeper.downlist_lists import Exported, apply_list, export_list
from tiptoe.observe.crawl_marker import MARKER
from tiptoe.observe.downlist_file import ListHead, write_list
from tiptoe.protocol.robot_messages import ROBOT_ROOT, ListPart, ListPartTaken, RoundPart, RoundPartRequest
from tiptoe.robot.control_line import ControlLine
from tiptoe.robot.robot_journal import RobotJournal

__all__ = ["ListRounds"]

PART_BYTES: Final = 4_000_000
LIST_FILE: Final = "round.list"
MERGED_FILE: Final = "round.merged"


class ListRounds:
    """What one robot does in the rounds."""

    def __init__(self, robot: str, directory: Path, crawl: Path, journal: RobotJournal) -> None:
        self._robot = robot
        self._directory = directory
        self._crawl = crawl
        self._journal = journal
        self._told: tuple[int, Exported] | None = None

    def send(self, line: ControlLine, number: int, closing: threading.Event) -> int:
        """Send what the crawl has downloaded since the last round; return the number of URLs."""
        path = self._directory / LIST_FILE
        if (self._crawl / MARKER).exists():
            exported = export_list(self._crawl, path, robot=self._robot, since=self._journal.round_mark)
        else:
            head = ListHead(robot=self._robot, mark=0.0)
            exported = Exported(write_list(path, head, []), 0.0, 0)
        self._told = (number, exported)
        offset = 0
        for content, is_last in _parts(path):
            part = ListPart(
                incarnation=self._journal.incarnation,
                round=number,
                offset=offset,
                content=content,
                is_last=is_last,
            )
            taken = line.call(f"{ROBOT_ROOT}/list", part, ListPartTaken)
            offset += len(content.encode())
            if not taken.is_wanted or closing.is_set():
                self._told = None
                break
        path.unlink(missing_ok=True)
        return exported.lines

    def take(self, line: ControlLine, number: int) -> int:
        """Take over what the others have; return how many of the URLs were new to the crawl."""
        path = self._directory / MERGED_FILE
        offset, is_last = 0, False
        with path.open("wb") as file:
            while not is_last:
                request = RoundPartRequest(incarnation=self._journal.incarnation, round=number, offset=offset)
                part = line.call(f"{ROBOT_ROOT}/merged", request, RoundPart)
                file.write(part.content.encode())
                offset, is_last = part.next_offset, part.is_last
        exported = self._told[1] if self._told is not None and self._told[0] == number else None
        taken = 0
        if (self._crawl / MARKER).exists():
            exchange = exported.exchange if exported else 0
            taken = apply_list(self._crawl, path, robot=self._robot, exchange=exchange)
        if exported is not None:
            self._journal.round_mark = exported.mark
        path.unlink(missing_ok=True)
        return taken


def _parts(path: Path) -> Iterator[tuple[str, bool]]:
    """Yield a list in parts of whole lines, each with whether it is the last."""
    with path.open("rb") as file:
        lines = file.read(PART_BYTES) + file.readline()
        while True:
            following = file.read(PART_BYTES) + file.readline()
            yield lines.decode("utf-8"), not following
            if not following:
                return
            lines = following
