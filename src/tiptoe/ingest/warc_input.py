"""Which records does a WARC file contain, whatever program wrote it?

It may be compressed record by record as the standard recommends, compressed as a whole, or not at all.
Nothing in it is trusted: heads, blocks and skipped stretches are limited in size; a record that cannot be
read is skipped and reported with the reason. A file can be read from any record on, and in parallel parts:
`first_record` finds where a part begins, and the caller checks that each part begins where the one before has
ended.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import BinaryIO, Final

from tiptoe.ingest.file_position import FilePosition
from tiptoe.ingest.plain_bytes import GZIP_MAGIC, BrokenBytes, ByteRun, EndlessBytes, is_packed, open_run

__all__ = ["InputRecord", "RecordFault", "first_record", "read_records"]

HEAD_BYTES_MAX: Final = 64 << 10
PADDING_BYTES_MAX: Final = 64 << 10
"""Maximum size of the empty lines between two records; the standard has two lines."""

SEARCH_BYTES: Final = 1 << 20
LOOK_BYTES: Final = 64 << 10
OVERLAP_BYTES: Final = 64
CUT_OFF_MAX: Final = 20
"""Maximum number of records in a gzip member that claim to be longer than it, as each costs unpacking it."""

MARK: Final = b"WARC/"
HEAD_END: Final = re.compile(rb"\r?\n\r?\n")
PLAIN_START: Final = re.compile(rb"(?:\A|(?<=\n))WARC/[01]\.\d+\r?\n")
COMPANIONS: Final = frozenset({"request", "metadata"})
"""Types of records that belong to the one before them."""


class RecordFault(StrEnum):
    """Why a record cannot be read, by the name under which it is counted."""

    BROKEN = "broken_record"  # its bytes are damaged, or it is not a record
    CUT_OFF = "record_cut_off"  # it ends before it should
    ENDLESS = "endless_record"  # its head does not end, or skipping it would take forever


@dataclass(slots=True)
class InputRecord:
    """One record, or a stretch of the file that is not one."""

    start: FilePosition
    end: FilePosition
    headers: dict[str, str] = field(default_factory=dict)  # lower-case names
    block: bytes = b""
    is_cut: bool = False  # the block is longer than the limit
    fault: RecordFault | None = None

    @property
    def kind(self) -> str:
        return self.headers.get("warc-type", "").lower()

    @property
    def is_companion(self) -> bool:
        """Whether it belongs to the record before it."""
        return self.kind in COMPANIONS and self.fault is None


def read_records(file: BinaryIO, start: FilePosition, *, block_bytes_max: int) -> Iterator[InputRecord]:
    """Yield the records of a file from a position on, and the stretches without records."""
    packed = is_packed(file)
    size = file.seek(0, 2)
    at = start
    cut_off = -1, 0  # the member in which records ended too early, and how many
    while at.offset < size:
        try:
            run = open_run(file, at, packed=packed)
            for found in _records_of(run, block_bytes_max):
                at = found.end
                yield found
            if at.offset < size and not packed:
                at = FilePosition(size)  # nothing but padding
            elif packed:
                at = run.position  # the end of an empty member
        except (BrokenBytes, _NoRecord) as broken:
            end = None
            if packed and isinstance(broken, _NoRecord):
                cut_off = at.offset, cut_off[1] + 1 if cut_off[0] == at.offset else 1
                end = _next_in_member(file, at) if cut_off[1] <= CUT_OFF_MAX else None
            end = end or FilePosition(_next_start(file, at.offset + 1, size, packed=packed))
            yield InputRecord(at, end, fault=_fault_of(broken))
            at = end


def first_record(file: BinaryIO, start: int, stop: int, *, block_bytes_max: int) -> FilePosition | None:
    """Return the start of the first record in a part of a file that does not belong to an earlier one."""
    at = _next_start(file, start, stop, packed=is_packed(file))
    if at >= stop:
        return None
    for record in read_records(file, FilePosition(at), block_bytes_max=block_bytes_max):
        if not record.is_companion:
            return record.start
    return None


class _NoRecord(Exception):
    """There is no readable record here."""

    def __init__(self, fault: RecordFault) -> None:
        super().__init__(fault.value)
        self.fault = fault


def _fault_of(broken: Exception) -> RecordFault:
    if isinstance(broken, _NoRecord):
        return broken.fault
    return RecordFault.ENDLESS if isinstance(broken, EndlessBytes) else RecordFault.BROKEN


def _records_of(run: ByteRun, block_bytes_max: int) -> Iterator[InputRecord]:
    """Yield the records of one run of bytes."""
    while True:
        _skip_padding(run)
        start = run.position
        seen = run.peek(len(MARK))
        if not seen:
            return
        try:
            headers, wanted = _head(run)
        except _NoRecord as broken:
            _skip_to_record(run)
            yield InputRecord(start, run.position, fault=broken.fault)
            continue
        block = run.take(min(wanted, block_bytes_max))
        passed = run.skip(wanted - len(block)) if wanted > len(block) and len(block) == block_bytes_max else 0
        if len(block) + passed < wanted:
            raise _NoRecord(RecordFault.CUT_OFF)
        _skip_padding(run)
        yield InputRecord(start, run.position, headers, block, is_cut=passed > 0)


def _skip_padding(run: ByteRun) -> None:
    passed = 0
    while passed < PADDING_BYTES_MAX and run.peek(1)[:1] in (b"\r", b"\n"):
        seen = run.peek(4)
        passed += run.skip(len(seen) - len(seen.lstrip(b"\r\n")))


def _head(run: ByteRun) -> tuple[dict[str, str], int]:
    """Consume the head of a record, and return its fields and the length of the block.

    If it is not a head, or does not end, raise _NoRecord and consume nothing.
    """
    size = 4096
    while True:
        seen = run.peek(size)
        if not seen.startswith(MARK):
            raise _NoRecord(RecordFault.BROKEN)
        end = HEAD_END.search(seen, 0, HEAD_BYTES_MAX)
        if end is not None:
            break
        if len(seen) < size:
            raise _NoRecord(RecordFault.CUT_OFF)
        if size > HEAD_BYTES_MAX:
            raise _NoRecord(RecordFault.ENDLESS)
        size *= 4
    lines = seen[: end.start()].decode("utf-8", "replace").splitlines()
    headers: dict[str, str] = {}
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        if colon:
            headers.setdefault(name.strip().lower(), value.strip())
    length = headers.get("content-length", "")
    if not (length.isascii() and length.isdigit() and len(length) < 19):
        raise _NoRecord(RecordFault.BROKEN)
    if not run.may_have(end.end() + int(length)):
        raise _NoRecord(RecordFault.CUT_OFF)
    run.skip(end.end())
    return headers, int(length)


def _skip_to_record(run: ByteRun) -> None:
    """Skip to where the next record may begin, or to the end."""
    run.skip(1)
    while len(seen := run.peek(LOOK_BYTES)) > OVERLAP_BYTES:
        found = PLAIN_START.search(seen, 1)
        if found is not None:
            run.skip(found.start())
            return
        run.skip(len(seen) - OVERLAP_BYTES)
    run.skip(len(seen))


def _next_start(file: BinaryIO, start: int, stop: int, *, packed: bool) -> int:
    """Return the offset of the next thing that looks like a record; `stop` if there is none before it."""
    at = start
    while at < stop:
        # The mark must be at the beginning of a line, so the byte before is examined too.
        before = 1 if at and not packed else 0
        file.seek(at - before)
        data = file.read(SEARCH_BYTES + OVERLAP_BYTES + before)
        for found in _candidates(data, packed=packed):
            place = at - before + found
            if start <= place < min(stop, at + SEARCH_BYTES) and (not packed or _begins_record(file, place)):
                return place
        at += SEARCH_BYTES
    return stop


def _next_in_member(file: BinaryIO, at: FilePosition) -> FilePosition | None:
    """Return where the next record begins in the same gzip member, for files compressed as a whole."""
    try:
        run = open_run(file, at, packed=True)
        _skip_to_record(run)
        return run.position if run.peek(1) else None
    except BrokenBytes:
        return None


def _candidates(data: bytes, *, packed: bool) -> Iterator[int]:
    if not packed:
        yield from (found.start() for found in PLAIN_START.finditer(data))
        return
    at = data.find(GZIP_MAGIC)
    while at >= 0:
        yield at
        at = data.find(GZIP_MAGIC, at + 1)


def _begins_record(file: BinaryIO, place: int) -> bool:
    try:
        return open_run(file, FilePosition(place), packed=True).peek(len(MARK)).startswith(MARK)
    except BrokenBytes:
        return False
