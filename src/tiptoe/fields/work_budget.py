"""How much work may the operator's rules do on one page?

A selector that is quick on a thousand pages may take practically forever on one that was built for that. So
work is counted in steps, about one for each element examined, and ends when they are used up.
"""

from typing import Final

__all__ = ["PAGE_STEPS", "TooCostly", "WorkBudget"]

PAGE_STEPS: Final = 400_000
"""Maximum number of steps for all rules of a page together: less than a second on any machine."""

CHARS_A_STEP: Final = 500


class TooCostly(Exception):
    """The steps of a page are used up."""


class WorkBudget:
    """The steps that are left for a page."""

    __slots__ = ("left",)

    def __init__(self, steps: int = PAGE_STEPS) -> None:
        self.left = steps

    def spend(self, steps: int = 1) -> None:
        """Use up steps; TooCostly if there are none left."""
        self.left -= steps
        if self.left < 0:
            raise TooCostly

    def spend_text(self, text: str) -> str:
        """Count the steps for reading a text, and return it."""
        self.spend(1 + len(text) // CHARS_A_STEP)
        return text
