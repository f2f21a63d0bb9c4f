"""Where in the files of a crawl does a URL occur?

Finished indexes of the archive are sorted, so binary search is used; only those still being
written are read completely. The corpus has no index: its files are searched for the bytes of
the URL, but only those of harvesters that have it in their archive.
"""

import mmap
import os
import re
from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

import msgspec

from tiptoe.observe.crawl_members import member_files
from tiptoe.observe.file_lines import index_files, open_listed, whole_lines
from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.cdxj import IndexEntry, lines_from, parse_line
from tiptoe.write.gone import GonePage
from tiptoe.write.output_kinds import CONVERTED_TEXTS, CORPUS, DOCUMENT_LIST, GONE_LIST
from tiptoe.write.surt import surt

__all__ = [
    "CorpusLine", "corpus_lines_of", "document_lines_of", "gone_lines_of", "index_entries", "similar_urls",
]  # fmt: skip

NUMBERED = re.compile(r"(?P<prefix>.+)-\d{5,}\.")
SIMILAR_MAX = 3
NEIGHBOURS_MAX = 2000
"""Maximum number of lines of one index in which URLs similar to a missing one are looked for."""


class CorpusLine(NamedTuple):
    """A line of the corpus, and its position."""

    path: Path
    offset: int
    line: bytes


def index_entries(directories: Sequence[Path], key: str) -> Iterator[IndexEntry]:
    """Yield what the archive holds under a key (see `surt`), in no particular order."""
    wanted = key.encode() + b" "
    for path in member_files(index_files, *directories):
        for line in _lines_with(path, wanted):
            try:
                yield parse_line(line)
            except ValueError:
                continue  # torn, or not one of ours


def corpus_lines_of(
    directories: Sequence[Path], url: str, archives: Collection[str] | None
) -> Iterator[CorpusLine]:
    """Yield the lines of the corpus about a URL.

    `archives` are the WARC files that contain it: harvesters whose archive does not contain it have no such
    line. None: there may be one anywhere.
    """
    needle = b'"url":' + msgspec.json.encode(url) + b","
    met = None if archives is None else set(map(_prefix, archives))
    indexes = member_files(index_files, *directories)
    archived = {_prefix(path.name) for path in indexes} | {CONVERTED_TEXTS.stem}
    for path in member_files(CORPUS.files, *directories):
        prefix = _prefix(path.name)
        if met is None or prefix in met or prefix not in archived:
            yield from _find_lines(path, needle)


def document_lines_of(directories: Sequence[Path], url: str) -> Iterator[CorpusLine]:
    """Yield the lines about a URL in the lists of documents to be converted."""
    needle = b'"url":' + msgspec.json.encode(url) + b","
    for path in member_files(DOCUMENT_LIST.files, *directories):
        yield from _find_lines(path, needle)


def gone_lines_of(directories: Sequence[Path], url: str) -> Iterator[GonePage]:
    """Yield when a page was found gone."""
    needle = b'"url":' + msgspec.json.encode(url) + b","
    decode = msgspec.json.Decoder(GonePage).decode
    for path in member_files(GONE_LIST.files, *directories):
        for found in _find_lines(path, needle):
            try:
                yield decode(found.line)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue


def similar_urls(directories: Sequence[Path], url: str) -> list[str]:
    """Return a few URLs of the same host that are spelt similarly to one that is missing."""
    host = surt(url).encode().partition(b"/")[0] + b"/"
    found: set[str] = set()
    for path in member_files(index_files, *directories):
        for number, line in enumerate(_lines_with(path, host)):
            if number == NEIGHBOURS_MAX:
                break
            try:
                found.add(parse_line(line).url)
            except ValueError:
                continue
    return get_close_matches(url, sorted(found), SIMILAR_MAX)


def _lines_with(path: Path, start: bytes) -> Iterator[bytes]:
    """Yield the lines of an index that begin with `start`."""
    if path.name.endswith(OPEN_SUFFIX):
        yield from (line for line in whole_lines(path) if line.startswith(start))
        return
    for _, line in lines_from(path, start):
        if not line.startswith(start):
            return
        yield line


def _prefix(name: str) -> str:
    """Return the part of a file name that identifies its writer."""
    match = NUMBERED.match(name)
    prefix = match["prefix"] if match else name
    return CONVERTED_TEXTS.stem if prefix.startswith(CONVERTED_TEXTS.stem) else prefix


def _find_lines(path: Path, needle: bytes) -> Iterator[CorpusLine]:
    """Yield the complete lines of a file that contain these bytes; the file is mapped into memory."""
    with open_listed(path) as file:
        if not os.fstat(file.fileno()).st_size:
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            end = 0
            while (place := content.find(needle, end)) >= 0:
                start = content.rfind(b"\n", 0, place) + 1
                end = content.find(b"\n", place)
                if end < 0:
                    return  # not complete yet
                yield CorpusLine(path, start, content[start:end])
