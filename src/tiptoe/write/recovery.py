"""What is left of the files after a crash, and how are they made whole?

The keeper's marks are the truth: bytes before the mark were acknowledged, bytes
after it belong to pages that will be asked for again. Every open file whose
harvester is gone is cut back to its mark and finished. A crash in the middle of
this does no harm: run again, it comes to the same result.
"""

import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tiptoe.errors import CorruptFile, ProtocolError
from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.cdxj import parse_line, replace_lines
from tiptoe.write.series import rename_finished

__all__ = ["Repair", "recover"]

FOLDERS = ("warc", "corpus")
NAME = re.compile(r"(?:warc|corpus)/(?P<prefix>\w[\w.-]*)-\d{5,}(?:\.warc\.gz|\.cdxj|\.jsonl)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Repair:
    """What was done to one file: `cut_bytes` that nobody had acknowledged are gone.

    A file that is *missing* has a mark but is not there: moved away, or lost.
    """

    file: str
    cut_bytes: int
    what: Literal["cut", "removed", "finished", "missing"]


def recover(directory: Path, marks: Mapping[str, int], live: Collection[str] = ()) -> list[Repair]:
    """Cut every file back to its mark and finish it, except those of live incarnations.

    `marks` holds the committed size of each file by its final name below
    `directory`. A file shorter than its mark has lost what was acknowledged:
    CorruptFile. Finished files that have no mark are left alone.
    """
    repairs = []
    for name in sorted({*_open_names(directory), *marks}):
        match = NAME.fullmatch(name)
        if match is None:
            if name in marks:
                raise ProtocolError(f"{name!r}: a mark for a file that no harvester writes")
            continue
        if not _is_of(match["prefix"], live):
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
    if size < committed:
        raise CorruptFile(path, offset=size, found=f"end of a file of which {committed} bytes were committed")
    if name.endswith(".cdxj"):
        if is_open or size > committed:
            _cut_index(path, marks.get(name.removesuffix(".cdxj") + ".warc.gz", 0), committed)
    elif size > committed:
        os.truncate(path, committed)
    if is_open:
        rename_finished(path)
    if size > committed:
        return Repair(name, size - committed, "cut")
    return Repair(name, 0, "finished") if is_open else None


def _cut_index(path: Path, archive_mark: int, committed: int) -> None:
    """Sort the lines of records before the archive's mark, and drop the others.

    The file may be sorted already, where no byte divides old lines from new
    ones; the offset that each line holds does.
    """
    lines = path.read_bytes().splitlines(keepends=True)
    try:
        kept = sorted(
            line for line in lines if line.endswith(b"\n") and parse_line(line).offset < archive_mark
        )
    except ValueError as error:
        raise CorruptFile(path, offset=0, found=f"no index ({error})") from error
    if sum(map(len, kept)) != committed:
        raise CorruptFile(
            path, offset=0, found=f"index that does not fit the {archive_mark} bytes of its archive"
        )
    replace_lines(path, kept)
