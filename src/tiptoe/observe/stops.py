"""Why does a run of a crawl end?"""

import enum

__all__ = ["Stop"]


class Stop(enum.StrEnum):
    """Reasons, with the names under which they are recorded; `observe/meanings.py` says what they mean."""

    FINISHED = "finished"
    PAGE_LIMIT = "page_limit"
    BYTE_LIMIT = "byte_limit"
    TIME_LIMIT = "time_limit"
    PACKETS = "packets"
    OPERATOR = "operator"
    INTERRUPTED = "interrupted"  # by a signal
    UNREAD = "unread"
    NO_HARVESTERS = "no_harvesters"
