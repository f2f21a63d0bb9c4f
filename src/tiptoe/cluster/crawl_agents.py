"""Which agents does a crawl have and had it, and who holds what?

Read once from the keys of the engine: `agent.<name>` of those that are there or died, `member.<name>` of all
that ever took part, `shard.<number>` of who holds which shard.
"""

from dataclasses import dataclass, field

from tiptoe.cluster.agent_announcer import decoded
from tiptoe.cluster.agent_presence import AgentPresence
from tiptoe.cluster.engine import Engine, KeyChange
from tiptoe.cluster.file_protocol import is_agent
from tiptoe.cluster.file_service import AgentNote
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

    for name, change in (await _keys(engine, "member")).items():
        if is_agent(name):
            known(name).note = decoded(change.value, AgentNote)
    for name, change in (await _keys(engine, "agent")).items():
        if is_agent(name):
            known(name).presence = decoded(change.value, AgentPresence)
    for number, change in (await _keys(engine, "shard")).items():
        lease = decoded(change.value, LeaseRecord)
        if number.isdigit() and lease is not None and is_agent(lease.holder):
            known(lease.holder).shards.append(int(number))
    for agent in found.values():
        agent.shards.sort()
    return dict(sorted(found.items()))


async def _keys(engine: Engine, prefix: str) -> dict[str, KeyChange]:
    """Return what the keys below a prefix hold at the moment, by the rest of their names."""
    found: dict[str, KeyChange] = {}
    async with engine.watch(prefix) as changes:
        async for change in changes:
            if change is None:
                break
            if change.value is None:
                found.pop(change.key.partition(".")[2], None)
            else:
                found[change.key.partition(".")[2]] = change
    return found
