"""How do shards learn which texts and sizes of files have changed because something was forgotten?

Each member removes what is covered from its own files, and leaves notes for the shards (`thinned.<shard>…`,
see `shard_notes`): the new sizes of the files, and the hashes of the texts, each to the shard whose block of
the index knows it. So copies of these texts elsewhere no longer count as copies. (What the index has under
their URLs, each shard removes itself: see `snapshot_keeper`.)
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from tiptoe.cluster.engine import Engine
from tiptoe.cluster.held_shard import HeldShard
from tiptoe.cluster.shard_notes import NoteReader, notes_left, put_note
from tiptoe.cluster.sharded_frontier import ShardedFrontier
from tiptoe.forget.journal import FileChange
from tiptoe.forget.member_ledger import LeftText
from tiptoe.frontier.duplicity import split_hashes
from tiptoe.frontier.filemarks import FileMark, FileState
from tiptoe.frontier.frontier import Frontier
from tiptoe.frontier.text_outbox import text_block
from tiptoe.observe.eventlog import EventLog

__all__ = ["THINNED", "forgotten_reader", "note_thinned", "tell_shards"]

THINNED: Final = "thinned"
FILES_SHARD: Final = 0
"""The shard that has the marks of files from before an import."""

NOTE_BYTES: Final = 300_000


class ForgottenNote(msgspec.Struct, frozen=True, array_like=True):
    """What has changed at a member."""

    files: dict[str, tuple[int, int]]  # name -> bytes before and after
    texts: list[tuple[str, bytes]]  # URL, and those of its hashes that this shard knows
    is_whole_host: bool


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(ForgottenNote).decode


async def tell_shards(
    engine: Engine, shards: int, files: Mapping[str, tuple[int | None, FileChange]],
    texts: Iterable[LeftText], *, is_whole_host: bool,
) -> None:  # fmt: skip
    """Leave notes about changed files, each with its shard (None: from before an import), and left texts."""
    changed: defaultdict[int, dict[str, tuple[int, int]]] = defaultdict(dict)
    for name, (shard, change) in files.items():
        if change.before != change.after:
            changed[FILES_SHARD if shard is None else shard][name] = (change.before, change.after)
    for shard, some in changed.items():
        await put_note(engine, THINNED, shard, _encode(ForgottenNote(some, [], is_whole_host)))
    left: defaultdict[int, list[tuple[str, bytes]]] = defaultdict(list)
    sizes: defaultdict[int, int] = defaultdict(int)
    for text in texts:
        for shard, hashes in _by_block(text.hashes, shards).items():
            left[shard].append((text.url, hashes))
            sizes[shard] += len(text.url) + len(hashes)
            if sizes[shard] >= NOTE_BYTES:
                await _tell_texts(engine, shard, left, is_whole_host=is_whole_host)
                sizes[shard] = 0
    for shard in left:
        await _tell_texts(engine, shard, left, is_whole_host=is_whole_host)


async def _tell_texts(
    engine: Engine, shard: int, left: dict[int, list[tuple[str, bytes]]], *, is_whole_host: bool
) -> None:
    if left[shard]:
        note = ForgottenNote({}, left[shard], is_whole_host)
        await put_note(engine, THINNED, shard, _encode(note))
        left[shard] = []


def _by_block(fingerprint: bytes, shards: int) -> dict[int, bytes]:
    found: defaultdict[int, bytes] = defaultdict(bytes)
    for key in split_hashes(fingerprint):
        found[text_block(key, shards)] += key
    return found


def _note_sizes(frontier: Frontier, note: ForgottenNote) -> None:
    known = frontier.outputs.marks()
    frontier.outputs.note(
        {
            name: FileMark(after, FileState.FINISHED)
            for name, (before, after) in note.files.items()
            if name in known and known[name].size == before
        }
    )


async def note_thinned(engine: Engine, shard: int, frontier: Frontier) -> None:
    """Note the sizes of files that the holder of a shard has yet to hear of, in a copy of its frontier."""
    for data in await notes_left(engine, THINNED, shard):
        _note_sizes(frontier, _decode(data))


def forgotten_reader(engine: Engine, frontier: ShardedFrontier, log: EventLog) -> NoteReader:
    """Return what handles the notes about the shards that are held here."""

    def act(held: HeldShard, data: bytes) -> None:
        note = _decode(data)
        _note_sizes(held.frontier, note)
        frontier.texts.unlearn(held, note.texts, is_whole_host=note.is_whole_host)
        log.note("forgotten.accounted", shard=held.shard, files=len(note.files), texts=len(note.texts))

    return NoteReader(engine, frontier, THINNED, act, log)
