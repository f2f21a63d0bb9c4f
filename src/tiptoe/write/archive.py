"""Can what was written be read back?

`read_record` fetches one record by its place in the index; `check_members` reads
a whole WARC file and proves that each gzip member is one sound record.
"""

import re
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from tiptoe.errors import CorruptFile
from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.cdxj import IndexEntry
from tiptoe.write.record import sha1_label

__all__ = ["Fault", "MembersReport", "check_members", "read_record"]

RECORD_BYTES_MAX = 1 << 30
CHUNK_BYTES = 256 * 1024
BLANK_LINE = re.compile(rb"\r?\n\r?\n")


@dataclass(frozen=True, slots=True)
class Record:
    """One record, read back."""

    kind: str
    headers: dict[str, str]  # lower-case names
    block: bytes


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong in a WARC file, and where the member with it begins."""

    offset: int
    found: str


@dataclass(slots=True)
class MembersReport:
    """What a WARC file holds, and what is wrong with it."""

    path: Path
    members: int = 0
    bytes_read: int = 0  # up to the end of the last whole member
    kinds: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        """Whether every byte belongs to a record that proves itself."""
        return not self.faults


def read_record(
    directory: Path, where: IndexEntry | tuple[str, int, int], *, bytes_max: int = RECORD_BYTES_MAX
) -> bytes:
    """Return the block of a record: for a response its head and body as received.

    `where` is an index entry, or file, offset and length. Files that are still
    open are read too. CorruptFile says what is there instead.
    """
    if isinstance(where, IndexEntry):
        where = (where.filename, where.offset, where.length)
    name, offset, length = where
    path = directory / "warc" / name
    # Indexes travel: one that was damaged, or made by somebody else, may point anywhere.
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
        members = list(_members(BytesIO(packed), bytes_max))
        if len(members) != 1 or len(packed) != length:
            raise ValueError(f"{len(members)} records in {len(packed)} of {length} bytes")
        return _parse(members[0][1]).block
    except (ValueError, zlib.error) as error:
        raise CorruptFile(path, offset=offset, found=f"no whole record ({error})") from error


def check_members(path: Path, *, bytes_max: int = RECORD_BYTES_MAX, faults_max: int = 100) -> MembersReport:
    """Prove every record of a WARC file: one gzip member each, lengths and digests right."""
    report = MembersReport(path)
    with path.open("rb") as file:
        try:
            for start, plain, end in _members(file, bytes_max):
                report.members += 1
                report.bytes_read = end
                try:
                    record = _parse(plain)
                    report.kinds[record.kind] += 1
                    _check_digests(record)
                except ValueError as error:
                    report.faults.append(Fault(start, str(error)))
                    if len(report.faults) >= faults_max:
                        break
        except (ValueError, zlib.error) as error:
            # Where the next member begins is not to be known any more.
            report.faults.append(Fault(report.bytes_read, f"no gzip member ({error})"))
    return report


def _members(file: BinaryIO, bytes_max: int) -> Iterator[tuple[int, bytes, int]]:
    """Yield the start, plain bytes and end of each gzip member; its checksum is proved by zlib."""
    start = 0
    packed = file.read(CHUNK_BYTES)
    while packed:
        inflater = zlib.decompressobj(wbits=31)
        parts, size, used = [], 0, 0
        while not inflater.eof:
            if not packed:
                raise ValueError(f"cut off after {used} bytes")
            part = inflater.decompress(packed, bytes_max - size + 1)
            size += len(part)
            if size > bytes_max:
                raise ValueError(f"more than {bytes_max} bytes")
            parts.append(part)
            rest = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
            used += len(packed) - len(rest)
            packed = rest or file.read(CHUNK_BYTES)
        yield start, b"".join(parts), start + used
        start += used


def _parse(plain: bytes) -> Record:
    """Read the one record of a member; ValueError when it is not exactly one."""
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


def _check_digests(record: Record) -> None:
    if record.headers.get("warc-block-digest") != sha1_label(record.block):
        raise ValueError("block digest is missing or wrong")
    if record.kind not in ("response", "resource"):
        return
    payload = record.block
    if record.kind == "response":
        head = BLANK_LINE.search(payload)
        payload = payload[head.end() :] if head else b""
    if record.headers.get("warc-payload-digest") != sha1_label(payload):
        raise ValueError("payload digest is missing or wrong")
