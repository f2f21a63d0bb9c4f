"""How is a visit made?

The address gets one request at a time; its hosts take turns, each at its own
pace. The walk ends when the keeper has nothing to add. It ends early when a
host is in trouble, the operator orders it, or our lease runs out.
"""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from tiptoe.decide.fetching import PendingRequest
from tiptoe.fetch.approach import Approach
from tiptoe.fetch.outcome import Answer, Failed, Failure
from tiptoe.frontier.novelty import remember_prose
from tiptoe.frontier.patience import PATIENCE, Trouble, trouble_of
from tiptoe.frontier.politeness import UNBROKEN_SECONDS
from tiptoe.frontier.repetition import remember_text
from tiptoe.frontier.troubles import SPREAD_URLS
from tiptoe.frontier.visits import shard_of_visit
from tiptoe.harvest.document import Reading
from tiptoe.harvest.draft import Draft
from tiptoe.harvest.inquiry import Inquiries
from tiptoe.harvest.journey import compare, digest, fetch, rate, read
from tiptoe.harvest.lane import Lane
from tiptoe.harvest.logins import Logins
from tiptoe.harvest.outbox import Outbox
from tiptoe.harvest.parse_queue import ParseQueue
from tiptoe.harvest.request_context import RequestContext
from tiptoe.harvest.rules_reader import RulesReader, is_exempt, log_robots
from tiptoe.harvest.slots import Slots
from tiptoe.harvest.tools import Tools
from tiptoe.protocol.work import Purpose, Request, RobotsNote, RobotsState, Visit
from tiptoe.url.address import host_of, origin_of

__all__ = ["Switches", "Walk"]


@dataclass(slots=True)
class Switches:
    """State shared by all walks of this process, which the keeper's messages change."""

    may_ask: asyncio.Event  # cleared while everything is held
    transfers: Slots  # for requests under way in this process
    parse_queue: ParseQueue
    lease_holds: Callable[[], bool]
    is_draining: bool = False


