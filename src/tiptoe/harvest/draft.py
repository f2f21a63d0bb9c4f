"""What is known about a request before its result is sent to the keeper?

A draft is filled in step by step: what was read, how segmenter and keeper judge it, where it was written.
Then the keeper gets a `Result`, which never changes.

Answers are read one by one and written in batches, each step for the whole batch before the next, which makes
better use of the processor's caches. Together with reading in a row (`parse_queue`), that saves a sixth of
the total cost of a page.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from tiptoe.fetch.outcome import Answer, Failed
from tiptoe.frontier.visits import shard_of_visit
from tiptoe.harvest.document import NOTHING_READ, Reading
from tiptoe.harvest.judgement import TextJudgement
from tiptoe.harvest.retry_after import retry_after
from tiptoe.protocol.work import HostLinks, Request
from tiptoe.segment.segmenter_protocol import Rating
from tiptoe.text.fingerprint import Fingerprint
from tiptoe.write.warc import Place

__all__ = ["Draft", "WriteBatch"]

BATCH_MAX: Final = 40
BATCH_BYTES_MAX: Final = 2_000_000
"""Maximum answers in a batch, and maximum bytes of their bodies, texts and links; when either is reached the
batch is written, since more would not fit into the processor's cache."""

LINK_BYTES: Final = 100
"""Bytes that a link counts as; a sitemap has tens of thousands of links."""


@dataclass(slots=True)
class Draft:
    """A request, its answer, and everything derived from it so far."""

    request: Request
    answer: Answer | Failed | None = None  # None: the request was not made
    reading: Reading = field(default_factory=lambda: NOTHING_READ)
    rules_request: str = ""  # "robots" or "tdmrep" for a request on the way to a host's rules
    is_on_the_way: bool = False  # a request on the way to a page, whose answer is not archived: see `logins`
    detail: str = ""  # why a login did not work
    # Read:
    etag: str = ""
    last_modified: str = ""
    content_hash: bytes = b""
    text_hash: bytes = b""
    text_chars: int = 0
    expires_at: float = 0.0
    is_changed: bool | None = None  # of a known page; None: first visit, or unknown
    prose: bytes | None = None  # lets the keeper see whether a new page says anything new
    fingerprint: Fingerprint | None = None  # of a text that is compared with the corpus
    # Rated and compared:
    rating: Rating | None = None  # by the segmenter
    judgement: TextJudgement | None = None  # from the keeper's marks
    # Digested:
    usable_chars: int | None = None
    # Written:
    fields: dict[str, list[str]] | None = None  # of its description; None: no description
    links: list[HostLinks] = field(default_factory=list)
    feeds: list[str] = field(default_factory=list)
    requisites: list[str] = field(default_factory=list)
    place: Place | None = None  # of the answer in the archive
    line_check: int = 0
    steps_done: int = 0

    @property
    def status(self) -> int:
        """Status of the answer; 0 when there is none."""
        return self.answer.status if isinstance(self.answer, Answer) else 0

    @property
    def failure(self) -> str:
        return self.answer.failure.value if isinstance(self.answer, Failed) else ""

    @property
    def discard(self) -> str:
        """Reason for discarding the page; empty when it is not discarded."""
        return self.reading.discard.value if self.reading.discard is not None else ""

    @property
    def is_unchanged(self) -> bool:
        """Whether the page is known to be unchanged, so that it is not stored again."""
        return self.is_changed is False

    @property
    def retry_after(self) -> float:
        """Retry-After in seconds, used only in answers with a status of 300 or more."""
        answer = self.answer
        return retry_after(answer) if isinstance(answer, Answer) and answer.status >= 300 else 0.0

    @property
    def is_urgent(self) -> bool:
        """Whether a server wants us to slow down; the keeper must know in case this harvester is lost."""
        return bool(self.retry_after or (self.reading.robots and self.reading.robots.crawl_delay))

    @property
    def usability(self) -> float | None:
        """Usability of the text; None if unknown."""
        return self.rating.usability if self.rating is not None else None

    @property
    def has_long_paragraphs(self) -> bool:
        """Whether the text has any long paragraph, without which duplicity cannot be measured."""
        return self.fingerprint is not None and bool(self.fingerprint.weights)


class WriteBatch:
    """Drafts that wait to be written and reported, each with its visit, in the order they were added."""

    def __init__(self) -> None:
        self._drafts: list[tuple[int, Draft]] = []
        self._bytes = 0

    def __iter__(self) -> Iterator[tuple[int, Draft]]:
        return iter(self._drafts)

    @property
    def is_full(self) -> bool:
        """Whether it is time to write the batch."""
        return len(self._drafts) >= BATCH_MAX or self._bytes >= BATCH_BYTES_MAX

    def add(self, visit: int, draft: Draft) -> None:
        """Add a draft at the end."""
        self._drafts.append((visit, draft))
        if isinstance(draft.answer, Answer):
            # The text counts as well, since a compressed body may be a hundredth of its size.
            self._bytes += len(draft.answer.body) + draft.text_chars + LINK_BYTES * len(draft.reading.hrefs)

    def drop(self, shard: int) -> int:
        """Forget the drafts of a shard; return how many there were."""
        kept = [(visit, draft) for visit, draft in self._drafts if shard_of_visit(visit) != shard]
        dropped = len(self._drafts) - len(kept)
        self._drafts = kept
        return dropped

    def clear(self) -> None:
        """Empty the batch, once everything in it has become results."""
        self._drafts.clear()
        self._bytes = 0
