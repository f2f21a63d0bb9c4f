"""Can what was written be read back?

`read_record` fetches one record by its place in the index; `records_in` reads a whole WARC file, going on
after damaged parts; `index_entry` makes the index line of a record.
"""

import mmap
import os
import re
import zlib
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tiptoe.errors import CorruptFile
from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.cdxj import IndexEntry
from tiptoe.write.record import MIME_CHARS_MAX, field_text
from tiptoe.write.revisit_records import REVISIT_MIME

__all__ = [
    "Advance", "Found", "Record",
    "exchange_records", "index_entry", "read_record", "records_in",
]  # fmt: skip

RECORD_BYTES_MAX = 1 << 30
CHUNK_BYTES = 256 * 1024
BLANK_LINE = re.compile(rb"\r?\n\r?\n")
GZIP_MAGIC = b"\x1f\x8b\x08"
NO_STATUS = "200"
"""Status in the index for an answer whose protocol or record has none."""

_DIGITS_ONLY = str.maketrans("", "", "-T:")

Advance = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class Record:
    """One record, read back."""

    kind: str
    headers: dict[str, str]  # lower-case names
    block: bytes


@dataclass(frozen=True, slots=True)
class Found:
    """A stretch of a WARC file: a record, or something that is not one."""

    start: int
    end: int
    record: Record | None
    fault: str
    is_member: bool  # whether it is at least a gzip member


def read_record(
    directory: Path, where: IndexEntry | tuple[str, int, int], *, bytes_max: int = RECORD_BYTES_MAX
) -> bytes:
    """Return the block of a record: for a response, its head and body as received.

    `where` is an index entry, or a file with offset and length. Files that are
    still open are read too. CorruptFile says what was found instead.
    """
    if isinstance(where, IndexEntry):
        where = (where.filename, where.offset, where.length)
    name, offset, length = where
    path = directory / "warc" / name
    # An index that is damaged or comes from elsewhere may point anywhere.
    if offset < 0 or not 0 < length <= bytes_max or Path(name).name != name:
        raise CorruptFile(path, offset=max(offset, 0), found=f"no place of a record ({length} bytes)")
    if not path.exists():
        path = path.with_name(name + OPEN_SUFFIX)
    if not path.exists():
        raise CorruptFile(path, offset=offset, found="no such file")
    with path.open("rb") as file:
        file.seek(offset)
        packed = file.read(length)
    try:
        plain, end = _member_at(packed, 0, len(packed), bytes_max)
        if not end == len(packed) == length:
            raise ValueError(f"a record of {end} bytes in {len(packed)} of {length}")
        return _parse(plain).block
    except (ValueError, zlib.error) as error:
        raise CorruptFile(path, offset=offset, found=f"no whole record ({error})") from error


def records_in(
    path: Path, stop: int, *, bytes_max: int = RECORD_BYTES_MAX, starts: Sequence[int] = ()
) -> Iterator[Found]:
    """Yield the records in the first `stop` bytes of a WARC file, and the stretches without any.

    The record after such a stretch is found by `starts`, the sorted offsets from the index, or else by
    searching for it.
    """
    with path.open("rb") as file:
        stop = min(stop, file.seek(0, os.SEEK_END))
        if not stop:
            return
        with mmap.mmap(file.fileno(), stop, access=mmap.ACCESS_READ) as data:
            yield from _records(data, stop, bytes_max, starts)


