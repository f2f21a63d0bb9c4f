"""How are the findings of readers written to a corpus, each text exactly once?

    readers, side by side ─▶ batches, in the order of the sources ─▶ known texts ─▶ corpus: write and sync
        ─▶ one write to the database, which commits the batch: positions, counters, marks, texts

If the process is killed between any two of these, nothing is lost or duplicated. A part of an archive counts
only if it begins where the one before has ended: otherwise it was cut within a record, and is read again from
there. A reader that dies is replaced; its unit is read again text by text, and the text that kills readers is
skipped.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.decide.storing import StorePoint
from tiptoe.errors import CrawlerError
from tiptoe.harvest.judgement import DuplicityRules
from tiptoe.ingest.crew import Crew, CrewReader
from tiptoe.ingest.crew_messages import Opened, ReadBatch, UnitDone
from tiptoe.ingest.file_position import BEGINNING, FilePosition
from tiptoe.ingest.ingest_progress import WRITER, FileProgress, IngestProgress, ProgressStore
from tiptoe.ingest.known_records import KnownRecords
from tiptoe.ingest.known_texts import KnownTexts
from tiptoe.ingest.page_intake import ReadText
from tiptoe.ingest.source_files import FileKind, shown
from tiptoe.ingest.unit_list import PlannedUnit
from tiptoe.ingest.unread import READ, Unread
from tiptoe.observe.eventlog import EventLog
from tiptoe.store.tables import Writes
from tiptoe.write.corpus import CorpusWriter
from tiptoe.write.output_kinds import GONE_LIST

__all__ = ["IngestPlan", "Ingester"]

BATCH_TEXTS: Final = 1000
BATCH_SECONDS: Final = 1.0
AHEAD: Final = 3
"""Maximum number of planned units per reader, including finished ones that wait to be written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestPlan:
    """What the operator decides about the corpus."""

    corpus_bytes_max: int
    corpus_encoding: str
    store: StorePoint
    duplicity: DuplicityRules | None  # None: texts are not compared
    silence_seconds: float = 180.0  # without a message, after which a reader counts as dead


