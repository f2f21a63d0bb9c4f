"""Which lines of a crawl's files are complete?

The files may be growing, being renamed, or torn by a crash: a last line
without its end is skipped, and an excessively long line is not one of ours.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.archive import Advance
from tiptoe.write.cdxj import INDEX_NAME
from tiptoe.write.output_kinds import ARCHIVE_INDEX

__all__ = ["index_files", "open_listed", "whole_lines"]

LINE_BYTES_MAX = 256 << 20
"""Maximum length of a line in bytes; no document is longer, since pages are cut at `fetch.decoded_max`."""

READ_BYTES = 1 << 20


def index_files(directory: Path) -> list[Path]:
    """Return the indexes of the archive; each answer is in exactly one of them."""
    parts = [path for path in ARCHIVE_INDEX.files(directory) if path.name != INDEX_NAME]
    merged = directory / ARCHIVE_INDEX.folder / INDEX_NAME
    return parts or ([merged] if merged.exists() else [])


def whole_lines(path: Path, advance: Advance = lambda count: None) -> Iterator[bytes]:
    """Yield the lines of a file without their ends; `advance` is told how many bytes were read."""
    told = 0
    try:
        file = open_listed(path)
    except FileNotFoundError:
        return  # removed since it was listed
    with file:
        while line := file.readline(LINE_BYTES_MAX):
            told += len(line)
            if told >= READ_BYTES:
                advance(told)
                told = 0
            if not line.endswith(b"\n"):
                break
            yield line[:-1]
    advance(told)


def open_listed(path: Path) -> BinaryIO:
    """Open a file that was listed a moment ago, under its final name if it has been renamed since."""
    try:
        return path.open("rb", buffering=READ_BYTES)
    except FileNotFoundError:
        # It was finished after it was listed, and now has its final name.
        return path.with_name(path.name.removesuffix(OPEN_SUFFIX)).open("rb", buffering=READ_BYTES)
