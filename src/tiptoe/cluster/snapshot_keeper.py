"""When does a shard that is held get a new snapshot?

When its log has become long; and after an owner's wish was carried out, so that neither the log nor the
snapshot before has anything of it: once when its rows were erased, and once more when a member has told which
texts have left its corpus.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from tiptoe.cluster.engine import Engine, EngineUnavailable, OutOfDate
from tiptoe.cluster.forgotten_notes import THINNED
from tiptoe.cluster.held_shard import HeldShard
from tiptoe.cluster.log_batch import LogPosition
from tiptoe.cluster.shard_erasing import PurgeState, note_purged, purge_state
from tiptoe.cluster.shard_notes import notes_left
from tiptoe.cluster.shard_snapshot import SnapshotNote, current_snapshot, drop_replaced, take_snapshot
from tiptoe.frontier.wishes import OwnersWishes, last_erased
from tiptoe.frontier.wishes_in_transit import is_free_of
from tiptoe.observe.eventlog import EventLog
from tiptoe.store.partition import Partition

__all__ = ["SnapshotKeeper"]

PURGE_SECONDS: Final = 1.0
"""Time between two looks while something that is to be forgotten may be under way."""


class SnapshotKeeper:
    """Makes the snapshots of one shard."""

    def __init__(
        self, engine: Engine, held: HeldShard, partition: Partition, events: EventLog, *,
        look_seconds: float, is_due: Callable[[LogPosition, SnapshotNote | None], bool],
    ) -> None:  # fmt: skip
        self._engine = engine
        self._held = held
        self._partition = partition
        self._events = events
        self._look_seconds = look_seconds
        self._is_due = is_due
        self._last: SnapshotNote | None = None
        self._is_known = False  # whether there is a snapshot, and which
        self._purged = PurgeState()

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
        is_free = is_free_of(self._held.store, OwnersWishes.of(self._held.store))
        if not is_free or await notes_left(self._engine, THINNED, shard):
            return
        await self._held.log.committed()  # what was delivered is not in the copy on the disk either
        self._last = await take_snapshot(self._engine, shard, self._partition)
        await drop_replaced(self._engine, shard)
        self._purged = await note_purged(self._engine, shard, number, self._purged)
        self._events.note("shard.purged", shard=shard, number=number)