class Ingester:
    """Writes the corpus of one directory; the caller must hold its lock."""

    def __init__(
        self,
        directory: Path,
        plan: IngestPlan,
        store: ProgressStore,
        log: EventLog,
        *,
        run: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.is_stopping = False
        self.unopened: list[str] = []  # files that could not be opened in this run
        self._plan = plan
        self._store = store
        self._log = log
        self._clock = clock
        self.progress = self._begin(run)
        writer = f"{WRITER}-{run}"
        self._corpus = CorpusWriter(
            directory, writer, size_max=plan.corpus_bytes_max, encoding=plan.corpus_encoding
        )
        self._gone = GONE_LIST.numbered_files(directory, writer)
        self._records = KnownRecords(store.rows)
        self._known = KnownTexts(store.rows, plan.duplicity, plan.store) if plan.duplicity else None
        self._batch = Writes()
        self._texts = 0  # since the last commit
        self._committed_at = clock()
        self._at = BEGINNING  # in the current file
        self._at_path = Path()

    def _begin(self, run: str) -> IngestProgress:
        progress = self._store.load()
        for name, size in self._store.mend(progress).items():
            self._log.note("texts.lost", file=name, lost_bytes=size)
        progress.run, progress.marks = run, {}
        self._store.commit(Writes(), progress)
        return progress

    def ingest(
        self, units: Iterator[PlannedUnit], crew: Crew, advance: Callable[[int], object] = lambda count: None
    ) -> None:
        """Read units until none is left, or until told to stop."""
        under_way: deque[tuple[PlannedUnit, CrewReader]] = deque()

        def hand_out() -> None:
            while len(under_way) < AHEAD * len(crew.readers) and (reader := crew.idle) is not None:
                planned = next(units, None)
                if planned is None:
                    return
                reader.send(planned.unit)
                under_way.append((planned, reader))

        hand_out()
        while under_way and not self.is_stopping:
            self._take_unit(*under_way[0], crew, hand_out, advance)
            if self.is_stopping:
                break
            under_way.popleft()
            hand_out()
        self.commit()

    def close(self) -> None:
        """Finish the output files."""
        self._corpus.files.close()
        self._gone.close()

    # -- units -----------------------------------------------------------

    def _take_unit(
        self, planned: PlannedUnit, reader: CrewReader, crew: Crew, hand_out: Callable[[], None],
        advance: Callable[[int], object],
    ) -> None:  # fmt: skip
        """Process the results of a unit, even if its reader dies."""
        self._enter(planned)
        unit = planned.unit
        while not self.is_stopping:
            is_told = self._hear(planned, reader, hand_out, advance, is_whole=unit is planned.unit)
            if is_told:
                break
            if is_told is None:  # it does not begin where the previous one ended
                unit = msgspec.structs.replace(unit, start=self._at, is_exact=True)
            else:
                self.progress.lost_readers += 1
                name = shown(planned.files[0].path)
                self._log.note("reader.lost", file=name, offset=self._at.offset)
                if unit.passes and unit.start == self._at:
                    raise CrawlerError(f"{name}: readers die, whatever is passed over; see log/read.log")
                unit = msgspec.structs.replace(
                    unit, start=self._at, is_exact=True, is_careful=True, passes=unit.is_careful
                )
            reader = crew.spare
            reader.send(unit)
        if not self.is_stopping:
            self._leave(planned)

    def _hear(
        self, planned: PlannedUnit, reader: CrewReader, hand_out: Callable[[], None],
        advance: Callable[[int], object], *, is_whole: bool,
    ) -> bool | None:  # fmt: skip
        """Process a reader's messages about a unit; False if it died, None if it began at the wrong place."""
        unit = planned.unit
        is_wanted = not is_whole or unit.is_exact
        while not self.is_stopping:
            message = reader.receive(self._plan.silence_seconds)
            hand_out()
            if message is None:
                return False
            if isinstance(message, Opened):
                is_wanted = message.first == self._at
            elif isinstance(message, UnitDone):
                self.progress.cpu_seconds += message.cpu_seconds
                is_over = unit.kind is FileKind.WARC and self._at.offset >= unit.stop
                return True if is_wanted or is_over else None
            elif is_wanted:
                self._take_batch(planned, message, advance)
        return True

    def _enter(self, planned: PlannedUnit) -> None:
        path = planned.files[0].path
        if path != self._at_path or planned.unit.kind is FileKind.SINGLE:
            self._at, self._at_path = planned.unit.start, path

    def _leave(self, planned: PlannedUnit) -> None:
        """Note that a file is done; single files in a unit are noted one by one."""
        file = planned.files[0]
        is_done = planned.is_last and shown(file.path) not in self.unopened
        if planned.unit.kind is not FileKind.SINGLE and is_done:
            done = FileProgress(self._at, True, file.size, file.modified_ns)
            self._store.put_file(self._batch, file.path, done)
            self.progress.files += 1

    # -- batches ---------------------------------------------------------

    def _take_batch(self, planned: PlannedUnit, batch: ReadBatch, advance: Callable[[int], object]) -> None:
        for text in batch.texts:
            self._take_text(text)
        for gone in batch.gone:
            self._gone.append_line(msgspec.json.encode(gone))
        for reason, times in batch.counts.items():
            self.progress.count(reason, times)
        for reason, place in batch.notes:
            self._log.note("text.unread", reason=reason, place=place)
            if reason == Unread.MISSING:
                self.unopened.append(place)
        read = self._move_to(planned, batch.end)
        self.progress.read_bytes += read
        advance(read)
        self._texts += len(batch.texts)
        if self._texts >= BATCH_TEXTS or self._clock() - self._committed_at >= BATCH_SECONDS:
            self.commit()

    def _move_to(self, planned: PlannedUnit, end: FilePosition) -> int:
        """Note how far the files are done; return how many bytes were added."""
        before, self._at = self._at, end
        unopened = set(self.unopened)
        if planned.unit.kind is not FileKind.SINGLE:
            if before != end and shown(self._at_path) not in unopened:
                self._store.put_file(self._batch, self._at_path, FileProgress(end))
            return end.offset - before.offset
        for place in range(before.offset, end.offset):
            file = planned.files[place]
            if shown(file.path) in unopened:
                continue  # the next run may open it
            done = FileProgress(BEGINNING, True, file.size, file.modified_ns, planned.versions[place])
            self._store.put_file(self._batch, file.path, done)
            self.progress.files += 1
        return sum(file.size for file in planned.files[before.offset : end.offset])

    def _take_text(self, text: ReadText) -> None:
        document = text.document
        if not self._records.admit(self._batch, document):
            self.progress.count(Unread.READ_BEFORE)
            return
        if self._known is not None and text.hashes:
            judgement, refused = self._known.judge(text)
            self._known.learn(self._batch, text, is_kept=refused is None)
            if refused is not None:
                self.progress.count(refused)
                return
            if judgement is not None and judgement.duplicity is not None:
                document = msgspec.structs.replace(
                    document, duplicity=judgement.duplicity, repeated=judgement.repeated
                )
        self._corpus.write_document(document)
        self.progress.count(READ)
        self.progress.text_chars += sum(map(len, document.paragraphs))

    def commit(self) -> None:
        """Commit everything so far."""
        if not self._batch and not self._texts:
            self._committed_at = self._clock()
            return
        marks: dict[str, int] = {}
        for files in (self._corpus.files, self._gone):
            files.flush()
            files.sync()
            marks |= files.marks()
        self.progress.marks.update(marks)
        self._store.commit(self._batch, self.progress)
        for files in (self._corpus.files, self._gone):
            files.acknowledge(marks)
        self._records.committed()
        if self._known is not None:
            self._known.committed()
        self._batch = Writes()
        self._texts, self._committed_at = 0, self._clock()
