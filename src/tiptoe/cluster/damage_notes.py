"""How does a shard learn that files with its pages were damaged on a machine that does not hold the shard?

`tiptoe repair` mends the files of a member and leaves a note for the shard (`damage.<shard>.<token>`): which
pages lost something, and the new sizes of the files. The holder of the shard queues those pages again, and
deletes the note when that is committed; handling a note twice does no harm.
"""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.cluster.batch_appender import ShardLost
from tiptoe.cluster.companions import side_by_side
from tiptoe.cluster.engine import Engine, EngineUnavailable, KeyChange, OutOfDate
from tiptoe.cluster.held_shard import HeldShard
from tiptoe.cluster.key_reading import read_keys
from tiptoe.cluster.sharded_frontier import ShardedFrontier
from tiptoe.keeper.output_repair import Damage, OutputRepair
from tiptoe.observe.eventlog import EventLog

__all__ = ["DamageReader", "leave_note", "read_notes"]

DAMAGE: Final = "damage"
LOSSES_PER_NOTE: Final = 20_000
LOOK_SECONDS: Final = 1.0
RETRY_SECONDS: Final = 1.0
TOKEN_BYTES: Final = 6


async def leave_note(engine: Engine, shard: int, damage: Damage) -> None:
    """Store notes for the holder of a shard about what its pages have lost; the last has the marks."""
    losses = damage.losses
    parts = [losses[at : at + LOSSES_PER_NOTE] for at in range(0, len(losses), LOSSES_PER_NOTE)] or [[]]
    for number, part in enumerate(parts, 1):
        note = Damage(part, damage.marks if number == len(parts) else {})
        key = f"{DAMAGE}.{shard}.{secrets.token_hex(TOKEN_BYTES)}"
        await engine.put(key, msgspec.msgpack.encode(note))


async def read_notes(engine: Engine, shard: int) -> list[Damage]:
    """Return the notes that a shard has not handled yet."""
    notes = await read_keys(engine, f"{DAMAGE}.{shard}")
    return [msgspec.msgpack.decode(change.value or b"", type=Damage) for change in notes.values()]


class DamageReader:
    """Handles the notes about the shards that are held here."""

    def __init__(
        self, engine: Engine, frontier: ShardedFrontier, directory: Path, count: Callable[[], float],
        log: EventLog,
    ) -> None:  # fmt: skip
        self._engine = engine
        self._frontier = frontier
        self._directory = directory
        self._count = count  # of seconds, by this machine
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
                async with self._engine.watch(DAMAGE) as changes:
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
            damage = msgspec.msgpack.decode(change.value or b"", type=Damage)
        except msgspec.MsgspecError as error:
            self._log.note("damage.unreadable", key=key, error=str(error))
            self._notes.pop(key, None)
            return
        now = held.clock.now(self._count())
        repair = OutputRepair(self._directory, held.frontier, now=now, shard=held.shard)
        repair.account_for(damage)
        await held.log.committed()
        self._log.note(
            "damage.accounted", shard=held.shard, files=len(damage.marks), asked_again=repair.verdicts.asked
        )
        with contextlib.suppress(OutOfDate):  # another agent was faster, or our first answer was lost
            await self._engine.delete(key, revision=change.revision)
        self._notes.pop(key, None)
