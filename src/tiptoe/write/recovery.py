"""In what state are the files after a crash, and how are they repaired?

The keeper's marks are authoritative: bytes before the mark were acknowledged, bytes after it belong to pages
that will be requested again. `examine` changes nothing: it finds out which files exist, how long they are,
and whether those that were not checked since they were written can be read. `mend` then cuts each file back
to its mark, removes what is damaged, rebuilds the index of an archive, and finishes the file. A crash in the
middle does no harm: another run comes to the same result.

If a harvester has only lost its lease, its files are left until it has noticed and exited. A finished file
that is missing is *away*: operators move such files. An open file that is missing is lost.
"""

import errno
import fcntl
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.archive import Advance, index_entry, records_in
from tiptoe.write.cdxj import IndexEntry, index_line, parse_line
from tiptoe.write.contents import Proof, Stretch, damage_in, zeros_from
from tiptoe.write.filler import filler
from tiptoe.write.numbered_files import rename_finished
from tiptoe.write.output_kinds import (
    ARCHIVE,
    ARCHIVE_INDEX,
    FileForm,
    OutputKind,
    harvester_kind,
    harvester_of,
    open_names,
    shard_of_file,
)
from tiptoe.write.replacing import replace_lines

__all__ = ["Finding", "examine", "mend", "path_of"]

WHOLE_BYTES = 1 << 20
"""Number of bytes copied at once when a file is rewritten."""

What = Literal["cut", "removed", "finished", "away", "lost", "damaged", "rebuilt"]


@dataclass(slots=True, kw_only=True)
class Finding:
    """The state of one file."""

    file: str
    what: What
    committed: int = 0
    cut_bytes: int = 0  # that were never acknowledged
    damage: list[Stretch] = field(
        default_factory=list
    )  # committed bytes that are missing, or are not a record
    lines: list[bytes] | None = None  # of an index that has to be rewritten

    @property
    def lost_bytes(self) -> int:
        return sum(end - start for start, end in self.damage)


def examine(
    directory: Path,
    marks: Mapping[str, int],
    *,
    finished: Collection[str] = (),
    live: Collection[str] = (),
    shard: int | None = None,
    encoding: str = "utf-8",
    reads: Collection[str] | None = None,
    proof_of: Callable[[str], Proof] | None = None,
    advance: Advance = lambda count: None,
) -> list[Finding]:
    """Return findings about files that need attention, except those of live incarnations.

    In a crawl of several shards, only files of one `shard` are examined: the others have other holders.

    `marks` holds the committed size of each file by its final name, relative to `directory`. Files that are
    `finished` are only checked for their size, and may be away. `reads` names the files that are read,
    finished or not; None stands for all that are not finished. Finished files without a mark are left alone.
    """
    findings: dict[str, Finding] = {}
    names = {*(name for name in open_names(directory) if shard in (None, shard_of_file(name))), *marks}
    wanted = sorted(names, key=lambda name: (name.endswith(ARCHIVE_INDEX.suffix), name))
    for name in wanted:
        kind = harvester_kind(name)
        path = path_of(directory, name)
        if _is_of(harvester_of(name), live) or (path is not None and _is_held(path)):
            continue
        committed, is_finished = marks.get(name, 0), name in finished
        is_read = not is_finished if reads is None else name in reads
        if kind.form is FileForm.INDEX:
            archive = findings.get(_archive_of(name))
            finding = _examine_index(
                directory, name, path, marks, archive, is_finished=is_finished, is_read=is_read
            )
        else:
            proof = proof_of(name) if proof_of is not None and is_read and kind.has_checksums else None
            finding = _examine(
                directory, name, kind, path, committed, is_finished=is_finished, is_read=is_read,
                encoding=encoding, proof=proof, advance=advance,
            )  # fmt: skip
        if finding is not None:
            findings[name] = finding
    return [findings[name] for name in sorted(findings)]


def path_of(directory: Path, name: str) -> Path | None:
    """Return the path of a file, open or finished; None if it does not exist."""
    for path in (directory / (name + OPEN_SUFFIX), directory / name):
        if path.exists():
            return path
    return None


