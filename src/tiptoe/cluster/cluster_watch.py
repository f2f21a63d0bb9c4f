"""Which agents take part in a crawl, and which shards do they hold, as seen by an observer?"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

from tiptoe.cluster.agent_announcer import decoded
from tiptoe.cluster.agent_presence import AgentPresence, AgentsSeen
from tiptoe.cluster.engine import Engine, EngineUnavailable, KeyChange
from tiptoe.cluster.shard_lease import LeaseRecord

__all__ = ["ClusterWatch"]

RETRY_SECONDS: Final = 1.0


class ClusterWatch:
    """Follows the keys of agents and shards; while `run` runs, its attributes are current."""

    def __init__(self, engine: Engine, *, lease_seconds: float, count: Callable[[], float]) -> None:
        self.agents = AgentsSeen(lease_seconds)
        self.holders: dict[int, str] = {}  # by shard; empty: it is free
        self._engine = engine
        self._count = count

    def __repr__(self) -> str:
        return f"<ClusterWatch {len(self.agents.names())} agents, {len(self.holders)} shards>"

    def shards_of(self, agent: str) -> list[int]:
        """Return the shards that an agent holds."""
        return sorted(shard for shard, holder in self.holders.items() if holder == agent)

    async def run(self) -> None:
        """Watch until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._watch("agent", self._agents_told))
            group.create_task(self._watch("shard", self._shards_told))

    async def _watch(
        self, prefix: str, told: Callable[[AsyncIterator[KeyChange | None]], Awaitable[None]]
    ) -> None:
        while True:
            with contextlib.suppress(EngineUnavailable):
                async with self._engine.watch(prefix) as changes:
                    await told(changes)
            await asyncio.sleep(RETRY_SECONDS)

    async def _agents_told(self, changes: AsyncIterator[KeyChange | None]) -> None:
        async for change in changes:
            if change is not None:
                name = change.key.partition(".")[2]
                presence = decoded(change.value, AgentPresence)
                self.agents.seen(name, presence, change.revision, self._count())

    async def _shards_told(self, changes: AsyncIterator[KeyChange | None]) -> None:
        async for change in changes:
            number = change.key.partition(".")[2] if change is not None else ""
            if change is not None and number.isdigit():
                record = decoded(change.value, LeaseRecord)
                self.holders[int(number)] = record.holder if record is not None else ""
