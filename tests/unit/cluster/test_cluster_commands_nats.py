"""Do limits and commands of a whole crawl hold over a real server as they do over the engine in memory?"""

import asyncio
import io
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from cluster_grounds import NatsGround
from nats_servers import single_server
from simulated.agent_web import SmallWeb
from tiptoe.cluster.assignment import UNLABELLED
from tiptoe.cluster.cluster_agent import AgentPlan, ClusterAgent
from tiptoe.cluster.cluster_operator import ClusterOperator
from tiptoe.cluster.command_follower import CommandCalls
from tiptoe.cluster.crawl_end import CrawlEnd
from tiptoe.cluster.crawl_ending import SOWN_KEY
from tiptoe.cluster.engine import Engine
from tiptoe.cluster.shard_clock import MachineTime
from tiptoe.cluster.shard_labels import ShardLabels
from tiptoe.cluster.shard_runner import RunnerPlan
from tiptoe.cluster.sharded_frontier import ShardedFrontier
from tiptoe.frontier.frontier import FrontierPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.observe.eventlog import EventLog
from tiptoe.protocol.operator import BlockHost, PauseCrawl, Reconfigure, ResumeCrawl
from tiptoe.protocol.work import Purpose, Report, Request, Visit
from tiptoe.store.memory import MemoryStore
from tiptoe.url.address import host_of, origin_of

SHARDS = 4
LEASE_SECONDS = 3.0
WEB = SmallWeb(2, 30)
HASTE = Politeness(req_delay=0.05, general_pause=0.1, max_reqs=4, max_hosts=2)


class HastyAgent:
    """An agent whose requests are answered at once."""

    def __init__(self, engine: Engine, name: str, pages_max: int) -> None:
        self.asked: list[tuple[float, str]] = []
        self.is_paused = False
        self.frontier = ShardedFrontier(
            FrontierPolicy(politeness=HASTE, pages_max=pages_max), shards=SHARDS, plan=ShardLabels(SHARDS),
            offset=0.0, shard_of_file=lambda name: None,
        )  # fmt: skip
        plan = AgentPlan(
            agent=name, incarnation=f"{name}-1", labels=[UNLABELLED] * SHARDS, lease_seconds=LEASE_SECONDS,
            runner=RunnerPlan(agent=name, grace_seconds=0.1),
        )  # fmt: skip
        self.agent = ClusterAgent(
            engine, MemoryStore(), self.frontier, plan, EventLog(name, io.StringIO()),
            machine_time=lambda: MachineTime("boot", time.monotonic(), time.time()),
            end_visits=lambda hosts: None, revoke=lambda shard, visits: None, ended=lambda: None,
            commands=CommandCalls(pause=self._pause, reconfigure=self._reconfigure),
        )  # fmt: skip
        self.tasks = [asyncio.ensure_future(self.agent.run()), asyncio.ensure_future(self._tick())]

    def _pause(self, is_paused: bool) -> None:
        self.is_paused = is_paused

    def _reconfigure(self, settings: dict[str, str]) -> None:
        pages_max = int(settings["crawl.max_pages"])
        self.frontier.reconfigure(FrontierPolicy(politeness=HASTE, pages_max=pages_max))

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(0.02)
            now = time.monotonic()
            self.frontier.tick(now)
            if self.is_paused:
                continue
            if self.frontier.wants_hosts() and (names := self.frontier.new_hosts(20)):
                self.frontier.resolved_all([(name, WEB.address_of(name), "") for name in names], now)
            for visit in self.frontier.visits(4, "harvester", now):
                self.frontier.after_commit(partial(self._make, visit))

    def _make(self, visit: Visit) -> None:
        results = []
        for work in visit.hosts:
            for request in work.requests:
                origin = origin_of(request.url)
                if origin not in work.robots:
                    results.append(WEB.answer(Request(f"{origin}/robots.txt", Purpose.ROBOTS)))
                results.append(WEB.answer(request))
                self.asked.append((time.monotonic(), host_of(request.url)))
        report = Report(visit.id, results, is_done=True, wants_more=False)
        self.frontier.report([report], {}, time.monotonic())

    @property
    def pages(self) -> int:
        return self.frontier.counters.totals.pages

    async def close(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


async def until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait for something to be true."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.02)


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[NatsGround]:
    with single_server(tmp_path) as server:
        made = NatsGround([server])
        yield made
        made.close()


def test_two_agents_keep_a_limit_and_obey(ground: NatsGround) -> None:
    """A block before anything is met, a pause, and a limit that is raised while they crawl."""

    async def crawl() -> None:
        operator = ClusterOperator(await ground.connect(), name="op")
        assert (await operator.give(BlockHost("h1.example"))).confirmed == ()
        agents = [HastyAgent(await ground.connect(), name, 30) for name in ("a", "b")]
        await until(lambda: all(bool(agent.frontier.held) for agent in agents))
        agents[0].frontier.add([Request(url) for url in WEB.seeds()], time.monotonic())
        await (await ground.connect()).put(SOWN_KEY, b"")
        await until(lambda: sum(agent.pages for agent in agents) > 5)
        paused = await operator.give(PauseCrawl())
        assert (paused.confirmed, paused.silent, paused.is_complete) == (("a", "b"), (), True)
        asked = sum(len(agent.asked) for agent in agents)
        await asyncio.sleep(1.0)
        assert sum(len(agent.asked) for agent in agents) == asked
        assert (await operator.give(Reconfigure({"crawl.max_pages": "60"}))).is_complete
        ground.restart()
        assert (await operator.give(ResumeCrawl(), seconds=30.0)).is_complete
        await until(lambda: all(agent.frontier.ending is not None for agent in agents), 60.0)
        assert {agent.frontier.ending for agent in agents} == {CrawlEnd.PAGES}
        assert sum(agent.pages for agent in agents) == 60
        assert all(agent.pages for agent in agents)
        assert "h1.example" not in {host for agent in agents for _, host in agent.asked}
        assert [given.number for given in await operator.history()] == [1, 2, 3, 4]
        for agent in agents:
            await agent.close()

    ground.run(crawl())
