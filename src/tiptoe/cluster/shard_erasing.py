"""How are owners' wishes to be forgotten carried out in a shard?

    the frontier stops ─▶ rows are erased, through the log ─▶ a new frontier starts, which knows the wishes
        ─▶ nothing covered is under way any more ─▶ a snapshot replaces the log ─▶ `erased.<shard>` says so

No frontier may use the tables meanwhile. An agent that dies leaves the rest to the next holder, who begins
again. A host that another shard had not erased may arrive later: then the shard does all this once more
(`ERASE_AGAIN`), and takes its word back first.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final, NamedTuple

from tiptoe.cluster.engine import Engine, EngineUnavailable, OutOfDate
from tiptoe.cluster.key_reading import read_keys
from tiptoe.cluster.shard_log import ShardLog
from tiptoe.frontier.erasing import erasing, meant_by
from tiptoe.frontier.wishes import (
    NumberedWish,
    StandingWishes,
    hosts_to_erase_again,
    last_erased,
    note_erased,
    note_wish,
)
from tiptoe.store.tables import Writes
from tiptoe.url.wish import read_wish

__all__ = [
    "PurgeState", "erase_wishes", "erased_by_shard", "note_purged", "purge_state", "withdraw_purged",
]  # fmt: skip

ERASED_KEYS: Final = "erased"
PENDING_ROWS_MAX: Final = 5000
"""Maximum rows that the log has not acknowledged; above it erasing waits."""

RETRY_SECONDS: Final = 1.0


async def erase_wishes(log: ShardLog, wishes: StandingWishes, tell: Callable[[NumberedWish], object]) -> None:
    """Carry out the wishes that are new in a shard, while its log is run; return when all is in the log."""
    todo, again = wishes.to_erase(log.store), hosts_to_erase_again(log.store)
    if not todo:
        return
    noted = Writes()
    for one in todo:
        note_wish(noted, one.wish)
    log.store.write(noted)
    for one in todo:
        await _erase(log, one)
        tell(one)
    done = Writes()
    note_erased(done, max(todo[-1].number, last_erased(log.store)), again)
    log.store.write(done)
    await log.committed()


async def _erase(log: ShardLog, numbered: NumberedWish) -> None:
    wish = read_wish(numbered.wish.target)
    for _ in erasing(log.store, wish, meant_by(log.store, wish)):
        await asyncio.sleep(0)  # leases of other shards have to be renewed meanwhile
        if log.pending_rows > PENDING_ROWS_MAX:
            await log.committed()


def _key(shard: int) -> str:
    return f"{ERASED_KEYS}.{shard}"


async def erased_by_shard(engine: Engine) -> dict[int, int]:
    """Return, for each shard, the number of the last wish of which neither log nor snapshot has anything."""
    keys = await read_keys(engine, ERASED_KEYS)
    return {int(key.rpartition(".")[2]): int(change.value or b"0") for key, change in keys.items()}


class PurgeState(NamedTuple):
    """What the engine says of a shard: up to which wish it has nothing of them, and the key's revision."""

    number: int = 0
    revision: int = 0


async def purge_state(engine: Engine, shard: int) -> PurgeState:
    """Return what the engine says of a shard."""
    found = await engine.get(_key(shard))
    return PurgeState() if found is None else PurgeState(int(found.value or b"0"), found.revision)


async def note_purged(engine: Engine, shard: int, number: int, before: PurgeState) -> PurgeState:
    """Note that neither log nor snapshot of a shard has anything of the wishes up to this number.

    Raises OutOfDate when that was withdrawn meanwhile.
    """
    if before.number == number:
        return before
    return PurgeState(number, await engine.put(_key(shard), str(number).encode(), revision=before.revision))


async def withdraw_purged(engine: Engine, shard: int) -> None:
    """Take that back, because something is to be purged again; wait for the engine as long as it takes."""
    while True:
        with contextlib.suppress(EngineUnavailable, OutOfDate):
            await note_purged(engine, shard, 0, await purge_state(engine, shard))
            return
        await asyncio.sleep(RETRY_SECONDS)
