"""What is left of the files after a crash, and how are they made whole?

The keeper's marks are the truth: bytes before the mark were acknowledged, bytes
after it belong to pages that will be asked for again. Every open file whose
harvester is gone is cut back to its mark and finished; one whose harvester only
lost its lease waits until that has noticed, and gone. A crash in the middle of
this does no harm: run again, it comes to the same result.
"""

import errno
import fcntl
import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tiptoe.errors import CorruptFile, ProtocolError
from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.archive import check_members
from tiptoe.write.cdxj import parse_line
from tiptoe.write.documents import DOCUMENTS_FOLDER
from tiptoe.write.gone import GONE_FOLDER
from tiptoe.write.replacing import replace_lines
from tiptoe.write.series import rename_finished

__all__ = ["Repair", "recover"]

FOLDERS = ("warc", "corpus", DOCUMENTS_FOLDER, GONE_FOLDER)
NAME = re.compile(
    r"(?:warc|corpus|documents|gone)/(?P<prefix>(?!converted-\d)\w[\w.-]*)-\d{5,}(?:\.warc\.gz|\.cdxj|\.jsonl)",
    re.ASCII,
)
"""What harvesters write; texts of converted documents are the business of `tiptoe convert`."""


@dataclass(frozen=True, slots=True)
class Repair:
    """What was done to one file: `cut_bytes` that nobody had acknowledged are gone.

    A file that is *missing* has a mark but is not there: moved away, or lost. One that is *short* lost
    what had been committed; its whole records stay.
    """

    file: str
    cut_bytes: int
    what: Literal["cut", "removed", "finished", "missing", "short"]
    lost_bytes: int = 0  # committed, but a power cut came before the disk had them


def recover(directory: Path, marks: Mapping[str, int], live: Collection[str] = ()) -> list[Repair]:
    """Cut every file back to its mark and finish it, except those of live incarnations.

    `marks` holds the committed size of each file by its final name below
    `directory`. Finished files that have no mark are left alone.
    """
    repairs = []
    for name in sorted({*_open_names(directory), *marks}):
        match = NAME.fullmatch(name)
        if match is None:
            if name in marks:
                raise ProtocolError(f"{name!r}: a mark for a file that no harvester writes")
            continue
        if not _is_of(match["prefix"], live) and not _is_held(directory / (name + OPEN_SUFFIX)):
            repair = _repair(directory, name, marks)
            if repair is not None:
                repairs.append(repair)
    return repairs


def _open_names(directory: Path) -> list[str]:
    return [
        f"{folder}/{path.name.removesuffix(OPEN_SUFFIX)}"
        for folder in FOLDERS
        for path in (directory / folder).glob(f"*{OPEN_SUFFIX}")
    ]


def _is_of(prefix: str, incarnations: Collection[str]) -> bool:
    return any(prefix == one or prefix.endswith(f"-{one}") for one in incarnations)


def _is_held(path: Path) -> bool:
    """Whether its writer still runs: one that lost its lease and has not noticed yet would write on."""
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


def _repair(directory: Path, name: str, marks: Mapping[str, int]) -> Repair | None:
    """Bring one file to its mark; None when there is nothing to do."""
    path, committed = directory / (name + OPEN_SUFFIX), marks.get(name, 0)
    is_open = path.exists()
    if not is_open:
        path = directory / name
        if not path.exists():
            return Repair(name, 0, "missing")
    size = path.stat().st_size
    if is_open and not committed:
        path.unlink()
        return Repair(name, size, "removed")
    if name.endswith(".cdxj"):
        kept = _mend_index(path, directory, name, marks) if is_open or size != committed else size
    else:
        kept = committed if size >= committed else _whole_bytes(path)
        if size > kept:
            os.truncate(path, kept)
    if is_open:
        rename_finished(path)
    if kept < committed:
        return Repair(name, max(size - kept, 0), "short", committed - kept)
    if size > committed:
        return Repair(name, size - committed, "cut")
    return Repair(name, 0, "finished") if is_open else None


def _whole_bytes(path: Path) -> int:
    """Return where the last whole record of a file ends that a power cut left shorter than its mark."""
    if ".warc.gz" in path.name:
        return check_members(path).bytes_read
    return path.read_bytes().rfind(b"\n") + 1


def _mend_index(path: Path, directory: Path, name: str, marks: Mapping[str, int]) -> int:
    """Sort the lines of records that the archive keeps, drop the others; return the new size.

    The file may be sorted already, where no byte divides old lines from new
    ones; the offset that each line holds does.
    """
    archive = name.removesuffix(".cdxj") + ".warc.gz"
    end = _archive_end(directory, archive, marks.get(archive, 0))
    lines = path.read_bytes().splitlines(keepends=True)
    try:
        kept = sorted(line for line in lines if line.endswith(b"\n") and parse_line(line).offset < end)
    except ValueError as error:
        raise CorruptFile(path, offset=0, found=f"no index ({error})") from error
    size, committed = sum(map(len, kept)), marks.get(name, 0)
    if size > committed:
        raise CorruptFile(path, offset=0, found=f"index that does not fit the {end} bytes of its archive")
    replace_lines(path, kept)
    return size


def _archive_end(directory: Path, archive: str, mark: int) -> int:
    """Return how far an archive will reach when it is repaired: its mark, unless it lost more."""
    for path in (directory / (archive + OPEN_SUFFIX), directory / archive):
        if path.exists():
            return mark if path.stat().st_size >= mark else _whole_bytes(path)
    return mark
