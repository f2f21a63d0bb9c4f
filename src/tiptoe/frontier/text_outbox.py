"""What do the pages of this shard add to the index of texts?

On many machines the index is divided among all shards: each knows the hashes of its block (see `text_block`).
What a step has learned is written with that step, as a row of TEXT, and sent from there to the shards
concerned; the row stays until all of them have stored their part. Rows are numbered without gaps, and each
shard notes up to which number it has taken the rows of every other one, so each text is learned exactly once,
even after a crash.
"""

from collections.abc import Sequence
from struct import unpack_from
from typing import Final

import msgspec

from tiptoe.frontier.counters import Ids
from tiptoe.frontier.duplicity import FINGERPRINT_BYTES_MAX
from tiptoe.store.tables import Store, Table, Writes
from tiptoe.text.fingerprint import HASH_BYTES

__all__ = [
    "HAS_WHOLE", "IS_KEPT", "IS_ONCE", "IS_REVISIT", "SettledText", "TextOutbox", "read_texts", "text_block",
    "text_blocks",
]  # fmt: skip

IS_KEPT, IS_REVISIT, HAS_WHOLE, IS_ONCE = 1, 2, 4, 8
"""Flags of a text: is in the corpus; belongs to a revisited page; begins with the hash of the whole text; is
to be learned only if that hash is new."""

ROWS_IN_MEMORY_MAX: Final = 2000
"""Maximum number of rows kept in memory until they are sent, about 10 MB; others are read from the store."""

ROW_TEXTS_MAX: Final = 200
"""Maximum number of texts in a row, so that it fits into a message: a text takes two kilobytes at most."""


class SettledText(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A text that was settled: its hashes, or some of them."""

    url: str
    hashes: bytes
    flags: int


def text_block(key: bytes, shards: int) -> int:
    """Return the shard that knows a hash, or a row whose key begins with one."""
    if shards in _LAST_BYTES:
        return key[HASH_BYTES - 1] % shards
    return int.from_bytes(key[:HASH_BYTES], "big") % shards


def text_blocks(hashes: bytes, shards: int) -> Sequence[int]:
    """Return the shards that know the hashes of a text, one by one."""
    if shards in _LAST_BYTES:
        return hashes[HASH_BYTES - 1 :: HASH_BYTES].translate(_LAST_BYTES[shards])
    return [number % shards for number in unpack_from(f">{len(hashes) // HASH_BYTES}Q", hashes)]


_LAST_BYTES: Final = {
    shards: bytes(byte % shards for byte in range(256)) for shards in (1 << bit for bit in range(9))
}
"""Numbers of shards for which the last byte of a hash decides; for each, the shard of every byte."""
_encode = msgspec.msgpack.Encoder().encode
read_texts: Final = msgspec.msgpack.Decoder(list[SettledText]).decode
"""Reads a row of TEXT."""


class TextOutbox:
    """Texts of one shard on their way into the index; written with the steps that settle them."""

    def __init__(self, store: Store, ids: Ids) -> None:
        self._store = store
        self._ids = ids
        self._texts: list[SettledText] = []  # of the open step
        self._recent: dict[int, list[SettledText]] = {}
        self._waiting = dict.fromkeys(int.from_bytes(key, "big") for key, _ in store.scan(Table.TEXT))
        self._ended: list[str] = []

    def __repr__(self) -> str:
        return f"<TextOutbox {len(self._waiting)} of {self._ids.texts} rows>"

    def __len__(self) -> int:
        return len(self._waiting)

    # -- within a step -----------------------------------------------------

    def learn(
        self, batch: Writes, url: str, fingerprint: bytes, *, is_kept: bool, is_revisit: bool = False
    ) -> None:
        """Send the text of a settled page to the index with this step."""
        flags = HAS_WHOLE | (IS_KEPT if is_kept else 0) | (IS_REVISIT if is_revisit else 0)
        self._texts.append(SettledText(url, fingerprint[:FINGERPRINT_BYTES_MAX], flags))

    def learn_once(self, batch: Writes, url: str, fingerprint: bytes) -> None:
        """Send a text that is in the corpus to the index, to be learned unless it is known."""
        hashes = fingerprint[:FINGERPRINT_BYTES_MAX]
        self._texts.append(SettledText(url, hashes, HAS_WHOLE | IS_KEPT | IS_ONCE))

    def learn_rest(self, url: str, hashes: bytes) -> None:
        """Send the paragraphs of such a text, after the text as a whole turned out to be new."""
        if hashes:
            self._texts.append(SettledText(url, hashes, IS_KEPT))

    def release(self, url: str) -> None:
        """Note that a page is no longer under way."""
        self._ended.append(url)

    def write(self, batch: Writes) -> None:
        """Put what the step has learned into its batch."""
        for first in range(0, len(self._texts), ROW_TEXTS_MAX):
            texts = self._texts[first : first + ROW_TEXTS_MAX]
            self._ids.texts = number = self._ids.texts + 1
            batch.put(Table.TEXT, _key(number), _encode(texts))
            self._waiting[number] = None
            if len(self._recent) < ROWS_IN_MEMORY_MAX:
                self._recent[number] = texts
        if self._texts:
            self._texts = []

    # -- between steps -----------------------------------------------------

    @property
    def last(self) -> int:
        """The number of the last row."""
        return self._ids.texts

    @property
    def first(self) -> int:
        """The number of the first row that still exists, or of the next one to be written."""
        return next(iter(self._waiting), self._ids.texts + 1)

    def take_ended(self) -> list[str]:
        """Return the pages that have ended (are no longer under way) since the last call."""
        ended, self._ended = self._ended, []
        return ended

    def recent(self, number: int) -> list[SettledText]:
        """Return the texts of the rows after a number, as far as they are in memory."""
        rows = (self._recent.get(one) for one in range(number + 1, self._ids.texts + 1))
        return [text for texts in rows if texts is not None for text in texts]

    def after(self, number: int, last: int) -> list[tuple[int, list[SettledText]]]:
        """Return the rows after a number, up to and including number `last`."""
        numbers = [one for one in range(number + 1, last + 1) if one in self._waiting]
        missing = [one for one in numbers if one not in self._recent]
        read = self._store.get_many(Table.TEXT, [_key(one) for one in missing]) if missing else []
        found = {one: read_texts(row) for one, row in zip(missing, read, strict=True) if row is not None}
        return [(one, found[one] if one in found else self._recent.pop(one)) for one in numbers]

    def drop(self, numbers: Sequence[int]) -> None:
        """Delete rows of which all shards have stored their parts."""
        batch = Writes()
        for number in numbers:
            if number in self._waiting:
                del self._waiting[number]
                self._recent.pop(number, None)
                batch.delete(Table.TEXT, _key(number))
        if batch:
            self._store.write(batch)

    def check(self) -> None:
        """State every invariant; between steps only."""
        there = {int.from_bytes(key, "big") for key, _ in self._store.scan(Table.TEXT)}
        assert there == set(self._waiting), "texts on their way are not what is stored"


def _key(number: int) -> bytes:
    return number.to_bytes(8, "big")
