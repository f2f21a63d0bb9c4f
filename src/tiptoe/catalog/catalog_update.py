"""How does a catalog follow the files of its crawl?

It continues in each file where it stopped: fields given by filters, pages that are gone, texts, and late
ratings. Positions are committed with what was read, so after a kill at any moment the next process continues
from there, and nothing is lost or duplicated.

Rule: only the committed part of a file that is being written is read, because the rest may be taken back. If
a file has changed before a position all the same (cut by a power failure, mended by `tiptoe repair`), the
catalog is rebuilt: `FilesChanged`.
"""

import contextlib
import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

import msgspec
from isal.isal_zlib import crc32

from tiptoe.catalog.catalog_index import IndexWriter, ReadPosition
from tiptoe.catalog.corpus_texts import corpus_file_name
from tiptoe.catalog.description import from_soif, moment_of
from tiptoe.catalog.entry import CorpusText, TextPlace, entry_of_description, entry_of_document
from tiptoe.catalog.page_news import PageNews
from tiptoe.catalog.soif import read_soif
from tiptoe.errors import CrawlerError
from tiptoe.observe.crawl_members import member_files
from tiptoe.observe.decoding import CorpusDecoder
from tiptoe.observe.file_lines import open_listed
from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.gone import GonePage
from tiptoe.write.output_kinds import CONVERTED_TEXTS, CORPUS, GONE_LIST, LATE_RATINGS
from tiptoe.write.ratings import LateRating, read_late

__all__ = [
    "IMPORTS_FOLDER",
    "CatalogUpdate",
    "CrawlFile",
    "FilesChanged",
    "UpdateAmounts",
    "commit_delay",
    "imported_files",
    "source_files",
    "unread_bytes",
]  # fmt: skip

DESCRIPTIONS_FOLDER: Final = "descriptions"
"""Folder with the fields that filters have given to pages, one JSON line each."""

IMPORTS_FOLDER: Final = "catalog/imports"
"""Folder with descriptions that were made by others."""

CLOCKS_DIFFER_SECONDS: Final = 3600.0
"""Maximum lead of another robot's clock over the clock of the machine that imported its descriptions."""

COMMIT_PAGES: Final = 50_000
COMMIT_SECONDS: Final = 60.0
FRESH_SECONDS: Final = 5.0
FRESH_SHARE: Final = 0.5
CHECKED_BYTES: Final = 4096
LINE_BYTES_MAX: Final = 256 << 20


