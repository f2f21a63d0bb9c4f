"""Is a run over, and why?"""

import enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # commands that only name an ending need no frontier
    from tiptoe.frontier.frontier import Frontier

__all__ = ["Ending", "ending_of"]


class Ending(enum.Enum):
    """How a run can end."""

    DONE = "nothing left to ask for"
    PAGES = "page limit reached"
    BYTES = "byte limit reached"
    TIME = "time limit reached"
    PACKETS = "every harvester has done its packets"
    INTERRUPTED = "interrupted"  # by a signal, or by the operator
    FAULT = "something of ours is broken"


def ending_of(frontier: "Frontier", *, is_late: bool, are_packets_done: bool) -> Ending | None:
    """Return why a run that nobody has stopped is over; None while it is not."""
    # What is under way may be far more than the limit: it is not waited for.
    if frontier.has_bytes_enough():
        return Ending.BYTES
    if frontier.is_finished():
        return Ending.PAGES if frontier.is_limited() else Ending.DONE
    if is_late:
        return Ending.TIME
    return Ending.PACKETS if are_packets_done else None
