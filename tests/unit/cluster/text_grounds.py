"""Blocks of the index of texts without logs, leases or an engine."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import cast

import xxhash

from tiptoe.cluster.batch_appender import ShardLost
from tiptoe.cluster.held_shard import HeldShard
from tiptoe.cluster.text_blocks import TextBlocks
from tiptoe.frontier.counters import Ids
from tiptoe.frontier.text_outbox import SettledText, TextOutbox
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Writes

__all__ = ["FakeShard", "blocks_of", "fingerprint_of", "held"]


def fingerprint_of(*names: str) -> bytes:
    """Return the fingerprint of a text with these paragraphs."""
    return b"".join(xxhash.xxh3_64_digest(name.encode()) for name in ("\n".join(names) + "\n", *names))


@dataclass
class _FakeLog:
    store: MemoryStore

    def after_commit(self, act: Callable[[], object]) -> None:
        act()


@dataclass(eq=False)
class FakeShard:
    """As much of a shard that is held as the index of texts needs; stands for its frontier, too."""

    shard: int
    store: MemoryStore = field(default_factory=MemoryStore)
    is_certain: bool = True
    is_lost: bool = False  # takes no further step

    def __post_init__(self) -> None:
        self.log = _FakeLog(self.store)
        self.text_outbox = TextOutbox(self.store, Ids())
        self.frontier = self

    def unhurried(self) -> AbstractContextManager[None]:
        return nullcontext()

    def index_texts(self, rows: Writes, rest: Sequence[tuple[str, bytes]] = ()) -> None:
        if self.is_lost:
            raise ShardLost(f"shard {self.shard}: another agent has it")
        batch = Writes(rows)
        for url, hashes in rest:
            self.text_outbox.learn_rest(url, hashes)
        self.text_outbox.write(batch)
        self.store.write(batch)

    def settle(self, url: str, hashes: bytes, *, is_kept: bool = True, is_once: bool = False) -> None:
        """Settle a page, as a step of its frontier does."""
        batch = Writes()
        if is_once:
            self.text_outbox.learn_once(batch, url, hashes)
        else:
            self.text_outbox.learn(batch, url, hashes, is_kept=is_kept)
        self.text_outbox.write(batch)
        self.store.write(batch)

    def waiting(self) -> list[SettledText]:
        """Return what is yet to be told."""
        return [text for _, texts in self.text_outbox.after(0, self.text_outbox.last) for text in texts]


def held(shard: FakeShard) -> HeldShard:
    """Return a shard as those see it who hold it."""
    return cast(HeldShard, shard)


def blocks_of(
    shards: int, *numbers: int, settles_at: float = 0.0
) -> tuple[TextBlocks[HeldShard], dict[int, FakeShard]]:
    """Return the index of one agent, which holds some of so many shards."""
    blocks: TextBlocks[HeldShard] = TextBlocks(shards)
    there = {number: FakeShard(number) for number in numbers}
    for shard in there.values():
        blocks.take(held(shard), settles_at=settles_at)
    blocks.look(0.0)
    return blocks, there