class FilesChanged(CrawlerError):
    """A file has changed since the catalog read it."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name}: has changed since the catalog read it; `tiptoe catalog build --rebuild`")
        self.name = name


class _GivenFields(msgspec.Struct, kw_only=True):
    """A line with fields given by filters."""

    url: str
    fields: dict[str, str | list[str]]
    fetched_at: str = ""


@dataclass(frozen=True, slots=True)
class CrawlFile:
    """A file of the crawl, the name under which its position is stored, and how much may be read."""

    path: Path
    name: str
    length: int  # its current length
    size: int  # how much may be read; 0 while that is unknown


@dataclass(slots=True)
class UpdateAmounts:
    """How much an update has read."""

    pages: int = 0
    gone: int = 0
    described: int = 0
    unreadable: int = 0


def source_files(
    directory: Path, committed: Mapping[str, int] | None, members: Sequence[Path] = ()
) -> list[CrawlFile]:
    """Return the files to read, in order; `committed` is None when the committed sizes are unknown."""
    listed = [
        *member_files(_description_files, directory, *members),
        *member_files(GONE_LIST.files, directory, *members),
        *member_files(CORPUS.files, directory, *members),
    ]
    found: dict[str, CrawlFile] = {}
    for path in listed:
        final_name = path.name.removesuffix(OPEN_SUFFIX)
        name = f"{path.parent.name}/{final_name}"
        if name in found:  # that of another agent, with other contents
            name = str(path.parent.relative_to(directory.parent) / final_name)
        is_own = path.parent.parent == directory
        try:
            length = path.stat().st_size
        except FileNotFoundError:  # it was renamed to its final name since it was listed
            length = path.with_name(final_name).stat().st_size if path.with_name(final_name).exists() else 0
        is_written = is_own and path.name != final_name
        size = min(length, committed.get(name, 0)) if is_written and committed is not None else length
        found[name] = CrawlFile(path, name, length, size)
    return list(found.values())


def unread_bytes(files: Collection[CrawlFile], positions: Mapping[str, ReadPosition]) -> int:
    """Return how many bytes of the files a catalog has not read yet."""
    read = {name: position.offset for name, position in positions.items()}
    return sum(max(file.size - read.get(file.name, 0), 0) for file in files)


class CatalogUpdate:
    """Brings one index up to date, repeatedly."""

    def __init__(
        self,
        directory: Path,
        writer: IndexWriter,
        *,
        members: Callable[[], Sequence[Path]] = tuple,
        is_stopping: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.monotonic,
        commit_pages: int = COMMIT_PAGES,
    ) -> None:
        self._directory = directory
        self._list_members = members
        self._members: Sequence[Path] = ()
        self._writer = writer
        self._is_stopping = is_stopping
        self._clock = clock
        self._commit_pages = commit_pages
        self._positions = writer.positions()
        self._read_to: dict[str, ReadPosition] = {}  # since the last commit
        given = any(name.startswith(f"{DESCRIPTIONS_FOLDER}/") for name in self._positions)
        self._news = PageNews(writer, keeps_given=given)
        self._began_at = self._committed_at = clock()
        self._is_checked = False
        self.amounts = UpdateAmounts()

    @property
    def positions(self) -> Mapping[str, ReadPosition]:
        """How far each file was read at the last commit."""
        return self._positions

    def run(
        self,
        committed: Mapping[str, int] | None,
        advance: Callable[[int], object] = lambda count: None,
        *,
        goes_on: bool = False,
    ) -> None:
        """Read what is new; `advance` is called with bytes read. Raises FilesChanged if a rebuild is needed.

        If it `goes_on`, a commit may wait for the next call.
        """
        self._members = self._list_members()
        files = source_files(self._directory, committed, self._members)
        if not self._is_checked:
            self._check(files)
        self._leave_vanished({file.name for file in files})
        for file in files:
            before = self._position(file.name)
            if before.offset < file.size and not self._is_stopping():
                self._read(file, before, advance)
            elif before.offset > file.length:
                raise FilesChanged(file.name)
        for file in files:
            if not self._is_stopping() and file.name.startswith(f"{CORPUS.folder}/"):
                self._rate_again(file)
        for path in imported_files(self._directory):
            if not self._is_stopping():
                self._read_import(path)
        now = self._clock()
        if not goes_on or now - self._committed_at >= commit_delay(now - self._began_at):
            self.commit()

    def commit(self) -> None:
        """Commit what was read so far."""
        if not self._read_to:
            return
        self._positions.update(self._read_to)
        self._news.commit(self._positions)
        self._read_to.clear()
        self._committed_at = self._clock()

    def _position(self, name: str) -> ReadPosition:
        """Return how far a file has been read, committed or not."""
        return self._read_to.get(name) or self._positions.get(name, ReadPosition(0, 0))

    def _check(self, files: Collection[CrawlFile]) -> None:
        """Check once whether the parts already read are still the same."""
        for file in files:
            before = self._positions.get(file.name)
            with contextlib.suppress(FileNotFoundError), open_listed(file.path) as opened:
                if before is not None and _checksum(opened, before.offset) != before.checksum:
                    raise FilesChanged(file.name)
        self._is_checked = True

    def _read(self, file: CrawlFile, before: ReadPosition, advance: Callable[[int], object]) -> None:
        take = self._taker(file)
        try:
            opened = open_listed(file.path)
        except FileNotFoundError:
            return  # moved away since it was listed
        with opened:
            if _checksum(opened, before.offset) != before.checksum:
                raise FilesChanged(file.name)
            opened.seek(before.offset)
            place = before.offset
            try:
                for offset, line in _lines(opened, before.offset, file.size):
                    take(offset, line[:-1])
                    advance(len(line))
                    place = offset + len(line)
                    if self._is_time():
                        self._read_to[file.name] = _read_up_to(opened, place)
                        self.commit()
                    if self._is_stopping():
                        return
            finally:
                self._read_to[file.name] = _read_up_to(opened, place)

    def _is_time(self) -> bool:
        return self._news.taken >= self._commit_pages or self._clock() - self._committed_at >= COMMIT_SECONDS

    def _taker(self, file: CrawlFile) -> Callable[[int, bytes], None]:
        if file.name.startswith(f"{DESCRIPTIONS_FOLDER}/"):
            return lambda offset, line: self._take_fields(file, line)
        if file.path.parent.name == GONE_LIST.folder:
            return lambda offset, line: self._take_gone(file, line)
        decoder = CorpusDecoder(self._directory, CorpusText, self._members)
        late = read_late(file.path)
        name = corpus_file_name(self._directory, file.path)

        def take_text(offset: int, line: bytes) -> None:
            self._take_text(file, line, decoder, late.get(offset), TextPlace(name, offset, len(line)))

        return take_text

    def _take_text(
        self, file: CrawlFile, line: bytes, decoder: CorpusDecoder[CorpusText], late: LateRating | None,
        place: TextPlace,
    ) -> None:  # fmt: skip
        try:
            document = decoder.read(file.path, line)
        except (msgspec.DecodeError, ValueError, LookupError):
            self.amounts.unreadable += 1
            return
        if late is not None:
            document = msgspec.structs.replace(document, usability=late.usability)
        self._news.page(entry_of_document(document, place), file.name)
        self.amounts.pages += 1

    def _take_gone(self, file: CrawlFile, line: bytes) -> None:
        try:
            gone = msgspec.json.decode(line, type=GonePage)
        except (msgspec.DecodeError, UnicodeDecodeError):
            self.amounts.unreadable += 1
            return
        self._news.gone(gone.url, moment_of(gone.gone_at) or 0, file.name)
        self.amounts.gone += 1

    def _take_fields(self, file: CrawlFile, line: bytes) -> None:
        try:
            given = msgspec.json.decode(line, type=_GivenFields)
        except (msgspec.DecodeError, UnicodeDecodeError):
            self.amounts.unreadable += 1
            return
        fields = {name: (v,) if isinstance(v, str) else tuple(v) for name, v in given.fields.items()}
        self._news.fields(given.url, fields, moment_of(given.fetched_at) or 0, file.name)
        self.amounts.described += 1

    def _read_import(self, path: Path) -> None:
        """Read descriptions made by others; such a file appears complete and never changes."""
        name, stat = f"{IMPORTS_FOLDER}/{path.name}", path.stat()
        if self._position(name).offset:
            return
        latest = int((stat.st_mtime + CLOCKS_DIFFER_SECONDS) * 1000)
        with path.open("rb") as file:
            for found in read_soif(file):
                described = from_soif(found)
                if described is not None:
                    moment = moment_of(described.rd_last_modified or described.last_modified) or 0
                    if moment > latest:  # an impossible date is ignored, and must not outrank the crawl's own
                        moment = 0
                    self._news.page(entry_of_description(described, moment), name)
                    self.amounts.described += 1
            self._read_to[name] = _read_up_to(file, stat.st_size)

    def _rate_again(self, file: CrawlFile) -> None:
        """Read texts again that have been rated since."""
        late_file = file.path.parent.parent / LATE_RATINGS.folder / Path(file.name).name
        name = f"{LATE_RATINGS.folder}/{file.name}"
        size = late_file.stat().st_size if late_file.exists() else 0
        if size <= self._position(name).offset:
            return
        take = self._taker(file)
        with open_listed(file.path) as corpus:
            for offset in sorted(read_late(file.path)):
                if offset < self._position(file.name).offset:
                    corpus.seek(offset)
                    take(offset, corpus.readline(LINE_BYTES_MAX).rstrip(b"\n"))
        with late_file.open("rb") as rated:
            self._read_to[name] = _read_up_to(rated, size)

    def _leave_vanished(self, names: Collection[str]) -> None:
        """Remove the texts of conversions that were redone; other files may only have been moved."""
        stem = f"{CONVERTED_TEXTS.folder}/{CONVERTED_TEXTS.stem}"
        vanished = [name for name in self._positions if name.startswith(stem) and name not in names]
        if vanished:
            self.commit()
        for name in vanished:
            self._writer.remove_source(name)
            del self._positions[name]
        if vanished:
            self._news.commit(self._positions)


def commit_delay(seconds: float) -> float:
    """Return the time between two commits after a crawl has been followed for this many seconds.

    Every commit adds a segment to the index, to be merged with others: at first people want to see results
    soon, later this costs more than it is worth.
    """
    return min(max(FRESH_SECONDS, FRESH_SHARE * seconds), COMMIT_SECONDS)


def imported_files(directory: Path) -> list[Path]:
    """Return the files of imported descriptions, in order."""
    return sorted((directory / IMPORTS_FOLDER).glob("*.soif"))


def _description_files(directory: Path) -> Iterator[Path]:
    folder = directory / DESCRIPTIONS_FOLDER
    yield from sorted([*folder.glob("*.jsonl"), *folder.glob(f"*.jsonl{OPEN_SUFFIX}")])


def _lines(file: BinaryIO, offset: int, size: int) -> Iterator[tuple[int, bytes]]:
    """Yield complete lines up to a size, each with its offset."""
    while offset < size and (line := file.readline(LINE_BYTES_MAX)).endswith(b"\n"):
        if offset + len(line) > size:
            return
        yield offset, line
        offset += len(line)


def _read_up_to(file: BinaryIO, offset: int) -> ReadPosition:
    return ReadPosition(offset, _checksum(file, offset))


def _checksum(file: BinaryIO, offset: int) -> int:
    """Return a checksum of the bytes right before an offset."""
    first = max(offset - CHECKED_BYTES, 0)
    return crc32(os.pread(file.fileno(), offset - first, first)) if offset else 0
