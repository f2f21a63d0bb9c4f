"""What are the current values of the keys below a prefix?"""

from typing import Final

from tiptoe.cluster.agent_announcer import in_time
from tiptoe.cluster.engine import Engine, EngineUnavailable, KeyChange

__all__ = ["read_keys"]

ENGINE_SECONDS: Final = 10.0


async def read_keys(engine: Engine, prefix: str) -> dict[str, KeyChange]:
    """Return the existing keys below a prefix; raise EngineUnavailable when the engine does not answer."""
    return await in_time(ENGINE_SECONDS, _read(engine, prefix))


async def _read(engine: Engine, prefix: str) -> dict[str, KeyChange]:
    found: dict[str, KeyChange] = {}
    async with engine.watch(prefix) as changes:
        async for change in changes:
            if change is None:
                return found
            if change.value is None:
                found.pop(change.key, None)
            else:
                found[change.key] = change
    raise EngineUnavailable(f"{prefix}: the engine has stopped to tell what is there")
