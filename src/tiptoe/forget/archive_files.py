"""Which records of an archive are covered by a wish, and what replaces them?

Each covered exchange is replaced by a record of exactly its length which says so, as damaged ones are: the
offsets of all others, to which the index, the corpus and lists of documents refer, remain valid. A revisit
record that refers to a covered one is covered too. Files whose index has no covered line are not read.
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
    """Return the path of the index of an archive file."""
    return archive.with_name(archive.name.removesuffix(ARCHIVE.suffix) + ARCHIVE_INDEX.suffix)


def exchanges_meant(archive: Path, wish: Wish, *, by_index: bool = True) -> list[Stretch]:
    """Return the stretches of the exchanges covered by a wish, in order; `by_index` if that is complete."""
    index = index_of(archive)
    is_indexed = by_index and index.exists()
    exchanges = sorted(_indexed(index, wish) if is_indexed else _read(archive, wish))
    ends = [*(start for start, _ in exchanges[1:]), archive.stat().st_size]
    return [
        (start, end)
        for (start, is_meant), following in zip(exchanges, ends, strict=True)
        if is_meant and (end := _end_of(archive, start, following, wish)) > start
    ]


def _indexed(index: Path, wish: Wish) -> Iterator[tuple[int, bool]]:
    """Yield the offset of each exchange, according to the index, and whether it is covered."""
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
    """Return the end of a covered exchange; its start if it was replaced already, though the index was not.

    A damaged one extends to the next exchange: it is unknown what else is there, and an owner must not have
    to wait for a repair.
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
    """Replace these exchanges of an archive by fillers; all others keep their places."""
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
    """Return the lines of an index that are not covered, and how many are."""
    lines = index.read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if not _is_about(line, wish)]
    return kept, len(lines) - len(kept)


def put_lines(index: Path, wish: Wish) -> None:
    """Remove the covered lines from the merged index of all files."""
    with index.open("rb") as file:
        replace_lines(index, (line for line in file if not _is_about(line, wish)))


def _is_about(line: bytes, wish: Wish) -> bool:
    try:
        return wish.host.encode() in line and wish.covers(parse_line(line).url)
    except ValueError:
        return False
