"""What is known of a request before the keeper is told of it?

A draft grows on its way: what was read, what others say of it, where it was written. Then the keeper is
told, by a `Result` that nobody changes any more.

Answers are read one by one and written in batches, each part of the work for the whole batch before the next:
the processor then has at hand what it needs. With reading in a row (`parse_queue`) that saves a sixth of all
that a page costs a harvester.
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
"""Maximum of answers, and of bytes in their bodies, texts and links, that are written together; above it they
would no longer fit into the processor's cache."""

LINK_BYTES: Final = 100
"""What a link counts for; a sitemap has tens of thousands."""


@dataclass(slots=True)
class Draft:
    """A request, its answer, and what has come of it so far."""

    request: Request
    answer: Answer | Failed | None = None  # None: the request was not made
    reading: Reading = field(default_factory=lambda: NOTHING_READ)
    rules_request: str = ""  # of an answer on the way to a host's rules: what was asked for
    is_on_the_way: bool = False  # an answer on the way to a page, which no archive keeps: see `logins`
    detail: str = ""  # why a login did not work
    # Read:
    etag: str = ""
    last_modified: str = ""
    content_hash: bytes = b""
    text_hash: bytes = b""
    text_chars: int = 0
    expires_at: float = 0.0
    is_changed: bool | None = None  # of a known page; None: the first visit, or nobody can say
    prose: bytes | None = None  # by which the keeper knows whether a new page says anything new
    fingerprint: Fingerprint | None = None  # of a text that is to be compared with all others
    # Asked:
    rating: Rating | None = None  # of the segmenter
    judgement: TextJudgement | None = None  # by what the keeper knows
    # Digested:
    usable_chars: int | None = None
    fields: dict[str, list[str]] | None = None  # of its description; None: it gets none
    # Written:
    links: list[HostLinks] = field(default_factory=list)
    feeds: list[str] = field(default_factory=list)
    requisites: list[str] = field(default_factory=list)
    place: Place | None = None  # of the answer in the archive
    line_check: int = 0
    steps_done: int = 0

    @property
    def status(self) -> int:
        """Of the answer; 0 when there is none."""
        return self.answer.status if isinstance(self.answer, Answer) else 0

    @property
    def failure(self) -> str:
        return self.answer.failure.value if isinstance(self.answer, Failed) else ""

    @property
    def discard(self) -> str:
        """Why a page goes no further; empty when it does."""
        return self.reading.discard.value if self.reading.discard is not None else ""

    @property
    def is_unchanged(self) -> bool:
        """Whether the page is known to be as it was, so that nothing of it is stored again."""
        return self.is_changed is False

    @property
    def retry_after(self) -> float:
        """How many seconds a server that has nothing for us wants us to stay away."""
        answer = self.answer
        return retry_after(answer) if isinstance(answer, Answer) and answer.status >= 300 else 0.0

    @property
    def is_urgent(self) -> bool:
        """Whether a server wants us to be slower: that must not be lost with a harvester."""
        return bool(self.retry_after or (self.reading.robots and self.reading.robots.crawl_delay))

    @property
    def usability(self) -> float | None:
        """None: unknown."""
        return self.rating.usability if self.rating is not None else None

    @property
    def has_long_paragraphs(self) -> bool:
        """Whether there is anything that duplicity can be measured by."""
        return self.fingerprint is not None and bool(self.fingerprint.weights)


class WriteBatch:
    """Drafts that wait to be written and told, each with its visit, in the order of their requests."""

    def __init__(self) -> None:
        self._drafts: list[tuple[int, Draft]] = []
        self._bytes = 0

    def __iter__(self) -> Iterator[tuple[int, Draft]]:
        return iter(self._drafts)

    @property
    def is_full(self) -> bool:
        """Whether it is time to write it."""
        return len(self._drafts) >= BATCH_MAX or self._bytes >= BATCH_BYTES_MAX

    def add(self, visit: int, draft: Draft) -> None:
        """Add a draft behind the others."""
        self._drafts.append((visit, draft))
        if isinstance(draft.answer, Answer):
            # A body may be compressed to a hundredth of what was read from it.
            self._bytes += len(draft.answer.body) + draft.text_chars + LINK_BYTES * len(draft.reading.hrefs)

    def drop(self, shard: int) -> int:
        """Forget the drafts of a shard; return how many they were."""
        kept = [(visit, draft) for visit, draft in self._drafts if shard_of_visit(visit) != shard]
        dropped = len(self._drafts) - len(kept)
        self._drafts = kept
        return dropped

    def clear(self) -> None:
        """Everything in it was told."""
        self._drafts.clear()
        self._bytes = 0