def exchange_records(
    path: Path, start: int, *, bytes_max: int = RECORD_BYTES_MAX
) -> Iterator[tuple[Record, int]]:
    """Yield the record that begins here, then those that belong to it, each with the offset of its end.

    ValueError if there is none.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        stop = len(data)
        try:
            plain, end = _member_at(data, start, stop, bytes_max)
            first = _parse(plain)
            yield first, end
            own_id = first.headers.get("warc-record-id", "")
            while own_id and end < stop:
                plain, end = _member_at(data, end, stop, bytes_max)
                record = _parse(plain)
                if record.headers.get("warc-concurrent-to") != own_id:
                    return
                yield record, end
        except zlib.error as error:
            raise ValueError(f"no gzip member ({error})") from error


def _records(data: mmap.mmap, stop: int, bytes_max: int, starts: Sequence[int]) -> Iterator[Found]:
    start = 0
    while start < stop:
        end, record, fault = start, None, ""
        try:
            plain, end = _member_at(data, start, stop, bytes_max)
            record = _parse(plain)
        except zlib.error as error:
            fault = f"no gzip member ({error})"
        except ValueError as error:
            fault = str(error)
        is_member = end > start
        if not is_member:
            end = _next_start(data, start + 1, stop, bytes_max, starts)
        yield Found(start, end, record, fault, is_member)
        start = end


def _next_start(data: mmap.mmap, start: int, stop: int, bytes_max: int, starts: Sequence[int]) -> int:
    """Return where the next readable record begins, or the end of the file."""
    for known in starts[bisect_left(starts, start) :]:
        if known < stop and _is_record(data, known, stop, bytes_max):
            return known
    while (start := data.find(GZIP_MAGIC, start, stop)) >= 0:
        if _is_record(data, start, stop, bytes_max):
            return start
        start += 1
    return stop


def _is_record(data: mmap.mmap, start: int, stop: int, bytes_max: int) -> bool:
    try:
        _parse(_member_at(data, start, stop, bytes_max)[0])
    except (ValueError, zlib.error):
        return False
    return True


def _member_at(data: mmap.mmap | bytes, start: int, stop: int, bytes_max: int) -> tuple[bytes, int]:
    """Return the plain bytes and the end of the gzip member that begins here; zlib checks its checksum."""
    inflater = zlib.decompressobj(wbits=31)
    parts: list[bytes] = []
    size, at = 0, start
    packed = b""
    while not inflater.eof:
        if not packed:
            packed = data[at : min(at + CHUNK_BYTES, stop)]
            at += len(packed)
            if not packed:
                raise ValueError(f"no gzip member (cut off after {at - start} bytes)")
        part = inflater.decompress(packed, bytes_max - size + 1)
        size += len(part)
        if size > bytes_max:
            raise ValueError(f"more than {bytes_max} bytes")
        parts.append(part)
        packed = inflater.unconsumed_tail
    return b"".join(parts), at - len(inflater.unused_data)


def _parse(plain: bytes) -> Record:
    """Parse the record of a member; ValueError if it is not exactly one record."""
    head, blank, rest = plain.partition(b"\r\n\r\n")
    version, *lines = head.decode("utf-8", "replace").split("\r\n")
    if not blank or not version.startswith("WARC/1."):
        raise ValueError(f"no WARC record but {plain[:20]!r}")
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    length = headers.get("content-length", "")
    if not rest.endswith(b"\r\n\r\n") or length != str(len(rest) - 4):
        raise ValueError(f"block of {len(rest) - 4} bytes with Content-Length {length[:20]!r}")
    return Record(headers.get("warc-type", ""), headers, rest[:-4])


def index_entry(record: Record, *, offset: int, length: int, filename: str) -> IndexEntry | None:
    """Return the index line of a record; None if records of its kind have none."""
    if record.kind not in ("response", "resource", "revisit"):
        return None
    headers = record.headers
    status, mime = NO_STATUS, headers.get("content-type", "")
    if record.block and record.kind != "resource":
        lines = BLANK_LINE.split(record.block, 1)[0].decode("latin-1").splitlines()
        status = lines[0].split(" ")[1] if lines and " " in lines[0] else NO_STATUS
        mime = next((line[13:] for line in lines if line.lower().startswith("content-type:")), "")
    mime = field_text(mime.partition(";")[0].strip().lower())[:MIME_CHARS_MAX] or "unk"
    return IndexEntry(
        url=headers.get("warc-target-uri", ""),
        mime=REVISIT_MIME if record.kind == "revisit" else mime,
        status=status,
        digest=headers.get("warc-payload-digest", "-"),
        length=length,
        offset=offset,
        filename=filename,
        timestamp=headers.get("warc-date", "")[:19].translate(_DIGITS_ONLY),
    )
