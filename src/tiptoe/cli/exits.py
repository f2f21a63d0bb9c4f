"""How does a command end?

One table for all of them; docs/reference/exit-codes.md says the same for people. `tiptoe crawl` uses
all of these, the other commands those that they can mean.
"""

import enum
from collections.abc import Mapping
from typing import Final

from tiptoe.observe.stops import Stop

__all__ = ["Exit", "exit_of"]


class Exit(enum.IntEnum):
    """Exit codes."""

    DONE = 0  # nothing is left to do
    FAULT = 1  # something of ours is broken; of a command that judges: the verdict is no
    MISTAKEN = 2  # the operator has to change something: a word of the command line, a setting, a file
    LIMIT = 3  # a limit that was set is reached; with a higher one it goes on
    NOTHING = 4  # the crawl is over and has not brought a single page
    TEXTLESS = 5  # the crawl is over and has brought pages, but no text
    INTERRUPTED = 130  # stopped before its end, by a signal or by `tiptoe stop`; the same command goes on
    UNREAD = 141  # nobody reads its output, as with `| head`: as if SIGPIPE had ended it. It is no verdict


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
    """Return how a crawl ends, by the pages that all its runs have brought, and whether it lacks the text."""
    found = ENDINGS[stop] if stop else Exit.FAULT
    if found is not Exit.DONE:
        return found
    if not pages:
        return Exit.NOTHING
    return Exit.TEXTLESS if lacks_text else Exit.DONE
