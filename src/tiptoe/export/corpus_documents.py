"""Which documents are in the corpus of a crawl?

They are read in the order of the files. The crawl may be running, stopped or crashed: a
torn last line is skipped, a line that is not ours is counted. A rating made later
(`tiptoe segmenter catch-up`) overrides the one in the line.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.export.export_amounts import ExportAmounts
from tiptoe.observe.crawl_marker import expect_crawl
from tiptoe.observe.crawl_members import member_files
from tiptoe.observe.decoding import CorpusDecoder
from tiptoe.observe.file_lines import whole_lines
from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.archive import Advance
from tiptoe.write.corpus import Document
from tiptoe.write.iso_moments import iso_moment_of
from tiptoe.write.output_kinds import CORPUS
from tiptoe.write.ratings import read_late

__all__ = ["corpus_bytes", "corpus_files", "corpus_lines", "has_usability", "read_documents"]

RATED = re.compile(rb'"usability":[0-9]')
"""A rating in a line; it cannot match within a text, where quotes are escaped."""


def corpus_files(directory: Path, *members: Path) -> list[Path]:
    """Return the files of a corpus; in a crawl on several machines finished ones first.

    The last pages written by an agent that died may have been requested again by others. They are in a file
    that was not finished, and the first of two copies counts.
    """
    files = member_files(CORPUS.files, directory, *members)
    return sorted(files, key=lambda path: path.name.endswith(OPEN_SUFFIX)) if members else files


def corpus_bytes(directory: Path, *members: Path) -> int:
    """Return how many bytes there are to read; SettingsError if there is no crawl, or no corpus yet.

    A corpus alone is enough: files of members may be collected without those of the whole crawl.
    """
    files = corpus_files(directory, *members)
    if not (directory / CORPUS.folder).is_dir():
        expect_crawl(directory)
    if not files:
        raise SettingsError(f"{directory}: there is no corpus in it yet (corpus/*.jsonl)")
    return sum(path.stat().st_size for path in files if path.exists())


def has_usability(directory: Path, *members: Path) -> bool:
    """Return whether a segmenter has rated any document; if so, usually only the first is read."""
    files = corpus_files(directory, *members)
    return any(map(read_late, files)) or any(
        RATED.search(line) for path in files for line in whole_lines(path)
    )


def read_documents(
    directory: Path,
    amounts: ExportAmounts,
    advance: Advance = lambda count: None,
    members: Sequence[Path] = (),
) -> Iterator[Document]:
    """Yield every document; `advance` is told how many bytes were read."""
    decoder = CorpusDecoder(directory, Document, members)
    rated_file, late = Path(), {}
    for path, offset, line in corpus_lines(directory, advance, members):
        if path != rated_file:
            rated_file, late = path, read_late(path)  # at most as many as documents in one file
        try:
            document = decoder.read(path, line)
        except (msgspec.DecodeError, ValueError, LookupError):
            amounts.unreadable_lines += 1
            continue
        if offset in late:
            document = msgspec.structs.replace(document, usability=late[offset].usability)
        document = _in_one_form(document)
        amounts.read.add(document)
        amounts.later_versions += document.version > 1
        yield document


def _in_one_form(document: Document) -> Document:
    """Return a document in today's form: older ones have empty texts, and moments as in HTTP."""
    moment = document.last_modified
    is_old = moment is not None and not moment.endswith("Z")
    if not is_old and document.title != "" and document.language != "" and document.charset != "":
        return document
    return msgspec.structs.replace(
        document,
        title=document.title or None,
        language=document.language or None,
        charset=document.charset or None,
        last_modified=iso_moment_of(moment) if moment else None,
    )


def corpus_lines(
    directory: Path, advance: Advance, members: Sequence[Path] = ()
) -> Iterator[tuple[Path, int, bytes]]:
    """Yield every line with its file and its offset there."""
    try:
        for path in corpus_files(directory, *members):
            offset = 0
            for line in whole_lines(path, advance):
                yield path, offset, line
                offset += len(line) + 1
    except OSError as error:
        raise CrawlerError(f"{error.filename}: {error.strerror}") from error
