"""Which pages are in which output file?

Each report is written together with a holding: the files that have grown, and the pages added to them. When a
file, or a part of one, is lost, this tells whose text, archived answer or listing was lost with it. Files are
only names here; this package opens none.

If a report comes while one file ends and the next begins, its holding names both. A caller that needs the
pages of one file must check which of them it really contains.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from tiptoe.frontier.page_record import PageRecord
from tiptoe.protocol.work import Purpose, Result
from tiptoe.store.tables import Store, Table, Writes

__all__ = ["GONE", "LISTED", "Holding", "Holdings", "Item"]

LISTED, GONE = 1, 2
"""Signs of a page: a document listed for conversion; a page noted as gone from the web."""

KEY_BYTES: Final = 16
NOT_LEFT: Final = frozenset({"", "stored_aside", "challenge", "unreadable", "login_failed", "avoided"})


class Item(msgspec.Struct, frozen=True, gc=False):
    """What one visit to a page has written."""

    key: bytes
    version: int  # of the text in the corpus; 0 = no text was written
    chars: int  # of that text
    stored_at: float  # WARC-Date of the archived body; 0 = no body was archived
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
    """The pages of each report, by the series of files that its harvester writes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(Holding).decode
        self._open: list[tuple[bytes, int, int, float, int, int]] = []

    def note(self, key: bytes, page: PageRecord, result: Result) -> None:
        """Note what a visit has written, if anything; its page is settled."""
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
        """Write what was noted in this step, under the files that have grown."""
        if self._open and files:
            keys, versions, chars, stored_at, signs, checks = map(list, zip(*self._open, strict=True))
            row = Holding(sorted(files), b"".join(keys), versions, chars, stored_at, bytes(signs), checks)
            batch.put(Table.HOLDING, _key(_row_of(files[0]), sequence), self._encode(row))

    def committed(self) -> None:
        """The batch has been written."""
        self._open.clear()

    def of(self, name: str) -> Iterator[Holding]:
        """Yield the holdings that name this file, oldest first."""
        row = _row_of(name)
        for _, stored in self._store.scan(Table.HOLDING, _key(row, 0), row.encode() + b"\1"):
            holding = self._decode(stored)
            if name in holding.files:
                yield holding


def _row_of(name: str) -> str:
    """Return the part that the names of all files of one harvester have in common."""
    return name.partition("/")[2].rpartition("-")[0]


def _key(row: str, sequence: int) -> bytes:
    return row.encode() + b"\0" + sequence.to_bytes(8, "big")


def _has_left(result: Result) -> bool:
    """Whether this visit may have noted a page of the corpus as gone."""
    before = result.request.last_visit
    if before is None or not (before.version or before.outcome == "stored_aside"):
        return False
    is_there = 200 <= result.status < 300 or result.status == 304
    return result.discard not in NOT_LEFT or not (is_there or result.discard)
