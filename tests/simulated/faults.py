"""How is each fault of a plan carried out?

One method per kind, named in `plan.KINDS`. Each fault is undone after its time, so that
in the end nothing keeps the crawl from finishing.
"""

from collections.abc import Coroutine
from typing import Any

from simulated.harvesters import HarvesterProcess
from simulated.plan import Fault
from simulated.promises import Confirmation, undo_of
from simulated.stage import Stage
from simulated.wires import Wire
from tiptoe.protocol.messages import Hello
from tiptoe.protocol.operator import (
    BlockHost,
    Command,
    Done,
    PauseCrawl,
    Reconfigure,
    Reconfigured,
    SlowHost,
    StopCrawl,
)

__all__ = ["Faults"]

AGAIN_SECONDS = 1.0
OBEY_SECONDS = 5.0


class Faults:
    """Lets the faults of a plan happen on a stage."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._operator = stage.timeline.loop("operator")
        self.confirmations: list[Confirmation] = []
        for fault in stage.plan.faults:
            stage.outside.call_later(fault.at, self._begin, fault)

    def end(self) -> None:
        """Nobody wants anything any more."""
        self._operator.kill()

    def _begin(self, fault: Fault) -> None:
        if not self._stage.is_over:
            getattr(self, fault.kind)(fault)

    def _note(self, kind: str, **facts: object) -> None:
        self._stage.trace.note("fault", kind, **facts)

    # -- processes -------------------------------------------------------

    def _somebody(self, fault: Fault) -> HarvesterProcess | None:
        alive = list(self._stage.harvesters.values())
        return alive[fault.pick % len(alive)] if alive else None

    def kill_harvester(self, fault: Fault) -> None:
        process = self._somebody(fault)
        if process is not None:
            self._note(fault.kind, pid=process.pid)
            process.kill()

    def freeze_harvester(self, fault: Fault) -> None:
        process = self._somebody(fault)
        if process is not None:
            self._note(fault.kind, pid=process.pid, seconds=fault.seconds)
            process.loop.freeze()
            self._stage.outside.call_later(fault.seconds, self._thaw, process)

    def _thaw(self, process: HarvesterProcess) -> None:
        if process.is_alive:
            self._note("thaw", pid=process.pid)
            process.loop.thaw()

    def add_harvester(self, fault: Fault) -> None:
        stage = self._stage
        if stage.plan.is_remote:
            self._note(fault.kind)
            stage.keep_harvester(f"x{fault.pick % 1000}")
        elif stage.keeper is not None and stage.keeper.keeper is not None:
            self._note(fault.kind)
            stage.keeper.loop.call_soon(stage.keeper.keeper.supervisor.add)

    def remove_harvester(self, fault: Fault) -> None:
        """Let one go that is not the last: nobody would come in its place."""
        process = self._stage.keeper
        if process is None or process.keeper is None:
            return
        members = [one for one in process.keeper.roster.members.values() if not one.is_leaving]
        if len(members) > 1 and (self._stage.plan.is_remote or len(process.keeper.supervisor) > 1):
            member = members[fault.pick % len(members)]
            self._note(fault.kind, incarnation=member.incarnation)
            process.loop.call_soon(process.keeper.dismiss, member)

    def kill_keeper(self, fault: Fault) -> None:
        if self._stage.keeper is not None:
            self._note(fault.kind)
            self._stage.keeper.kill()

    # -- wires and disk --------------------------------------------------

    def _some_wire(self, fault: Fault) -> Wire | None:
        wires = [wire for wire in self._stage.wires if wire.is_open]
        return wires[fault.pick % len(wires)] if wires else None

    def cut_wire(self, fault: Fault) -> None:
        wire = self._some_wire(fault)
        if wire is not None:
            self._note(fault.kind, peer=wire.peer_end.loop.name)
            wire.lose(peer_notices_after=0.01, keeper_notices_after=0.01)

    def half_cut_wire(self, fault: Fault) -> None:
        """One end hears of it at once, the other much later, or by silence only."""
        wire = self._some_wire(fault)
        if wire is not None:
            late = 1000.0
            is_peer_first = bool(fault.pick & 1)
            self._note(fault.kind, peer=wire.peer_end.loop.name, is_peer_first=is_peer_first)
            wire.lose(
                peer_notices_after=0.01 if is_peer_first else late,
                keeper_notices_after=late if is_peer_first else 0.01,
            )

    def slow_wire(self, fault: Fault) -> None:
        """Everything said takes a while; at worst longer than a lease."""
        self._note(fault.kind, seconds=fault.seconds)
        self._stage.slow_seconds = (0.1, 0.5, 4.0)[fault.pick % 3]
        self._stage.outside.call_later(fault.seconds, self._mend_wires)

    def _mend_wires(self) -> None:
        self._stage.slow_seconds = 0.0

    def full_disk(self, fault: Fault) -> None:
        self._note(fault.kind, seconds=fault.seconds)
        self._stage.disk.is_full = True
        self._stage.outside.call_later(fault.seconds, self._make_room)

    def _make_room(self) -> None:
        self._note("room")
        self._stage.disk.is_full = False

    # -- the operator ----------------------------------------------------

    def stop_keeper(self, fault: Fault) -> None:
        self._wish(self._order(StopCrawl()))

    def pause(self, fault: Fault) -> None:
        self._wish(self._for_a_while(fault, PauseCrawl()))

    def block_host(self, fault: Fault) -> None:
        stage = self._stage
        host = stage.web.hosts.name_of(fault.pick % stage.plan.shape.hosts)
        self._wish(self._for_a_while(fault, BlockHost(host)))

    def block_address(self, fault: Fault) -> None:
        stage = self._stage
        host = stage.web.hosts.name_of(fault.pick % stage.plan.shape.hosts)
        address = stage.web.address_of(host)
        if address is not None:
            self._wish(self._for_a_while(fault, BlockHost(address)))

    def slow_host(self, fault: Fault) -> None:
        stage = self._stage
        host = stage.web.hosts.name_of(fault.pick % stage.plan.shape.hosts)
        self._wish(self._order(SlowHost(host, 1.5)))

    def change_pace(self, fault: Fault) -> None:
        """Slower than what is judged, or as fast as that again."""
        self._wish(self._order(Reconfigure({"pace": str((1.0, 1.5, 4.0)[fault.pick % 3])})))

    def _wish(self, order: Coroutine[Any, Any, object]) -> None:
        self._operator.create_task(order)

    async def _for_a_while(self, fault: Fault, order: PauseCrawl | BlockHost) -> None:
        """Give an order, and take it back when its time is over, however long that takes."""
        stage = self._stage
        stage.wishes += 1
        asked_at = stage.clock.now()
        if await self._order(order) and stage.clock.now() - asked_at < OBEY_SECONDS:
            # A harvester that lost its lease unheard may work on for the rest of it.
            zombie = stage.plan.lease_seconds if stage.plan.is_remote else 0.0
            self.confirmations.append(Confirmation(order, asked_at, stage.clock.now(), zombie))
        keeper = stage.keeper
        until = self._operator.time() + fault.seconds
        while self._operator.time() < until and stage.keeper is keeper:
            await self._sleep(0.2)
        await self._sleep(max(0.0, until - self._operator.time()))
        while stage.keeper is not None and (isinstance(order, BlockHost) or stage.keeper is keeper):
            if await self._order(undo_of(order)):
                stage.wishes -= 1
                return
            await self._sleep(AGAIN_SECONDS)
        if isinstance(order, BlockHost):
            stage.unblocks.append(order.target)
        else:
            stage.wishes -= 1

    async def _order(self, command: Command) -> bool:
        """Tell the keeper what is wanted; return whether it said yes."""
        self._note("order", command=command)
        try:
            connection = self._stage.connect(self._operator)
        except ConnectionRefusedError:
            return False
        connection.send(Hello("control"))
        connection.send(command)
        reply = await connection.receive()
        connection.close()
        return isinstance(reply, Done | Reconfigured)

    async def _sleep(self, seconds: float) -> None:
        awake = self._operator.create_future()
        self._operator.call_later(seconds, awake.set_result, None)
        await awake
