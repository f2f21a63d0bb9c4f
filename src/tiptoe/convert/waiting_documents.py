"""Which documents wait to be converted, and what are their bytes?

Only what the keeper has committed is read: a list may be longer than its mark, and
what is beyond may be cut off again.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import msgspec

from tiptoe.convert.reading import Reason
from tiptoe.errors import CorruptFile
from tiptoe.fetch.coding import decode_body
from tiptoe.write.appendfile import OPEN_SUFFIX
from tiptoe.write.archive import read_record
from tiptoe.write.documents import StoredDocument

__all__ = ["body_of", "count_waiting", "waiting"]

READ_BYTES = 1 << 20
LINE_BYTES_MAX = 1 << 20
BLANK_LINE = re.compile(rb"\r?\n\r?\n")
WITH_HEAD = ("http:", "https:")
"""Protocols whose answers are stored in the archive with their heads."""


def waiting(path: Path, start: int, stop: int) -> Iterator[tuple[StoredDocument | None, int]]:
    """Yield the documents between two offsets of a list, with the ends of their lines; None: a bad line."""
    decode = msgspec.json.Decoder(StoredDocument).decode
    with _open(path) as file:
        file.seek(start)
        at = start
        while at < stop:
            line = file.readline(min(LINE_BYTES_MAX, stop - at))
            if not line:
                return
            at += len(line)
            try:
                yield decode(line), at
            except (msgspec.DecodeError, UnicodeDecodeError):
                yield None, at


def count_waiting(directory: Path, done: Mapping[str, int], committed: Mapping[str, int]) -> int:
    """Return how many documents are waiting."""
    count = 0
    for name, stop in committed.items():
        start = done.get(name, 0)
        if start < stop and _exists(directory / name):
            with _open(directory / name) as file:
                file.seek(start)
                while start < stop and (piece := file.read(min(READ_BYTES, stop - start))):
                    start += len(piece)
                    count += piece.count(b"\n")
    return count


def body_of(directory: Path, stored: StoredDocument, bytes_max: int) -> bytes | Reason:
    """Return the bytes of a document, its content coding undone, or the reason why there are none."""
    try:
        block = read_record(directory, (stored.warc_file, stored.warc_offset, stored.warc_length))
    except (CorruptFile, OSError):
        return Reason.MISSING
    if stored.url.startswith(WITH_HEAD):
        head = BLANK_LINE.search(block)
        block = block[head.end() :] if head else b""
    if stored.coding:
        decoded = decode_body(block, stored.coding, bytes_max)
        if decoded.is_cut:
            return Reason.TOO_BIG
        block = decoded.data
    return block if len(block) <= bytes_max else Reason.TOO_BIG


def _exists(path: Path) -> bool:
    return path.exists() or path.with_name(path.name + OPEN_SUFFIX).exists()


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError:
        try:
            return path.with_name(path.name + OPEN_SUFFIX).open("rb")
        except FileNotFoundError:
            return path.open("rb")  # it was finished at this very moment
