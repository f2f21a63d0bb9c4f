"""Which records of an archive are about what is to be forgotten, and how does it look without them?

Each exchange that is meant gives way to a record of exactly its length which says so, as damaged ones do: the
places of all others, to which the index, the corpus and lists of documents point, stay what they were. A
revisit record that refers to what is meant is meant too. Files whose index has no such line are not read.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tiptoe.errors import CorruptFile
from tiptoe.url.wish import Wish
from tiptoe.write.archive import Record, exchange_records, records_in
from tiptoe.write.cdxj import parse_line
from tiptoe.write.filler import filler
from tiptoe.write.output_kinds import ARCHIVE, ARCHIVE_INDEX
from tiptoe.write.replacing import replace_lines

__all__ = ["exchanges_meant", "fill_out", "index_of", "lines_kept", "put_lines"]

COPY_BYTES: Final = 1 << 20
REASON: Final = "removed because the owner wants to be forgotten"

Stretch = tuple[int, int]


def index_of(archive: Path) -> Path:
    """Return where the index of an archive file stands."""
    return archive.with_name(archive.name.removesuffix(ARCHIVE.suffix) + ARCHIVE_INDEX.suffix)


def exchanges_meant(archive: Path, wish: Wish) -> list[Stretch]:
    """Return where exchanges stand that a wish is about, in order."""
    index = index_of(archive)
    exchanges = sorted(_indexed(index, wish) if index.exists() else _read(archive, wish))
    ends = [*(start for start, _ in exchanges[1:]), archive.stat().st_size]
    return [
        (start, end)
        for (start, is_meant), following in zip(exchanges, ends, strict=True)
        if is_meant and (end := _end_of(archive, start, following, wish)) > start
    ]


def _indexed(index: Path, wish: Wish) -> Iterator[tuple[int, bool]]:
    """Yield where each exchange begins, as the index says, and whether it is meant."""
    for line in index.read_bytes().splitlines():
        try:
            entry = parse_line(line)
        except ValueError:
            continue  # a line that `tiptoe repair` would replace
        yield entry.offset, wish.covers(entry.url)


def _read(archive: Path, wish: Wish) -> Iterator[tuple[int, bool]]:
    for found in records_in(archive, archive.stat().st_size):
        if found.record is not None and found.record.kind in ("response", "resource", "revisit"):
            yield found.start, _is_meant(found.record, wish)


def _end_of(archive: Path, start: int, following: int, wish: Wish) -> int:
    """Return where an exchange ends that is meant; its start if it was filled already, and the index not yet.

    What is damaged goes up to the next exchange: nobody can tell what else stands there, and an owner need
    not wait for a repair.
    """
    end = start
    try:
        for record, after in exchange_records(archive, start):
            if end == start and not _is_meant(record, wish):
                return start
            end = after
    except ValueError:
        return following
    return end


def _is_meant(record: Record, wish: Wish) -> bool:
    named = ("warc-target-uri", "warc-refers-to-target-uri")
    return any(wish.covers(url) for name in named if (url := record.headers.get(name)))


def fill_out(archive: Path, stretches: list[Stretch], *, at: float) -> None:
    """Put an archive without these exchanges in place of this one, all others where they were."""
    replace_lines(archive, _filled(archive, stretches, at))


def _filled(archive: Path, stretches: list[Stretch], at: float) -> Iterator[bytes]:
    size = archive.stat().st_size
    with archive.open("rb") as file:
        place = 0
        for start, end in [*stretches, (size, size)]:
            file.seek(place)
            while place < start and (piece := file.read(min(COPY_BYTES, start - place))):
                yield piece
                place += len(piece)
            if end > start:
                record = filler(end - start, at=at, reason=REASON, field="removed")
                if record is None:
                    raise CorruptFile(archive, offset=start, found=f"only {end - start} bytes for a record")
                yield record
            place = end


def lines_kept(index: Path, wish: Wish) -> tuple[list[bytes], int]:
    """Return the lines of an index about others, and how many are about what is meant."""
    lines = index.read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if not _is_about(line, wish)]
    return kept, len(lines) - len(kept)


def put_lines(index: Path, wish: Wish) -> None:
    """Put the merged index of all files without what is meant in place of this one."""
    with index.open("rb") as file:
        replace_lines(index, (line for line in file if not _is_about(line, wish)))


def _is_about(line: bytes, wish: Wish) -> bool:
    try:
        return wish.host.encode() in line and wish.covers(parse_line(line).url)
    except ValueError:
        return False
