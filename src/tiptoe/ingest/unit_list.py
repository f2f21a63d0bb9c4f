"""Into which units of work are the sources divided?

Large archives are divided into parts that are read in parallel, small files are grouped. What was done before
is left out: unchanged files, and the old part of archives and mailboxes that have grown. Any other file that
has changed is read again, as the next version of its text.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Final

from tiptoe.ingest.crew_messages import Unit
from tiptoe.ingest.file_position import FilePosition
from tiptoe.ingest.ingest_progress import FileProgress, ProgressStore
from tiptoe.ingest.source_files import FileKind, SourceFile, kind_of_file

__all__ = ["PlannedUnit", "plan_units"]

PART_BYTES: Final = 8 << 20
HANDFUL_FILES: Final = 50
HANDFUL_BYTES: Final = 4 << 20


@dataclass(slots=True)
class PlannedUnit:
    """A unit, with the files that belong to it."""

    unit: Unit
    files: list[SourceFile]
    versions: list[int]
    is_last: bool = True  # whether it is the last one of its file


def plan_units(
    files: Iterable[SourceFile], store: ProgressStore, *, part_bytes: int = PART_BYTES
) -> Iterator[PlannedUnit]:
    """Yield the units to be read, in the order of the files."""
    numbers = count()
    handful: list[tuple[SourceFile, int]] = []
    for file in files:
        (done,) = store.files([file.path])
        if done.is_done and (done.size, done.modified_ns) == (file.size, file.modified_ns):
            continue
        kind = kind_of_file(file.path)
        if kind is FileKind.SINGLE:
            handful.append((file, done.version + 1 if done.is_done else done.version))
            is_full = sum(one.size for one, _ in handful) >= HANDFUL_BYTES
            if is_full or len(handful) >= HANDFUL_FILES:
                yield _handful(next(numbers), handful)
                handful = []
            continue
        if handful:
            yield _handful(next(numbers), handful)
            handful = []
        yield from _parts(numbers, file, kind, done, part_bytes)
    if handful:
        yield _handful(next(numbers), handful)


def _handful(number: int, files: list[tuple[SourceFile, int]]) -> PlannedUnit:
    paths = [bytes(file.path) for file, _ in files]
    versions = [version for _, version in files]
    unit = Unit(number, FileKind.SINGLE, paths, versions)
    return PlannedUnit(unit, [file for file, _ in files], versions)


def _parts(
    numbers: Iterator[int], file: SourceFile, kind: FileKind, done: FileProgress, part_bytes: int
) -> Iterator[PlannedUnit]:
    start = done.position
    if start.offset >= file.size and done.is_done:
        start = FilePosition()  # the file was replaced by a shorter one
    paths = [bytes(file.path)]
    if kind is FileKind.MAIL:
        unit = Unit(next(numbers), kind, paths, start=start, stop=file.size)
        yield PlannedUnit(unit, [file], [1])
        return
    cuts = [*range((start.offset // part_bytes + 1) * part_bytes, file.size, part_bytes), file.size]
    for place, stop in enumerate(cuts):
        begin = start if not place else FilePosition(cuts[place - 1])
        unit = Unit(next(numbers), kind, paths, start=begin, stop=stop, is_exact=not place)
        yield PlannedUnit(unit, [file], [1], is_last=stop == file.size)
