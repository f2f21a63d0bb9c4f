"""Who takes part in a simulated run, and how does it continue and end?

The stage owns the clock, everything that survives processes, and the wires. It restarts the
keeper whenever it is gone, until the crawl is finished.
"""

import random
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from simulated.ground import Disk, SurvivingStore
from simulated.harvesters import HarvesterProcess
from simulated.keepers import KeeperProcess
from simulated.plan import WATCHED_SECONDS, Plan
from simulated.promises import CarriedOut
from simulated.trace import Trace
from simulated.virtual import Timeline, TimeStandsStill, VirtualLoop
from simulated.weather import StormyWeb
from simulated.wires import Wire
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.keeper.clock import Clock
from tiptoe.observe.stops import Stop
from tiptoe.protocol.operator import Command
from tiptoe.protocol.wire import Connection
from tiptoe.store.tables import Store
from tiptoe.testing.recorder import Arrival
from tiptoe.testing.web import BEGAN_AT

__all__ = ["Stage"]

FIRST_MOMENT: Final = 1000.0
RESTART_SECONDS: Final = 0.7

BuildFrontier = Callable[[Store, FrontierPolicy], Frontier]


class Stage:
    """One run of one plan."""

    def __init__(
        self,
        plan: Plan,
        directory: Path,
        *,
        build_frontier: BuildFrontier = Frontier,
        show: Callable[[str], object] | None = None,
    ) -> None:
        self.plan = plan
        self.directory = directory
        self.build_frontier = build_frontier
        self.timeline = Timeline(FIRST_MOMENT)
        self.outside = self.timeline.loop("outside")
        self.web_loop = self.timeline.loop("web")
        self.clock = Clock(steady=self.outside.time, wall=lambda: BEGAN_AT + self.timeline.now)
        self.began_at = self.clock.now()
        self.trace = Trace(self.seconds, str(directory), show)
        self.store = SurvivingStore(self.trace)
        self.disk = Disk()
        self.wire_chance = random.Random(f"wires {plan.seed}")
        self.web_chance = random.Random(f"web {plan.seed}")
        self.web = StormyWeb(plan.shape, self.web_chance, plan.trouble_share)
        self.seeds = [self.web.home_of(index) for index in range(plan.shape.hosts)]
        self.unlucky_names: set[str] = set()
        self.arrivals: list[Arrival] = []
        self.problems: list[str] = []
        self.askers: list[str] = []  # who made each of the arrivals
        self.told_at: dict[str, float] = {}  # harvester -> when it sent the last news that arrived
        self.harvesters: dict[int, HarvesterProcess] = {}  # alive, by pid
        self.wires: list[Wire] = []
        self.slow_seconds = 0.0
        self.wishes = 0  # of the operator, to be taken back before the crawl may end
        self.unblocks: list[str] = []  # to be done before the next keeper starts to work
        self.carried_out: list[CarriedOut] = []
        self.is_over = False
        self._pids = 0
        self._keeper: KeeperProcess | None = None

    # -- running ---------------------------------------------------------

    def run(self, seconds_max: float) -> None:
        """Play until the crawl has ended, something is wrong, or time is up."""
        self.trace.note("stage", "plan", it=self.plan)
        self.start_keeper()
        if self.plan.revisit != "none":
            self.outside.call_later(WATCHED_SECONDS, self._end_revisits)
        if self.plan.is_remote:
            for number in range(self.plan.harvesters):
                self.keep_harvester(f"r{number + 1}")
        try:
            if not self.timeline.run(until=FIRST_MOMENT + seconds_max, is_over=self._has_ended):
                self.problems.append(f"the crawl does not end within {seconds_max:g} s")
        except TimeStandsStill as error:
            self.accuse(f"the crawl goes in circles: {error}")
        self._clear()

    def _end_revisits(self) -> None:
        """Stop the keeper; whoever starts after this moment visits nothing again."""
        if self._keeper is not None and self._keeper.keeper is not None:
            self._keeper.keeper.stop(Stop.OPERATOR)

    def _has_ended(self) -> bool:
        return self.is_over or bool(self.problems)

    def _clear(self) -> None:
        self.is_over = True
        for process in list(self.harvesters.values()):
            process.kill()
        if self._keeper is not None:
            self._keeper.kill()
        for loop in (self.outside, self.web_loop):
            if loop.faults:
                self.problems.append(f"nobody caught {loop.faults[0]}")
            loop.kill()
        self.disk.close_what_is_left()

    def seconds(self) -> float:
        """Return how long the run has lasted."""
        return self.timeline.now - FIRST_MOMENT

    def accuse(self, what: str, error: BaseException | None = None) -> None:
        """Note that something is wrong; the run ends."""
        where = "".join(traceback.format_exception(error)[-2:]) if error is not None else ""
        self.trace.note("stage", "problem", what=what)
        self.problems.append(f"at {self.seconds():.3f} s: {what}\n{where}".rstrip())

    # -- the keeper ------------------------------------------------------

    @property
    def keeper(self) -> KeeperProcess | None:
        """The keeper, while it lives."""
        return self._keeper

    @property
    def keeper_loop(self) -> VirtualLoop:
        assert self._keeper is not None
        return self._keeper.loop

    def start_keeper(self) -> None:
        """Start the crawl, or go on with it."""
        if self._keeper is None and not self.is_over:
            self.trace.note("stage", "keeper_starts")
            self._keeper = KeeperProcess(self)
            self._keeper.start()

    def keeper_left(self, because: str, *, has_ended: bool) -> None:
        """The keeper has ended by itself, and the crawl with it or not."""
        self.trace.note("stage", "keeper_left", because=because)
        self._keeper = None
        self.note_carried_out(None)
        if has_ended and not self.wishes:
            self.is_over = True
        else:
            self.outside.call_later(RESTART_SECONDS, self.start_keeper)

    def keeper_died(self) -> None:
        """The keeper was killed."""
        self.trace.note("stage", "keeper_died")
        self._keeper = None
        self.note_carried_out(None)
        if not self.is_over:
            self.outside.call_later(RESTART_SECONDS, self.start_keeper)

    def note_carried_out(self, command: Command | None) -> None:
        """The keeper has carried out a command; None: it has ended."""
        self.carried_out.append(CarriedOut(self.clock.now(), command))

    # -- harvesters ------------------------------------------------------

    def start_harvester(self, name: str) -> HarvesterProcess:
        """Start a process."""
        self._pids += 1
        process = HarvesterProcess(self, name, self._pids)
        self.harvesters[process.pid] = process
        return process

    def keep_harvester(self, name: str) -> None:
        """Start a harvester on another machine, where somebody starts it again whenever it ends."""
        if not self.is_over:
            self.start_harvester(name)

    def harvester_ended(self, process: HarvesterProcess) -> None:
        """A process is gone."""
        del self.harvesters[process.pid]
        if self.plan.is_remote and not self.is_over:
            self.outside.call_later(RESTART_SECONDS, self.keep_harvester, process.name)

    # -- wires -----------------------------------------------------------

    def connect(self, peer: VirtualLoop, *, needs_token: bool = False) -> Connection[Any]:
        """Connect a process with the keeper."""
        if self._keeper is None or self._keeper.keeper is None:
            raise ConnectionRefusedError("no keeper is listening")
        wire = Wire(self.outside, peer, self._keeper.loop, self._wire_delay, self._told, self.trace)
        self.wires = [*(known for known in self.wires if known.is_open), wire]
        talk = self._keeper.keeper.reception.talk(wire.keeper_end, needs_token=needs_token)
        self._keeper.loop.create_task(talk)
        return wire.peer_end

    def hang_up(self, loop: VirtualLoop) -> None:
        """A process is dead: its connections end."""
        for wire in self.wires:
            if loop in (wire.peer_end.loop, wire.keeper_end.loop):
                wire.hang_up(loop, delivers=self.wire_chance.random() < 0.5)

    def _told(self, name: str, sent_at: float) -> None:
        self.told_at[name] = sent_at

    def _wire_delay(self) -> float:
        return (self.plan.wire_seconds + self.slow_seconds) * (0.5 + self.wire_chance.random())

    # -- the web ---------------------------------------------------------

    def is_told(self, line: int) -> bool:
        """Whether the keeper has heard of an arrival."""
        sent_at = self.told_at.get(self.askers[line], 0.0)
        return sent_at > self.arrivals[line].answered_at - BEGAN_AT

    def arrived(self, asker: str, arrival: Arrival) -> None:
        """A server was asked."""
        self.arrivals.append(arrival)
        self.askers.append(asker)
        self.trace.note(
            "web", "asked", url=arrival.url, status=arrival.status,
            at=f"{arrival.arrived_at - BEGAN_AT - FIRST_MOMENT:.4f}",
        )  # fmt: skip
