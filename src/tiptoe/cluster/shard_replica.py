"""How does an agent come to know what a shard has committed?

It follows the log of the shard, behind what it has on its own disk; where the log was cut it begins with the
current snapshot. Each batch is written together with its place in the log, so a restart goes on where it
ended. All this is possible beside the holder, who knows nothing of it, until the shard is to be taken over:
then a first, empty batch keeps everybody else out, and what stands before it is all there is.
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
"""How often the old holder may be faster, who should not be writing any more."""


class ShardReplica:
    """A copy of a shard on the own disk."""

    def __init__(
        self,
        engine: Engine,
        shard: int,
        partition: Partition,
        *,
        caught_up: Callable[[], object] = lambda: None,
        give_way: GiveWay = no_hurry,
    ) -> None:
        self.is_caught_up = False  # has been read to its end since it is followed; what comes now is little
        self._tell_caught_up = caught_up
        self._give_way = give_way
        self._engine = engine
        self._shard = shard
        self._subject = log_subject(shard)
        self._partition = partition
        self._reader = BatchReader(self._subject, LogPosition())

    @property
    def position(self) -> LogPosition:
        """The last message that was read."""
        return self._reader.position

    async def follow(self) -> None:
        """Take over whatever is committed, as it comes, until this is cancelled."""
        while True:
            self._restart()
            try:
                await self._read(until=None)
            except EngineUnavailable:
                await asyncio.sleep(RETRY_SECONDS)

    async def catch_up(self) -> None:
        """Take over everything that is committed now.

        Raises BrokenLog when the log, or the snapshot before it, cannot be of this shard.
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
        """Become the author of the log: from now on nobody else gets anything in.

        Only for who holds the shard by its lease, in a term of its own. Raises ShardLost when the log knows a
        later term, or somebody else goes on writing.
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
        """Go on behind what is on the disk: the last time may have ended anywhere."""
        position = position_of(self._partition)
        if position is None:
            self._partition.drop()  # part of a snapshot, or nothing
        self._reader = BatchReader(self._subject, position or LogPosition())
        self.is_caught_up = False

    async def _read(self, *, until: int | None) -> None:
        """Read until this message, or for ever."""
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
        """Load the current snapshot, which must be a later one than what is here."""
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
                # It may have been deleted meanwhile because there is a later one.
                least = note.position.sequence + 1
                continue
            self._reader = BatchReader(self._subject, note.position)
            return
