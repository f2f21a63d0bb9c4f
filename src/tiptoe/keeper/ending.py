"""Is a run over, why, and what follows?"""

import enum

from tiptoe.keeper.crawl_frontier import CrawlFrontier
from tiptoe.observe.stops import Stop

__all__ = ["Sequel", "ending_of", "is_worth_another", "sequel_of", "tells_command"]


class Sequel(enum.Enum):
    """What a crawl does that has come to its end; by the words of `crawl.on_end`."""

    QUIT = "quit"
    IDLE = "idle"  # the run goes on, and waits for what may come
    LOOP = "loop"  # the run goes on, and visits everything once more
    AGAIN = "again"  # the run ends, and another one begins from the seeds


def ending_of(frontier: CrawlFrontier, *, is_late: bool, are_packets_done: bool) -> Stop | None:
    """Return why a run that nobody has stopped is over; None while it is not."""
    # What is under way may be far more than the limit: it is not waited for.
    if frontier.has_bytes_enough():
        return Stop.BYTE_LIMIT
    if frontier.is_finished():
        return Stop.PAGE_LIMIT if frontier.is_limited() else Stop.FINISHED
    if is_late:
        return Stop.TIME_LIMIT
    return Stop.PACKETS if are_packets_done else None


def sequel_of(stop: Stop | None, on_end: str, *, is_fruitful: bool = True) -> Sequel:
    """Return what follows an end. A crawl that was stopped, or has reached a limit, quits.

    So does one for which there is no use in doing the same again: it was not `fruitful`.
    """
    if stop is not Stop.FINISHED or on_end not in {sequel.value for sequel in Sequel}:
        return Sequel.QUIT  # to watch pages is the frontier's business: it is not finished before
    sequel = Sequel(on_end)
    return sequel if is_fruitful or sequel is Sequel.IDLE else Sequel.QUIT


def is_worth_another(pages: int, *, is_continuation: bool) -> bool:
    """Whether a run that has brought so many pages may be followed by one from the seeds.

    One that brought nothing from the seeds is the last; one that only found an earlier run complete is not:
    whoever continues with `again` then wants just that.
    """
    return pages > 0 or is_continuation


def tells_command(stop: Stop | None) -> bool:
    """Whether the operator's command is to hear of this end: not if somebody wants it to end at once."""
    return stop not in (None, Stop.INTERRUPTED, Stop.UNREAD)
