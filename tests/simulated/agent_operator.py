"""An operator of a crawl on many machines, who compares the servers' records with the confirmed orders."""

import asyncio
import itertools
import random
from collections.abc import Iterable
from dataclasses import dataclass

from simulated.agent_harvester import Served
from simulated.agent_web import SmallWeb
from simulated.memory_engine import Broker
from simulated.virtual import Timeline
from tiptoe.cluster.cluster_operator import ClusterOperator, Confirmation
from tiptoe.cluster.command_row import ClusterCommand, ForgetTarget
from tiptoe.cluster.engine import EngineUnavailable
from tiptoe.frontier.covered_rows import urls_in
from tiptoe.frontier.frontier import Frontier
from tiptoe.protocol.operator import BlockHost, PauseCrawl, ResumeCrawl, UnblockHost
from tiptoe.store.tables import Table
from tiptoe.url.wish import read_wish

__all__ = ["SimulatedOperator"]

CONFIRM_SECONDS = 60.0
ANYTHING = "anything"


@dataclass
class Ban:
    """From a moment to another nobody was to ask for a host, an address or a page, or for anything at all."""

    target: str
    since: float
    until: float = float("inf")
    is_for_good: bool = False

    def is_broken_by(self, served: Served) -> bool:
        is_meant = self.target in (served.host, served.address, served.url, ANYTHING)
        return is_meant and self.since < served.at < self.until


class SimulatedOperator:
    """Gives commands, one after the other, and remembers when they were confirmed."""

    def __init__(
        self, timeline: Timeline, broker: Broker, served: list[Served], web: SmallWeb, name: str = "operator"
    ) -> None:
        self.loop = timeline.loop(name)
        self.bans: list[Ban] = []
        self.confirmations: list[Confirmation] = []
        self.blocked: set[str] = set()  # may be, at this moment
        self.wished: set[str] = set()  # hosts and pages that are to be forgotten, perhaps unheard
        self.forgotten: set[str] = set()  # those whose wish was confirmed
        self._timeline = timeline
        self._served = served
        self._web = web
        tokens = itertools.count()
        self.engine = broker.connect(name, seconds=3.0)
        self.client = ClusterOperator(
            self.engine,
            name=name,
            wall=lambda: 1e9 + timeline.now,
            new_token=lambda: f"{name}-{next(tokens)}",
        )
        self._row = asyncio.Lock()

    def begin(self, command: ClusterCommand) -> asyncio.Task[Confirmation | None]:
        """Give a command when the ones before are done with."""
        return self.loop.create_task(self._give(command))

    def give(self, command: ClusterCommand, *, seconds: float = 120.0) -> Confirmation:
        """Give a command, and let time pass until it is confirmed, or not."""
        task = self.begin(command)
        assert self._timeline.run(until=self._timeline.now + seconds, is_over=task.done), "no answer"
        confirmation = task.result()
        assert confirmation is not None, "it could not be stored"
        return confirmation

    async def _give(self, command: ClusterCommand) -> Confirmation | None:
        async with self._row:
            self._lift(command)
            if isinstance(command, BlockHost):
                self.blocked.add(command.target)
            if isinstance(command, ForgetTarget):
                self.wished.add(command.target)
            while True:
                try:
                    confirmation = await self.client.give(command, seconds=CONFIRM_SECONDS)
                    break
                except EngineUnavailable:
                    await asyncio.sleep(1.0)
            self.confirmations.append(confirmation)
            if confirmation.is_complete:
                self._ban(command)
                if isinstance(command, ForgetTarget):
                    self.forgotten.add(command.target)
                if isinstance(command, UnblockHost):
                    self.blocked.discard(command.target)
            return confirmation

    def _lift(self, command: ClusterCommand) -> None:
        """From the moment on when something is allowed it may be done."""
        target = command.target if isinstance(command, UnblockHost) else ANYTHING
        if isinstance(command, UnblockHost | ResumeCrawl):
            for ban in self.bans:
                if ban.target == target and not ban.is_for_good:
                    ban.until = min(ban.until, self._timeline.now)

    def _ban(self, command: ClusterCommand) -> None:
        if isinstance(command, BlockHost | ForgetTarget):
            is_for_good = isinstance(command, ForgetTarget)
            self.bans.append(Ban(command.target, self._timeline.now, is_for_good=is_for_good))
        elif isinstance(command, PauseCrawl):
            self.bans.append(Ban(ANYTHING, self._timeline.now))

    @property
    def keeps_out(self) -> bool:
        """Whether the crawl may miss pages because of what was ordered."""
        return bool(self.blocked or self.wished)

    # -- chance ------------------------------------------------------------

    def plan(self, chance: random.Random, until: float) -> None:
        """Give commands at random moments; at the end everything is allowed again."""
        for _ in range(chance.randint(2, 7)):
            host = f"h{chance.randrange(self._web.hosts)}.example"
            target = chance.choice([host, host, self._web.address_of(host)])
            begin, end = sorted((chance.uniform(0, until), chance.uniform(0, until)))
            commands = chance.choice(
                [(BlockHost(target), UnblockHost(target)), (PauseCrawl(), ResumeCrawl())]
            )
            self.loop.call_at(begin, self.begin, commands[0])
            self.loop.call_at(end, self.begin, commands[1])
        for _ in range(chance.choice([0, 1, 1, 2])):
            host = f"h{chance.randrange(3, self._web.hosts)}.example"  # not those of the seeds
            target = chance.choice([host, host, f"http://{host}/p{chance.randrange(4)}"])
            self.loop.call_at(chance.uniform(0, until), self.begin, ForgetTarget(target, "a letter"))

    # -- judgement -----------------------------------------------------------

    def remains(self, frontiers: Iterable[Frontier]) -> list[str]:
        """Return which rows frontiers still have of what was forgotten."""
        wishes = [read_wish(target) for target in self.forgotten]
        return [
            f"{wish.target} was forgotten: {table} {url}"
            for frontier in frontiers
            for table in (Table.PAGE, Table.QUEUE, Table.DUE)
            for _, stored in frontier.tables_of("").scan(table)
            for url in (urls_in(table, stored) if stored else ())
            for wish in wishes
            if wish.covers(url)
        ]

    def disobedience(self) -> list[str]:
        """Return the requests that were made although a command had been confirmed."""
        return [
            f"{ban} was confirmed: {served}"
            for ban in self.bans
            for served in self._served
            if ban.is_broken_by(served)
        ]
