"""Which agents does a crawl have and had it, and who holds what?

Read once from the keys of the engine: `agent.<name>` of those that are there or died, `member.<name>` of all
that ever took part, `shard.<number>` of who holds which shard.
"""

from dataclasses import dataclass, field

from tiptoe.cluster.agent_announcer import decoded
from tiptoe.cluster.agent_presence import AgentPresence
from tiptoe.cluster.engine import Engine
from tiptoe.cluster.file_protocol import is_agent
from tiptoe.cluster.file_service import AgentNote
from tiptoe.cluster.key_reading import read_keys
from tiptoe.cluster.shard_lease import LeaseRecord

__all__ = ["KnownAgent", "read_agents"]


@dataclass(slots=True)
class KnownAgent:
    """What the keys say of an agent."""

    name: str
    presence: AgentPresence | None = None  # None: it has left in good order
    note: AgentNote | None = None
    shards: list[int] = field(default_factory=list)  # that it holds

    @property
    def has_left(self) -> bool:
        return self.presence is None and not self.shards


async def read_agents(engine: Engine) -> dict[str, KnownAgent]:
    """Return all agents by name, in the order of names; raises EngineUnavailable."""
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
