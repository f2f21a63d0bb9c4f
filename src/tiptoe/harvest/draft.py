"""What is known of an answer before anything of it is written?

Answers are read one by one and written a pile at a time, each step for all of the pile before the next:
the processor then has at hand what a step needs. That saves a tenth of all that a page costs a harvester.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from tiptoe.fetch.outcome import Answer, Failed
from tiptoe.harvest.document import Reading
from tiptoe.harvest.judgement import Judgement
from tiptoe.protocol.work import Result
from tiptoe.text.fingerprint import Fingerprint
from tiptoe.write.warc import Place

__all__ = ["Draft", "WriteBatch"]

BATCH_BYTES_MAX: Final = 2_000_000
"""Of bodies, texts and links that wait together: more would no longer fit into the processor's cache."""

LINK_BYTES: Final = 100
"""What a link counts for; a sitemap has tens of thousands."""


@dataclass(slots=True)
class Draft:
    """An answer that has been read, and is not written yet."""

    answer: Answer | Failed
    result: Result
    reading: Reading = field(default_factory=Reading)
    mark: Fingerprint | None = None  # of a text that is to be compared with all others
    judgement: Judgement | None = None  # what came of that
    is_asked_about: bool = False  # the segmenter was asked, whether it answered or not
    place: Place | None = None  # where the answer lies in the archive
    rules_request: str = ""  # of an answer on the way to a host's rules: what was asked for
    steps_done: int = 0  # on its way from the pile to the corpus

    @property
    def has_long_paragraphs(self) -> bool:
        """Whether there is anything that duplicity can be measured by."""
        return self.mark is not None and bool(self.mark.weights)


class WriteBatch:
    """Drafts that wait to be written, in the order in which they were read."""

    def __init__(self) -> None:
        self._drafts: list[Draft] = []
        self._bytes = 0

    def __iter__(self) -> Iterator[Draft]:
        return iter(self._drafts)

    @property
    def is_full(self) -> bool:
        """Whether it should not grow any more."""
        return self._bytes >= BATCH_BYTES_MAX

    def add(self, draft: Draft) -> None:
        """Lay a draft upon the others."""
        self._drafts.append(draft)
        # A body may be compressed to a hundredth of what was read from it.
        result, links = draft.result, len(draft.reading.hrefs)
        self._bytes += result.body_bytes + result.text_chars + LINK_BYTES * links

    def clear(self) -> None:
        """Everything on it was written."""
        self._drafts.clear()
        self._bytes = 0
