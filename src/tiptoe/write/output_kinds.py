"""Which kinds of files does a crawl write, and what must be known about each?

One declaration per kind. Writers take their file names from it; recovery uses it to cut, check and mend; the
keeper uses it to tell which pages were lost with a file; exports do not write to its folder, and the summary
of a crawl lists it.

A file is `folder/writer-00001.suffix`, one in a numbered series, except in `log/`, where each harvester
writes a single file in its lifetime. In a crawl of several shards it has a set of files for each of them, as
if it were several writers: `h1-18c3-0001.s07`, and `h1-18c3-0001.s07.2` for a second set of that shard.
"""

import enum
import os
import re
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.errors import ProtocolError
from tiptoe.url.address import page_key
from tiptoe.write.appendfile import OPEN_SUFFIX, AppendFile, Write
from tiptoe.write.cdxj import finish_index
from tiptoe.write.descriptions import Description
from tiptoe.write.documents import StoredDocument
from tiptoe.write.gone import GonePage
from tiptoe.write.logentries import KIND, OtherEntry, RequestEntry
from tiptoe.write.numbered_files import NumberedFiles, rename_finished

__all__ = [
    "ARCHIVE", "ARCHIVE_INDEX", "CONVERTED_TEXTS", "CORPUS", "DESCRIPTIONS", "DISALLOWED_LIST",
    "DOCUMENT_LIST", "GONE_LIST",
    "LATE_RATINGS", "REQUEST_LOG", "UNREADABLE", "FileForm", "OutputKind", "PageMark", "PagePart",
    "harvester_kind", "harvester_of", "kind_of", "line_kinds", "open_names", "output_folders",
    "shard_of_file", "shard_writer", "writer_of",
]  # fmt: skip

LOG_FOLDER: Final = "log"
NAMES_REMEMBERED: Final = 4096
"""Maximum names of files that are remembered with what they say: each report has marks of the same files."""

LIST_BYTES_MAX: Final = 64_000_000
"""Maximum size of a file unless a setting gives another; above it the next one is begun."""

PageMark = tuple[bytes, int | str]
"""The key of a page, and what tells its visits apart: in the corpus the version, elsewhere the moment."""

UNREADABLE: Final = (msgspec.DecodeError, ValueError)

SHARD: Final = re.compile(r"-[0-9a-f]+-\d{4,}(?P<suffix>\.s(?P<shard>\d{2,8})(\.\d+)?)$", re.ASCII)
"""End of a writer's name. The part of an incarnation before it keeps harvesters with such names apart."""


class FileForm(enum.Enum):
    """The form of records in a file, which decides what is done about damaged ones."""

    LINES = enum.auto()  # one per line; damaged ones are removed
    FIXED_LINES = enum.auto()  # the same, but readers rely on byte offsets: damaged ones become blanks
    MEMBERS = enum.auto()  # one gzip member each; damaged ones are replaced by records that say so
    INDEX = enum.auto()  # lines that can be rebuilt from the archive beside them
    LOG = enum.auto()  # lines that are never cut: what they record did happen


class PagePart(enum.Enum):
    """Which part of a page a record holds; if it is lost, the page is requested again."""

    TEXT = enum.auto()  # of one version
    BODY = enum.auto()  # there is such a record for every page that is archived
    LISTING = enum.auto()  # that it is a document to be converted
    ABSENCE = enum.auto()  # that it has left the web: the database knows that, and the note is rewritten


