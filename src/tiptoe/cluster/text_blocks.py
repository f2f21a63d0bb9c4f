"""Which texts are known to the shards that are held here?

The index of texts is divided by hash into as many blocks as there are shards. A block is part of its shard:
it is stored in its tables, written through its log, moves and survives with it. All blocks that are held are
queried as one index (`Paragraphs`), so that a question costs the same however many there are.

When a block has come from another agent, pages under way repeat their claims there (`TextClaims`); until
there was time for that (SETTLING_SECONDS), all texts count as claimed, and askers ask again.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Final, Generic, Protocol, TypeVar

import msgspec

from tiptoe.cluster.text_claims import TextClaims
from tiptoe.cluster.text_messages import (
    CLAIMS_AGAIN,
    CLAIMS_NOTHING,
    ELSEWHERE,
    OF_REVISIT,
    WITH_WHOLE,
    AskTexts,
    LearnTexts,
    TextAnswers,
    TextClaim,
    TextPart,
)
from tiptoe.errors import CrawlerError
from tiptoe.frontier.duplicity import KNOWN, Paragraphs, split_hashes, unlearn
from tiptoe.frontier.frontier import Frontier
from tiptoe.frontier.text_outbox import (
    HAS_WHOLE,
    IS_KEPT,
    IS_ONCE,
    IS_REVISIT,
    SettledText,
    text_block,
    text_blocks,
)
from tiptoe.store.tables import Store, Table, Writes
from tiptoe.text.fingerprint import HASH_BYTES

__all__ = ["SETTLING_SECONDS", "TextBlocks"]

SETTLING_SECONDS: Final = 2.0
"""How long a block from another agent waits for claims; harvesters keep asking for five seconds."""

TAKEN_KEY: Final = b"texts from"
"""Key in META of a shard: for each sender, the number of the last row that its block has learned."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(dict[int, int]).decode


class IndexShard(Protocol):
    """A shard with its block of the index."""

    @property
    def shard(self) -> int: ...
    @property
    def store(self) -> Store: ...
    @property
    def frontier(self) -> Frontier: ...
    @property
    def is_certain(self) -> bool: ...
    def unhurried(self) -> AbstractContextManager[None]: ...


Holding = TypeVar("Holding", bound=IndexShard)


class AskedPart(Protocol):
    """Some hashes of a page that are asked about."""

    @property
    def url(self) -> str: ...
    @property
    def keys(self) -> list[bytes]: ...
    @property
    def pages(self) -> int: ...
    @property
    def flags(self) -> int: ...


class AskedClaim(Protocol):
    """All hashes of a page that are claimed."""

    @property
    def url(self) -> str: ...
    @property
    def keys(self) -> Sequence[bytes]: ...
    @property
    def block(self) -> int: ...
    @property
    def flags(self) -> int: ...


class _HeardPart:
    """A part of a question from another agent."""

    __slots__ = ("flags", "keys", "pages", "url")

    def __init__(self, part: TextPart) -> None:
        self.url, self.pages, self.flags = part.url, part.pages, part.flags
        self.keys = split_hashes(part.hashes)


class _HeardClaim:
    """A claim from another agent."""

    __slots__ = ("block", "flags", "keys", "url")

    def __init__(self, claim: TextClaim) -> None:
        self.url, self.block, self.flags = claim.url, claim.block, claim.flags
        self.keys = split_hashes(claim.hashes)


