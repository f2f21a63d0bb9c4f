"""What does a harvester process do, from start to end?

It connects to its keeper, receives its settings, makes the visits it is given,
looks up names, sends reports and heartbeats. When the keeper is gone or silent
it stops at once, because its work may be given to another harvester.
"""

import asyncio
import contextlib
import itertools
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from tiptoe.errors import DiskFull, ProtocolError, RefusedByKeeper
from tiptoe.harvest.inquiry import Inquiries
from tiptoe.harvest.outbox import FULL_DISK_SECONDS, Outbox
from tiptoe.harvest.parse_queue import ParseQueue
from tiptoe.harvest.slots import Slots
from tiptoe.harvest.tools import Tools
from tiptoe.harvest.walk import Switches, Walk
from tiptoe.protocol.messages import (
    Amend,
    Beat,
    Cancel,
    Drain,
    FromKeeper,
    Going,
    Heard,
    Hello,
    Hold,
    Known,
    Leaving,
    Lookup,
    More,
    Noted,
    Refusal,
    Resolutions,
    Revoke,
    Unsure,
    Welcome,
    Work,
)
from tiptoe.protocol.wire import Connection
from tiptoe.protocol.work import Visit

__all__ = ["Harvester", "HarvesterPlan", "join", "open_keeper"]

LEASE_SHARE = 0.6
"""Share of the lease after which a harvester stops, well before the keeper gives its work away."""

LEAVING_SECONDS = 15.0
"""Maximum seconds to wait for answers when leaving; after that they are broken off. The keeper waits a little
longer for us."""

FINAL_ANSWER_SECONDS = 10.0
WIDE_LOOKUPS = 100
READ_MAX = 64
"""Maximum answers read in a row. At half a millisecond each, timers and sockets wait about 32 ms."""

LOCAL_ADDRESS = "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class HarvesterPlan:
    """How one harvester works."""

    lease_seconds: float
    report_seconds: float
    transfers_max: int
    syncs: bool
    reads_tdmrep: bool


async def join(
    connection: Connection[FromKeeper], *, name: str, token: str, pid: int, crawl: str = ""
) -> Welcome:
    """Say hello and wait to be accepted; `crawl` is the crawl whose files are where we write."""
    connection.send(Hello("harvester", name, token, pid=pid, crawl=crawl))
    answer = await asyncio.wait_for(connection.receive(), 30.0)
    if isinstance(answer, Refusal):
        raise RefusedByKeeper(f"the keeper refuses: {answer.reason}")
    if not isinstance(answer, Welcome):
        raise ProtocolError("the keeper did not welcome us")
    return answer


