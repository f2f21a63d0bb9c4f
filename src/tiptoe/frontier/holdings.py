"""Which pages lie in which output file?

What a report brings is written with it: the files that had grown, and the pages that they grew by. When a
file, or a part of one, is lost, this says whose text, archived answer or listing went with it. Files are
names here: nobody in this package opens one.

A report that comes while one file is full and the next one begun names both: whoever asks for the pages of
a file has to see which of them it really holds.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from tiptoe.frontier.page_record import PageRecord
from tiptoe.protocol.work import Purpose, Result
from tiptoe.store.tables import Store, Table, Writes

__all__ = ["GONE", "LISTED", "Holding", "Holdings", "Item"]

LISTED, GONE = 1, 2
"""Signs of a page: a document on the list of those to be converted; noted as one that has left the web."""

KEY_BYTES: Final = 16
NOT_LEFT: Final = frozenset({"", "stored_aside", "challenge", "unreadable", "login_failed", "avoided"})


class Item(msgspec.Struct, frozen=True, gc=False):
    """What one visit of a page has written."""

    key: bytes
    version: int  # of the text in the corpus; 0 = none was written
    chars: int  # of that text
    stored_at: float  # WARC-Date of the archived body; 0 = none was
    signs: int
    check: int  # CRC-32 of the line in the corpus, or in a list


class Holding(msgspec.Struct, array_like=True, gc=False):
    """What one report has added to its files, page by page."""

    files: list[str]
    keys: bytes = b""
    versions: list[int] = []
    chars: list[int] = []
    stored_at: list[float] = []
    signs: bytes = b""
    checks: list[int] = []

    def add(self, item: Item) -> None:
        """Add a page."""
        self.keys += item.key
        self.versions.append(item.version)
        self.chars.append(item.chars)
        self.stored_at.append(item.stored_at)
        self.signs += bytes((item.signs,))
        self.checks.append(item.check)

    def items(self) -> Iterator[Item]:
        """Yield its pages."""
        columns = (self.versions, self.chars, self.stored_at, self.signs, self.checks)
        for place, values in enumerate(zip(*columns, strict=True)):
            yield Item(self.keys[place * KEY_BYTES : (place + 1) * KEY_BYTES], *values)


class Holdings:
    """The pages of each report, by the row of files that its harvester writes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(Holding).decode
        self._open: list[tuple[bytes, int, int, float, int, int]] = []

    def note(self, key: bytes, page: PageRecord, result: Result) -> None:
        """Note what a visit has written, if it has; its page is settled."""
        is_new = not result.is_unchanged
        is_text = is_new and result.text_chars > 0 and not result.discard and 200 <= result.status < 300
        signs = LISTED if is_new and result.discard == "stored_aside" else 0
        if _has_left(result):
            signs |= GONE
        is_body = result.stored_at if 200 <= result.status < 300 else 0.0
        if result.request.purpose is Purpose.PAGE and (is_text or is_body or signs):
            version, chars = (page.version, result.text_chars) if is_text else (0, 0)
            self._open.append((key, version, chars, is_body, signs, result.line_check))

    def write(self, batch: Writes, files: list[str], sequence: int) -> None:
        """Put what was noted in this step down, under the files that have grown by it."""
        if self._open and files:
            keys, versions, chars, stored_at, signs, checks = map(list, zip(*self._open, strict=True))
            row = Holding(sorted(files), b"".join(keys), versions, chars, stored_at, bytes(signs), checks)
            batch.put(Table.HOLDING, _key(_row_of(files[0]), sequence), self._encode(row))

    def committed(self) -> None:
        """The batch has been written."""
        self._open.clear()

    def of(self, name: str) -> Iterator[Holding]:
        """Yield what came while this file grew, oldest first."""
        row = _row_of(name)
        for _, stored in self._store.scan(Table.HOLDING, _key(row, 0), row.encode() + b"\1"):
            holding = self._decode(stored)
            if name in holding.files:
                yield holding


def _row_of(name: str) -> str:
    """Return what the names of all files of one harvester have in common."""
    return name.partition("/")[2].rpartition("-")[0]


def _key(row: str, sequence: int) -> bytes:
    return row.encode() + b"\0" + sequence.to_bytes(8, "big")


def _has_left(result: Result) -> bool:
    """Whether a page of the corpus may have been noted as gone by this visit."""
    before = result.request.last_visit
    if before is None or not (before.version or before.outcome == "stored_aside"):
        return False
    is_there = 200 <= result.status < 300 or result.status == 304
    return result.discard not in NOT_LEFT or not (is_there or result.discard)
