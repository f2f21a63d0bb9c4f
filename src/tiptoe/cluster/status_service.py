"""What is the status of the whole crawl?

Each agent reports its own status at `agent.<name>.status`; the member that asks adds the answers up, and
names the agents that did not answer, whose shards are missing from the sum.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec

from tiptoe.cluster.crawl_agents import KnownAgent
from tiptoe.cluster.crawl_end import CrawlEnd
from tiptoe.cluster.engine import Engine, EngineUnavailable, NoResponse
from tiptoe.protocol.status import Status
from tiptoe.protocol.status_sum import sum_statuses

__all__ = ["AgentStatus", "WholeStatus", "ask_statuses", "serve_status", "whole_status"]

ANSWER_SECONDS: Final = 3.0


class AgentStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The status of one agent, for one line of a table."""

    name: str
    shards: list[int]  # that it holds
    is_there: bool  # it has answered
    is_leaving: bool = False
    pages: int = 0  # of the shards that it holds, whichever agent fetched them
    pages_per_minute: float | None = None  # at the moment; None: unknown, because shards have moved
    harvesters: int = 0
    seconds: float = 0.0  # since it joined


class WholeStatus(msgspec.Struct, frozen=True, kw_only=True):
    """All agents, and their sum."""

    crawl: Status
    agents: list[AgentStatus]
    silent: list[str]  # agents that hold shards or did not leave, but have not answered
    unheld: int = 0  # shards that no answering agent holds
    ended_because: CrawlEnd | None = None


async def serve_status(engine: Engine, agent: str, status: Callable[[], Status]) -> None:
    """Serve until cancelled."""

    async def answer(data: bytes) -> bytes:
        return msgspec.msgpack.encode(status())

    async with engine.serve(f"agent.{agent}.status", answer):
        await asyncio.Event().wait()


async def ask_statuses(
    engine: Engine, agents: Iterable[str], *, seconds: float = ANSWER_SECONDS
) -> dict[str, Status]:
    """Ask all agents at once; leave out those without an intelligible answer in time."""

    async def ask(name: str) -> Status | None:
        try:
            answer = await engine.request(f"agent.{name}.status", b"", seconds=seconds)
            return msgspec.msgpack.decode(answer, type=Status)
        except (NoResponse, EngineUnavailable, msgspec.DecodeError):
            return None

    names = list(agents)
    answers = await asyncio.gather(*map(ask, names))
    return {name: status for name, status in zip(names, answers, strict=True) if status is not None}


def whole_status(
    agents: Mapping[str, KnownAgent],
    statuses: Mapping[str, Status],
    earlier: "WholeStatus | None" = None,
    *,
    shards: int,
    clock_of: str = "",
    ended_because: CrawlEnd | None = None,
) -> WholeStatus:
    """Return the status of a crawl with this many shards; with an earlier status, also its speed.

    Moments are by the clock of the agent that is named, if it has answered.
    """
    here = [agent for agent in agents.values() if not agent.has_left or agent.name in statuses]
    before = {line.name: line for line in earlier.agents} if earlier else {}
    lines = [_line(agent, statuses.get(agent.name), before.get(agent.name)) for agent in here]
    answered = {shard for line in lines if line.is_there for shard in line.shards}
    parts = sorted((name for name in statuses if name in agents), key=lambda name: name != clock_of)
    return WholeStatus(
        crawl=sum_statuses([statuses[name] for name in parts]),
        agents=lines,
        silent=[line.name for line in lines if not line.is_there],
        unheld=shards - len(answered),
        ended_because=ended_because,
    )


def _line(agent: KnownAgent, status: Status | None, before: AgentStatus | None) -> AgentStatus:
    is_leaving = agent.presence is not None and agent.presence.is_leaving
    if status is None:
        return AgentStatus(name=agent.name, shards=agent.shards, is_there=False, is_leaving=is_leaving)
    return AgentStatus(
        name=agent.name,
        shards=agent.shards,
        is_there=True,
        is_leaving=is_leaving,
        pages=status.pages,
        pages_per_minute=_rate(agent, status, before),
        harvesters=status.harvesters,
        seconds=status.seconds,
    )


def _rate(agent: KnownAgent, status: Status, before: AgentStatus | None) -> float | None:
    """Return pages per minute, if no shard came or went: each brings its pages along."""
    if before is None or before.shards != agent.shards or status.seconds <= before.seconds:
        return None
    return 60 * (status.pages - before.pages) / (status.seconds - before.seconds)