class Harvester:
    """One harvester process, from its welcome to its end."""

    def __init__(
        self, connection: Connection[FromKeeper], tools: Tools, plan: HarvesterPlan, *,
        amend: Callable[[Mapping[str, Mapping[str, object]]], None] = lambda settings: None,
    ) -> None:  # fmt: skip
        """`amend` applies changed settings to the tools."""
        self._connection = connection
        connection.send_from_thread()
        self._tools = tools
        self._plan = plan
        self._amend = amend
        self._time = tools.time
        # The time it took to get here does not matter: no lease runs before our first beat.
        self._certain_at = self._time()  # when our lease was last renewed for certain
        self._heard_at = self._certain_at  # when the keeper was last known to be there
        self._is_unsure = False
        self._beats: deque[tuple[int, float]] = deque()  # number and moment of those not answered yet
        self._outbox = Outbox(tools, connection.send, syncs=plan.syncs)
        self._inquiries = None
        if tools.duplicity is not None:
            self._inquiries = Inquiries(connection.send, tools.duplicity, report_seconds=plan.report_seconds)
        self._walks: set[asyncio.Task[None]] = set()
        self._walking: set[Walk] = set()
        self._lookups: set[asyncio.Task[None]] = set()
        self._looked_up: list[Lookup] = []
        self._lookup_room = asyncio.Semaphore(WIDE_LOOKUPS)
        may_ask = asyncio.Event()
        may_ask.set()
        self._switches = Switches(may_ask, Slots(plan.transfers_max), ParseQueue(READ_MAX), self._lease_holds)
        self._is_held = False
        self._has_failed = False
        self._over = asyncio.Event()

    async def run(self) -> int:
        """Work until told to leave; return the exit code of the process."""
        tasks = [asyncio.ensure_future(self._duty(step)) for step in (self._listen, self._report, self._beat)]
        try:
            await self._over.wait()
        finally:
            for task in [*tasks, *self._walks, *self._lookups]:
                task.cancel()
            await asyncio.gather(*tasks, *self._walks, *self._lookups, return_exceptions=True)
            await self._tools.client.close()
            if self._tools.segmenter is not None:
                await self._tools.segmenter.close()
            await self._tools.resolver.close()
            self._connection.close()
        return 0 if self._switches.is_draining and not self._walks and not self._has_failed else 1

    async def _duty(self, step: Callable[[], Awaitable[None]]) -> None:
        """Run a task we cannot do without; if it fails we end, and our work goes back to the keeper."""
        try:
            await step()
        except Exception as error:
            self._tools.busy.seal()
            self._tools.log.note("harvester.failed", error=repr(error))
            self._has_failed = True
            self._over.set()

    def ask_to_go(self) -> None:
        """Ask the keeper to let us go: it stops handing out work, and says when to leave."""
        self._connection.send(Going())

    def _lease_holds(self) -> bool:
        """Whether our lease is certainly valid.

        Messages may arrive late. So we count the lease from the moment when we sent the last beat that
        was answered: the keeper counts from when it received that beat, which is later.
        """
        return self._is_recent(self._certain_at)

    def _is_recent(self, moment: float) -> bool:
        return self._time() - moment < self._plan.lease_seconds * LEASE_SHARE

    def _confirm(self, answer: Beat | Unsure) -> None:
        """Take the answer to a beat; `Unsure` is from a keeper that may not hold its shards any more."""
        while self._beats and self._beats[0][0] <= answer.number:
            self._heard_at = self._beats.popleft()[1]
            if isinstance(answer, Beat):
                self._certain_at = self._heard_at
        if self._is_unsure != isinstance(answer, Unsure):
            self._is_unsure = not self._is_unsure
            self._tools.log.note("keeper.unsure" if self._is_unsure else "keeper.sure")

    async def _listen(self) -> None:
        """Receive messages from the keeper and carry them out."""
        try:
            while (message := await self._connection.receive()) is not None:
                if isinstance(message, Beat | Unsure):
                    self._confirm(message)
                if not self._is_recent(self._heard_at):
                    break  # we or the connection stalled; what was sent meanwhile comes too late
                self._obey(message)
        except ProtocolError as error:
            self._tools.log.note("keeper.misunderstood", reason=str(error))
        self._tools.log.note("keeper.gone")
        self._over.set()

    def _obey(self, message: FromKeeper) -> None:
        if isinstance(message, Work):
            for visit in message.visits:
                self._set_out(visit)
            for host in message.hosts:
                self._start(self._lookups, self._look_up(host, message.addresses.get(host, "")))
        elif isinstance(message, More):
            self._outbox.answered(message.visit, message.works)
        elif isinstance(message, Known) and self._inquiries is not None:
            self._inquiries.answered(message.marks)
        elif isinstance(message, Noted):
            self._tools.outputs.acknowledge(message.marks)
        elif isinstance(message, Cancel):
            for walk in self._walking:
                walk.leave(message.host)
            self._tools.outputs.write_order("leave", message.host)
            self._connection.send(Heard(message.order))
        elif isinstance(message, Revoke):
            self._break_off(message.shard)
            self._connection.send(Heard(message.order))
        elif isinstance(message, Amend):
            for walk in self._walking:
                walk.leave()
            self._amend(message.settings)
            self._connection.send(Heard(message.order))
        elif isinstance(message, Hold):
            self._is_held = message.is_held
            self._update_hold()
            self._tools.outputs.write_order("hold" if message.is_held else "go_on")
            self._connection.send(Heard(message.order))
        elif isinstance(message, Drain) and not self._switches.is_draining:
            self._switches.is_draining = True
            asyncio.ensure_future(self._duty(self._leave))  # noqa: RUF006  ends the process

    def _break_off(self, shard: int) -> None:
        """Drop all visits and reports of a shard that no longer belongs to our keeper."""
        for walk in self._walking:
            if walk.shard == shard:
                walk.revoke()
        self._outbox.drop(shard)
        self._tools.outputs.revoke(shard)

    def _start(self, group: set[asyncio.Task[None]], step: object) -> None:
        task = asyncio.ensure_future(step)  # type: ignore[call-overload]
        group.add(task)
        task.add_done_callback(group.discard)

    def _update_hold(self) -> None:
        if self._is_held or self._outbox.trouble:
            self._switches.may_ask.clear()
        else:
            self._switches.may_ask.set()

    def _set_out(self, visit: Visit) -> None:
        """Begin a visit. It is registered before it runs, since the next message may cancel it."""
        walk = Walk(
            visit, self._tools, self._outbox, self._switches,
            reads_tdmrep=self._plan.reads_tdmrep, inquiries=self._inquiries,
        )  # fmt: skip
        self._walking.add(walk)
        self._start(self._walks, self._walk(visit.id, walk))

    async def _walk(self, visit: int, walk: Walk) -> None:
        try:
            await walk.run()
        except asyncio.CancelledError:
            raise
        except Exception as error:
            # A bug of ours: end the process, so that all our leases end and no URL is left in limbo.
            self._tools.busy.seal()
            self._tools.log.note("walk.failed", visit=visit, error=repr(error))
            self._over.set()
            raise
        finally:
            self._walking.discard(walk)

    async def _look_up(self, host: str, last_address: str) -> None:
        if not host:  # file: URLs have none
            self._looked_up.append(Lookup(host, LOCAL_ADDRESS))
            return
        async with self._lookup_room:
            found = await self._tools.resolver.resolve(host, last_address)
        failure = found.failure.value if found.failure else ""
        self._looked_up.append(Lookup(host, found.address or "", failure))

    async def _report(self) -> None:
        """Send what has accumulated, at regular intervals or as soon as there is much."""
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._outbox.is_full.wait(), self._plan.report_seconds)
            await self._send_all()

    async def _send_all(self) -> None:
        await self._outbox.flush()
        self._update_hold()
        if self._looked_up:
            lookups, self._looked_up = self._looked_up, []
            self._connection.send(Resolutions(lookups))
        await self._connection.drain()

    async def _beat(self) -> None:
        """Send heartbeats, and notice when the keeper does not answer them."""
        for number in itertools.count(1):
            self._beats.append((number, self._time()))
            self._connection.send(Beat(number))
            await asyncio.sleep(self._plan.lease_seconds / 6)
            if not self._is_recent(self._heard_at):
                self._tools.log.note("keeper.silent")
                self._over.set()
            elif not self._lease_holds():  # the keeper is there but unsure: wait until it is sure again
                for walk in list(self._walking):
                    walk.break_off()

    async def _leave(self) -> None:
        """Finish the requests under way if they do not take long, report everything, and leave."""
        self._switches.may_ask.set()
        if self._walks:
            _, late = await asyncio.wait(set(self._walks), timeout=LEAVING_SECONDS)
            if late:
                await self._tools.client.close()  # breaks off their requests, which are given back
                await asyncio.wait(late)
        await self._send_all()
        acknowledged = self._time() + FINAL_ANSWER_SECONDS
        while self._tools.outputs.marks() and self._time() < acknowledged:
            await asyncio.sleep(0.02)
        await self._close_outputs()
        self._tools.busy.close()
        self._connection.send(Leaving())
        await self._connection.drain()
        self._over.set()

    async def _close_outputs(self) -> None:
        """Finish the files; while the disk is full, keep trying."""
        while True:
            await self._send_all()
            try:
                self._tools.outputs.close()
            except DiskFull:
                await asyncio.sleep(FULL_DISK_SECONDS)
            else:
                return


async def open_keeper(address: str) -> Connection[FromKeeper]:
    """Connect to a keeper at `host:port`, or at the path of a socket."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdigit() and "/" not in address:
        reader, writer = await asyncio.open_connection(host.strip("[]"), int(port))
    else:
        reader, writer = await asyncio.open_unix_connection(address)
    return Connection(reader, writer, FromKeeper)
