"""Do agents on a real server know each other's texts?"""

import asyncio
import io
import time
from collections.abc import Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from text_grounds import fingerprint_of

from cluster_grounds import NatsGround
from nats_servers import single_server
from tiptoe.cluster.assignment import UNLABELLED
from tiptoe.cluster.cluster_agent import AgentPlan, ClusterAgent
from tiptoe.cluster.engine import Engine
from tiptoe.cluster.shard_clock import MachineTime
from tiptoe.cluster.shard_labels import ShardLabels
from tiptoe.cluster.shard_runner import RunnerPlan
from tiptoe.cluster.sharded_frontier import ShardedFrontier
from tiptoe.cluster.text_inquiries import QUESTION_SECONDS
from tiptoe.frontier.duplicity import CLAIMED, KNOWN, NEW
from tiptoe.frontier.frontier import FrontierPolicy
from tiptoe.observe.eventlog import EventLog
from tiptoe.protocol.work import Question
from tiptoe.store.memory import MemoryStore

SHARDS = 6
WAIT_SECONDS = 60.0
DOCUMENT = "http://a.example/d.pdf"


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[NatsGround]:
    with single_server(tmp_path) as server:
        made = NatsGround([server])
        yield made
        made.close()


class Member:
    """An agent without a keeper."""

    def __init__(self, engine: Engine, name: str) -> None:
        self.frontier = ShardedFrontier(
            FrontierPolicy(),
            shards=SHARDS,
            plan=ShardLabels(SHARDS),
            offset=0.0,
            shard_of_file=lambda name: None,
        )
        plan = AgentPlan(
            agent=name, incarnation=f"{name}-1", labels=[UNLABELLED] * SHARDS, lease_seconds=6.0,
            runner=RunnerPlan(agent=name, grace_seconds=1.0),
        )  # fmt: skip
        self.agent = ClusterAgent(
            engine, MemoryStore(), self.frontier, plan, EventLog(name, io.StringIO()),
            machine_time=lambda: MachineTime("boot", time.monotonic(), time.time()),
            end_visits=lambda hosts: None, revoke=lambda shard, visits: None, ended=lambda: None,
        )  # fmt: skip

    async def ask(self, url: str, text: bytes) -> bytes:
        answer: asyncio.Future[dict[int, bytes]] = asyncio.get_running_loop().create_future()
        self.frontier.claim_paragraphs([Question(1, url, text)], answer.set_result)
        return (await answer)[1]


@asynccontextmanager
async def members(ground: NatsGround) -> Any:
    """Run two agents, each with its share of the shards."""
    both = [Member(await ground.connect(), name) for name in ("m1", "m2")]
    tasks = [asyncio.ensure_future(member.agent.run()) for member in both]
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            while {len(member.frontier.held) for member in both} != {SHARDS // 2}:
                await asyncio.sleep(0.1)
        yield [*both, *tasks]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def until_known(member: Member, text: bytes) -> bytes:
    """Ask until somebody knows the text; return what is said of it."""
    async with asyncio.timeout(WAIT_SECONDS):
        while (answer := await member.ask("http://copy.example/", text))[:1] != bytes([KNOWN]):
            await asyncio.sleep(0.1)
    return answer


def test_what_one_agent_has_learned_the_other_knows(ground: NatsGround) -> None:
    """The whole text, its paragraphs, and that a page under way has it."""
    text = fingerprint_of(*(f"paragraph {number}" for number in range(12)))
    under_way = fingerprint_of("read", "at the", "same moment")

    async def share() -> None:
        async with members(ground) as (first, second, *_):
            first.frontier.learn([(DOCUMENT, text)])
            assert await until_known(second, text) == bytes([KNOWN]) + DOCUMENT.encode()
            part = fingerprint_of("something else", "paragraph 3")
            async with asyncio.timeout(WAIT_SECONDS):
                while (await second.ask("http://part.example/", part))[2] != KNOWN:
                    await asyncio.sleep(0.1)
            async with asyncio.timeout(WAIT_SECONDS):  # a block that has just come says so of everything
                while await first.ask("http://one.example/", under_way) != bytes([NEW] * 4):
                    await asyncio.sleep(0.1)
            assert await second.ask("http://two.example/", under_way) == bytes([CLAIMED] * 4)

    ground.run(share())


def test_an_agent_that_is_gone_keeps_nobody_waiting(ground: NatsGround) -> None:
    """Its blocks are unknown for a while; then whoever has taken them knows what it knew."""
    text = fingerprint_of(*(f"paragraph {number}" for number in range(12)))

    async def lose() -> None:
        async with members(ground) as (first, second, task, _):
            first.frontier.learn([(DOCUMENT, text)])
            await until_known(second, text)
            task.cancel()
            await asyncio.wait([task])
            waits = []
            for number in range(5):
                began = time.monotonic()
                await second.ask(f"http://b.example/{number}", fingerprint_of(f"other {number}", "more"))
                waits.append(time.monotonic() - began)
            assert max(waits) < QUESTION_SECONDS + 1.0
            async with asyncio.timeout(WAIT_SECONDS):
                while len(second.frontier.held) < SHARDS:
                    await asyncio.sleep(0.1)
            assert await until_known(second, text) == bytes([KNOWN]) + DOCUMENT.encode()

    ground.run(lose())
