"""Where in the archive is the answer of a URL?

CDXJ: one line per response, `key timestamp {json}`, sorted bytewise. While a
WARC file grows its index is in the order of writing; `finish_index` sorts it,
`merge_cdxj` merges the sorted ones, `find` does a binary search in the result.
"""

import heapq
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

import msgspec

from tiptoe.errors import CorruptFile
from tiptoe.write.numbered_files import rename_finished
from tiptoe.write.replacing import replace_lines
from tiptoe.write.surt import surt

__all__ = [
    "INDEX_NAME",
    "IndexEntry",
    "find",
    "finish_index",
    "index_line",
    "lines_from",
    "merge_cdxj",
    "merge_indexes",
    "parse_line",
]

INDEX_NAME = "index.cdxj"
FAN_IN_MAX = 200
"""Maximum number of files merged at once; more would exceed the limit of open files."""

_encode = msgspec.json.Encoder().encode


class IndexEntry(msgspec.Struct, kw_only=True):
    """One line of the index."""

    url: str
    mime: str
    status: str
    digest: str
    length: int
    offset: int
    filename: str
    key: str = ""
    timestamp: str = ""  # 14 digits, UTC


_decoder = msgspec.json.Decoder(IndexEntry, strict=False)


def index_line(entry: IndexEntry) -> bytes:
    """Return an entry as a line; numbers are strings, as replay tools expect them."""
    return (
        f'{surt(entry.url)} {entry.timestamp} {{"url":{_encode(entry.url).decode()},'
        f'"mime":{_encode(entry.mime).decode()},"status":"{entry.status}","digest":"{entry.digest}",'
        f'"length":"{entry.length}","offset":"{entry.offset}","filename":"{entry.filename}"}}\n'
    ).encode()


def parse_line(line: bytes) -> IndexEntry:
    """Parse one line; ValueError if it is not one of ours."""
    key, timestamp, fields = line.split(b" ", 2)
    try:
        entry = _decoder.decode(fields)
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from error
    entry.key = key.decode()
    entry.timestamp = timestamp.decode()
    return entry


def finish_index(path: Path) -> None:
    """Sort an open index and give it its final name; a crash between the steps does no harm."""
    # The open file is replaced atomically: sorted or not, it holds the same lines.
    replace_lines(path, sorted(path.read_bytes().splitlines(keepends=True)))
    rename_finished(path)


def merge_cdxj(directory: Path) -> Path:
    """Merge the finished indexes of a crawl into `warc/index.cdxj` and return its path."""
    folder = directory / "warc"
    merged = folder / INDEX_NAME
    merge_indexes([path for path in sorted(folder.glob("*.cdxj")) if path.name != INDEX_NAME], merged)
    return merged


def merge_indexes(paths: Sequence[Path], merged: Path) -> None:
    """Merge sorted indexes into one file."""
    left, rounds = list(paths), list[Path]()
    try:
        while len(left) > FAN_IN_MAX:
            batch, left = left[:FAN_IN_MAX], left[FAN_IN_MAX:]
            rounds.append(merged.with_name(f"{merged.name}.round-{len(rounds):05d}"))
            _merge(batch, rounds[-1])
            left.append(rounds[-1])
        _merge(left, merged)
    finally:
        for path in rounds:
            path.unlink(missing_ok=True)


def _merge(paths: Sequence[Path], target: Path) -> None:
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("rb")) for path in paths]
        replace_lines(target, heapq.merge(*files))


def find(directory: Path, url: str) -> Iterator[IndexEntry]:
    """Yield the entries of a URL from the merged index, oldest first."""
    path = directory / "warc" / INDEX_NAME
    wanted = surt(url).encode() + b" "
    for offset, line in lines_from(path, wanted):
        if not line.startswith(wanted):
            return
        try:
            yield parse_line(line)
        except ValueError as error:
            raise CorruptFile(path, offset=offset, found=f"no index line ({error})") from error


def lines_from(path: Path, wanted: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a sorted index that are not below `wanted`, with their offsets."""
    with path.open("rb") as file:
        offset = _first_at_or_after(file, wanted)
        file.seek(offset)
        for line in file:
            yield offset, line
            offset += len(line)


def _first_at_or_after(file: BinaryIO, wanted: bytes) -> int:
    """Return the start of the first line that is not below `wanted`."""
    low, high = 0, file.seek(0, os.SEEK_END)
    while low < high:
        middle = (low + high) // 2
        start = _line_start(file, middle)
        line = file.readline()
        if line and line < wanted:
            low = start + len(line)
        else:
            high = middle
    return _line_start(file, low)


def _line_start(file: BinaryIO, position: int) -> int:
    """Go to the first line that starts at or after this byte."""
    file.seek(max(position - 1, 0))
    if position:
        file.readline()
    return file.tell()
