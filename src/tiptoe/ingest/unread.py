"""Why did something that was met in a source bring no text?

Beside these, whatever the decision points refuse counts by their reasons, and documents by those of their
readers.
"""

from enum import StrEnum

__all__ = ["READ", "Unread"]

READ = "read"
"""Counted like a reason: it stands in the corpus now."""


class Unread(StrEnum):
    """Reasons, by the names under which they are counted."""

    OTHER_RECORD = "other_record"  # requests, revisits, what a crawler says of itself
    NO_ANSWER = "no_answer"  # a response that is no HTTP
    NOT_OK = "not_ok"  # a status other than 2xx
    RULES = "rules"  # robots.txt and its like
    LINK_SOURCE = "link_source"  # a sitemap, or a feed among pages
    NO_MESSAGE = "no_message"  # of a mailbox: without a body to read
    TOO_BIG = "too_big"
    CRASHED = "crashed"  # the process that read it died, or did not come back
    MISSING = "missing"  # the file could not be opened
