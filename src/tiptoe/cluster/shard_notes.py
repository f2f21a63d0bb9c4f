"""How does a shard learn what has happened to files on a machine that does not hold the shard?

Whoever has changed them leaves a note in the engine (`<kind>.<shard>.<token>`). The holder of the shard acts
on it, and deletes it when that is committed; acting on a note twice must do no harm.
"""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Callable
from typing import Final

import msgspec

from tiptoe.cluster.batch_appender import ShardLost
from tiptoe.cluster.companions import side_by_side
from tiptoe.cluster.engine import Engine, EngineUnavailable, KeyChange, OutOfDate
from tiptoe.cluster.held_shard import HeldShard
from tiptoe.cluster.key_reading import read_keys
from tiptoe.cluster.sharded_frontier import ShardedFrontier
from tiptoe.observe.eventlog import EventLog

__all__ = ["NoteReader", "notes_left", "put_note"]

LOOK_SECONDS: Final = 1.0
RETRY_SECONDS: Final = 1.0
TOKEN_BYTES: Final = 6


async def put_note(engine: Engine, kind: str, shard: int, note: bytes) -> None:
    """Leave a note for the holder of a shard."""
    await engine.put(f"{kind}.{shard}.{secrets.token_hex(TOKEN_BYTES)}", note)


async def notes_left(engine: Engine, kind: str, shard: int) -> list[bytes]:
    """Return the notes that a shard has not handled yet."""
    notes = await read_keys(engine, f"{kind}.{shard}")
    return [change.value or b"" for change in notes.values()]


class NoteReader:
    """Handles the notes of one kind about the shards that are held here."""

    def __init__(
        self, engine: Engine, frontier: ShardedFrontier, kind: str,
        act: Callable[[HeldShard, bytes], object], log: EventLog,
    ) -> None:  # fmt: skip
        """`act` is called with a held shard and a note; it raises MsgspecError if it cannot read that."""
        self._engine = engine
        self._frontier = frontier
        self._kind = kind
        self._act = act
        self._log = log
        self._notes: dict[str, KeyChange] = {}  # that have yet to be handled, here or elsewhere

    async def run(self) -> None:
        """Handle notes until cancelled."""
        await side_by_side(self._watch(), self._look_again())

    async def _look_again(self) -> None:
        while True:
            await self._look()
            await asyncio.sleep(LOOK_SECONDS)

    async def _watch(self) -> None:
        while True:
            with contextlib.suppress(EngineUnavailable):
                async with self._engine.watch(self._kind) as changes:
                    await self._follow(changes)
            await asyncio.sleep(RETRY_SECONDS)

    async def _follow(self, changes: AsyncIterator[KeyChange | None]) -> None:
        known: set[str] = set()
        async for change in changes:
            if change is None:  # the end of the list: notes that are not on it were deleted
                self._notes = {key: note for key, note in self._notes.items() if key in known}
                known.clear()
            elif change.value is None:
                self._notes.pop(change.key, None)
            else:
                known.add(change.key)
                self._notes[change.key] = change

    async def _look(self) -> None:
        for key, change in list(self._notes.items()):
            number = key.split(".")[1]
            held = next((held for held in self._frontier.held if str(held.shard) == number), None)
            if held is not None and held.is_certain:
                with contextlib.suppress(EngineUnavailable, ShardLost):
                    await self._act_on(held, key, change)

    async def _act_on(self, held: HeldShard, key: str, change: KeyChange) -> None:
        try:
            self._act(held, change.value or b"")
        except msgspec.MsgspecError as error:
            self._log.note("note.unreadable", key=key, error=str(error))
            self._notes.pop(key, None)
            return
        await held.log.committed()
        with contextlib.suppress(OutOfDate):  # another agent was faster, or our first answer was lost
            await self._engine.delete(key, revision=change.revision)
        self._notes.pop(key, None)
