"""How are documents rated that could not be rated in time?

The finished files of a corpus are read again; documents without a usability, there or
in a later rating, are sent to the segmenter. Each batch is on disk before the next one
is sent, so this can be stopped at any moment and continues from there.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec
import pycurl

from tiptoe.errors import ProtocolError
from tiptoe.observe.crawl_marker import expect_crawl
from tiptoe.observe.decoding import CorpusDecoder
from tiptoe.observe.file_lines import whole_lines
from tiptoe.segment.scorer import Scorer
from tiptoe.segment.segmenter_exchange import SegmenterExchange
from tiptoe.segment.segmenter_protocol import (
    SEGMENT_PATH,
    Rating,
    SubmittedText,
    TextBatch,
    answer_bytes_max,
    cut_text,
    encode,
    in_batches,
)
from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.corpus import without_boilerplate
from tiptoe.write.output_kinds import CORPUS
from tiptoe.write.ratings import LateFile, LateRating, read_late

__all__ = ["CaughtUp", "RateTexts", "Remote", "catch_up", "finished_files", "rate_with"]

RateTexts = Callable[[list[SubmittedText]], dict[str, Rating]]
"""Returns ratings by id; raises ProtocolError if there are none."""

FAILURES_MAX: Final = 20
"""Maximum number of documents in a row that cannot be rated; above it the segmenter counts as down."""


class _Stored(msgspec.Struct):
    """The needed fields of a line of the corpus."""

    id: str = ""
    url: str = ""
    lang: str | None = None  # as detected; the language that a page declares may be wrong
    paragraphs: list[str] = []
    labels: list[str] | None = None
    usability: float | None = None


@dataclass(slots=True)
class CaughtUp:
    """The result, in numbers of documents."""

    rated: int = 0
    known: int = 0  # already had a rating
    unjudged: int = 0  # too little text to judge, according to the segmenter
    unknown: int = 0  # still without an answer
    bad_lines: int = 0
    open_files: int = 0  # still being written: to be rated once they are finished


def rate_with(scorer: Scorer) -> RateTexts:
    """Return the built-in segmenter as a function."""

    def rate(texts: list[SubmittedText]) -> dict[str, Rating]:
        rated = {text.id: scorer.rate(text.paragraphs, text.language) for text in texts}
        return {id: Rating(id, parts.usability, parts.annotations()) for id, parts in rated.items()}

    return rate


class Remote:
    """A segmenter in another process, as a function."""

    def __init__(self, url: str, user_agent: str, *, timeout_seconds: float, documents_max: int) -> None:
        self._url = url.rstrip("/") + SEGMENT_PATH
        self._exchange = SegmenterExchange(
            user_agent, timeout_seconds=timeout_seconds, answer_bytes_max=answer_bytes_max(documents_max)
        )

    def __call__(self, texts: list[SubmittedText]) -> dict[str, Rating]:
        code, words = 0, ""
        self._exchange.prepare(self._url, encode(TextBatch(texts)))
        try:
            self._exchange.curl.perform()
        except pycurl.error as error:
            code, words = error.args
        return self._exchange.ratings(code, words, [text.id for text in texts])

    def close(self) -> None:
        """Close the connection."""
        self._exchange.close()


def finished_files(directory: Path) -> list[Path]:
    """Return the files of a corpus that will not change again."""
    expect_crawl(directory)
    return [path for path in CORPUS.files(directory) if not path.name.endswith(OPEN_SUFFIX)]


def catch_up(
    directory: Path,
    rate: RateTexts,
    *,
    documents_max: int,
    again: bool = False,
    advance: Callable[[int], object] = lambda count: None,
) -> CaughtUp:
    """Rate what has no rating, or everything if `again`; `advance` is told how many bytes were read."""
    files = finished_files(directory)
    work = _Work(rate, documents_max, again, CorpusDecoder(directory, _Stored), advance)
    work.done.open_files = len(CORPUS.files(directory)) - len(files)
    for path in files:
        work.catch_up(path)
    return work.done


@dataclass(slots=True)
class _Work:
    """Catching up with one corpus, file by file."""

    rate: RateTexts
    documents_max: int
    again: bool
    decoder: CorpusDecoder[_Stored]
    advance: Callable[[int], object]
    done: CaughtUp = field(default_factory=CaughtUp)
    failures: int = 0  # in a row

    def catch_up(self, path: Path) -> None:
        """Rate the documents in one file that have no rating."""
        known = frozenset() if self.again else frozenset(read_late(path))
        with LateFile(path) as late:
            ids: dict[str, str] = {}  # document id by the id of the text that is sent
            for batch in in_batches(self._unrated(path, known, ids), self.documents_max):
                self._settle(batch, ids, late)

    def _unrated(self, path: Path, known: frozenset[int], ids: dict[str, str]) -> Iterator[SubmittedText]:
        """Yield documents without a rating, named by the offset of their line; note the id of each."""
        offset = 0
        for line in whole_lines(path, self.advance):
            begin, offset = offset, offset + len(line) + 1
            try:
                stored = self.decoder.read(path, line)
            except (msgspec.DecodeError, ValueError, LookupError):
                self.done.bad_lines += 1
                continue
            if begin in known or (stored.usability is not None and not self.again):
                self.done.known += 1
                continue
            ids[str(begin)] = stored.id
            main = without_boilerplate(stored.paragraphs, stored.labels)
            yield SubmittedText(str(begin), stored.url, stored.lang or "", cut_text(main))

    def _settle(self, batch: list[SubmittedText], ids: dict[str, str], late: LateFile) -> None:
        ratings = self._rate(batch)
        asked = [(text.id, ids.pop(text.id)) for text in batch]
        late.add(
            [
                LateRating(int(offset), id, rating.usability, rating.annotations)
                for offset, id in asked
                if (rating := ratings.get(offset))
            ]
        )
        rated = sum(rating.usability is not None for rating in ratings.values())
        self.done.rated += rated
        self.done.unjudged += len(ratings) - rated
        self.done.unknown += len(batch) - len(ratings)

    def _rate(self, batch: list[SubmittedText]) -> dict[str, Rating]:
        """Return ratings by id; if a batch fails, send each document alone, as one may be the cause."""
        try:
            ratings = self.rate(batch)
        except ProtocolError as problem:
            self.failures += 1
            if self.failures >= FAILURES_MAX:
                raise ProtocolError(f"{problem}; given up after {self.failures} failures in a row") from None
            if len(batch) == 1:
                return {}
            return {id: rating for one in batch for id, rating in self._rate([one]).items()}
        self.failures = 0
        return ratings
