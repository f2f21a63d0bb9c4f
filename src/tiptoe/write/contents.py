"""What does an output file hold, line by line or record by record?

For whoever has to say which pages were lost with a file, or with a part of one: `pages_in` names those that
it still has, `damage_in` finds the stretches of it that cannot be read.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final
from zlib import crc32

import msgspec

from tiptoe.url.address import page_key
from tiptoe.write.archive import Advance, records_in
from tiptoe.write.cdxj import parse_line
from tiptoe.write.documents import DOCUMENTS_FOLDER, StoredDocument
from tiptoe.write.gone import GONE_FOLDER, GonePage
from tiptoe.write.requestlog import KIND, Opening, OrderEntry, RequestEntry, RobotsEntry

__all__ = [
    "ARCHIVE",
    "LOG_FOLDER",
    "Mark",
    "Proof",
    "Stretch",
    "damage_in",
    "index_starts",
    "pages_in",
    "whole_lines_end",
]

Stretch = tuple[int, int]
"""The first byte of something, and the one after its last."""

Mark = tuple[bytes, int | str]
"""A page by its key, and what tells its visits apart: in the corpus the version, else the moment."""

LINE_BYTES_MAX: Final = 256 << 20
READ_BYTES: Final = 1 << 20
ARCHIVE: Final = ".warc.gz"
LOG_FOLDER: Final = "log"


Proof = Callable[[Mark, int], bool]
"""Whether a line is what was written: whose it is, and its checksum."""


class _Line(msgspec.Struct, gc=False):
    url: str
    version: int | None = None


_text = msgspec.json.Decoder(_Line).decode
_document = msgspec.json.Decoder(StoredDocument).decode
_gone = msgspec.json.Decoder(GonePage).decode
_request = msgspec.json.Decoder(RequestEntry).decode
_other = msgspec.json.Decoder(Opening | RobotsEntry | OrderEntry).decode

UNREADABLE: Final = (msgspec.DecodeError, ValueError)


def pages_in(path: Path, name: str, *, encoding: str, damage: Sequence[Stretch] = ()) -> set[Mark]:
    """Return the pages that a file holds, but for what is damaged; `name` is its final one."""
    if name.endswith(ARCHIVE):
        found = (one.record for one in records_in(path, path.stat().st_size) if one.record is not None)
        return {
            (page_key(record.headers.get("warc-target-uri", "")), record.headers.get("warc-date", ""))
            for record in found
            if record.kind in ("response", "resource")
        }
    marks = set()
    folder = name.partition("/")[0]
    bad = {start for start, _ in damage}
    end_of = dict(damage)
    skip_to = 0
    for start, line in _lines(path, path.stat().st_size):
        skip_to = end_of[start] if start in bad else skip_to
        if start >= skip_to:
            try:
                marks.add(_mark_of(folder, line, encoding))
            except UNREADABLE:
                continue
    return marks


def _mark_of(folder: str, line: bytes, encoding: str) -> Mark:
    """Return whose line this is; one of UNREADABLE when it is nobody's."""
    if folder == DOCUMENTS_FOLDER:
        document = _document(line)
        return page_key(document.url), document.fetched_at
    if folder == GONE_FOLDER:
        return page_key(_gone(line).url), ""
    known = _text(line if encoding == "utf-8" else line.decode(encoding).encode())
    return page_key(known.url), known.version or 1


def damage_in(
    path: Path,
    name: str,
    stop: int,
    *,
    encoding: str,
    proof: Proof = lambda mark, check: True,
    starts: Sequence[int] = (),
    advance: Advance = lambda count: None,
) -> list[Stretch]:
    """Return the stretches in the first `stop` bytes of a file that cannot be read, in order.

    `starts` are the offsets of records that an index knows, for an archive. `advance` hears how many bytes
    were read.
    """
    damage: list[Stretch] = []
    if name.endswith(ARCHIVE):
        for found in records_in(path, stop, starts=starts):
            advance(found.end - found.start)
            if found.record is None:
                _add(damage, (found.start, found.end))
        end = min(stop, path.stat().st_size)
    else:
        is_sound = _check_of(name.partition("/")[0], encoding, proof)
        end = 0
        for start, line in _lines(path, stop):
            end = start + len(line)
            advance(len(line))
            if not line.endswith(b"\n") or not is_sound(line):
                _add(damage, (start, end))
    if end < stop:
        _add(damage, (end, stop))
    return damage


def _add(damage: list[Stretch], stretch: Stretch) -> None:
    if damage and damage[-1][1] == stretch[0]:
        damage[-1] = (damage[-1][0], stretch[1])
    else:
        damage.append(stretch)


def _check_of(folder: str, encoding: str, proof: Proof) -> Callable[[bytes], bool]:
    def is_sound(line: bytes) -> bool:
        try:
            if folder == LOG_FOLDER:
                return b"\0" not in line and (not line.startswith(b"{") or _is_log_line(line))
            if folder == DOCUMENTS_FOLDER and not line.strip():
                return True  # was damaged once, and is known to be
            return proof(_mark_of(folder, line, encoding), crc32(line))
        except UNREADABLE:
            return False

    return is_sound


def _is_log_line(line: bytes) -> bool:
    return bool(_other(line) if line.startswith(KIND) else _request(line))


def _lines(path: Path, stop: int) -> Iterator[tuple[int, bytes]]:
    """Yield the lines in the first `stop` bytes of a file with their offsets, zeros at its end as one."""
    with path.open("rb", buffering=READ_BYTES) as file:
        size = min(stop, file.seek(0, os.SEEK_END))
        zeros = _zeros_from(path, size)
        file.seek(0)
        at = 0
        while at < zeros and (line := file.readline(min(LINE_BYTES_MAX, zeros - at))):
            yield at, line
            at += len(line)


def _zeros_from(path: Path, size: int) -> int:
    """Return where the zeros begin that a file ends with: blocks that a power cut came before."""
    with path.open("rb") as file:
        while size > 0:
            start = max(0, size - READ_BYTES)
            file.seek(start)
            kept = len(file.read(size - start).rstrip(b"\0"))
            if kept:
                return start + kept
            size = start
    return size


def whole_lines_end(path: Path, stop: int) -> int:
    """Return where the last whole line ends in the first `stop` bytes; zeros at the end are none."""
    end = _zeros_from(path, min(stop, path.stat().st_size))
    with path.open("rb") as file:
        while end > 0:
            start = max(0, end - READ_BYTES)
            file.seek(start)
            found = file.read(end - start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            end = start
    return 0


def index_starts(path: Path) -> list[int]:
    """Return the offsets of the records that an index knows, in order; none when there is no index."""
    starts = []
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return []
    for line in lines:
        try:
            starts.append(parse_line(line).offset)
        except ValueError:
            continue
    return sorted(starts)
