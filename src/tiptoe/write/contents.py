"""What does an output file contain, line by line or record by record?

Needed to tell which pages were lost with a file or a part of it: `pages_in` returns the pages that it still
has, `damage_in` finds the stretches that cannot be read.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from isal.isal_zlib import crc32

from tiptoe.url.address import page_key
from tiptoe.write.archive import Advance, records_in
from tiptoe.write.output_kinds import UNREADABLE, FileForm, OutputKind, PageMark

__all__ = ["Proof", "Stretch", "damage_in", "pages_in", "whole_lines_end", "zeros_from"]

Stretch = tuple[int, int]
"""The offset of the first byte of something, and of the byte after its last."""

LINE_BYTES_MAX: Final = 256 << 20
READ_BYTES: Final = 1 << 20

Proof = Callable[[PageMark, int], bool]
"""Whether a line, given by its mark and checksum, is as it was written."""


def pages_in(path: Path, kind: OutputKind, *, encoding: str, damage: Sequence[Stretch] = ()) -> set[PageMark]:
    """Return the pages in a file, leaving out damaged stretches."""
    if kind.form is FileForm.MEMBERS:
        found = (one.record for one in records_in(path, path.stat().st_size) if one.record is not None)
        return {
            (page_key(record.headers.get("warc-target-uri", "")), record.headers.get("warc-date", ""))
            for record in found
            if record.kind in ("response", "resource")
        }
    marks = set()
    end_of = dict(damage)
    skip_to = 0
    for start, line in _lines(path, path.stat().st_size):
        skip_to = end_of.get(start, skip_to)
        if start >= skip_to:
            try:
                mark = _mark_of(kind, line, encoding)
            except UNREADABLE:
                continue
            if mark is not None:
                marks.add(mark)
    return marks


def _mark_of(kind: OutputKind, line: bytes, encoding: str) -> PageMark | None:
    """Return the mark of a line, None if it belongs to no page; raise one of UNREADABLE if it is not ours."""
    if kind.is_recoded and encoding != "utf-8":
        line = line.decode(encoding).encode()
    return kind.read(line)


def damage_in(
    path: Path,
    kind: OutputKind,
    stop: int,
    *,
    encoding: str,
    proof: Proof | None = None,
    starts: Sequence[int] = (),
    advance: Advance = lambda count: None,
) -> list[Stretch]:
    """Return the stretches in the first `stop` bytes of a file that cannot be read, in order.

    `starts` are the offsets of an archive's records according to its index. `advance` is told how many bytes
    were read.
    """
    damage: list[Stretch] = []
    if kind.form is FileForm.MEMBERS:
        for found in records_in(path, stop, starts=starts):
            advance(found.end - found.start)
            if found.record is None:
                _add(damage, (found.start, found.end))
        end = min(stop, path.stat().st_size)
    else:
        end = 0
        for start, line in _lines(path, stop):
            end = start + len(line)
            advance(len(line))
            if not line.endswith(b"\n") or not _is_sound(kind, line, encoding, proof):
                _add(damage, (start, end))
    if end < stop:
        _add(damage, (end, stop))
    return damage


def _add(damage: list[Stretch], stretch: Stretch) -> None:
    if damage and damage[-1][1] == stretch[0]:
        damage[-1] = (damage[-1][0], stretch[1])
    else:
        damage.append(stretch)


def _is_sound(kind: OutputKind, line: bytes, encoding: str, proof: Proof | None) -> bool:
    try:
        mark = _mark_of(kind, line, encoding)
    except UNREADABLE:
        return False
    return mark is None or proof is None or proof(mark, crc32(line))


def _lines(path: Path, stop: int) -> Iterator[tuple[int, bytes]]:
    """Yield the lines in the first `stop` bytes of a file with their offsets, zeros at its end as one."""
    with path.open("rb", buffering=READ_BYTES) as file:
        size = min(stop, file.seek(0, os.SEEK_END))
        zeros = zeros_from(path, size)
        file.seek(0)
        at = 0
        while at < zeros and (line := file.readline(min(LINE_BYTES_MAX, zeros - at))):
            yield at, line
            at += len(line)


def zeros_from(path: Path, size: int) -> int:
    """Return where the zeros at the end of a file begin: blocks not yet written at a power cut."""
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
    """Return where the last whole line in the first `stop` bytes ends; zeros at the end are not a line."""
    end = zeros_from(path, min(stop, path.stat().st_size))
    with path.open("rb") as file:
        while end > 0:
            start = max(0, end - READ_BYTES)
            file.seek(start)
            found = file.read(end - start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            end = start
    return 0