@dataclass(frozen=True, slots=True, eq=False)
class OutputKind:
    """One kind of output files.

    `read` returns the mark of the page that a line belongs to, or None if it belongs to none; if the line is
    no record at all, it raises one of UNREADABLE. Members of an archive are read by `archive.py`.
    """

    folder: str
    suffix: str
    form: FileForm
    holds: str  # for the summary
    _: KW_ONLY
    read: Callable[[bytes], PageMark | None] = lambda line: None
    stem: str = ""  # start of the name
    writer: str = r"\w[\w.-]*"  # pattern of what follows: an incarnation, maybe prefixed with its crawl
    finish: Callable[[Path], None] = rename_finished
    part: PagePart | None = None
    records: tuple[str, str] = ("", "")  # singular and plural, for messages about lost ones
    is_marked: bool = True  # written by harvesters, and committed by the marks in their reports
    has_checksums: bool = False  # the keeper knows the checksum of each line
    is_recoded: bool = False  # written in `write.encoding`

    @property
    def is_numbered(self) -> bool:
        """Whether its files form a numbered series."""
        return self.folder != LOG_FOLDER

    def match(self, name: str) -> re.Match[str] | None:
        """Match a final name, relative to the directory of the crawl, if it is of this kind."""
        if not name.startswith(f"{self.folder}/{self.stem}"):
            return None
        number = r"-\d{5,}" if self.is_numbered else ""
        pattern = rf"{self.folder}/{self.stem}(?P<writer>{self.writer}){number}{re.escape(self.suffix)}"
        return re.fullmatch(pattern, name, re.ASCII)

    def numbered_files(
        self,
        directory: Path,
        writer: str,
        *,
        size_max: int = LIST_BYTES_MAX,
        opening: Callable[[str], bytes] | None = None,
        write: Write = os.write,
    ) -> NumberedFiles:
        """Return a numbered series of files to write to."""
        stem = f"{self.folder}/{self.stem}{writer}"
        return NumberedFiles(
            directory, stem, self.suffix, size_max=size_max, opening=opening, finish=self.finish, write=write
        )

    def log(self, directory: Path, writer: str, *, write: Write = os.write) -> AppendFile:
        """Return the single file of a writer."""
        name = f"{self.folder}/{self.stem}{writer}{self.suffix}"
        return AppendFile(directory, name, suffix="", write=write)

    def files(self, directory: Path) -> list[Path]:
        """Return the files of this kind, including those still being written."""
        folder, pattern = directory / self.folder, f"{self.stem}*{self.suffix}"
        return sorted([*folder.glob(pattern), *folder.glob(pattern + OPEN_SUFFIX)])


# -- whose line is it? -------------------------------------------------------


class _CorpusLine(msgspec.Struct, gc=False):
    url: str
    version: int | None = None


_corpus_line = msgspec.json.Decoder(_CorpusLine).decode
_stored_document = msgspec.json.Decoder(StoredDocument).decode
_gone_page = msgspec.json.Decoder(GonePage).decode
_description = msgspec.json.Decoder(Description).decode
_request = msgspec.json.Decoder(RequestEntry).decode
_other_entry = msgspec.json.Decoder(OtherEntry).decode


def _text(line: bytes) -> PageMark:
    known = _corpus_line(line)
    return page_key(known.url), known.version or 1


def _listing(line: bytes) -> PageMark | None:
    if not line.strip():
        return None  # it was damaged, and has been dealt with
    document = _stored_document(line)
    return page_key(document.url), document.fetched_at


def _absence(line: bytes) -> PageMark:
    return page_key(_gone_page(line).url), ""


def _described(line: bytes) -> PageMark:
    known = _description(line)
    return page_key(known.url), known.version


def _log_line(line: bytes) -> None:
    if b"\0" in line:
        raise ValueError("zeros")
    if line.startswith(b"{"):
        (_other_entry if line.startswith(KIND) else _request)(line)


# -- the kinds ---------------------------------------------------------------

CONVERTED_TEXTS: Final = OutputKind(
    "corpus", ".jsonl", FileForm.LINES, "", read=_text, part=PagePart.TEXT, is_recoded=True,
    stem="converted-", writer=r"\d[\w.-]*", is_marked=False,
)  # fmt: skip
"""Texts written by `tiptoe convert`, which commits and mends these files: see `convert/progress.py`."""

