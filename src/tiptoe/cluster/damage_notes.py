"""How does a shard learn that files with its pages were damaged on a machine that does not hold the shard?

`tiptoe repair` mends the files of a member and leaves a note for the shard: which pages lost something, and
the new sizes of the files. The holder of the shard queues those pages again (see `shard_notes`).
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.cluster.engine import Engine
from tiptoe.cluster.held_shard import HeldShard
from tiptoe.cluster.shard_notes import NoteReader, notes_left, put_note
from tiptoe.cluster.sharded_frontier import ShardedFrontier
from tiptoe.keeper.output_repair import Damage, OutputRepair
from tiptoe.observe.eventlog import EventLog

__all__ = ["damage_reader", "leave_note", "read_notes"]

DAMAGE: Final = "damage"
LOSSES_PER_NOTE: Final = 20_000


async def leave_note(engine: Engine, shard: int, damage: Damage) -> None:
    """Store notes for the holder of a shard about what its pages have lost; the last has the marks."""
    losses = damage.losses
    parts = [losses[at : at + LOSSES_PER_NOTE] for at in range(0, len(losses), LOSSES_PER_NOTE)] or [[]]
    for number, part in enumerate(parts, 1):
        note = Damage(part, damage.marks if number == len(parts) else {})
        await put_note(engine, DAMAGE, shard, msgspec.msgpack.encode(note))


async def read_notes(engine: Engine, shard: int) -> list[Damage]:
    """Return the notes that a shard has not handled yet."""
    return [msgspec.msgpack.decode(note, type=Damage) for note in await notes_left(engine, DAMAGE, shard)]


def damage_reader(
    engine: Engine, frontier: ShardedFrontier, directory: Path, count: Callable[[], float], log: EventLog
) -> NoteReader:
    """Return what handles the notes about the shards that are held here; `count` counts seconds."""
    return NoteReader(engine, frontier, DAMAGE, partial(_account_for, directory, count, log), log)


def _account_for(
    directory: Path, count: Callable[[], float], log: EventLog, held: HeldShard, note: bytes
) -> None:
    damage = msgspec.msgpack.decode(note, type=Damage)
    repair = OutputRepair(directory, held.frontier, now=held.clock.now(count()), shard=held.shard)
    repair.account_for(damage)
    log.note("damage.accounted", shard=held.shard, files=len(damage.marks), asked_again=repair.verdicts.asked)
