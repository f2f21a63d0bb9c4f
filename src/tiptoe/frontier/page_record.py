"""What is known about a page?

Plain values, stored under the page's key. Fields are positional: new ones go to the end and have a default.
"""

import msgspec

from tiptoe.revisit.change_evidence import ChangeEvidence

__all__ = ["WAITING", "PageRecord"]

WAITING = "waiting"
"""Outcome of a page that is to be tried again."""


class PageRecord(msgspec.Struct, array_like=True, gc=False):
    """What is known about one page (INC-1)."""

    url: str
    status: int = 0
    outcome: str = ""  # "ok", "redirect", a failure or a reason for discarding
    title: str = ""
    depth: int = 0
    usability: float | None = None  # None = unknown
    tries: int = 0
    visits: int = 0
    first_visit_at: float = 0.0
    last_visit_at: float = 0.0
    changed_at: float = 0.0  # last detected change
    expires_at: float = 0.0
    interval: float = 0.0
    next_visit_at: float = 0.0
    etag: str = ""
    last_modified: str = ""
    content_hash: bytes = b""
    text_hash: bytes = b""
    location: str = ""  # where a redirect leads
    payload_digest: str = ""  # of the last body that was stored
    stored_at: float = 0.0  # its WARC-Date
    version: int = 0  # of the text in the corpus; 0 = it has none
    evidence: ChangeEvidence = msgspec.field(default_factory=ChangeEvidence)  # how often it changes
    hinted_at: float = 0.0  # last change according to a sitemap or feed
    misses: int = 0  # visits in a row that found it gone
    is_counted: bool = False  # among the pages of the crawl and of its host
    is_off_useless: bool = False  # the document that linked to it was useless
    is_lost: bool = False  # some of what was written about it was lost, so it is requested once more