class Walk:
    """One visit, from its first request to its end."""

    def __init__(
        self, visit: Visit, tools: Tools, outbox: Outbox, switches: Switches, *,
        reads_tdmrep: bool, inquiries: Inquiries | None = None,
    ) -> None:  # fmt: skip
        self._visit = visit
        self._tools = tools
        self._outbox = outbox
        self._switches = switches
        self._inquiries = inquiries  # None: texts are not compared
        self._lanes = {work.host: Lane.of(work, tools.politeness) for work in visit.hosts}
        self._nap_max = max(UNBROKEN_SECONDS, tools.politeness.req_delay)
        self._time = tools.time
        self.shard = shard_of_visit(visit.id)
        self._outputs = tools.outputs.begin_visit(self.shard, visit.time)
        self._rules = RulesReader(
            self._ask_for_rules, self._report, tools, self._outputs.requests, reads_tdmrep=reads_tdmrep
        )
        self._logins = None
        if tools.access is not None:
            self._logins = Logins(self._ask_to_be_let_in, self._report, tools, tools.access)
        self._asked: RequestContext | None = None  # of the request that is under way
        self._task: asyncio.Task[None] | None = None
        self._is_revoked = False

    async def run(self) -> None:
        """Work until the keeper ends the visit."""
        self._task = asyncio.current_task()
        try:
            await self._make_visit()
        finally:
            self._tools.outputs.end_visit(self._outputs)

    async def _make_visit(self) -> None:
        if not await self._is_permitted():
            await self._refuse()
        while True:
            while (lane := self._next_lane()) is not None:
                await self._work(lane)
            if self._is_revoked:
                return
            for lane in self._lanes.values():
                self._outbox.give_back(self._visit.id, lane.give_back())
            works = await self._outbox.finish(self._visit.id, wants_more=self._wants_more())
            if not works:
                return
            for work in works:
                self._lanes[work.host].extend(work)

    def _wants_more(self) -> bool:
        """Whether we would make any request that the keeper adds; if not, it would only be given back."""
        return not self._switches.is_draining and not all(lane.is_left for lane in self._lanes.values())

    async def _is_permitted(self) -> bool:
        """Whether we may visit this address: settings may have changed since it was looked up."""
        if not any(self._lanes):  # files of this machine, which have no host
            return True
        found = await self._tools.resolver.resolve(self._visit.address)
        return found.failure is not Failure.PRIVATE_ADDRESS

    async def _refuse(self) -> None:
        """Fail every request as if the lookup had just found a private address."""
        for lane in self._lanes.values():
            context = self._context(lane, None, "exempt")
            for request in lane.give_back():
                failed = Failed(url=request.url, failure=Failure.PRIVATE_ADDRESS, address=self._visit.address)
                draft = read(request, failed, context, self._tools)
                await self._log_rules(draft)
                self._report(draft)
            lane.cancel()

    def leave(self, host: str | None = None) -> None:
        """Make no more requests to this host, or to any host if None, in this visit."""
        for lane in self._lanes.values():
            if host in (None, lane.host):
                lane.cancel()

    def revoke(self) -> None:
        """Break off this visit: another agent may already be visiting these hosts, and settles the rest."""
        self._is_revoked = True
        self.break_off()

    def break_off(self) -> None:
        """Make no more requests and abandon the one under way; it is given back with the rest."""
        self.leave()
        if self._asked is not None and self._task is not None:
            self._asked.is_broken_off = True
            self._task.cancel()

    def _next_lane(self) -> Lane | None:
        """Return the lane whose next request may be made first."""
        waiting = [lane for lane in self._lanes.values() if lane.has_work and lane.budget > 0]
        if len(waiting) == 1:
            return waiting[0]
        return min(waiting, key=lambda lane: lane.next_at, default=None)

    async def _work(self, lane: Lane) -> None:
        """Make the next request of a lane, after reading the rules of its origin if they are missing."""
        request = lane.requests[0]
        note = None
        if not is_exempt(request):
            origin = origin_of(request.url)
            note = await self._rules_for(lane, origin)
            if note is None:
                lane.is_left = True
                return
            pending = PendingRequest(
                request.url, lane.robots_of(origin), request.purpose, request.depth, self._visit.address
            )
            refused = self._tools.fetch.refusal(pending)
            if refused is not None:
                lane.requests.popleft()
                self._report(Draft(request, reading=Reading(discard=refused)))
                return
            if self._logins is not None and not await self._logins.enter(lane, request, note):
                return
        if lane.budget <= 0 or not await self._turn(lane):
            lane.is_left = True
            return
        context = self._context(lane, note, "exempt" if note is None else "allowed")
        async with self._switches.transfers:
            if not self._may_ask(lane):
                return
            lane.requests.popleft()
            answer = await self._ask(lane, request, context)
            if answer is None:
                lane.requests.appendleft(request)
                lane.is_left = True
                return
            logins = self._logins if note is not None else None
            if logins is not None and not logins.is_welcome(lane, request, answer):
                return
            draft = await self._switches.parse_queue.add(partial(read, request, answer, context, self._tools))
            await self._log_rules(draft)
            await rate(draft, self._tools)
            await compare(draft, self._inquiries)
            digest(draft, self._tools)
            if lane.requests:  # otherwise the keeper's next work brings its own, newer memory
                lane.texts = remember_text(lane.texts, request, draft.text_hash, draft.discard)
                lane.prose, _ = remember_prose(lane.prose, draft.prose or b"")
            self._report(draft)

    async def _log_rules(self, draft: Draft) -> None:
        """Log the rules if this was a request for those of another host; otherwise do nothing."""
        if draft.request.purpose is Purpose.ROBOTS:
            note = draft.reading.robots or RobotsNote(RobotsState.UNREACHABLE)
            await log_robots(draft.request, note, self._outputs.requests)

    async def _rules_for(self, lane: Lane, origin: str) -> RobotsNote | None:
        """Return the rules of an origin; None when we must stay out."""
        note = lane.rules.get(origin)
        if note is None or note.is_partial:
            note = await self._rules.read(lane, origin, note)
        if note is None or note.is_partial or note.state is not RobotsState.RULES:
            return None
        return note

    async def _ask_for_rules(self, lane: Lane, request: Request, purpose: str) -> Answer | Failed | None:
        """Make a request for a host's rules, at the same pace as all others."""
        if lane.budget <= 0 or not await self._turn(lane):
            return None
        async with self._switches.transfers:
            if not self._may_ask(lane):
                return None
            return await self._ask(lane, request, self._context(lane, None, "exempt", rules_request=purpose))

    async def _ask_to_be_let_in(
        self, lane: Lane, request: Request, note: RobotsNote, approach: Approach
    ) -> Answer | Failed | None:
        """Make a request that is part of a login, at the same pace as all others."""
        if lane.budget <= 0 or not await self._turn(lane):
            return None
        async with self._switches.transfers:
            if not self._may_ask(lane):
                return None
            return await self._ask(lane, request, self._context(lane, note, "allowed"), approach)

    def _may_ask(self, lane: Lane) -> bool:
        """Whether the request may still be made after waiting for a slot."""
        switches = self._switches
        is_held = switches.is_draining or lane.is_left or not switches.may_ask.is_set()
        return not is_held and switches.lease_holds()

    async def _ask(
        self, lane: Lane, request: Request, context: RequestContext, approach: Approach | None = None
    ) -> Answer | Failed | None:
        """Make a request; None when we had to leave before it was answered."""
        lane.spend()
        self._asked = context
        answer = await fetch(request, context, self._tools, approach)
        self._asked = None
        lane.answered(self._time(), answer.seconds)
        was_broken_off = isinstance(answer, Failed) and answer.failure is Failure.HARVESTER_LOST
        return None if was_broken_off else answer

    async def _turn(self, lane: Lane) -> bool:
        """Wait until the lane's next request may be made; False when no more may be made."""
        switches = self._switches
        next_at = lane.next_at  # nothing changes it while we wait
        held_too_long_at = self._time() + self._nap_max
        while True:
            if switches.is_draining or lane.is_left:
                return False
            wait = next_at - self._time()
            if wait > self._nap_max:
                return False  # the keeper can make better use of a long wait
            if wait > 0:
                # In short naps, so that we react in time to messages from the keeper.
                await asyncio.sleep(min(wait, 1.0))
            elif not switches.may_ask.is_set():
                if self._time() >= held_too_long_at:
                    lane.rules.clear()  # they may expire before we go on; the keeper sends valid ones
                    return False
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(switches.may_ask.wait(), 1.0)
            else:
                return switches.lease_holds()

    def _context(
        self, lane: Lane, note: RobotsNote | None, decision: str, *, rules_request: str = ""
    ) -> RequestContext:
        return RequestContext(
            visit=self._visit.id,
            host=lane.host,
            address=self._visit.address,
            delay=lane.pause,
            rules=note,
            decision=decision,
            rules_request=rules_request,
            texts=lane.texts,
            prose=lane.prose,
        )

    def _report(self, draft: Draft) -> None:
        if self._is_revoked:
            return
        self._outbox.add(self._visit.id, draft)
        self._react(draft)

    def _react(self, draft: Draft) -> None:
        """Leave a host that sent Retry-After or is in trouble; leave all if the server is overloaded."""
        trouble = trouble_of(draft.status, draft.failure, draft.discard)
        asked = self._lanes[host_of(draft.request.url)]
        if draft.answer is not None:
            asked.failed_in_row = asked.failed_in_row + 1 if trouble is not None else 0
        is_troubled = trouble is not None and PATIENCE[trouble].host_waits
        if draft.retry_after or is_troubled or asked.failed_in_row >= SPREAD_URLS:
            # A timeout says nothing about the other hosts: perhaps only this one is dead.
            is_for_all = trouble is Trouble.OVERLOADED
            for lane in self._lanes.values():
                lane.is_left |= is_for_all or lane is asked
