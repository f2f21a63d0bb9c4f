"""A harvester of an agent, in a simulated process of its own, that obeys its lease.

It follows the rules that its keeper sends, and makes no request if its keeper has not answered its beats for
a while. Whether its requests are right is judged only by the servers.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from simulated.agent_web import SmallWeb
from simulated.virtual import Timeline, VirtualLoop
from tiptoe.frontier.visits import shard_of_visit
from tiptoe.protocol.work import HostWork, Purpose, Report, Request, Result, Visit
from tiptoe.url.address import host_of, origin_of

__all__ = ["Served", "SimulatedHarvester"]

ANSWER_SECONDS = 0.3
WIRE_SECONDS = 0.005
CERTAIN_PART = 0.6
LOOK_SECONDS = 0.2


@dataclass
class Served:
    """One request, as its server saw it."""

    at: float
    ended_at: float
    address: str
    host: str
    url: str
    visit: int
    by: str
    is_settled: bool = False  # the harvester knows that what came of it is stored


@dataclass
class SimulatedHarvester:
    """Makes visits, one request at a time in each."""

    name: str
    timeline: Timeline
    web: SmallWeb
    served: list[Served]
    lease_seconds: float
    tell: Callable[[Report], None]
    beat: Callable[[float], None]
    visits: dict[int, asyncio.Task[None]] = field(default_factory=dict)
    compare: Callable[[Result], Awaitable[Result]] | None = None
    """Says of a page whether its text is a copy; then each page is told at once, as real harvesters do."""

    def __post_init__(self) -> None:
        self.loop: VirtualLoop = self.timeline.loop(self.name)
        self._certain_until = float("-inf")
        self._cancelled: set[tuple[int, str]] = set()
        self.is_held = False  # by its keeper: no request begins
        self._more: dict[int, asyncio.Future[list[HostWork]]] = {}
        self._ended_at: dict[str, float] = {}
        self._beats = self.loop.create_task(self._send_beats())

    # -- from the keeper, each a little later ------------------------------

    def hear(self, said: Callable[[], object]) -> None:
        self.loop.call_later(WIRE_SECONDS, said)

    def echo(self, sent_at: float) -> None:
        self._certain_until = max(self._certain_until, sent_at + CERTAIN_PART * self.lease_seconds)

    def begin(self, visits: list[Visit]) -> None:
        for visit in visits:
            self.visits[visit.id] = self.loop.create_task(self._make(visit))

    def go_on(self, visit: int, works: list[HostWork]) -> None:
        if visit in self._more and not self._more[visit].done():
            self._more[visit].set_result(works)

    def cancel(self, hosts: list[str]) -> None:
        """Ask these hosts nothing more in the visits under way."""
        self._cancelled.update((visit, host) for visit in self.visits for host in hosts)

    def revoke(self, shard: int) -> None:
        for visit in [visit for visit in self.visits if shard_of_visit(visit) == shard]:
            self.visits.pop(visit).cancel()

    # -- work --------------------------------------------------------------

    async def _send_beats(self) -> None:
        while True:
            self.beat(self.timeline.now)
            await asyncio.sleep(self.lease_seconds / 6)

    async def _make(self, visit: Visit) -> None:
        known: set[str] = set()
        works = visit.hosts
        while works:
            requests: list[Served] = []
            results: list[Result] = []
            returned: list[Request] = []
            for work in works:
                known |= set(work.robots)
                for request in work.requests:
                    if (origin := origin_of(request.url)) not in known:
                        rules = Request(f"{origin}/robots.txt", Purpose.ROBOTS)
                        if (result := await self._ask(visit, work, rules, requests)) is not None:
                            known.add(origin)
                            results.append(result)
                    result = await self._ask(visit, work, request, requests)
                    if result is None:
                        returned.append(request)
                    elif self.compare is not None:
                        self.tell(Report(visit.id, [await self.compare(result)]))
                    else:
                        results.append(result)
            future = self._more[visit.id] = self.loop.create_future()
            self.tell(Report(visit.id, results, returned, is_done=True))
            works = await future
            for served in requests:
                served.is_settled = True
        del self.visits[visit.id]

    async def _ask(
        self, visit: Visit, work: HostWork, request: Request, asked: list[Served]
    ) -> Result | None:
        """Make a request when it is its time; None when it was cancelled before."""
        now = self.timeline.now
        await asyncio.sleep(max(0.0, self._ended_at.get(work.host, now - work.delay) + work.delay - now))
        while self.is_held or self.timeline.now + LOOK_SECONDS >= self._certain_until:
            await asyncio.sleep(LOOK_SECONDS)
        if (visit.id, work.host) in self._cancelled:
            return None
        now = self.timeline.now
        served = Served(
            now, now + ANSWER_SECONDS, visit.address, host_of(request.url), request.url, visit.id, self.name
        )
        self.served.append(served)
        asked.append(served)
        await asyncio.sleep(ANSWER_SECONDS)
        self._ended_at[work.host] = self.timeline.now
        return self.web.answer(request)
