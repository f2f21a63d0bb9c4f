"""How do stored documents become lines of the corpus, exactly once each?

    read the list ─▶ archive ─▶ sandbox ─▶ text, in memory
                  every second or hundred documents:
    judge the texts ─▶ corpus: write, flush and sync ─▶ leave the links
        ─▶ store the progress: this commits the batch ─▶ leave the texts for the index

If the process is killed between any two of these steps, nothing is lost or duplicated:
`mend` cuts the corpus back, and links that are left twice are known already.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tiptoe.convert.kinds import DocumentKind
from tiptoe.convert.progress import CONVERTED, Progress, load, mend, store
from tiptoe.convert.reading import Reason, TextDocument
from tiptoe.convert.text_judging import Judging, Verdict
from tiptoe.convert.waiting_documents import body_of, count_waiting, waiting
from tiptoe.decide.discard import Discard
from tiptoe.observe.eventlog import EventLog
from tiptoe.write.corpus import CorpusWriter, Document, language_fields
from tiptoe.write.documents import StoredDocument
from tiptoe.write.dropbox import FoundLinks, KeptText, leave_links, leave_texts
from tiptoe.write.iso_moments import iso_moment_of

__all__ = ["ConvertPlan", "Converter", "Read", "corpus_entry"]

Read = Callable[[DocumentKind, bytes, str], TextDocument | Reason]
"""`Sandbox.read` or a replacement for it."""

BATCH_DOCUMENTS = 100
BATCH_SECONDS = 1.0
BATCH_LINK_CHARS = 1_000_000
BATCH_TEXT_CHARS = 5_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertPlan:
    """What the operator decides about conversion."""

    body_bytes_max: int
    corpus_bytes_max: int
    corpus_encoding: str
    again: bool = False


class Converter:
    """Converts the documents of one crawl; the caller must hold its lock."""

    def __init__(
        self,
        directory: Path,
        read: Read,
        plan: ConvertPlan,
        log: EventLog,
        *,
        judging: Judging | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.is_stopping = False
        self._directory = directory
        self._read_text = read
        self._plan = plan
        self._log = log
        self._judge = judging or Judging()
        self._clock = clock
        self.progress = self._begin()
        self._corpus = CorpusWriter(
            directory,
            self.progress.prefix,
            size_max=plan.corpus_bytes_max,
            encoding=plan.corpus_encoding,
        )
        self._found: list[tuple[StoredDocument, TextDocument]] = []  # read but not judged yet
        self._text_chars = 0
        self._links: list[FoundLinks] = []
        self._link_chars = 0
        self._uncommitted = 0
        self._committed_at = clock()

    def _begin(self) -> Progress:
        progress = load(self._directory)
        if self._plan.again:
            # Stored first: only then may the texts of the last generation be deleted.
            progress = Progress(generation=progress.generation + 1)
            store(self._directory, progress)
        for name, size in mend(self._directory, progress).items():
            self._log.note("texts.lost", file=name, lost_bytes=size, help="tiptoe convert --again")
        progress.run += 1
        progress.batch = 0
        progress.marks = {}
        store(self._directory, progress)
        return progress

    def count(self, committed: Mapping[str, int]) -> int:
        """Return how many documents in these lists are waiting."""
        return count_waiting(self._directory, self.progress.lists, committed)

    def convert(
        self, committed: Mapping[str, int], told: Callable[[], object], advance: Callable[[], object]
    ) -> None:
        """Convert the documents waiting in these lists; call `told` when links were left for the keeper."""
        for name, size in sorted(committed.items()):
            done = self.progress.lists.get(name, 0)
            if done >= size:
                continue
            try:
                for stored, end in waiting(self._directory / name, done, size):
                    if stored is not None:
                        self._take(stored)
                    self.progress.lists[name] = end
                    advance()
                    self._commit_in_time(told)
                    if self.is_stopping:
                        break
            except FileNotFoundError:
                self._log.note("list.missing", list=name)
            if self.is_stopping:
                break
        self.commit(told)

    def close(self) -> None:
        """Finish the corpus file."""
        self._corpus.files.close()

    def _take(self, stored: StoredDocument) -> None:
        """Read one document; its text is judged with the others of its batch."""
        began = self._clock()
        found = self._read(stored)
        self._uncommitted += 1
        if isinstance(found, Reason):
            self._leave_out(stored, found)
            return
        self._found.append((stored, found))
        self._text_chars += sum(map(len, found.paragraphs))
        # Links are followed whether or not the text is kept.
        if found.links and not stored.is_nofollow:
            self._links.append(FoundLinks(stored.url, stored.depth, found.links))
            self._link_chars += sum(map(len, found.links))
            self.progress.links += len(found.links)
        self._log.note("document.read", seconds=self._clock() - began, type=stored.type, url=stored.url)

    def _leave_out(self, stored: StoredDocument, reason: Reason | Discard) -> None:
        self.progress.count(reason.value)
        self._log.note("document.unread", reason=reason.value, type=stored.type, url=stored.url)

    def _enter_corpus(self) -> list[KeptText]:
        """Write the accepted texts to the corpus; return them for the index."""
        kept = []
        found, self._found, self._text_chars = self._found, [], 0
        for (stored, text), verdict in zip(found, self._judge(found), strict=True):
            if verdict.reason is not None:
                self._leave_out(stored, verdict.reason)
                continue
            self.progress.count(CONVERTED)
            self.progress.types[stored.type] = self.progress.types.get(stored.type, 0) + 1
            self._corpus.write_document(corpus_entry(stored, text, verdict))
            if verdict.fingerprint:
                kept.append(KeptText(stored.url, verdict.fingerprint))
        return kept

    def _read(self, stored: StoredDocument) -> TextDocument | Reason:
        body = body_of(self._directory, stored, self._plan.body_bytes_max)
        if isinstance(body, Reason):
            return body
        try:
            kind = DocumentKind(stored.type)
        except ValueError:
            return Reason.UNSUPPORTED
        found = self._read_text(kind, body, stored.charset)
        if isinstance(found, Reason):
            # A document that was cut off when fetched was intact on the server.
            return Reason.TOO_BIG if found is Reason.BROKEN and stored.is_cut else found
        return found

    def _commit_in_time(self, told: Callable[[], object]) -> None:
        is_late = self._clock() - self._committed_at >= BATCH_SECONDS
        is_much = self._link_chars >= BATCH_LINK_CHARS or self._text_chars >= BATCH_TEXT_CHARS
        if is_late or is_much or self._uncommitted >= BATCH_DOCUMENTS:
            self.commit(told)

    def commit(self, told: Callable[[], object]) -> None:
        """Commit everything so far."""
        if not self._uncommitted:
            return
        texts = self._enter_corpus()
        files = self._corpus.files
        files.flush()
        files.sync()
        name = f"{self.progress.prefix}-{self.progress.batch:06d}"
        if self._links:
            leave_links(self._directory, name, self._links)
        self.progress.batch += 1
        marks = files.marks()
        self.progress.marks.update(marks)
        store(self._directory, self.progress)
        files.acknowledge(marks)
        if texts:
            leave_texts(self._directory, name, texts)
        has_news, self._links, self._link_chars = bool(self._links or texts), [], 0
        self._uncommitted, self._committed_at = 0, self._clock()
        if has_news:
            told()


def corpus_entry(stored: StoredDocument, text: TextDocument, verdict: Verdict) -> Document:
    """Return the corpus line of a converted document."""
    return Document(
        id=stored.id,
        url=stored.url,
        title=text.title or None,
        language=text.language or stored.language or None,
        charset=text.charset or None,
        fetched_at=stored.fetched_at,
        last_modified=iso_moment_of(stored.last_modified) if stored.last_modified else None,
        depth=stored.depth,
        digest=stored.digest,
        warc_file=stored.warc_file,
        warc_offset=stored.warc_offset,
        paragraphs=text.paragraphs,
        type=stored.type,
        **language_fields(verdict.spoken),
        usability=verdict.usability,
        duplicity=verdict.duplicity,
        repeated=verdict.repeated,
    )
