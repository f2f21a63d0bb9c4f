"""Which files make up the sources, and of which kind is each?

A source is a file, a folder with everything in it, or the directory of a crawl, whose archive is read. Files
are sorted by name, links to folders are not followed. The first bytes tell the kind.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path, PurePath
from typing import Final

from tiptoe.ingest.file_position import BEGINNING
from tiptoe.ingest.mailbox import looks_like_mail
from tiptoe.ingest.plain_bytes import BrokenBytes, is_packed, open_run
from tiptoe.observe.crawl_marker import MARKER
from tiptoe.observe.crawl_members import member_directories, member_files
from tiptoe.write.output_kinds import ARCHIVE

__all__ = ["FileKind", "SourceFile", "crawl_sources", "kind_of_file", "list_sources", "shown"]

LOOK_BYTES: Final = 4096
WARC_MARK: Final = b"WARC/"


class FileKind(Enum):
    """How a file is read."""

    WARC = "warc"
    MAIL = "mail"
    SINGLE = "single"  # a page, a document, a feed


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to be read."""

    path: Path
    size: int
    modified_ns: int


def crawl_sources(sources: list[Path]) -> list[Path]:
    """Return the sources that are directories of crawls."""
    return [source for source in sources if (source / MARKER).is_file()]


def list_sources(sources: list[Path]) -> Iterator[SourceFile]:
    """Yield all files of the sources, in order; a missing source has none."""
    folders = {source.absolute() for source in sources if not (source / MARKER).is_file()}
    for source in sources:
        if not folders.isdisjoint(source.absolute().parents):
            continue  # it is read with the folder that contains it
        if (source / MARKER).is_file():
            paths = iter(member_files(ARCHIVE.files, source, *member_directories(source)))
        else:
            paths = _walk(source) if source.is_dir() else iter((source,))
        for path in paths:
            try:
                found = path.stat()
            except OSError:
                continue  # it disappeared after it was listed
            if stat.S_ISREG(found.st_mode):
                yield SourceFile(path.absolute(), found.st_size, found.st_mtime_ns)


def _walk(folder: Path) -> Iterator[Path]:
    for home, folders, names in os.walk(folder):
        folders.sort()
        yield from (Path(home, name) for name in sorted(names))


def shown(path: str | PurePath) -> str:
    """Return a path as valid text: bytes that are not UTF-8, as on old disks, are escaped."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def kind_of_file(path: Path) -> FileKind:
    """Return how to read a file; if it cannot be opened, reading it will report that."""
    try:
        with path.open("rb") as file:
            start = open_run(file, BEGINNING, packed=is_packed(file)).peek(LOOK_BYTES)[:LOOK_BYTES]
    except (OSError, BrokenBytes):
        # A damaged archive is still an archive: its intact records can be read.
        return FileKind.WARC if ".warc" in path.name else FileKind.SINGLE
    if start.startswith(WARC_MARK):
        return FileKind.WARC
    if looks_like_mail(start):
        return FileKind.MAIL
    return FileKind.WARC if path.name.endswith((".warc", ".warc.gz")) else FileKind.SINGLE
