"""How is input divided that is too much for one step of the frontier?"""

from collections.abc import Iterator
from typing import Final, TypeVar

__all__ = ["batches"]

BATCH: Final = 1000
"""Maximum number of URLs, or pages, in one step."""

Thing = TypeVar("Thing")


def batches(things: list[Thing]) -> Iterator[list[Thing]]:
    """Yield things in portions for one step each."""
    return (things[start : start + BATCH] for start in range(0, len(things), BATCH))