class TextBlocks(Generic[Holding]):
    """The blocks of the index that are held, and the claims that are made in them."""

    def __init__(self, shards: int, *, is_forgotten: Callable[[str], bool] = lambda url: False) -> None:
        """`is_forgotten` says of a URL that its owner wants nothing of it to be kept."""
        self.claims = TextClaims()
        self._is_forgotten = is_forgotten
        self._shards = shards
        self._held: dict[int, Holding] = {}
        self._taken: dict[int, dict[int, int]] = {}  # block -> sender -> number of the last row
        self._settling: dict[int, float] = {}  # block -> until when claims may arrive
        self._certain: frozenset[int] = frozenset()
        self._index = Paragraphs(_BlockRows(self._held, shards))

    def __repr__(self) -> str:
        return f"<TextBlocks {len(self._held)} of {self._shards}, {len(self._settling)} settling>"

    # -- blocks come and go --------------------------------------------------

    def take(self, held: Holding, *, settles_at: float) -> None:
        """Add a block; until `settles_at` there may be claims that are not known here."""
        stored = held.store.get(Table.META, TAKEN_KEY)
        self._held[held.shard] = held
        self._taken[held.shard] = _decode(stored) if stored else {}
        self._settling[held.shard] = settles_at

    def drop(self, shard: int) -> None:
        """Remove a block that is no longer held."""
        if self._held.pop(shard, None) is not None:
            del self._taken[shard]
            self._settling.pop(shard, None)
            self._certain -= {shard}
            self.claims.drop(shard)
            self._index.forget()

    def look(self, now: float) -> None:
        """Update which blocks are certainly held; to be called far more often than leases end."""
        self._settling = {shard: until for shard, until in self._settling.items() if until > now}
        self._certain = frozenset(shard for shard, held in self._held.items() if held.is_certain)
        self.claims.expire(now)

    # -- questions -----------------------------------------------------------

    def ask(self, request: AskTexts, now: float) -> TextAnswers:
        """Return what is known of each part, and for each claim what others have claimed."""
        self.claims.end(request.asker, request.ended, now)
        parts = [_HeardPart(part) for part in request.parts]
        claims = [_HeardClaim(claim) for claim in request.claims]
        return TextAnswers(*self.answer(request.asker, request.blocks, parts, claims))

    def answer(
        self, asker: str, blocks: Iterable[int], parts: Sequence[AskedPart], claims: Sequence[AskedClaim]
    ) -> tuple[list[bytes], list[bytes]]:
        """Return the same for parts and claims that are not in a message."""
        claimed = [self._claim(asker, claim) for claim in claims]
        if not self._certain.issuperset(blocks):
            return [self._some_marks(part) for part in parts], claimed
        self._index.load_pages([(part.url, part.keys) for part in parts])
        marks = [self._marks(part, part.keys, part.flags) for part in parts]
        self._index.committed()
        return marks, claimed

    def _claim(self, asker: str, claim: AskedClaim) -> bytes:
        if claim.block not in self._certain:
            return bytes((ELSEWHERE,))
        if claim.block in self._settling and not claim.flags & CLAIMS_AGAIN:
            return b"\1" * len(claim.keys)
        if claim.flags & CLAIMS_NOTHING:
            return self.claims.look(claim.url, claim.keys)
        return self.claims.claim(asker, claim.block, claim.url, claim.keys)

    def _marks(self, part: AskedPart, keys: list[bytes], flags: int) -> bytes:
        return self._index.look_part(
            part.url, keys, pages=part.pages, has_whole=bool(flags & WITH_WHOLE),
            is_revisit=bool(flags & OF_REVISIT),
        )  # fmt: skip

    def _some_marks(self, part: AskedPart) -> bytes:
        """Return the marks of a part if some of its blocks are not held."""
        keys = part.keys
        places = [place for place, key in enumerate(keys) if text_block(key, self._shards) in self._certain]
        marks = bytearray((ELSEWHERE,)) * len(keys)
        if places:
            flags = part.flags if places[0] == 0 else part.flags & ~WITH_WHOLE
            some = [keys[place] for place in places]
            self._index.load(some)
            found = self._marks(part, some, flags)
            if flags & WITH_WHOLE and found[0] == KNOWN:
                return found
            for place, mark in zip(places, found, strict=True):
                marks[place] = mark
        return bytes(marks)

    # -- learning ------------------------------------------------------------

    def learn(self, requests: Sequence[LearnTexts]) -> list[Holding]:
        """Learn what is new in these texts; return the named shards where it is written, to be committed."""
        batch = Writes()
        rest: dict[int, list[tuple[str, bytes]]] = {}
        for request in requests:
            self._learn_all(batch, request, rest)
        blocks = {block for request in requests for block in request.blocks if block in self._held}
        return self._write(batch, rest, sorted(blocks))

    def _learn_all(
        self, batch: Writes, request: LearnTexts, rest: dict[int, list[tuple[str, bytes]]]
    ) -> None:
        blocks = [block for block in request.blocks if block in self._held]
        are_all_here = len(blocks) == len(request.blocks)
        for sender in request.senders:
            taken = {block: self._taken[block].get(sender.shard, 0) for block in blocks}
            latest = max(taken.values(), default=0)
            for row in sender.rows:
                is_whole = are_all_here and row.number > latest
                for text in row.texts:
                    if self._is_forgotten(text.url):
                        continue
                    if not is_whole:
                        text = self._missing(text, [block for block in blocks if taken[block] < row.number])
                    if text.hashes:
                        self._learn(batch, text, rest)
            last = sender.rows[-1].number if sender.rows else 0
            for block in blocks:
                if last > taken[block]:
                    self._taken[block][sender.shard] = last

    def _missing(self, text: SettledText, blocks: Collection[int]) -> SettledText:
        """Return the part of a text that these blocks have yet to learn."""
        if text.flags & IS_ONCE:
            is_missing = text_block(text.hashes, self._shards) in blocks
            return text if is_missing else msgspec.structs.replace(text, hashes=b"")
        owners = text_blocks(text.hashes, self._shards)
        hashes = [
            text.hashes[HASH_BYTES * at :][:HASH_BYTES] for at, block in enumerate(owners) if block in blocks
        ]
        has_whole = bool(text.flags & HAS_WHOLE) and owners[0] in blocks
        flags = text.flags if has_whole else text.flags & ~HAS_WHOLE
        return SettledText(text.url, b"".join(hashes), flags)

    def _learn(self, batch: Writes, text: SettledText, rest: dict[int, list[tuple[str, bytes]]]) -> None:
        hashes = text.hashes
        if text.flags & IS_ONCE:
            whole, hashes = hashes[:HASH_BYTES], hashes[:HASH_BYTES]
            if self._index.knows(whole):
                return
            # Its paragraphs belong to other blocks; the shard of the whole text notifies them, in the same
            # write.
            block = text_block(whole, self._shards)
            rest.setdefault(block, []).append((text.url, text.hashes[HASH_BYTES:]))
        flags = text.flags
        self._index.learn(
            batch, text.url, hashes, is_kept=bool(flags & IS_KEPT), is_revisit=bool(flags & IS_REVISIT),
            has_whole=bool(flags & HAS_WHOLE),
        )  # fmt: skip

    def _write(
        self, batch: Writes, rest: dict[int, list[tuple[str, bytes]]], blocks: Sequence[int]
    ) -> list[Holding]:
        parts: defaultdict[int, Writes] = defaultdict(Writes)
        owners = text_blocks(b"".join([write[1][:HASH_BYTES] for write in batch]), self._shards)
        for block, write in zip(owners, batch, strict=True):
            parts[block].append(write)
        written = []
        for block in blocks:
            held = self._held[block]
            rows = parts.get(block)
            try:
                if rows is not None:
                    rows.put(Table.META, TAKEN_KEY, _encode(self._taken[block]))
                    with held.unhurried():  # visible at once, and the sender keeps it until it is stored
                        held.frontier.index_texts(rows, rest.get(block, ()))
                written.append(held)
            except CrawlerError:  # it was lost a moment ago; what is in memory was never written
                self.drop(block)
        self._index.committed()
        return written

    def unlearn(self, held: Holding, texts: Iterable[tuple[str, bytes]], *, is_whole_host: bool) -> None:
        """Remove texts that leave the corpus from a block: their URLs, and the hashes that it knows."""
        batch = Writes()
        for url, hashes in texts:
            unlearn(held.store, batch, url, hashes, is_host_forgotten=is_whole_host)
        if batch:
            held.frontier.index_texts(batch)
            self._index.forget()

    def strike(self, held: Holding, keys: Iterable[bytes]) -> None:
        """Remove rows from a block."""
        batch = Writes()
        for key in keys:
            batch.delete(Table.PARAGRAPH, key)
        held.frontier.index_texts(batch)
        self._index.forget()

    def check(self) -> None:
        """Assert every invariant; between steps only."""
        self._index.check()
        self.claims.check()


class _BlockRows(Generic[Holding]):
    """The rows of all held blocks, presented as one table."""

    def __init__(self, held: dict[int, Holding], shards: int) -> None:
        self._held = held
        self._shards = shards

    def get(self, table: Table, key: bytes) -> bytes | None:
        held = self._held.get(text_block(key, self._shards))
        return held.store.get(table, key) if held is not None else None

    def get_many(self, table: Table, keys: Sequence[bytes]) -> list[bytes | None]:
        places: defaultdict[int, list[int]] = defaultdict(list)
        owners = text_blocks(b"".join([key[:HASH_BYTES] for key in keys]), self._shards)
        for place, block in enumerate(owners):
            places[block].append(place)
        rows: list[bytes | None] = [None] * len(keys)
        for block, some in places.items():
            if block in self._held:
                found = self._held[block].store.get_many(table, [keys[place] for place in some])
                for place, row in zip(some, found, strict=True):
                    rows[place] = row
        return rows
