"""Whose turn is it in a round, and what is next?

As in a token ring, robots tell one after the other, in the order of their ids, what they have downloaded;
then the lists become one, and each takes what the others have. Pure. A robot that does not tell in time is
passed over, as is one whose list cannot be read: what it has comes with the next round.
"""

from collections.abc import Sequence
from typing import Final

from tiptoe.protocol.robot_messages import RoundWish

__all__ = ["RobotRound"]

TURN_SECONDS: Final = 120.0
"""How long a robot may take to tell its list."""


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
        """Whose turn it is; empty when all have told."""
        return self._waiting[0] if self._waiting else ""

    @property
    def is_merging(self) -> bool:
        return not self._waiting and not self.is_over

    def note_told(self, robot: str, now: float) -> bool:
        """A list is whole; False when nobody waits for it any more."""
        if robot != self.teller:
            return False
        self.told.append(self._waiting.pop(0))
        self._turn_at = now
        return True

    def pass_over(self, now: float, *, is_there: bool) -> bool:
        """Pass over whose turn it is, if it is away or takes too long; False when it may go on."""
        if not self._waiting or (is_there and now - self._turn_at < TURN_SECONDS):
            return False
        self.missed.append(self._waiting.pop(0))
        self._turn_at = now
        return True

    def reject(self, robots: Sequence[str]) -> None:
        """Count lists that cannot be read as not told: their robots take nothing, and tell the same again."""
        self.told = [robot for robot in self.told if robot not in robots]
        self.missed += robots

    def note_merged(self) -> None:
        """The merged list is there."""
        self.is_over = True

    def wish(self, robot: str, *, told: int, taken: int) -> RoundWish | None:
        """Return what the round wants of a robot, which says what it has set about already."""
        if robot == self.teller and told < self.number:
            return RoundWish(number=self.number, step="tell")
        if self.is_over and robot in self.told and taken < self.number and robot not in self.taken:
            return RoundWish(number=self.number, step="take")
        return None
