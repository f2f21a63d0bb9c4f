"""Which lines of a crawl's files are whole?

The files may be growing, renamed under our eyes, or torn by a crash: a last
line without its end is passed over, a line beyond all measure is no line of ours.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.cdxj import INDEX_NAME
from tiptoe.write.gone import GONE_FOLDER

__all__ = [
    "corpus_files",
    "disallowed_files",
    "gone_files",
    "index_files",
    "open_listed",
    "request_files",
    "whole_lines",
]

LINE_BYTES_MAX = 256 << 20
"""Longer than any document: a page is cut at `fetch.decoded_max`."""

READ_BYTES = 1 << 20


def request_files(directory: Path) -> list[Path]:
    """Return the request logs."""
    return sorted((directory / "log").glob("requests-*.jsonl"))


def disallowed_files(directory: Path) -> list[Path]:
    """Return the lists of addresses that robots.txt told us to leave alone."""
    return sorted((directory / "log").glob("disallowed-*.txt"))


def corpus_files(directory: Path) -> list[Path]:
    """Return the files of the corpus, also those still being written."""
    return _finished_or_open(directory / "corpus", ".jsonl")


def gone_files(directory: Path) -> list[Path]:
    """Return the lists of pages that were there once and are no more."""
    return _finished_or_open(directory / GONE_FOLDER, ".jsonl")


def index_files(directory: Path) -> list[Path]:
    """Return the indexes of the archive, each answer in one of them only."""
    parts = [path for path in _finished_or_open(directory / "warc", ".cdxj") if path.name != INDEX_NAME]
    merged = directory / "warc" / INDEX_NAME
    return parts or ([merged] if merged.exists() else [])


def whole_lines(path: Path, advance: Callable[[int], object]) -> Iterator[bytes]:
    """Yield the lines of a file without their ends; `advance` hears how many bytes were read."""
    told = 0
    try:
        file = open_listed(path)
    except FileNotFoundError:
        return  # taken away since it was listed
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


def _finished_or_open(folder: Path, suffix: str) -> list[Path]:
    return sorted([*folder.glob(f"*{suffix}"), *folder.glob(f"*{suffix}{OPEN_SUFFIX}")])


def open_listed(path: Path) -> BinaryIO:
    """Open a file that was listed a moment ago."""
    try:
        return path.open("rb", buffering=READ_BYTES)
    except FileNotFoundError:
        # It was finished since it was listed, and has its final name now.
        return path.with_name(path.name.removesuffix(OPEN_SUFFIX)).open("rb", buffering=READ_BYTES)
