"""How does a keeper process start, run and end in a simulated run?"""

import asyncio
import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from simulated.ground import StoreHandle
from simulated.harvesters import TOKEN
from simulated.invariants import check_leases, check_places
from simulated.plan import WATCHED_SECONDS
from simulated.trace import TracedLog
from tiptoe.frontier.frontier import FrontierPolicy
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.keeper.commands import answer
from tiptoe.keeper.keeper import Keeper, KeeperPlan
from tiptoe.keeper.output_repair import repair_at_start
from tiptoe.keeper.plan import CommandReply, Reconfiguration
from tiptoe.keeper.single_machine import recover_crawl
from tiptoe.keeper.supervisor import Supervisor
from tiptoe.observe.stops import Stop
from tiptoe.protocol.operator import Command, UnblockHost
from tiptoe.protocol.work import Request

if TYPE_CHECKING:
    from simulated.stage import Stage

__all__ = ["KeeperProcess", "PretendedCrew"]

DISK_FREE_MIN = 1 << 30


class PretendedCrew(Supervisor):
    """The real supervisor, of pretended processes."""

    def __init__(self, log: TracedLog, stage: "Stage") -> None:
        super().__init__([], log)
        self._stage = stage

    async def _start(self, name: str) -> asyncio.subprocess.Process:
        return cast(asyncio.subprocess.Process, self._stage.start_harvester(name))


class KeeperProcess:
    """One life of the keeper, from its start to its end or death."""

    def __init__(self, stage: "Stage") -> None:
        plan = stage.plan
        self._stage = stage
        self.loop = stage.timeline.loop("keeper")
        self.loop.on_death = self._died
        self.is_over = False
        self._changes = -1
        self._handle = StoreHandle(stage.store)
        self._log = TracedLog("keeper", stage.trace, lambda: self.loop.is_dead)
        policy = FrontierPolicy(
            politeness=plan.politeness, front_hosts=plan.front_hosts, sieve_row_urls=plan.sieve_row_urls,
            reads_tdmrep=plan.reads_tdmrep,
            revisit=plan.revisits if stage.seconds() < WATCHED_SECONDS else RevisitPolicy(),
        )  # fmt: skip
        self._policy = policy
        self.frontier = stage.build_frontier(self._handle, policy)
        self.keeper: Keeper | None = None

    def start(self) -> None:
        """Begin to live."""
        main = self.loop.create_task(self._live())
        main.add_done_callback(self._left)
        self.loop.after_step = self._check

    async def _live(self) -> Stop | None:
        stage, plan = self._stage, self._stage.plan
        keeper_plan = KeeperPlan(
            directory=stage.directory,
            settings={},
            lease_seconds=plan.lease_seconds,
            visits_per_harvester=plan.visits_max,
            packets_max=plan.packets_max,
            disk_free_min=DISK_FREE_MIN,
            token=TOKEN,
        )
        supervisor = PretendedCrew(self._log, stage)
        self.keeper = Keeper(
            self.frontier, keeper_plan, supervisor, self._log, stage.clock, answer=self._answer,
            change=self._change_pace, repair=functools.partial(repair_at_start, stage.directory),
            free_bytes=stage.disk.free_bytes,
        )  # fmt: skip
        grace = plan.lease_seconds if plan.is_remote else 0.0
        recover_crawl(self.keeper, self.frontier, self._log, boot="one boot", grace=grace)
        self._apply_unblocks()
        self.frontier.add([Request(url) for url in stage.seeds], stage.clock.now())
        for _ in range(0 if plan.is_remote else plan.harvesters):
            supervisor.add()
        await self.keeper.run()
        self.frontier.runs.end(now=stage.clock.now())
        return self.keeper.figures.stopped_because

    def _answer(self, keeper: Keeper, command: Command) -> CommandReply:
        self._stage.note_carried_out(command)
        return answer(keeper, command)

    def _change_pace(self, plan: KeeperPlan, given: Mapping[str, str]) -> Reconfiguration:
        """Let everybody be asked so many times slower than the plan says."""
        pace, rules = float(given["pace"]), self._policy.politeness
        slower = replace(rules, req_delay=pace * rules.req_delay, general_pause=pace * rules.general_pause)
        changes = {"pace": ("", given["pace"])}
        return Reconfiguration(changes=changes, plan=plan, policy=replace(self._policy, politeness=slower))

    def _apply_unblocks(self) -> None:
        """Do what the operator could not say, because a keeper with nothing to do does not stay."""
        for target in self._stage.unblocks:
            self.frontier.block(target, self._stage.clock.now(), is_blocked=False)
            self.frontier.block_address(target, is_blocked=False)
            self._stage.note_carried_out(UnblockHost(target))
            self._stage.wishes -= 1
        self._stage.unblocks.clear()

    def kill(self) -> None:
        """Die, and take the harvesters of this machine along."""
        self.loop.kill()

    def _left(self, main: "asyncio.Task[Stop | None]") -> None:
        if self.loop.is_dead:
            return
        error = main.exception()
        if error is not None:
            self._stage.accuse(f"the keeper failed: {error!r}", error)
        self.is_over = True
        # Somebody may have unblocked something while everybody was leaving.
        has_ended = error is None and main.result() is Stop.FINISHED and self.frontier.is_finished()
        self._stage.keeper_left("failed" if error is not None else str(main.result()), has_ended=has_ended)
        self.loop.kill()

    def _died(self) -> None:
        self._handle.is_over = True
        if not self._stage.plan.is_remote:
            for process in list(self._stage.harvesters.values()):
                process.kill()
        self._stage.hang_up(self.loop)
        if not self.is_over:
            self._stage.keeper_died()

    def _check(self) -> None:
        """State every invariant after a step that changed something."""
        if self._stage.store.changes == self._changes or self.keeper is None:
            return
        self._changes = self._stage.store.changes
        try:
            self.frontier.check()
            check_places(self._stage.store)
            check_leases(self._stage.store, self.keeper)
        except AssertionError as error:
            self._stage.accuse(f"invariant: {error}", error)
