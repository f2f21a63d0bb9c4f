"""How does an agent get a copy of what a shard has committed?

It follows the log of the shard from the position reached on its own disk; if the log was cut, it begins with
the current snapshot. Each batch is written together with its position in the log, so a restart continues
there. None of this involves the holder, until the shard is taken over: then a first, empty batch keeps all
other authors out, and everything before it is all there is.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from tiptoe.cluster.batch_appender import BatchAppender, ShardLost
from tiptoe.cluster.engine import MESSAGE_BYTES_MAX, Engine, EngineUnavailable, LogMessage
from tiptoe.cluster.log_batch import BatchReader, BrokenLog, LogAuthor, LogGap, LogPosition, position_of
from tiptoe.cluster.shard_log import ShardLog, append_whole, log_subject
from tiptoe.cluster.shard_snapshot import GiveWay, current_snapshot, load_snapshot, no_hurry
from tiptoe.cluster.snapshot_format import BrokenSnapshot
from tiptoe.observe.eventlog import EventLog
from tiptoe.store.partition import Partition
from tiptoe.store.tables import Writes

__all__ = ["ShardReplica"]

RETRY_SECONDS: Final = 1.0
CLAIMS_MAX: Final = 100
"""Maximum attempts to claim a log while the old holder, which should have stopped, still writes."""


class ShardReplica:
    """A copy of a shard on this machine's disk."""

    def __init__(
        self,
        engine: Engine,
        shard: int,
        partition: Partition,
        *,
        caught_up: Callable[[], object] = lambda: None,
        give_way: GiveWay = no_hurry,
    ) -> None:
        self.is_caught_up = False  # the log was read to its end since it is followed; little is left
        self._tell_caught_up = caught_up
        self._give_way = give_way
        self._engine = engine
        self._shard = shard
        self._subject = log_subject(shard)
        self._partition = partition
        self._reader = BatchReader(self._subject, LogPosition())

    @property
    def position(self) -> LogPosition:
        """The position after the last message that was read."""
        return self._reader.position

    async def follow(self) -> None:
        """Copy whatever is committed, as it arrives, until cancelled."""
        while True:
            self._restart()
            try:
                await self._read(until=None)
            except EngineUnavailable:
                await asyncio.sleep(RETRY_SECONDS)

    async def catch_up(self) -> None:
        """Copy everything that is committed now.

        Raises BrokenLog when the log, or the snapshot before it, cannot belong to this shard.
        """
        self._restart()
        last = await self._engine.last(self._subject)
        end = last.sequence if last else 0
        if end < self.position.sequence:
            raise BrokenLog(
                self._subject, self.position.sequence, f"it is known here, and the log ends with {end}"
            )
        await self._read(until=end)

    async def claim(
        self, author: LogAuthor, events: EventLog, *, message_bytes_max: int = MESSAGE_BYTES_MAX
    ) -> ShardLog:
        """Become the author of the log, which keeps all others out from now on.

        Only for the agent that holds the lease of the shard, in a new term. Raises ShardLost when the log has
        a later term, or another agent keeps writing.
        """
        for _ in range(CLAIMS_MAX):
            await self.catch_up()
            if self.position.term > author.term:
                break
            appender = BatchAppender(author, self.position, message_bytes_max=message_bytes_max)
            appender.begin(Writes())
            try:
                await append_whole(self._engine, self._subject, appender)
            except ShardLost:
                continue  # the old holder has written once more
            self._partition.write(appender.position.row())
            return ShardLog(self._engine, self._shard, self._partition, appender, events)
        raise ShardLost(
            f"{self._subject}: {author.agent} takes it in term {author.term}, "
            f"and somebody writes in term {self.position.term}"
        )

    def _restart(self) -> None:
        """Continue from what is on the disk, because the last reading may have ended anywhere."""
        position = position_of(self._partition)
        if position is None:
            self._partition.drop()  # part of a snapshot, or nothing
        self._reader = BatchReader(self._subject, position or LogPosition())
        self.is_caught_up = False

    async def _read(self, *, until: int | None) -> None:
        """Read up to this message, or until cancelled."""
        while until is None or self.position.sequence < until:
            try:
                await self._read_log(until)
            except LogGap:
                await self._begin_with_snapshot()

    async def _read_log(self, until: int | None) -> None:
        async with self._engine.follow(self._subject, after=self.position.sequence) as messages:
            async for message in messages:
                if message is None:
                    if not self.is_caught_up:
                        self.is_caught_up = True
                        self._tell_caught_up()
                else:
                    await self._give_way()
                    self._apply(message)
                    if until is not None and message.sequence >= until:
                        return
        raise EngineUnavailable(f"{self._subject}: the engine has stopped to tell what is in it")

    def _apply(self, message: LogMessage) -> None:
        batch = self._reader.read(message.sequence, message.data)
        if batch is not None:
            self._partition.write(Writes([*batch, *self.position.row()]))

    async def _begin_with_snapshot(self) -> None:
        """Load the current snapshot, which must be later than the state here."""
        self.is_caught_up = False
        least = self.position.sequence + 1
        while True:
            note = await current_snapshot(self._engine, self._shard)
            if note is None or note.position.sequence < least:
                raise BrokenLog(
                    self._subject, least, "it is gone, and no snapshot that can be read stands for it"
                )
            try:
                await load_snapshot(self._engine, self._shard, note, self._partition, self._give_way)
            except BrokenSnapshot:
                # It may have been deleted in favour of a later one.
                least = note.position.sequence + 1
                continue
            self._reader = BatchReader(self._subject, note.position)
            return
