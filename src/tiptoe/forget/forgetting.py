"""In which order is a wish carried out, so that it may be interrupted at any moment?

Rule: a file is entered in the journal, with its new size, before it is replaced; and the new size of a
replaced file is noted in the ledger, even if this is repeated. So a file and its mark agree at the end, and
neither the next start of the crawl nor `tiptoe repair` finds any damage.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tiptoe.errors import CrawlerError
from tiptoe.forget.archive_files import exchanges_meant, fill_out, index_of, lines_kept, put_lines
from tiptoe.forget.catalog_pages import forget_in_catalog, pages_in_catalog
from tiptoe.forget.journal import FileChange, Forgotten, Journal, put_on_record
from tiptoe.forget.ledger import Ledger
from tiptoe.forget.leftovers import remove_leftovers, thin_logs
from tiptoe.forget.line_files import Text, lines_meant, realign_ratings, take_out
from tiptoe.frontier.erasing import known_of, meant_by
from tiptoe.observe.decoding import CorpusDecoder
from tiptoe.store.tables import Store
from tiptoe.url.wish import Wish, read_wish
from tiptoe.write.archive import Advance
from tiptoe.write.cdxj import INDEX_NAME
from tiptoe.write.dropbox import waiting_links, waiting_texts
from tiptoe.write.output_kinds import (
    ARCHIVE,
    CORPUS,
    DESCRIPTIONS,
    DOCUMENT_LIST,
    GONE_LIST,
    OutputKind,
    kind_of,
)
from tiptoe.write.record import iso_date
from tiptoe.write.recovery import path_of
from tiptoe.write.replacing import replace_lines

__all__ = ["CrawlAtRest", "Forgetting", "survey", "survey_files"]

LINE_KINDS: Final = (CORPUS, DOCUMENT_LIST, GONE_LIST, DESCRIPTIONS)
UNLEARNED_AT_ONCE: Final = 1000


@dataclass(frozen=True, slots=True)
class CrawlAtRest:
    """A crawl in which no other process works, and what must be known about it."""

    directory: Path
    database: str = ""  # of its catalog
    advance: Advance = lambda count: None
    step: Callable[[], object] = lambda: None
    """Called before each step that cannot be undone."""


def survey(place: CrawlAtRest, wish: Wish, store: Store) -> Journal:
    """Return what would be removed from a crawl with this database; nothing is changed."""
    known = known_of(store, wish, meant_by(store, wish))
    journal = survey_files(place, wish)
    journal.pages, journal.queued = known.pages, known.unasked
    return journal


def survey_files(place: CrawlAtRest, wish: Wish) -> Journal:
    """Return what would be removed from the files and the catalog; nothing is changed."""
    journal = Journal(
        target=wish.target, reason="", wished_at=0.0,
        catalogued=pages_in_catalog(place.directory, place.database, wish),
    )  # fmt: skip
    decoder = CorpusDecoder(place.directory, Text)
    for kind, path in _line_files(place.directory):
        meant = lines_meant(path, wish, decoder, advance=place.advance)
        if meant.count:
            size = path.stat().st_size
            journal.files[_name(kind, path)] = FileChange(size, size - meant.size, meant.count)
    for path in ARCHIVE.files(place.directory):
        count = len(exchanges_meant(path, wish))
        if count:
            size = path.stat().st_size
            journal.files[_name(ARCHIVE, path)] = FileChange(size, size, count)
    return journal


class Forgetting:
    """One wish being carried out; `now` is the current time, the journal has the time of the wish."""

    def __init__(self, place: CrawlAtRest, ledger: Ledger, journal: Journal, *, now: float) -> None:
        self._place = place
        self._directory = place.directory
        self._ledger = ledger
        self._journal = journal
        self._wish = read_wish(journal.target)
        self._now = now

    def run(self) -> Forgotten:
        """Carry it out; return the line that `conclude` must record once the ledger is closed."""
        journal = self._journal
        self._ledger.note_wish()
        self._settle_marks()
        remove_leftovers(self._directory, self._wish)
        for kind, path in _line_files(self._directory):
            self._thin_lines(kind, path)
        for path in ARCHIVE.files(self._directory):
            self._thin_archive(path)
        for path in (*waiting_texts(self._directory), *waiting_links(self._directory)):
            self._thin_left(path)
        thin_logs(self._directory, self._wish, self._place.step)
        merged = self._directory / ARCHIVE.folder / INDEX_NAME
        if merged.exists():
            self._place.step()
            put_lines(merged, self._wish)
        self._ledger.erase()
        forget_in_catalog(
            self._directory, self._place.database, self._wish, journal.files,
            now=self._now, step=self._place.step,
        )  # fmt: skip
        return Forgotten(
            target=journal.target, reason=journal.reason,
            wished_at=iso_date(journal.wished_at), forgotten_at=iso_date(self._now),
            documents=journal.removed_from(CORPUS.folder),
            answers=journal.removed_from(ARCHIVE.folder, ARCHIVE.suffix),
            listed=journal.removed_from(DOCUMENT_LIST.folder),
            notes=journal.removed_from(GONE_LIST.folder) + journal.removed_from(DESCRIPTIONS.folder),
            catalogued=journal.catalogued, pages=journal.pages, queued=journal.queued,
            files=len(journal.files), files_away=sorted(self._files_away()),
        )  # fmt: skip

    def conclude(self, line: Forgotten) -> None:
        """Record it and delete the journal, so what the ledger noted must be on disk by now."""
        self._place.step()
        put_on_record(self._directory, line)

    # -- files and their marks -------------------------------------------

    def _settle_marks(self) -> None:
        """Note the sizes of files that were replaced by a process killed right afterwards."""
        for name, change in self._journal.files.items():
            path = path_of(self._directory, name)
            if path is not None and path.stat().st_size == change.after:
                self._ledger.note_size(name, change)
                if name.startswith(f"{CORPUS.folder}/"):
                    realign_ratings(path)

    def _replace(self, name: str, change: FileChange, replace: Callable[[], None]) -> None:
        self._journal.files[name] = change
        self._place.step()
        self._journal.save(self._directory)
        self._place.step()
        replace()
        self._ledger.note_size(name, change)

    def _thin_lines(self, kind: OutputKind, path: Path) -> None:
        texts: list[Text] = []

        def taken(text: Text) -> None:
            if text.paragraphs:
                texts.append(text)
                if len(texts) >= UNLEARNED_AT_ONCE:
                    self._ledger.unlearn(texts)
                    texts.clear()

        decoder = CorpusDecoder(self._directory, Text)
        meant = lines_meant(path, self._wish, decoder, taken=taken, advance=self._place.advance)
        self._ledger.unlearn(texts)
        if meant.count:
            size = path.stat().st_size
            after = size if kind is DOCUMENT_LIST else size - meant.size
            change = FileChange(size, after, meant.count)
            self._replace(_name(kind, path), change, lambda: take_out(path, kind, meant))
            if kind is CORPUS:
                self._place.step()
                realign_ratings(path)

    def _thin_left(self, path: Path) -> None:
        """Remove covered lines from a file that a conversion has left for the keeper."""
        meant = lines_meant(path, self._wish, CorpusDecoder(self._directory, Text))
        if meant.count:
            self._place.step()
            take_out(path, CORPUS, meant)

    def _thin_archive(self, path: Path) -> None:
        stretches = exchanges_meant(path, self._wish)
        if stretches:
            size = path.stat().st_size
            change = FileChange(size, size, len(stretches))
            self._replace(_name(ARCHIVE, path), change, lambda: fill_out(path, stretches, at=self._now))
        index = index_of(path)
        if not index.exists():
            return
        kept, count = lines_kept(index, self._wish)
        if count:
            change = FileChange(index.stat().st_size, sum(map(len, kept)), count)
            name = f"{ARCHIVE.folder}/{index.name}"
            self._replace(name, change, lambda: replace_lines(index, kept))

    def _files_away(self) -> Iterator[str]:
        kinds = (*LINE_KINDS, ARCHIVE)
        for name in self._ledger.files():
            if path_of(self._directory, name) is None and kind_of(name) in kinds:
                yield name


def _line_files(directory: Path) -> Iterator[tuple[OutputKind, Path]]:
    for kind in LINE_KINDS:
        for path in kind.files(directory):
            if path.name.endswith(".open"):
                raise CrawlerError(
                    f"{path}: somebody still writes to it; wait until it has ended, and try again"
                )
            yield kind, path


def _name(kind: OutputKind, path: Path) -> str:
    return f"{kind.folder}/{path.name}"
