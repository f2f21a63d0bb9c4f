"""When does a shard that is held get a new snapshot?

When its log has become long; and once after an owner's wish was carried out, so that neither the log nor the
snapshot before has anything of it. Before that, its texts are removed from the block of the index that
belongs to the shard; this takes a while, but nothing waits for it.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from tiptoe.cluster.engine import Engine, EngineUnavailable, OutOfDate
from tiptoe.cluster.held_shard import HeldShard
from tiptoe.cluster.log_batch import LogPosition
from tiptoe.cluster.shard_erasing import PurgeState, note_purged, purge_state
from tiptoe.cluster.shard_snapshot import SnapshotNote, current_snapshot, drop_replaced, take_snapshot
from tiptoe.cluster.text_sharing import TextSharing
from tiptoe.frontier.duplicity import ForgottenTexts
from tiptoe.frontier.wishes import WISH, OwnersWishes, last_erased, noted_wishes
from tiptoe.frontier.wishes_in_transit import is_free_of
from tiptoe.observe.eventlog import EventLog
from tiptoe.store.partition import Partition
from tiptoe.store.tables import Table, after
from tiptoe.url.wish import read_wish

__all__ = ["SnapshotKeeper"]

ROWS_AT_ONCE: Final = 2000
PURGE_SECONDS: Final = 1.0
"""Time between two looks while something that is to be forgotten may be under way."""


class SnapshotKeeper:
    """Makes the snapshots of one shard."""

    def __init__(
        self, engine: Engine, held: HeldShard, texts: TextSharing, partition: Partition, events: EventLog, *,
        look_seconds: float, is_due: Callable[[LogPosition, SnapshotNote | None], bool],
    ) -> None:  # fmt: skip
        self._engine = engine
        self._held = held
        self._texts = texts
        self._partition = partition
        self._events = events
        self._look_seconds = look_seconds
        self._is_due = is_due
        self._last: SnapshotNote | None = None
        self._is_known = False  # whether there is a snapshot, and which
        self._purged = PurgeState()
        self._struck = 0  # number of the last wish whose texts are not in the index

    async def run(self) -> None:
        """Make snapshots until cancelled."""
        while True:
            await asyncio.sleep(PURGE_SECONDS if self._is_purge_due else self._look_seconds)
            try:
                if not self._is_known:
                    self._last, self._is_known = await current_snapshot(self._engine, self._held.shard), True
                if last_erased(self._held.store):
                    self._purged = await purge_state(self._engine, self._held.shard)
                if self._is_purge_due:
                    await self._purge()
                elif self._is_due(self._held.log.position, self._last):
                    self._last = await take_snapshot(self._engine, self._held.shard, self._partition)
            except (EngineUnavailable, OutOfDate) as error:
                self._is_known = False
                self._events.note("snapshot.failed", shard=self._held.shard, error=repr(error))

    @property
    def _is_purge_due(self) -> bool:
        return last_erased(self._held.store) > self._purged.number

    async def _purge(self) -> None:
        """Make sure that the engine has nothing of the wishes that were carried out in this shard."""
        shard, number = self._held.shard, last_erased(self._held.store)
        if number > self._struck:
            await self._strike_texts()
            self._struck = number
        if not is_free_of(self._held.store, OwnersWishes.of(self._held.store)):
            return
        await self._held.log.committed()  # what was delivered is not in the copy on the disk either
        self._last = await take_snapshot(self._engine, shard, self._partition)
        await drop_replaced(self._engine, shard)
        self._purged = await note_purged(self._engine, shard, number, self._purged)
        self._events.note("shard.purged", shard=shard, number=number)

    async def _strike_texts(self) -> None:
        """Remove what this block of the index has of covered texts; no more are learned meanwhile."""
        store = self._held.store
        noted = noted_wishes(store.scan(Table.META, WISH, after(WISH)))
        texts = ForgottenTexts(read_wish(one.target) for one in noted)
        found: list[bytes] = []
        for count, (key, row) in enumerate(store.scan(Table.PARAGRAPH), 1):
            if texts.has(key, row):
                found.append(key)
            if not count % ROWS_AT_ONCE:
                self._strike(found)
                await asyncio.sleep(0)
        self._strike(found)

    def _strike(self, keys: list[bytes]) -> None:
        if keys:
            self._texts.strike(self._held, keys)
            keys.clear()
