"""In which portions are seeds given to a frontier?"""

from collections.abc import Iterator
from typing import Final

__all__ = ["batches"]

BATCH: Final = 1000
"""Addresses added in one step."""


def batches(urls: list[str]) -> Iterator[list[str]]:
    """Yield addresses in portions for one step each."""
    return (urls[start : start + BATCH] for start in range(0, len(urls), BATCH))
