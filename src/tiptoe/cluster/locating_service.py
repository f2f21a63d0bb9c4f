"""Where is a host, or a page, in a crawl on many machines?

Each agent answers at `agent.<name>.why` for the shards that it holds; the answer of the agent that knows the
host is used. Agents that do not answer are reported, because they may hold the host.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

import msgspec

from tiptoe.cluster.engine import Engine, EngineUnavailable, NoResponse
from tiptoe.protocol.operator import Locate
from tiptoe.protocol.whereabouts import Whereabouts

__all__ = ["FoundAmongMembers", "ask_whereabouts", "serve_whereabouts"]

ANSWER_SECONDS: Final = 5.0


class FoundAmongMembers(NamedTuple):
    """What the members of a crawl know, and which of them did not answer."""

    whereabouts: Whereabouts | None  # None: no member has answered
    silent: list[str]


async def serve_whereabouts(engine: Engine, agent: str, locate: Callable[[str, str], Whereabouts]) -> None:
    """Serve until cancelled."""

    async def answer(data: bytes) -> bytes:
        try:
            asked = msgspec.msgpack.decode(data, type=Locate)
        except msgspec.MsgspecError:
            return b""  # of another version; the sender cannot read this, and counts it as no answer
        return msgspec.msgpack.encode(locate(asked.host, asked.url))

    async with engine.serve(f"agent.{agent}.why", answer):
        await asyncio.Event().wait()


async def ask_whereabouts(
    engine: Engine, agents: Iterable[str], host: str, url: str, *, seconds: float = ANSWER_SECONDS
) -> FoundAmongMembers:
    """Ask all agents at once; prefer the answer of one that knows the host."""
    question = msgspec.msgpack.encode(Locate(host, url))

    async def ask(name: str) -> Whereabouts | None:
        try:
            answer = await engine.request(f"agent.{name}.why", question, seconds=seconds)
            return msgspec.msgpack.decode(answer, type=Whereabouts)
        except (NoResponse, EngineUnavailable, msgspec.DecodeError):
            return None

    names = list(agents)
    answers = dict(zip(names, await asyncio.gather(*map(ask, names)), strict=True))
    lines = [found for found in answers.values() if found is not None]
    known = [found for found in lines if found.host is not None]
    silent = [name for name, found in answers.items() if found is None]
    answer = next(iter(known or lines), None)
    if answer is not None:
        unfollowed = sum((Counter(found.unfollowed) for found in lines), Counter())
        answer = msgspec.structs.replace(answer, unfollowed=dict(unfollowed))
    return FoundAmongMembers(answer, silent)
