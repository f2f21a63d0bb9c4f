"""How does a harvester process start, run and end in a simulated run?"""

import asyncio
import functools
from pathlib import Path
from typing import TYPE_CHECKING, cast

from simulated.inprocess import InProcessClient, InProcessResolver
from simulated.trace import TracedLog
from simulated.virtual import Killed, VirtualLoop
from simulated.weather import Client, Names, StormyWeb
from tiptoe.decide.scheduling import schedule_point
from tiptoe.decide.storing import store_point
from tiptoe.errors import ProtocolError
from tiptoe.fetch import client as fetching
from tiptoe.fetch.limits import FetchLimits
from tiptoe.fetch.resolve import Resolver
from tiptoe.harvest.busy import BusyNote
from tiptoe.harvest.harvester import Harvester, HarvesterPlan, join
from tiptoe.harvest.judgement import DuplicityRules
from tiptoe.harvest.outlinks import Outlinks
from tiptoe.harvest.page_change import RevisitRules
from tiptoe.harvest.tools import Tools
from tiptoe.url.canonical import Canonicalizer, CanonicalRules
from tiptoe.write.logclock import LogClock
from tiptoe.write.logentries import Terms
from tiptoe.write.output_sets import OutputSets
from tiptoe.write.outputs import Outputs
from tiptoe.write.warc import WarcInfo

if TYPE_CHECKING:
    from simulated.stage import Stage

__all__ = ["HarvesterProcess"]

TOKEN = "simulated"
USER_AGENT = "tiptoe (+https://bot.example/)"
EXPECTED = (ConnectionRefusedError, ProtocolError, TimeoutError)
"""What ends a harvester before it is let in, and no fault of its own."""

LIMITS = FetchLimits(slow_seconds=3.0, total_seconds=8.0)


class DeadlyBusyNote(BusyNote):
    """A busy note of a harvester that some pages kill."""

    def __init__(self, path: Path, web: StormyWeb) -> None:
        super().__init__(path)
        self._web = web

    def begin(self, url: str) -> None:
        super().begin(url)
        if self._web.kills(url):
            raise Killed(9)


class HarvesterProcess:
    """One harvester process; it looks to `Supervisor` like one of the operating system's."""

    def __init__(self, stage: "Stage", name: str, pid: int) -> None:
        self.name = name
        self.pid = pid
        self.returncode: int | None = None
        self.loop: VirtualLoop = stage.timeline.loop(f"{name}/{pid}")
        self.loop.on_death = self._died
        self._stage = stage
        self._clients: list[Client] = []
        self._ended = stage.keeper_loop.create_future() if not stage.plan.is_remote else None
        stage.trace.note("supervisor", "started", name=name, pid=pid)
        main = self.loop.create_task(self._work())
        main.add_done_callback(self._left)

    @property
    def is_alive(self) -> bool:
        return self.returncode is None

    async def wait(self) -> int:
        """Return the exit code when there is one."""
        assert self._ended is not None
        code: int = await self._ended
        return code

    def send_signal(self, number: int) -> None:
        """Kill it: the only signal the keeper sends."""
        self.kill()

    def kill(self) -> None:
        """End without a last word."""
        if self.is_alive:
            self.loop.kill()

    async def _work(self) -> int:
        stage, plan = self._stage, self._stage.plan
        connection = stage.connect(self.loop, needs_token=plan.is_remote)
        welcome = await join(connection, name=self.name, token=TOKEN, pid=self.pid)
        tools = self._tools(welcome.incarnation, Path(welcome.directory))
        work = HarvesterPlan(
            lease_seconds=plan.lease_seconds,
            report_seconds=plan.report_seconds,
            transfers_max=plan.transfers_max,
            syncs=False,
            reads_tdmrep=plan.reads_tdmrep,
        )
        return await Harvester(connection, tools, work).run()

    def _tools(self, incarnation: str, directory: Path) -> Tools:
        stage = self._stage
        inner = InProcessClient(
            stage.web, limits=LIMITS, user_agent=USER_AGENT, time=stage.clock.now,
            record=functools.partial(stage.arrived, self.loop.name), began_at=stage.began_at,
        )  # fmt: skip
        client = Client(inner, stage.web_loop, self.loop)
        self._clients.append(client)
        names = Names(
            InProcessResolver(stage.web), stage.web_chance, stage.plan.trouble_share, stage.unlucky_names
        )
        return Tools(
            harvester=incarnation,
            agent="tiptoe",
            client=cast(fetching.Client, client),
            resolver=cast(Resolver, names),
            limits=LIMITS,
            politeness=stage.plan.politeness,
            outlinks=Outlinks(Canonicalizer(CanonicalRules()), schedule_point()),
            outputs=OutputSets(incarnation, functools.partial(self._outputs, directory)),
            busy=DeadlyBusyNote(directory / "state" / f"{incarnation}.busy", stage.web),
            log=TracedLog(self.loop.name, stage.trace, lambda: self.loop.is_dead),
            keeps_archive=False,
            respects_tdm=stage.plan.reads_tdmrep,
            store=store_point(
                respects_tdm=stage.plan.reads_tdmrep,
                is_copy=DuplicityRules().is_copy if stage.plan.compares else None,
            ),
            duplicity=DuplicityRules() if stage.plan.compares else None,
            revisit=RevisitRules(is_on=stage.plan.revisit != "none", uses_hints=True),
            time=self.loop.time,
        )  # fmt: skip

    def _outputs(self, directory: Path, writer: str, terms: Terms | None) -> Outputs:
        stage = self._stage
        return Outputs(
            directory, writer, info=WarcInfo(software="tiptoe", operator="https://bot.example/"),
            corpus_bytes_max=stage.plan.corpus_bytes_max, write=stage.disk.write, terms=terms,
            clock=LogClock(wall=stage.clock.now, count=self.loop.time, boot=""),
            warc_bytes_max=10**9, corpus_encoding="utf-8", compression_level=1,
        )  # fmt: skip

    def _left(self, main: "asyncio.Task[int]") -> None:
        """The process ends by itself; its loop ends with it."""
        if not self.loop.is_dead:
            error = main.exception()
            self.returncode = 1 if error is not None else main.result()
            self._stage.trace.note(
                "supervisor", "left", pid=self.pid, code=self.returncode, error=repr(error)
            )
            if error is not None and not isinstance(error, EXPECTED):
                self._stage.accuse(f"a harvester failed: {error!r}", error)
            self.loop.kill()

    def _died(self) -> None:
        if self.returncode is None:
            self.returncode = -9
            self._stage.trace.note("supervisor", "killed", pid=self.pid)
        for client in self._clients:
            client.hang_up()
        self._stage.hang_up(self.loop)
        self._stage.harvester_ended(self)
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(self.returncode)