def _is_of(prefix: str, incarnations: Collection[str]) -> bool:
    return any(prefix == one or prefix.endswith(f"-{one}") for one in incarnations)


def _is_held(path: Path) -> bool:
    """Whether the writer of a file still runs: it writes until it notices that it lost its lease."""
    try:
        file = path.open("rb")
    except OSError:
        return False
    with file:
        try:
            fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError as error:
            return error.errno in (errno.EACCES, errno.EAGAIN)
    return False


def _examine(
    directory: Path, name: str, kind: OutputKind, path: Path | None, committed: int, *,
    is_finished: bool, is_read: bool, encoding: str, proof: Proof | None, advance: Advance,
) -> Finding | None:  # fmt: skip
    if path is None:
        if is_finished:
            return Finding(file=name, what="away", committed=committed)
        return Finding(file=name, what="lost", committed=committed, damage=[(0, committed)])
    size, is_open = path.stat().st_size, path.name.endswith(OPEN_SUFFIX)
    if is_open and not committed:
        return Finding(file=name, what="removed", cut_bytes=size)
    extra = 0 if kind.form is FileForm.LOG else max(0, size - committed)
    damage: list[Stretch] = []
    if is_read or size < committed:
        index = path_of(directory, _index_of(name)) if kind is ARCHIVE else None
        damage = damage_in(
            path, kind, committed, encoding=encoding, starts=_starts(index), advance=advance, proof=proof
        )
    if damage:
        return Finding(file=name, what="damaged", committed=committed, cut_bytes=extra, damage=damage)
    if extra:
        return Finding(file=name, what="cut", committed=committed, cut_bytes=extra)
    # A harvester may die after a file was recorded as finished and before it was renamed.
    return Finding(file=name, what="finished", committed=committed) if is_open or not is_finished else None


# -- indexes -----------------------------------------------------------------


def _archive_of(index: str) -> str:
    return index.removesuffix(ARCHIVE_INDEX.suffix) + ARCHIVE.suffix


def _index_of(archive: str) -> str:
    return archive.removesuffix(ARCHIVE.suffix) + ARCHIVE_INDEX.suffix


def _examine_index(
    directory: Path, name: str, path: Path | None, marks: Mapping[str, int], archive: Finding | None, *,
    is_finished: bool, is_read: bool,
) -> Finding | None:  # fmt: skip
    """Compare an index with its archive, from which it can be rebuilt."""
    committed = marks.get(name, 0)
    records = _archive_of(name)
    where = path_of(directory, records)
    is_open = path is not None and path.name.endswith(OPEN_SUFFIX)
    if path is not None and is_open and not committed:
        return Finding(file=name, what="removed", cut_bytes=path.stat().st_size)
    is_done = is_finished and not is_open
    size = path.stat().st_size if path is not None else 0
    if where is None:
        if archive is not None and archive.what == "lost":
            return Finding(file=name, what="removed") if path is not None else None
        if path is None:
            return Finding(file=name, what="away" if is_finished else "lost", committed=committed)
        return None if is_done else Finding(file=name, what="finished", committed=committed)
    if is_done and not is_read and archive is None and size == committed:
        return None
    old = path.read_bytes().splitlines(keepends=True) if path is not None else []
    end = marks.get(records, where.stat().st_size)
    lines = sorted(line for offset, (line, _) in _parsed(old) if offset < end)
    is_doubtful = archive is not None and archive.damage
    if is_read or is_doubtful or sum(map(len, lines)) != committed:
        lines = _index_lines(where, records, end, old)
    kept = sum(map(len, lines))
    if kept != committed or not set(lines) <= set(old):
        return Finding(file=name, what="rebuilt", committed=kept, lines=lines)
    if size > committed:
        return Finding(file=name, what="cut", committed=kept, cut_bytes=size - kept, lines=lines)
    return None if is_done else Finding(file=name, what="finished", committed=committed, lines=lines)


