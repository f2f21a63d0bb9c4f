"""What is the current state of each robot?

Reports arrive every few seconds. The last one is kept in memory, and written to disk once a minute or when
the state changes, so that a restarted server knows roughly how the robots were.
"""

import threading
from contextlib import suppress
from typing import Final

import msgspec

from tiptoe.control.robot_configurations import RobotConfigurations
from tiptoe.control.robot_roster import KnownRobot, RobotRoster
from tiptoe.control.robot_state import robot_attention, robot_word
from tiptoe.protocol.robot_messages import RobotReport

__all__ = ["RobotPresence", "SeenRobot"]

KEPT_EVERY: Final = 60.0


class SeenRobot(msgspec.Struct, frozen=True, kw_only=True):
    """The last known state of a robot."""

    robot: KnownRobot
    word: str
    report: RobotReport
    heard_at: float
    configuration: int  # the last version that is here
    attention: list[str] = []

    @property
    def name(self) -> str:
        return self.robot.name


class RobotPresence:
    """The last report of each robot."""

    def __init__(self, roster: RobotRoster, configurations: RobotConfigurations) -> None:
        self._roster = roster
        self._configurations = configurations
        self._lock = threading.Lock()
        self._heard: dict[str, tuple[float, RobotReport]] = {}
        self._kept: dict[str, tuple[float, str]] = {}  # when it was written, and the state at that time

    def hear(self, robot: KnownRobot, report: RobotReport, now: float, *, address: str) -> None:
        """Take in a report."""
        bare = msgspec.structs.replace(report, fates=[])
        with self._lock:
            self._heard[robot.name] = (now, bare)
            at, word = self._kept.get(robot.name, (0.0, ""))
            is_due = now - at >= KEPT_EVERY or word != report.figures.state
            if is_due:
                self._kept[robot.name] = (now, report.figures.state)
        if is_due:
            content = msgspec.json.encode(bare).decode()
            self._roster.note_report(robot.name, now, address=address, report=content)

    def forget(self, robot: str) -> None:
        with self._lock:
            self._heard.pop(robot, None)
            self._kept.pop(robot, None)

    def see(self, robot: KnownRobot, now: float) -> SeenRobot:
        """Return the state of a robot."""
        heard_at, report = self._heard.get(robot.name, (robot.heard_at, None))
        if report is None and robot.report:
            with suppress(msgspec.DecodeError):
                report = msgspec.json.decode(robot.report, type=RobotReport)
        heard_at = max(heard_at, robot.heard_at)
        version = self._configurations.current_version(robot.name)
        return SeenRobot(
            robot=robot,
            word=robot_word(report, heard_at, now, is_revoked=robot.is_revoked),
            report=report or RobotReport(incarnation=""),
            heard_at=heard_at,
            configuration=version,
            attention=robot_attention(
                report, heard_at, now, is_revoked=robot.is_revoked, configuration=version
            ),
        )

    def see_all(self, now: float) -> list[SeenRobot]:
        """Return the states of all robots, sorted by id."""
        return [self.see(robot, now) for robot in self._roster.list_all()]
