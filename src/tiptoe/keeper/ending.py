"""Is a run over, and why?"""

from tiptoe.keeper.crawl_frontier import CrawlFrontier
from tiptoe.observe.stops import Stop

__all__ = ["ending_of"]


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