def _index_lines(path: Path, name: str, stop: int, old: list[bytes]) -> list[bytes]:
    """Return the correct lines of an archive's index, in order; old lines are kept where they are right."""
    filename = name.rpartition("/")[2]
    known = dict(_parsed(old))
    lines = []
    for found in records_in(path, stop, starts=sorted(known)):
        if found.record is None:
            continue
        entry = index_entry(
            found.record, offset=found.start, length=found.end - found.start, filename=filename
        )
        if entry is not None:
            line, before = known.get(found.start, (b"", entry))
            lines.append(line if line and _is_same(before, entry) else index_line(entry))
    return sorted(lines)


def _starts(index: Path | None) -> list[int]:
    """Return the sorted offsets of the records in an index; none if there is no index."""
    lines = index.read_bytes().splitlines(keepends=True) if index else []
    return sorted(dict(_parsed(lines)))


def _parsed(lines: list[bytes]) -> Iterator[tuple[int, tuple[bytes, IndexEntry]]]:
    for line in lines:
        try:
            if line.endswith(b"\n"):
                entry = parse_line(line)
                yield entry.offset, (line, entry)
        except ValueError:
            continue


def _is_same(before: IndexEntry, entry: IndexEntry) -> bool:
    """Whether an index line matches this record; only the line may know the status."""
    fresh = parse_line(index_line(entry))
    fresh.status = before.status if before.status.isdigit() and len(before.status) == 3 else fresh.status
    return before == fresh


# -- repair ------------------------------------------------------------------


def mend(directory: Path, finding: Finding, *, now: float) -> int | None:
    """Repair one file; return its new size, None if it does not exist any more."""
    form = harvester_kind(finding.file).form
    path = path_of(directory, finding.file)
    if finding.lines is not None:
        return _put_index(directory, finding.file, path, finding.lines)
    if path is None or finding.what in ("away", "lost"):
        return None
    if finding.what == "removed":
        path.unlink()
        return None
    size = _take_out(path, form, finding, now) if finding.damage else finding.committed
    if form is not FileForm.LOG and path.stat().st_size > size:
        os.truncate(path, size)
    if path.name.endswith(OPEN_SUFFIX):
        rename_finished(path)
    return path.stat().st_size if form is FileForm.LOG else size


def _put_index(directory: Path, name: str, path: Path | None, lines: list[bytes]) -> int:
    path = path or directory / name
    replace_lines(path, lines)
    if path.name.endswith(OPEN_SUFFIX):
        rename_finished(path)
    return sum(map(len, lines))


def _take_out(path: Path, form: FileForm, finding: Finding, now: float) -> int:
    """Remove or replace the damaged stretches of a file; return the size that is then intact."""
    *inner, (start, end) = finding.damage
    whole = finding.committed
    if end >= min(whole, path.stat().st_size):
        whole = start
    else:
        inner.append((start, end))
    if form is FileForm.LOG:
        # Everything else in a log is evidence, even if it is unreadable.
        os.truncate(path, zeros_from(path, path.stat().st_size))
    elif form is FileForm.MEMBERS:
        _fill(path, inner, now)
    elif form is FileForm.FIXED_LINES:
        _blank(path, inner)
    elif inner:
        replace_lines(path, _without(path, inner, whole))
        whole -= sum(end - start for start, end in inner)
    return whole


def _fill(path: Path, damage: list[Stretch], now: float) -> None:
    with path.open("r+b") as file:
        for start, end in damage:
            record = filler(end - start, at=now, reason=f"{end - start} bytes that were damaged on the disk")
            if record is not None:
                file.seek(start)
                file.write(record)


def _blank(path: Path, damage: list[Stretch]) -> None:
    with path.open("r+b") as file:
        for start, end in damage:
            file.seek(start)
            file.write(b" " * (end - start - 1) + b"\n")


def _without(path: Path, damage: list[Stretch], stop: int) -> Iterator[bytes]:
    """Yield the undamaged pieces of a file."""
    with path.open("rb") as file:
        at = 0
        for start, end in [*damage, (stop, stop)]:
            file.seek(at)
            while at < start and (piece := file.read(min(WHOLE_BYTES, start - at))):
                yield piece
                at += len(piece)
            at = end
