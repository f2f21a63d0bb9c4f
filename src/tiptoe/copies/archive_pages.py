"""Which files make up the archive of a crawl, and which pages are in it?

Finished files only: one that is being written may be cut back after a crash.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
import xxhash

from tiptoe.errors import SettingsError
from tiptoe.export.hash_tables import SeenHashes
from tiptoe.observe.crawl_members import member_files
from tiptoe.observe.decoding import CorpusDecoder
from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.cdxj import IndexEntry, parse_line
from tiptoe.write.output_kinds import ARCHIVE, ARCHIVE_INDEX, CORPUS, UNREADABLE

__all__ = ["ArchiveFiles", "ArchivedPage", "find_archive", "pages_of"]

PAGE_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})


@dataclass(frozen=True, slots=True)
class ArchiveFiles:
    """The files of an archive, each with its index."""

    archives: list[Path]
    indexes: list[Path]
    left_out: int  # files still being written


class ArchivedPage(msgspec.Struct, frozen=True):
    """A page, and the moment of a copy of it: 14 digits, UTC."""

    url: str
    timestamp: str
    title: str = ""


class _Text(msgspec.Struct, gc=False):
    url: str
    fetched_at: str
    title: str = ""


def find_archive(directory: Path, members: Sequence[Path] = ()) -> ArchiveFiles:
    """Return the files of an archive; SettingsError if there is none."""
    found = member_files(ARCHIVE.files, directory, *members)
    archives = [path for path in found if not path.name.endswith(OPEN_SUFFIX)]
    indexes = [
        path.with_name(path.name.removesuffix(ARCHIVE.suffix) + ARCHIVE_INDEX.suffix) for path in archives
    ]
    missing = [path for path in indexes if not path.exists()]
    if missing:
        raise SettingsError(f"{missing[0]}: is missing; `tiptoe repair {directory}` makes it anew")
    if not archives:
        raise SettingsError(
            f"{directory}: no finished file of an archive is there; crawl with --warc, or wait until one is"
        )
    return ArchiveFiles(archives, indexes, len(found) - len(archives))


def entries_in(index: Path) -> Iterator[IndexEntry]:
    """Yield the entries of an index; invalid lines are skipped."""
    with index.open("rb") as file:
        for line in file:
            try:
                yield parse_line(line)
            except ValueError:
                continue


def pages_of(directory: Path, merged: Path, members: Sequence[Path] = ()) -> Iterator[ArchivedPage]:
    """Yield each page of an archive once: those of the corpus with their titles, then the others."""
    with SeenHashes(merged.parent) as seen:
        for page in _titled(directory, members):
            if seen.add(_hash(page.url, page.timestamp)):
                yield page
        for entry in entries_in(merged):
            is_page = entry.mime in PAGE_TYPES and entry.status.startswith("2")
            if is_page and seen.add(_hash(entry.url, entry.timestamp)):
                yield ArchivedPage(entry.url, entry.timestamp)


def _titled(directory: Path, members: Sequence[Path]) -> Iterator[ArchivedPage]:
    decoder = CorpusDecoder(directory, _Text, members)
    digits = str.maketrans("", "", "-T:")
    for path in member_files(CORPUS.files, directory, *members):
        with path.open("rb") as file:
            for line in file:
                try:
                    text = decoder.read(path, line)
                except UNREADABLE:
                    continue
                yield ArchivedPage(text.url, text.fetched_at[:19].translate(digits), text.title)


def _hash(url: str, timestamp: str) -> int:
    return xxhash.xxh3_64_intdigest(f"{timestamp} {url}".encode("utf-8", "surrogatepass")) or 1
