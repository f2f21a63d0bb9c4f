"""Which lines go into the next batch of descriptions?

Pure: it follows from how much of each file is committed and how much was sent. A batch is a list of stretches
of files, recorded before it is sent: after a crash the same stretches are sent again under the same number.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

__all__ = ["BatchPlan", "FileStretch", "plan_batch", "waiting_bytes"]

BATCH_BYTES: Final = 2_000_000
"""Approximate maximum size of a batch; a single longer line is a batch of its own."""


class FileStretch(msgspec.Struct, frozen=True):
    """A part of a file, from the end of one line to the end of another."""

    name: str  # relative to the directory of the crawl; its final name
    first: int
    last: int


class BatchPlan(msgspec.Struct, frozen=True):
    """A batch that is to be sent."""

    number: int
    stretches: list[FileStretch]


def plan_batch(
    number: int, committed: Mapping[str, int], sent: Mapping[str, int], *, bytes_max: int = BATCH_BYTES
) -> BatchPlan | None:
    """Return what to send next, files in the order of their names; None when there is nothing.

    Stretches may end within a line: the reader shortens them to the end of a line (`shortened`)."""
    stretches: list[FileStretch] = []
    left = bytes_max
    for name in sorted(committed):
        first = sent.get(name, 0)
        last = min(committed[name], first + left)
        if last > first:
            stretches.append(FileStretch(name, first, last))
            left -= last - first
        if left <= 0:
            break
    return BatchPlan(number, stretches) if stretches else None


def waiting_bytes(committed: Mapping[str, int], sent: Mapping[str, int]) -> int:
    """Return how many committed bytes have not been sent yet."""
    return sum(max(size - sent.get(name, 0), 0) for name, size in committed.items())