CORPUS: Final = OutputKind(
    "corpus", ".jsonl", FileForm.LINES, "clean text, one JSON document per line",
    read=_text, part=PagePart.TEXT, records=("document", "documents"), has_checksums=True, is_recoded=True,
)  # fmt: skip
ARCHIVE: Final = OutputKind(
    "warc", ".warc.gz", FileForm.MEMBERS, "what was received (WARC), with an index, index.cdxj",
    part=PagePart.BODY, records=("answer", "answers"),
)  # fmt: skip
ARCHIVE_INDEX: Final = OutputKind("warc", ".cdxj", FileForm.INDEX, "", finish=finish_index)
DOCUMENT_LIST: Final = OutputKind(
    "documents", ".jsonl", FileForm.FIXED_LINES, "documents to be converted, with their places in warc/",
    read=_listing, part=PagePart.LISTING, records=("listed document", "listed documents"), has_checksums=True,
)  # fmt: skip
GONE_LIST: Final = OutputKind(
    "gone", ".jsonl", FileForm.LINES, "pages of the corpus that have left the web since",
    read=_absence, part=PagePart.ABSENCE, has_checksums=True,
    records=("note of a page that has left", "notes of pages that have left"),
)  # fmt: skip
DESCRIPTIONS: Final = OutputKind(
    "descriptions", ".jsonl", FileForm.LINES, "what the filters say of each page of the corpus",
    read=_described, records=("description", "descriptions"),
)  # fmt: skip
LATE_RATINGS: Final = OutputKind(
    "usability", ".jsonl", FileForm.LINES, "ratings of documents that were judged later", is_marked=False
)
"""Written by `tiptoe segmenter catch-up`, for the file of the corpus with the same name: see `ratings.py`."""

REQUEST_LOG: Final = OutputKind(
    LOG_FOLDER, ".jsonl", FileForm.LOG, "every request, disallowed addresses, events of each process",
    read=_log_line, stem="requests-",
)  # fmt: skip
DISALLOWED_LIST: Final = OutputKind(LOG_FOLDER, ".txt", FileForm.LOG, "", read=_log_line, stem="disallowed-")

KINDS: Final = (
    CONVERTED_TEXTS, CORPUS, ARCHIVE, ARCHIVE_INDEX, DOCUMENT_LIST, GONE_LIST, DESCRIPTIONS, LATE_RATINGS,
    REQUEST_LOG, DISALLOWED_LIST,
)  # fmt: skip
"""All kinds; a name belongs to the first that it matches."""


def line_kinds() -> list[OutputKind]:
    """Return the kinds to which a harvester adds records unchanged, one per line."""
    forms = (FileForm.LINES, FileForm.FIXED_LINES)
    return [kind for kind in KINDS if kind.is_marked and kind.form in forms and not kind.is_recoded]


def output_folders() -> dict[str, str]:
    """Return the folders of output files, and what they hold."""
    return {kind.folder: kind.holds for kind in KINDS if kind.holds}


def kind_of(name: str) -> OutputKind | None:
    """Return the kind of a file by its final name."""
    return next((kind for kind in KINDS if kind.match(name)), None)


def harvester_kind(name: str) -> OutputKind:
    """Return the kind of a file that has a mark; ProtocolError if no harvester writes such files."""
    kind = kind_of(name)
    if kind is None or not kind.is_marked:
        raise ProtocolError(f"{name!r}: a mark for a file that no harvester writes")
    return kind


@lru_cache(NAMES_REMEMBERED)
def writer_of(name: str) -> str:
    """Return the writer of a file: an incarnation, maybe prefixed with its crawl."""
    match = harvester_kind(name).match(name)
    return match["writer"] if match else ""


@lru_cache(NAMES_REMEMBERED)
def harvester_of(name: str) -> str:
    """Return the writer without the shard: a harvester may have written several sets of files."""
    writer = writer_of(name)
    match = SHARD.search(writer)
    return writer[: match.start("suffix")] if match else writer


def shard_writer(incarnation: str, shard: int, number: int = 1) -> str:
    """Return the writer in the names of a harvester's files of a shard, in its set with this number."""
    return f"{incarnation}.s{shard:02d}" + (f".{number}" if number > 1 else "")


@lru_cache(NAMES_REMEMBERED)
def shard_of_file(name: str) -> int | None:
    """Return which shard the pages in a file belong to; None if its crawl has only one.

    ProtocolError if no harvester writes files of this name.
    """
    match = SHARD.search(writer_of(name))
    return int(match["shard"]) if match else None


def open_names(directory: Path) -> list[str]:
    """Return the final names of the files that harvesters have left open."""
    folders = {kind.folder for kind in KINDS if kind.is_marked}
    names = [
        f"{folder}/{path.name.removesuffix(OPEN_SUFFIX)}"
        for folder in sorted(folders)
        for path in (directory / folder).glob(f"*{OPEN_SUFFIX}")
    ]
    return [name for name in names if (kind := kind_of(name)) is not None and kind.is_marked]
