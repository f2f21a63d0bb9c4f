"""What has a crawl found, in figures?

One pass over its files, nothing else: request logs, corpus, indexes of the
archive, figures of the keeper. Every counter is bounded, so memory does not
grow with the crawl; see `tally.py`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec

from tiptoe.errors import CrawlerError
from tiptoe.fetch.outcome import Failure
from tiptoe.fields.rule_book import RuleBook
from tiptoe.observe.crawl_marker import expect_crawl
from tiptoe.observe.crawl_members import member_files
from tiptoe.observe.cutoff import cut_off
from tiptoe.observe.decoding import CorpusDecoder
from tiptoe.observe.field_matches import FieldMatches
from tiptoe.observe.file_lines import index_files, whole_lines
from tiptoe.observe.outcomes import Fate, fate_of
from tiptoe.observe.printable import printable
from tiptoe.observe.run_figures import RunHistory, read_runs
from tiptoe.observe.tally import BoundedTally, Spread, Timeline
from tiptoe.url.address import host_of
from tiptoe.url.dropped import Dropped
from tiptoe.write.archive import Advance
from tiptoe.write.logentries import KIND
from tiptoe.write.output_kinds import CORPUS, DISALLOWED_LIST, REQUEST_LOG
from tiptoe.write.revisit_records import REVISIT_MIME

__all__ = ["Statistics", "files_bytes", "gather"]

HOSTS_MAX = 20_000
LABELS_MAX = 500
LABEL_CHARS_MAX = 60
SLOTS_MAX = 200
DEPTH_MAX = 50
"""Maximum depth counted separately; deeper pages are counted with it."""

UNSAID = "(not said)"
ILL_SAID = "(not a language)"
LOCAL_FILES = "(files)"
"""In place of a host, for what was read from disk."""

NOT_MODIFIED = 304

MOMENT_MAX = 1e11
"""Latest valid moment in a line of ours, in seconds since 1970; a line with a later one is damaged."""

Size: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
"""A number of bytes, within the range that is valid in a line of ours."""


class _Asked(msgspec.Struct):
    """The part of a line of the request log that is needed here."""

    started_at: float
    ended_at: float
    host: str
    purpose: str
    status: int | None = None
    failure: str | None = None
    bytes_received: Size = 0


class _Read(msgspec.Struct):
    """The part of a line of the corpus that is needed here."""

    url: str
    language: str | None
    charset: str | None
    depth: int
    paragraphs: list[str]
    html_bytes: Size = 0
    version: int = 1
    lang: str | None = None  # as recognised; what pages declare is often just a default of their software
    fetched_at: str = ""
    fields: dict[str, object] | None = None


class _Indexed(msgspec.Struct):
    """The part of a line of an index that is needed here."""

    mime: str
    length: Size


@dataclass(slots=True)
class RequestStatistics:
    """What the request logs say."""

    count: int = 0
    cut_off: int = 0  # of these, requests with unknown result
    bytes: int = 0
    purposes: BoundedTally = field(default_factory=lambda: BoundedTally(names_max=LABELS_MAX))
    answers: BoundedTally = field(
        default_factory=lambda: BoundedTally(names_max=LABELS_MAX)
    )  # status or failure, of all
    fates: Counter[Fate] = field(default_factory=Counter)  # of requests for pages
    seconds: Spread = field(default_factory=lambda: Spread(least=0.001, most=3600.0))
    first_at: float = MOMENT_MAX
    last_at: float = 0.0
    pages: int = 0  # that came with a body
    page_bytes: int = 0
    not_modified: int = 0  # 304


@dataclass(slots=True)
class DocumentStatistics:
    """What the corpus says."""

    count: int = 0
    later_versions: int = 0  # of pages that changed
    paragraphs: int = 0
    text_chars: int = 0
    text_bytes: int = 0  # in UTF-8
    html_bytes: int = 0  # after decompression
    measured_text_bytes: int = 0  # of the documents whose HTML was measured
    charsets: BoundedTally = field(default_factory=lambda: BoundedTally(names_max=LABELS_MAX))
    languages: BoundedTally = field(default_factory=lambda: BoundedTally(1, names_max=LABELS_MAX))
    depths: Counter[int] = field(default_factory=Counter)
    chars: Spread = field(default_factory=lambda: Spread(least=64, most=1 << 30))


@dataclass(slots=True)
class Statistics:
    """Everything that is counted; `statistics_report.py` presents it."""

    directory: Path
    runs: RunHistory
    requests: RequestStatistics = field(default_factory=RequestStatistics)
    documents: DocumentStatistics = field(default_factory=DocumentStatistics)
    types: BoundedTally = field(
        default_factory=lambda: BoundedTally(1, names_max=LABELS_MAX)
    )  # with bytes in the archive
    hosts: BoundedTally = field(default_factory=lambda: BoundedTally(5, names_max=HOSTS_MAX))
    """By host: requests, pages, bytes received, documents, characters of text."""
    timeline: Timeline = field(default_factory=lambda: Timeline(3, slots_max=SLOTS_MAX))
    """By time: requests, pages, bytes received."""
    stored_bytes: int = 0  # of the same answers, as stored
    revisit_records: int = 0  # visits that found nothing new
    disallowed: int = 0
    bad_lines: int = 0
    fields: FieldMatches | None = None  # by rule; None: the crawl has no rules

    @property
    def is_empty(self) -> bool:
        return not (
            self.requests.count or self.documents.count or (self.runs.last and self.runs.last.outcomes)
        )

    def fates(self) -> dict[Fate, int]:
        """Return what came of URLs, including those that were not requested."""
        discards = self.runs.last.discards if self.runs.last else {}
        counted = {fate: self.requests.fates[fate] for fate in Fate}
        counted[Fate.DENIED] += self.disallowed
        counted[Fate.DEAD] += discards.get(Dropped.HOST_GONE, 0)
        return counted


def files_bytes(directory: Path, members: Sequence[Path] = ()) -> int:
    """Return the number of bytes to read."""
    return sum(path.stat().st_size for path in _files(directory, *members) if path.exists())


def gather(
    directory: Path, advance: Advance = lambda count: None, *, members: Sequence[Path] = (),
    rule_book: RuleBook | None = None,
) -> Statistics:  # fmt: skip
    """Read the files of a crawl; `advance` is told how many bytes were read.

    `members` are the directories of further agents of the same crawl, `rule_book` its rules for fields.
    """
    expect_crawl(directory)
    directories = (directory, *members)
    found = Statistics(directory, read_runs(*directories))
    found.fields = FieldMatches(rule_book) if rule_book is not None else None
    try:
        for path in member_files(REQUEST_LOG.files, *directories):
            _read_requests(path, found, advance)
        decoder = CorpusDecoder(directory, _Read, members)
        for path in member_files(CORPUS.files, *directories):
            _read_corpus(path, decoder, found, advance)
        for path in member_files(index_files, *directories):
            _read_index(path, found, advance)
        for path in member_files(DISALLOWED_LIST.files, *directories):
            found.disallowed += sum(1 for _ in whole_lines(path, advance))
    except OSError as error:
        raise CrawlerError(f"{error.filename}: {error.strerror}") from error
    if found.is_empty:
        raise CrawlerError(f"{directory}: nothing has been requested yet, so there is nothing to count")
    return found


def _files(*directories: Path) -> list[Path]:
    return [
        path
        for files in (REQUEST_LOG.files, CORPUS.files, index_files, DISALLOWED_LIST.files)
        for path in member_files(files, *directories)
    ]


# -- one file ----------------------------------------------------------------


def _read_requests(path: Path, found: Statistics, advance: Advance) -> None:
    decode = msgspec.json.Decoder(_Asked).decode
    for line in whole_lines(path, advance):
        if line.startswith(KIND):  # what robots.txt said, and the like
            continue
        try:
            asked = decode(line)
        except (msgspec.DecodeError, ValueError):
            found.bad_lines += 1
            continue
        if 0 < asked.started_at <= asked.ended_at < MOMENT_MAX:
            _count_request(asked, found)
        else:
            found.bad_lines += 1
    for begun in cut_off(path):
        found.requests.cut_off += 1
        at = begun.started_at
        _count_request(_Asked(at, at, begun.host, begun.purpose, failure=Failure.HARVESTER_LOST.value), found)


def _count_request(asked: _Asked, found: Statistics) -> None:
    requests = found.requests
    requests.count += 1
    requests.bytes += asked.bytes_received
    requests.purposes.add(asked.purpose)
    requests.answers.add(f"http_{asked.status}" if asked.status else asked.failure or "failed")
    if asked.status:
        requests.seconds.add(asked.ended_at - asked.started_at)
    requests.first_at = min(requests.first_at, asked.started_at)
    requests.last_at = max(requests.last_at, asked.ended_at)
    is_page = 0
    if asked.purpose == "page":
        fate = fate_of(asked.status, asked.failure)
        requests.fates[fate] += 1
        is_page = fate is Fate.OK and asked.status != NOT_MODIFIED
        requests.pages += is_page
        requests.page_bytes += asked.bytes_received if is_page else 0
    requests.not_modified += asked.status == NOT_MODIFIED
    found.hosts.add(asked.host, 1, is_page, asked.bytes_received, 0, 0)
    found.timeline.add(asked.started_at, 1, is_page, asked.bytes_received)


def _read_corpus(path: Path, decoder: CorpusDecoder[_Read], found: Statistics, advance: Advance) -> None:
    for line in whole_lines(path, advance):
        try:
            document = decoder.read(path, line)
            _count_document(document, host_of(document.url) or LOCAL_FILES, found)
        except (msgspec.DecodeError, ValueError, LookupError):
            found.bad_lines += 1


def _count_document(document: _Read, host: str, found: Statistics) -> None:
    documents = found.documents
    chars = sum(map(len, document.paragraphs))
    size = sum(len(paragraph.encode()) for paragraph in document.paragraphs)
    documents.count += 1
    documents.later_versions += document.version > 1
    documents.paragraphs += len(document.paragraphs)
    documents.text_chars += chars
    documents.text_bytes += size
    if document.html_bytes:
        documents.html_bytes += document.html_bytes
        documents.measured_text_bytes += size
    documents.charsets.add(plain_label(document.charset or ""))
    documents.languages.add(_language(document.lang or document.language or ""), chars)
    documents.depths[min(document.depth, DEPTH_MAX)] += 1
    documents.chars.add(chars)
    found.hosts.add(host, 0, 0, 0, 1, chars)
    if found.fields is not None:
        found.fields.add(document.url, document.fetched_at, document.fields)


def _read_index(path: Path, found: Statistics, advance: Advance) -> None:
    decode = msgspec.json.Decoder(_Indexed, strict=False).decode
    for line in whole_lines(path, advance):
        try:
            entry = decode(line[line.index(b"{") :])
        except (msgspec.DecodeError, ValueError):
            found.bad_lines += 1
            continue
        if entry.mime == REVISIT_MIME:
            found.revisit_records += 1
            continue
        found.stored_bytes += entry.length
        found.types.add(UNSAID if entry.mime == "unk" else plain_label(entry.mime), entry.length)


def plain_label(text: str) -> str:
    """Return a word from the web in a form safe to show: short, and without control characters."""
    return printable(text[:LABEL_CHARS_MAX], "?") or UNSAID


def _language(said: str) -> str:
    """Return the language of a tag such as cs-CZ."""
    primary = said.strip().lower().replace("_", "-").partition("-")[0]
    if not primary:
        return UNSAID
    return primary if primary.isascii() and primary.isalpha() and len(primary) in (2, 3) else ILL_SAID
