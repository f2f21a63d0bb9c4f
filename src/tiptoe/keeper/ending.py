"""Is a run over, why, and what follows?"""

import enum

from tiptoe.keeper.crawl_frontier import CrawlFrontier
from tiptoe.observe.stops import Stop

__all__ = ["Sequel", "ending_of", "is_worth_another", "runs_end_command", "sequel_of"]


class Sequel(enum.Enum):
    """What a crawl does when nothing is left; the values are those of `crawl.on_end`."""

    QUIT = "quit"
    IDLE = "idle"  # the run goes on, and waits for new work
    LOOP = "loop"  # the run goes on, and visits everything once more
    AGAIN = "again"  # the run ends, and another one begins from the seeds


def ending_of(frontier: CrawlFrontier, *, is_late: bool, are_packets_done: bool) -> Stop | None:
    """Return why a run is over although nobody stopped it; None while it is not."""
    # Answers under way are not waited for: they may exceed the limit by far.
    if frontier.has_bytes_enough():
        return Stop.BYTE_LIMIT
    if frontier.is_finished():
        return Stop.PAGE_LIMIT if frontier.is_limited() else Stop.FINISHED
    if is_late:
        return Stop.TIME_LIMIT
    return Stop.PACKETS if are_packets_done else None


def sequel_of(stop: Stop | None, on_end: str, *, is_fruitful: bool = True) -> Sequel:
    """Return what follows this ending: a crawl that was stopped, or has reached a limit, quits.

    So does one for which another round would be pointless (not `is_fruitful`).
    """
    if stop is not Stop.FINISHED or on_end not in {sequel.value for sequel in Sequel}:
        return Sequel.QUIT  # watching pages is up to the frontier: until that is over, it is not finished
    sequel = Sequel(on_end)
    return sequel if is_fruitful or sequel is Sequel.IDLE else Sequel.QUIT


def is_worth_another(pages: int, *, is_continuation: bool) -> bool:
    """Whether a run that has brought this many pages may be followed by one from the seeds.

    A run from the seeds that brought nothing is the last one. A continuation that found nothing left to do is
    not: an operator who continues a finished crawl with `again` wants just that.
    """
    return pages > 0 or is_continuation


def runs_end_command(stop: Stop | None) -> bool:
    """Whether the operator's command is run for this ending: not if the crawl is to end at once."""
    return stop not in (None, Stop.INTERRUPTED, Stop.UNREAD)
