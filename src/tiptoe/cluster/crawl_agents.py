"""Which agents does a crawl have or did it have, and which shards do they hold?

Read once from the keys of the engine: `agent.<name>` of agents that run or died, `member.<name>` of all that
ever took part, `shard.<number>` with the holder of each shard.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from tiptoe.cluster.agent_announcer import decoded
from tiptoe.cluster.agent_presence import AgentPresence
from tiptoe.cluster.engine import Engine
from tiptoe.cluster.file_protocol import is_agent
from tiptoe.cluster.file_service import AgentNote
from tiptoe.cluster.key_reading import read_keys
from tiptoe.cluster.shard_lease import LeaseRecord

__all__ = ["KnownAgent", "agents_at_work", "read_agents"]


@dataclass(slots=True)
class KnownAgent:
    """What the keys tell about an agent."""

    name: str
    presence: AgentPresence | None = None  # None: it has left
    note: AgentNote | None = None
    shards: list[int] = field(default_factory=list)  # that it holds

    @property
    def has_left(self) -> bool:
        return self.presence is None and not self.shards


async def read_agents(engine: Engine) -> dict[str, KnownAgent]:
    """Return all agents by name, sorted; raise EngineUnavailable when the engine does not answer."""
    found: dict[str, KnownAgent] = {}

    def known(name: str) -> KnownAgent:
        return found.setdefault(name, KnownAgent(name))

    for key, change in (await read_keys(engine, "member")).items():
        name = key.partition(".")[2]
        if is_agent(name):
            known(name).note = decoded(change.value, AgentNote)
    for key, change in (await read_keys(engine, "agent")).items():
        name = key.partition(".")[2]
        if is_agent(name):
            known(name).presence = decoded(change.value, AgentPresence)
    for key, change in (await read_keys(engine, "shard")).items():
        number = key.partition(".")[2]
        lease = decoded(change.value, LeaseRecord)
        if number.isdigit() and lease is not None and is_agent(lease.holder):
            known(lease.holder).shards.append(int(number))
    for agent in found.values():
        agent.shards.sort()
    return dict(sorted(found.items()))


async def agents_at_work(
    engine: Engine, lease_seconds: float, pause: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> list[str]:
    """Return the live agents; dead ones have left keys, so the keys are compared over a whole lease."""
    before = await _signs_of_life(engine)
    if not before:
        return []
    await pause(lease_seconds)
    after = await _signs_of_life(engine)
    return sorted({name for key, (name, revision) in after.items() if before.get(key) != (name, revision)})


async def _signs_of_life(engine: Engine) -> dict[str, tuple[str, int]]:
    """Return the keys that agents renew, each with the agent that did so last and its revision."""
    agents = await read_keys(engine, "agent")
    signs = {key: (key.partition(".")[2], change.revision) for key, change in agents.items()}
    for key, change in (await read_keys(engine, "shard")).items():
        lease = decoded(change.value, LeaseRecord)
        if lease is not None and lease.holder:
            signs[key] = (lease.holder, change.revision)
    return signs
