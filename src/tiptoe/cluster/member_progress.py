"""Which members have carried out which wishes? `forgot.<agent>` is the number of the last command."""

import asyncio
import contextlib
from typing import Final

from tiptoe.cluster.engine import Engine, EngineUnavailable, OutOfDate
from tiptoe.cluster.file_protocol import is_agent
from tiptoe.cluster.key_reading import read_keys

__all__ = ["forgotten_by_member", "note_forgotten"]

MEMBER_KEYS: Final = "forgot"
RETRY_SECONDS: Final = 1.0


async def forgotten_by_member(engine: Engine) -> dict[str, int]:
    """Return, for each member that has done anything, the number of the last wish it has carried out."""
    keys = await read_keys(engine, MEMBER_KEYS)
    named = ((key.partition(".")[2], change.value or b"0") for key, change in keys.items())
    return {name: int(value) for name, value in named if is_agent(name)}


async def note_forgotten(engine: Engine, agent: str, number: int) -> None:
    """Note that a member has carried out the wishes up to this number; wait for the engine."""
    key, value = f"{MEMBER_KEYS}.{agent}", str(number).encode()
    while True:
        with contextlib.suppress(EngineUnavailable, OutOfDate):
            found = await engine.get(key)
            if found is None or found.value != value:
                await engine.put(key, value, revision=found.revision if found else 0)
            return
        await asyncio.sleep(RETRY_SECONDS)
