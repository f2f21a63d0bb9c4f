"""Whose turn is it in a round, and what is next?

As in a token ring, robots send their lists of downloads one after the other, in the order of their ids; then
the lists are merged, and each robot takes what the others have. Pure. A robot that does not send its list in
time is skipped, as is one whose list cannot be read: its downloads are included in the next round.
"""

from collections.abc import Sequence
from typing import Final

from tiptoe.protocol.robot_messages import RoundCall

__all__ = ["RobotRound"]

TURN_SECONDS: Final = 120.0
"""Maximum time that a robot may take to send its list; after it the robot is skipped."""


class RobotRound:
    """One round. It is *telling*, robot by robot, then *merging*, then *over*: lists can be taken."""

    def __init__(self, number: int, robots: Sequence[str], now: float) -> None:
        self.number = number
        self.began_at = now
        self.told: list[str] = []
        self.missed: list[str] = []
        self.taken: list[str] = []
        self.is_over = False
        self._waiting = sorted(robots)
        self._turn_at = now

    def __repr__(self) -> str:
        return f"<RobotRound {self.number} {len(self.told)} told, {len(self._waiting)} to come>"

    @property
    def teller(self) -> str:
        """The robot whose turn it is; empty when all have sent their lists."""
        return self._waiting[0] if self._waiting else ""

    @property
    def is_merging(self) -> bool:
        return not self._waiting and not self.is_over

    def note_told(self, robot: str, now: float) -> bool:
        """Note that a robot's list is complete; return False if it is not that robot's turn."""
        if robot != self.teller:
            return False
        self.told.append(self._waiting.pop(0))
        self._turn_at = now
        return True

    def pass_over(self, now: float, *, is_there: bool) -> bool:
        """Skip the robot whose turn it is if it is away or too slow; return False if it may go on."""
        if not self._waiting or (is_there and now - self._turn_at < TURN_SECONDS):
            return False
        self.missed.append(self._waiting.pop(0))
        self._turn_at = now
        return True

    def reject(self, robots: Sequence[str]) -> None:
        """Treat unreadable lists as not sent: their robots take nothing, and send them again."""
        self.told = [robot for robot in self.told if robot not in robots]
        self.missed += robots

    def note_merged(self) -> None:
        """Note that the merged list is ready."""
        self.is_over = True

    def call(self, robot: str, *, told: int, taken: int) -> RoundCall | None:
        """Return what a robot should do next, given the rounds for which it has begun each step."""
        if robot == self.teller and told < self.number:
            return RoundCall(number=self.number, step="tell")
        if self.is_over and robot in self.told and taken < self.number and robot not in self.taken:
            return RoundCall(number=self.number, step="take")
        return None
