"""What is a decision point?"""

from collections.abc import Callable
from enum import StrEnum
from typing import Generic, TypeVar

__all__ = ["DecisionPoint", "Rule"]

Subject = TypeVar("Subject")
Reason = TypeVar("Reason", bound=StrEnum)

Rule = Callable[[Subject], Reason | None]
"""Returns why a subject is refused; None if this rule does not refuse it."""


class DecisionPoint(Generic[Subject, Reason]):
    """Rules, in the order in which they are checked."""

    __slots__ = ("rules",)

    def __init__(self, *rules: Rule[Subject, Reason]) -> None:
        self.rules = rules

    def refusal(self, subject: Subject) -> Reason | None:
        """Return the reason of the first rule that refuses a subject; None if it is wanted."""
        for rule in self.rules:
            reason = rule(subject)
            if reason is not None:
                return reason
        return None
