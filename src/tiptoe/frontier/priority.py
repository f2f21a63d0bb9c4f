"""What comes first?

Two questions, two answers. Within a host, a request has a *class* from 0
(first) to 3 (last); every class keeps a share of each visit, so that none is
starved. Among hosts that may be visited now, each has a *level*: hosts
that yield more usable text per byte and answer faster come first.
"""

from collections.abc import Sequence
from typing import Final

from tiptoe.protocol.work import Purpose

__all__ = [
    "CLASSES",
    "LEVELS",
    "POOR_USABILITY",
    "QUEUES",
    "RETRIED",
    "REVISITS",
    "class_of",
    "favoured_level",
    "level_of",
    "level_of_yield",
    "quotas",
    "shifted",
]  # fmt: skip

CLASSES: Final = 4
REVISITS: Final = CLASSES
"""Index of the queue of revisits, after those of the classes; see `shares`."""
QUEUES: Final = CLASSES + 1
RETRIED: Final = CLASSES - 1
"""Class of a request that has failed before: the last one, because another failure may end the visit."""
LEVELS: Final = 4

SHALLOW_DEPTH = 2
DEEP_DEPTH = 8
POOR_USABILITY = 0.3
LOWER_SHARE = 8
"""One request in this many goes to each lower class that has any."""

SLOW_SECONDS = 2.0
POPULAR_INLINKS = 8

_TURNS: Final = (0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0)
"""Order in which levels are served: 8 : 4 : 2 : 1."""


def class_of(purpose: Purpose, depth: int, usability: float, hint: int = -1) -> int:
    """Return the class of a request; `hint` is a class that its source suggests."""
    if purpose is not Purpose.PAGE or depth == 0:
        return 0
    if hint >= 0:
        return min(hint, CLASSES - 1)
    if usability < POOR_USABILITY or depth > DEEP_DEPTH:
        return 3
    return 1 if depth <= SHALLOW_DEPTH else 2


def shifted(index: int, shift: int) -> int:
    """Return the class of a request that its section's yield shifts by this much; never into class 0."""
    return index if index == 0 else max(1, min(index + shift, CLASSES - 1))


def quotas(waiting: Sequence[int], wanted: int, turn: int) -> list[int]:
    """Return how many requests each class gives to a visit of `wanted` requests."""
    given = [0] * CLASSES
    if wanted < CLASSES:
        # Too few to divide: every eighth visit begins with a lower class instead, each in turn.
        rounds, turn_of_lower = divmod(turn + 1, LOWER_SHARE)
        order = [*range(CLASSES)] if turn_of_lower else [1 + rounds % (CLASSES - 1), *range(CLASSES)]
    else:
        order = [*range(CLASSES)]
        for index in range(1, CLASSES):
            given[index] = min(waiting[index], max(1, wanted // LOWER_SHARE))
    left = wanted - sum(given)
    for index in order:
        more = min(left, waiting[index] - given[index])
        given[index] += more
        left -= more
    return given


def level_of(text_chars: int, body_bytes: int, response_seconds: float, inlinks: int = 1) -> int:
    """Return the level, 0 being the best, of a host none of whose pages has been judged.

    One that was never visited has level 1; level 0 if many hosts link to it, 2 if no decent page does.
    """
    if body_bytes == 0:
        return 0 if inlinks >= POPULAR_INLINKS else 1 if inlinks else 2
    text_share = text_chars / body_bytes
    level = 0 if text_share > 0.2 else 1 if text_share > 0.05 else 2
    return min(level + (response_seconds > SLOW_SECONDS), LEVELS - 1)


def level_of_yield(ratio: float, response_seconds: float) -> int:
    """Return the level of a host whose expected yield is `ratio` times the average."""
    level = 0 if ratio > 1.25 else 1 if ratio > 0.6 else 2 if ratio > 0.2 else 3
    return min(level + (response_seconds > SLOW_SECONDS), LEVELS - 1)


def favoured_level(served_count: int) -> int:
    """Return the level that comes first after this many addresses have been served."""
    return _TURNS[served_count % len(_TURNS)]
