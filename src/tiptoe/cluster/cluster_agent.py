"""What makes a keeper an agent of a crawl on many machines?

Its frontier consists of the shards that it holds; its membership decides which those are; a runner operates
them. The agent carries out the commands given to the whole crawl, takes its share of the crawl's limits,
shares the index of texts with the other agents, and finds out together with them when the crawl is over.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from tiptoe.cluster.assignment import UNLABELLED
from tiptoe.cluster.command_follower import CommandCalls, CommandFollower
from tiptoe.cluster.companions import first_of
from tiptoe.cluster.crawl_ending import CrawlEnding
from tiptoe.cluster.engine import Engine
from tiptoe.cluster.membership import Membership
from tiptoe.cluster.quota_keeper import QuotaKeeper
from tiptoe.cluster.shard_clock import MachineTime
from tiptoe.cluster.shard_runner import RunnerCalls, RunnerPlan, ShardRunner
from tiptoe.cluster.sharded_frontier import ShardedFrontier
from tiptoe.cluster.shared_texts import SharedTexts
from tiptoe.frontier.frontier import Frontier
from tiptoe.keeper.ending import Sequel
from tiptoe.observe.eventlog import EventLog
from tiptoe.store.partition import DividedStore
from tiptoe.url.address import host_of

__all__ = ["HARVESTER_LEASES", "AgentPlan", "ClusterAgent"]

HARVESTER_LEASES = 3
"""Harvester leases per shard lease, so that a visit's last request is over before another agent may begin."""

ENDING_PART = 1 / 6
"""Fraction of a lease between two checks whether the crawl is over."""


@dataclass(frozen=True, kw_only=True)
class AgentPlan:
    """One agent, and how it takes part."""

    agent: str
    incarnation: str
    labels: Sequence[str]  # of all shards
    takes: Sequence[str] = (UNLABELLED,)
    weight: int = 1
    lease_seconds: float = 30.0
    runner: RunnerPlan = field(kw_only=True)
    settings_known: int | None = None  # the last command in its settings; None: all that exist


class ClusterAgent:
    """One agent, from joining to leaving."""

    def __init__(
        self,
        engine: Engine,
        store: DividedStore,
        frontier: ShardedFrontier,
        plan: AgentPlan,
        events: EventLog,
        *,
        machine_time: Callable[[], MachineTime],
        end_visits: Callable[[Iterable[str]], object],
        revoke: Callable[[int, Iterable[int]], object],
        ended: Callable[[], object],
        mend_files: Callable[[int, Frontier, float], object] = lambda shard, frontier, now: None,
        commands: CommandCalls | None = None,
        seconds_max: Callable[[], float] = lambda: 0.0,
        on_end: Callable[[], str] = lambda: Sequel.QUIT.value,
        continued: Callable[[], object] = lambda: None,
        has_to_forget: Callable[[], bool] = lambda: False,
    ) -> None:
        """`seconds_max` limits the whole crawl, 0 = no limit; `frontier.ending` tells why it ended.

        `continued` is called when nothing was left and the crawl goes on all the same, because of `on_end`.
        It does not end while this agent `has_to_forget` something that is on its disk.
        """
        self._fault: asyncio.Future[None] | None = None
        self._leaves = asyncio.Event()
        self._has_joined = False
        calls = RunnerCalls(
            machine_time=machine_time,
            is_certain=lambda shard: self.membership.is_certain(shard),
            look_again=lambda: self.membership.look_again(),
            end_visits=end_visits,
            revoke=revoke,
            mend_files=mend_files,
            fail=self._fail,
            are_known=lambda number: self.commands.are_known(number),
            agents=lambda: self.membership.holders,
            holder_of=lambda shard: self.membership.leases[shard].holder,
        )
        self.frontier = frontier
        self.runner = ShardRunner(engine, store, frontier, plan.runner, calls, events)
        self.membership = Membership(
            engine, self.runner, agent=plan.agent, incarnation=plan.incarnation, labels=plan.labels,
            machine_time=machine_time, lease_seconds=plan.lease_seconds, weight=plan.weight, takes=plan.takes,
        )  # fmt: skip
        frontier.engine_trouble = lambda: self.membership.trouble
        self.texts = frontier.texts = SharedTexts(
            engine, self.membership.leases, agent=plan.agent, incarnation=plan.incarnation,
            pages_of=frontier.pages_of,
            is_forgotten=lambda url: frontier.wishes.covered.covers(host_of(url), url),
        )  # fmt: skip
        self.ending = CrawlEnding(
            engine, frontier, self.membership.leases, agent=plan.agent, ended=ended, continued=continued,
            look_seconds=plan.lease_seconds * ENDING_PART, machine_time=machine_time, seconds_max=seconds_max,
            on_end=on_end, has_to_forget=has_to_forget,
        )  # fmt: skip
        self._quotas = QuotaKeeper(engine, frontier)
        self.commands = CommandFollower(
            engine, frontier, commands or CommandCalls(), events, agent=plan.agent,
            count=lambda: machine_time().count, end_visits=end_visits, settings_known=plan.settings_known,
            wishes_came=self.runner.wishes_came, are_erased=self.runner.are_erased,
        )  # fmt: skip

    async def run(self) -> None:
        """Take part until `leave`; raise any error that cannot be handled here."""
        loop = asyncio.get_running_loop()
        self._fault = loop.create_future()
        try:
            await first_of(
                self.commands.run(), self._take_part(), self.texts.run(), self.runner.mail.serve(),
                self._fails(),
            )  # fmt: skip
        finally:
            await self.runner.close()

    async def _take_part(self) -> None:
        """Hold shards, once the operator's commands are known."""
        await first_of(self.commands.are_read(), self._leaves.wait())
        if not self._leaves.is_set():
            self._has_joined = True
            await first_of(self.membership.run(), self.ending.run(), self._quotas.run())

    async def _fails(self) -> None:
        assert self._fault is not None
        await self._fault

    async def leave(self) -> None:
        """Hand over everything; return when that is done."""
        self._leaves.set()
        if self._has_joined:
            await self.membership.leave()

    def _fail(self, error: BaseException) -> None:
        if self._fault is not None and not self._fault.done():
            self._fault.set_exception(error)
