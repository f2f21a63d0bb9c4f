"""Why did something in a source yield no text?

Besides these reasons there are those of the decision points, for what they refuse, and those of the readers
of documents.
"""

from enum import StrEnum

__all__ = ["READ", "Unread"]

READ = "read"
"""Counter of texts that are in the corpus now."""


class Unread(StrEnum):
    """Reasons, by the names under which they are counted."""

    OTHER_RECORD = "other_record"  # requests, revisits, information about the crawler
    READ_BEFORE = "read_before"  # the same record, from a copy of its file
    NO_ANSWER = "no_answer"  # a response that is not HTTP
    NOT_OK = "not_ok"  # a status other than 2xx
    RULES = "rules"  # robots.txt and the like
    LINK_SOURCE = "link_source"  # a sitemap, or a feed among pages
    NO_MESSAGE = "no_message"  # in a mailbox: without a readable body
    TOO_BIG = "too_big"
    CRASHED = "crashed"  # the process that read it died or did not answer
    MISSING = "missing"  # the file could not be opened
