"""How does a command end, and with which exit code?

One table for all of them; docs/reference/exit-codes.md says the same for people. `tiptoe crawl` uses
all of these, the other commands those that apply to them.
"""

import enum
from collections.abc import Mapping
from typing import Final

from tiptoe.observe.stops import Stop

__all__ = ["Exit", "exit_of"]


class Exit(enum.IntEnum):
    """Exit codes."""

    DONE = 0  # nothing is left to do
    FAULT = 1  # something of ours is broken; for a command that judges: the verdict is negative
    MISTAKEN = 2  # the operator has to change something: an argument, a setting, a file
    LIMIT = 3  # a limit that was set is reached; with a higher one the crawl continues
    NOTHING = 4  # the crawl is over and has not stored a single page
    TEXTLESS = 5  # the crawl is over and has stored pages, but no text
    INTERRUPTED = 130  # stopped before its end, by a signal or by `tiptoe stop`; the same command continues
    UNREAD = 141  # its output is no longer read, as with `| head`; same code as SIGPIPE, not a verdict


ENDINGS: Final[Mapping[Stop, Exit]] = {
    Stop.FINISHED: Exit.DONE,
    Stop.PAGE_LIMIT: Exit.LIMIT,
    Stop.BYTE_LIMIT: Exit.LIMIT,
    Stop.TIME_LIMIT: Exit.LIMIT,
    Stop.PACKETS: Exit.LIMIT,
    Stop.OPERATOR: Exit.INTERRUPTED,
    Stop.INTERRUPTED: Exit.INTERRUPTED,
    Stop.UNREAD: Exit.UNREAD,
    Stop.NO_HARVESTERS: Exit.FAULT,
}


def exit_of(stop: Stop | None, *, pages: int, lacks_text: bool = False) -> Exit:
    """Return how a crawl ends, given the pages of all its runs and whether they lack text."""
    found = ENDINGS[stop] if stop else Exit.FAULT
    if found is not Exit.DONE:
        return found
    if not pages:
        return Exit.NOTHING
    return Exit.TEXTLESS if lacks_text else Exit.DONE
