"""How many harvesters are enough?

Either a fixed number, or as many as queue, network and processors call for: one more
while the others are busy and the machine is not, one fewer while they idle.
"""

import asyncio
import os
from dataclasses import dataclass

import psutil

from tiptoe.keeper.keeper import Keeper

__all__ = ["Load", "Scaling", "wanted_harvesters"]

LOOK_SECONDS = 3.0
BUSY_SHARE = 0.8
IDLE_SHARE = 0.2
MACHINE_BUSY_SHARE = 0.9


@dataclass(frozen=True, slots=True)
class Load:
    """The load between two measurements."""

    harvesters: int
    cpu_share: float  # of one processor, mean of the harvesters
    visits_share: float  # of the visits they could handle at once
    machine_share: float  # of all processors
    has_work: bool  # some waiting host could be visited now


def wanted_harvesters(load: Load, processors: int) -> int:
    """Return how many harvesters there should be under this load."""
    is_busy = load.cpu_share > BUSY_SHARE or load.visits_share > BUSY_SHARE
    if is_busy and load.has_work and load.machine_share < MACHINE_BUSY_SHARE:
        return min(load.harvesters + 1, processors)
    if load.harvesters > 1 and load.cpu_share < IDLE_SHARE and load.visits_share < IDLE_SHARE:
        return load.harvesters - 1
    return load.harvesters


class Scaling:
    """Keeps the number of harvesters as it should be; the operator may change it."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._wanted = keeper.plan.harvesters
        self._processors = os.cpu_count() or 1
        self._cpu_seconds: dict[int, float] = {}

    async def run(self) -> None:
        """Start the harvesters, then keep adjusting their number."""
        for _ in range(self._wanted or 1):
            self._keeper.supervisor.add()
        while True:
            psutil.cpu_percent()
            await asyncio.sleep(LOOK_SECONDS)
            self.adjust()

    def adjust(self) -> None:
        """Add or dismiss harvesters."""
        if not self._keeper.plan.harvesters:
            self._adjust(wanted_harvesters(self._look(), self._processors))
        elif self._keeper.plan.harvesters != self._wanted:
            for _ in range(abs(self._keeper.plan.harvesters - len(self._keeper.supervisor))):
                self._adjust(self._keeper.plan.harvesters)
        if self._keeper.plan.harvesters in (0, len(self._keeper.supervisor)):
            self._wanted = self._keeper.plan.harvesters

    def _look(self) -> Load:
        members = list(self._keeper.roster.members.values())
        spent = sum(map(self._spent_since_last_look, (member.pid for member in members)))
        room = sum(member.visits_max for member in members) or 1
        next_at = self._keeper.frontier.next_at()
        return Load(
            harvesters=len(self._keeper.supervisor),
            cpu_share=spent / LOOK_SECONDS / max(len(members), 1),
            visits_share=sum(len(member.visits) for member in members) / room,
            machine_share=psutil.cpu_percent() / 100,
            has_work=next_at is not None and next_at <= self._keeper.clock.now(),
        )

    def _spent_since_last_look(self, pid: int) -> float:
        try:
            total = float(sum(psutil.Process(pid).cpu_times()[:2]))
        except psutil.Error:
            return 0.0
        before = self._cpu_seconds.get(pid, total)
        self._cpu_seconds[pid] = total
        return total - before

    def _adjust(self, wanted: int) -> None:
        supervisor = self._keeper.supervisor
        if wanted > len(supervisor):
            supervisor.add()
        elif wanted < len(supervisor):
            newest = supervisor.newest()
            for member in list(self._keeper.roster.members.values()):
                if member.name == newest and not member.is_leaving:
                    self._keeper.dismiss(member)
