"""What does a harvester get to do?

A visit: one address, at most `max_hosts` of its hosts, at most `max_reqs`
requests each, every one checked again before it is handed out. The visit is
leased: the lease and the closed gate are in the store before the visit is sent.
"""

import msgspec

from tiptoe.decide.scheduling import SchedulePoint
from tiptoe.frontier.errands import ERRANDS_SECONDS, FOR_OTHERS, take_errands
from tiptoe.frontier.front import Front
from tiptoe.frontier.gate import GateKeys, address_of
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.intake import Intake
from tiptoe.frontier.origins import Origins, robots_key
from tiptoe.frontier.pace import Pace
from tiptoe.frontier.pages import last_visit_of
from tiptoe.frontier.politeness import Politeness, rest_seconds
from tiptoe.frontier.priority import RETRIED, REVISITS, class_of
from tiptoe.frontier.queues import Chunk
from tiptoe.frontier.revisit_scheduler import FINAL, RevisitScheduler
from tiptoe.frontier.settlement import WAITING
from tiptoe.frontier.shapes import Shapes
from tiptoe.frontier.shares import Shares
from tiptoe.frontier.sifting import Sifting
from tiptoe.frontier.steering import Steering
from tiptoe.frontier.step import Step
from tiptoe.frontier.transitions import Transitions
from tiptoe.frontier.troubles import elsewhere_first, is_on_trial
from tiptoe.frontier.visits import Lease, OpenVisit, is_settled_since, visit_id
from tiptoe.protocol.work import HostWork, Purpose, Remains, Report, Request, Result, RobotsNote, Visit
from tiptoe.store.tables import Table
from tiptoe.url.address import host_of, keys_on, origin_of, page_key
from tiptoe.url.dropped import Dropped

__all__ = ["Dispatch"]

ADDRESS_EXPIRY_SECONDS = 24 * 3600.0
"""Maximum age of an address; above it the name is looked up again."""

FULL_SECONDS = 600.0
"""How long a host that has only new pages waits while the crawl wants no more of them."""

EXCHANGE_SECONDS = 1.0
"""How long a host waits whose requests are on hold until lists are exchanged: see `exchanges`."""


class Dispatch:
    """Hands out visits, extends them, and takes them back."""

    def __init__(
        self, step: Step, front: Front, transitions: Transitions, intake: Intake, rules: Politeness,
        schedule: SchedulePoint, steering: Steering, gates: GateKeys, pace: Pace, shares: Shares,
        revisit_scheduler: RevisitScheduler, *,
        rules_requests: int, pages_per_host: int, shapes: Shapes, revisits: bool, shard: int,
    ) -> None:  # fmt: skip
        self._step = step
        self._front = front
        self._transitions = transitions
        self._intake = intake
        self._rules = rules
        self._schedule = schedule
        self._steering = steering
        self._gates = gates
        self._pace = pace
        self._origins = Origins(step)
        self._sifting = Sifting(step, schedule, steering)
        self._shares = shares
        self._revisit_scheduler = revisit_scheduler
        self._revisits = revisits
        self._overhead = rules_requests
        self._pages_per_host = pages_per_host
        self._shapes = shapes
        self._shard = shard
        self.open: dict[int, OpenVisit] = {}
        self._encode = msgspec.msgpack.Encoder().encode
        self._robots_decoder = msgspec.msgpack.Decoder(RobotsNote)

    def next_visit(self, harvester: str, requests_max: int, now: float) -> Visit | None:
        """Lease the next visit that may begin now, or None; with at most `requests_max` new requests."""
        while True:
            is_revisit_owed = self._shares.is_revisit_owed
            is_contested = self._revisits and self._front.bench.is_contested(now)
            taken = self._front.take(now, self._rules.max_hosts, is_revisit_owed=is_revisit_owed)
            if taken is None:
                return None
            gate, records = taken
            for record in records:
                self._transitions.visit(record)
            works = []
            room = requests_max
            for record in records:
                work = self._work_for(record, self._rules.max_reqs, room, now, is_contested=is_contested)
                if work is not None:
                    works.append(work)
                    room -= sum(request.last_visit is None for request in work.requests)
                elif requests_max <= 0 and record.state is HostState.PARKED:
                    self._transitions.withdraw(record)
                    record.next_at = max(record.next_at, now + FULL_SECONDS)
                    self._release(record, now)
            if works:
                self._note_shares(works, is_contested=is_contested)
                return self._lease(harvester, gate, works, now)
            # No request was left, so the address was not visited and is as free as before.
            self._front.bench.set_free(gate, self._step.gate.free_at(gate))

    def extend(self, visit: OpenVisit, requests_max: int, now: float) -> list[HostWork]:
        """Return more requests for those hosts of a visit that have budget left and were not left early."""
        works: list[HostWork] = []
        if self._step.gate.is_blocked(visit.gate) or self._step.gate.is_held(visit.gate, now):
            return works
        room = requests_max
        is_contested = self._revisits and self._front.bench.is_contested(now)
        for host, made in visit.made.items():
            record = self._step.hosts.obtain(host)
            budget = self._rules.max_reqs - made
            is_welcome = host not in visit.left and not record.is_blocked and record.next_at <= now
            if visit.has(record) and is_welcome and budget > 0:
                work = self._work_for(record, budget, room, now, is_contested=is_contested, is_extension=True)
                if work is not None:
                    works.append(work)
                    room -= sum(request.last_visit is None for request in work.requests)
        if works:
            self._note_shares(works, is_contested=is_contested)
            for work in works:
                self._hold(visit, work.requests)
            self.store_lease(visit)
        return works

    def accept(self, visit: OpenVisit | None, result: Result) -> bool:
        """Whether a result belongs to a lease that is still valid, so that no request is settled twice."""
        if visit is None:
            self._step.discard(Dropped.LEASE_LOST)
            return False
        host = host_of(result.request.url)
        if host not in visit.made:
            self._step.discard(Dropped.NOT_LEASED)
            return False
        if result.status or result.failure:
            visit.made[host] += 1
        if visit.take_back(result.request):
            self._step.gauges.lease([result.request], -1)
            return True
        return result.request.purpose in (Purpose.ROBOTS, Purpose.RULES_REQUEST, Purpose.LOGIN)

    def go_on(
        self, visit: OpenVisit, report: Report, requests_max: int, now: float, *, is_over: bool
    ) -> list[HostWork]:
        """Return further work for a visit that has made its requests; if there is none, end the visit."""
        works: list[HostWork] = []
        if report.wants_more and not visit.outstanding and not is_over:
            # A harvester that returns requests has left their host for this visit: handing them out again,
            # even after those of another host, would go in circles.
            visit.left.update(host_of(request.url) for request in report.returned)
            works = self.extend(visit, requests_max, now)
        if not works:
            self.close(visit, now)
        return works

    def _hold(self, visit: OpenVisit, requests: list[Request]) -> None:
        self._step.gauges.lease(visit.hold(requests))

    def _note_shares(self, works: list[HostWork], *, is_contested: bool) -> None:
        if self._revisits:
            requests = [request for work in works for request in work.requests]
            revisits = sum(request.last_visit is not None for request in requests)
            self._shares.note(len(requests) - revisits, revisits, is_contested=is_contested)

    def close(self, visit: OpenVisit, now: float, *, grace: float = 0.0) -> None:
        """End a visit: requests not made go back, the address rests, its hosts wait again."""
        self._step.gauges.lease(visit.outstanding.values(), -1)
        for request in visit.outstanding.values():
            self.put_back(request, now)
        longest, left_at = 0.0, now + grace
        records = [self._step.hosts.obtain(host) for host in visit.made]
        for record in records:
            longest = max(longest, self._pace.delay_of(record))
            record.left_at = left_at
            record.next_at = max(record.next_at, self._pace.earliest(record))
            self._step.hosts.touch(record)
        free_at = left_at + rest_seconds(self._rules, longest)
        self._step.gate.close(self._step.batch, visit.gate, free_at=free_at, left_at=left_at)
        self._front.bench.set_free(visit.gate, self._step.gate.free_at(visit.gate))
        for record in records:
            if record.state is not HostState.VISITED or visit.has(record):
                self._release(record, now)
        self._step.batch.delete(Table.LEASE, visit.gate.encode())
        self.open.pop(visit.id, None)

    def recover(self, now: float, *, grace: float) -> int:
        """Take back the leases of a keeper that died; return how many requests they held."""
        returned = 0
        for _, stored in list(self._step.store.scan(Table.LEASE)):
            lease = msgspec.msgpack.decode(stored, type=Lease)
            visit = OpenVisit(lease.visit, lease.gate, "", lease.harvester)
            visit.made = dict.fromkeys(lease.hosts, 0)
            visit.hold(self._not_settled(lease.requests))
            returned += len(visit.outstanding)
            self.close(visit, now, grace=grace)
        self._step.gauges.leased = self._step.gauges.revisits_leased = 0
        return returned

    def _not_settled(self, requests: list[Request]) -> list[Request]:
        """Return the requests for which no result was recorded since their lease was written."""
        known = self._step.pages.find_many([page_key(request.url) for request in requests])
        return [
            request
            for request, page in zip(requests, known, strict=True)
            if not is_settled_since(page, request)
        ]

    def put_back(self, request: Request, now: float) -> None:
        """Return a request to the queue that was handed out but not made."""
        record = self._step.hosts.obtain(host_of(request.url))
        if request.last_visit is not None:
            revisit = Chunk([request.url], request.purpose, tries=request.tries)
            self._transitions.enqueue(record, REVISITS, revisit, now)
            return
        if record.state is HostState.GONE and record.gone_because in FINAL:
            self._step.discard(record.refusal)
            return
        self._shapes.take_back(self._step.batch, request, record.requests)
        index = RETRIED if request.tries else class_of(request.purpose, request.depth, request.usability)
        if self._revisit_scheduler.is_lost(record):
            self._step.queues.push(record, index, Chunk.of(request))
            self._step.discard(record.refusal, self._step.queues.lay_aside(self._step.batch, record))
            self._step.hosts.touch(record)
        else:
            self._transitions.enqueue(record, index, Chunk.of(request), now)

    def leased(self) -> frozenset[str]:
        """Return the URLs that harvesters hold."""
        return frozenset(url for visit in self.open.values() for url in visit.outstanding)

    def hosts_at(self, gate: str) -> list[str]:
        """Return the hosts that are being visited: those of one gate or address, or all if it is empty."""
        visits = [visit for visit in self.open.values() if gate in ("", visit.gate, visit.address)]
        return [host for visit in visits for host in visit.made]

    def _lease(self, harvester: str, gate: str, works: list[HostWork], now: float) -> Visit:
        address = address_of(gate)
        self._step.totals.visits += 1
        self._step.ids.visits += 1
        visit = OpenVisit(visit_id(self._shard, self._step.ids.visits), gate, address, harvester)
        for work in works:
            visit.made[work.host] = 0
            self._hold(visit, work.requests)
        self._step.gate.open(self._step.batch, gate, visit=visit.id, now=now)
        self._front.bench.set_free(gate, self._step.gate.free_at(gate))
        self.store_lease(visit)
        self.open[visit.id] = visit
        return Visit(visit.id, address, works)

    def store_lease(self, visit: OpenVisit) -> None:
        """Write what a visit holds, so that it can be taken back after a crash."""
        self._step.batch.put(Table.LEASE, visit.gate.encode(), self._encode(visit.lease()))

    def _work_for(
        self, record: HostRecord, budget: int, room: int, now: float, *,
        is_contested: bool, is_extension: bool = False,
    ) -> HostWork | None:  # fmt: skip
        """Take a host's next requests; if it has none for a new visit, release it."""
        self._intake.read_inbox(record, now)
        if not is_extension:
            record.visits += 1
            if not self._may_visit(record, now):
                return None
        room = self._room_left(record, room)
        requests = self._choose_requests(record, budget, room, now, is_contested=is_contested)
        self._step.hosts.touch(record)
        if not requests:
            if not is_extension:
                self._release_without_work(record, now)
            return None
        robots = self._robots_for(requests, now)
        delay = self._pace.delay_of(record)
        return HostWork(record.host, delay, budget, requests, robots, record.texts, record.prose)

    def _room_left(self, record: HostRecord, room: int) -> int:
        """Return how many new requests a host has room for; if it is full, drop its pages."""
        if self._is_full(record):
            self._drop_queue(record, Dropped.HOST_FULL, first_class=1)
            return max(min(room, record.waiting[0]), 0)
        return max(min(room, self._pages_per_host - record.pages) if self._pages_per_host else room, 0)

    def _is_full(self, record: HostRecord) -> bool:
        return 0 < self._pages_per_host <= record.pages

    def _choose_requests(
        self, record: HostRecord, budget: int, room: int, now: float, *, is_contested: bool
    ) -> list[Request]:
        """Take new pages and revisits from the queues of a host, each by its share and in its order."""
        # The first visit also requests the rules of the host.
        wanted = max(1, budget - (0 if record.requests else self._overhead))
        new_count, revisit_count = self._shares.divide(record, wanted, room, is_contested=is_contested)
        requests = self._new_requests(record, new_count, now)
        if revisit_count:
            revisits = self._take_revisits(record, revisit_count)
            # Alternate: if the host has to be left early, the requests at the end are not made.
            requests = revisits + requests if record.visits % 2 else requests + revisits
        if record.troubles:
            requests = elsewhere_first(record, requests, self._step.ids.visits)
        if is_on_trial(record):
            for request in requests[1:]:
                self.put_back(request, now)
            requests = requests[:1]  # more follow after a good answer
        return requests

    def _release_without_work(self, record: HostRecord, now: float) -> None:
        """Release a host that had its turn but nothing to request."""
        if record.queued_new and self._step.exchanges.are_awaited:
            record.next_at = max(record.next_at, now + EXCHANGE_SECONDS)
        elif self._is_full(record) and record.waiting[0]:
            record.next_at = max(record.next_at, now + ERRANDS_SECONDS)
        self._release(record, now)

    def _new_requests(self, record: HostRecord, wanted: int, now: float) -> list[Request]:
        if self._is_full(record):
            taken = self._take_errands(record, wanted)
        else:
            order = self._steering.order(record, now)
            taken = self._step.queues.take(self._step.batch, record, wanted, order)
        requests = self._unsettled(record, taken)
        if record.shut_origins:
            requests = self._origins.sift(record, requests, now)
        refused = self._refusal(record)
        if refused is not None:
            requests = self._without_pages(record, requests, refused)
        requests = self._sifting.wanted(record, requests, now)
        requests, trapped = self._shapes.admit(self._step.batch, requests, record.requests)
        if trapped:
            self._step.discard(Dropped.TRAP_SHAPE, trapped)
        return requests

    def _take_errands(self, record: HostRecord, wanted: int) -> list[Request]:
        """Take the requests to a full host that serve others (`FOR_OTHERS`); drop the rest of its pages."""
        errands = take_errands(self._step.queues, self._step.batch, record, wanted)
        self._drop_queue(record, Dropped.HOST_FULL, first_class=1)
        return errands

    def _take_revisits(self, record: HostRecord, wanted: int) -> list[Request]:
        """Take revisits, each with what is known of its page."""
        taken = self._step.queues.take_revisits(self._step.batch, record, wanted)
        pages = self._step.pages.find_many(keys_on(record.host, [request.url for request in taken]))
        return [
            Request(
                page.url, request.purpose, page.depth, tries=request.tries,
                usability=0.0 if page.is_off_useless else 1.0, last_visit=last_visit_of(page),
            )
            for request, page in zip(taken, pages, strict=True)
            if page is not None
        ]  # fmt: skip

    def _may_visit(self, record: HostRecord, now: float) -> bool:
        if record.is_blocked:
            self._transitions.withdraw(record)
            return False
        refused = self._refusal(record)
        if refused is not None and not self._is_robots_only(record):
            self._drop_queue(record, refused)
            self._revisit_scheduler.drop(record)
            self._transitions.withdraw(record)
            return False
        if not self._revisits:
            self._revisit_scheduler.drop(record)  # left from a run that made some
        # The gate depends on the ranges of networks, which may have changed since the name was looked up.
        is_elsewhere = record.gate != self._gates.key(record.address, record.host)
        if is_elsewhere or now - record.resolved_at > ADDRESS_EXPIRY_SECONDS:
            record.address = ""
            self._release(record, now)
            return False
        if (earliest := self._pace.earliest(record)) > now:
            # Its delay has become longer since it was placed on the workbench.
            record.next_at = max(record.next_at, earliest)
            self._release(record, now)
            return False
        return True

    def _refusal(self, record: HostRecord) -> Dropped | None:
        """Ask again whether a host is wanted: the bounds may have changed since it was queued."""
        return self._schedule.refusal_at(record.host, 0)

    def _drop_queue(self, record: HostRecord, reason: Dropped, *, first_class: int = 0) -> None:
        dropped = self._step.queues.lay_aside(self._step.batch, record, first_class=first_class)
        self._step.discard(reason, dropped)
        self._step.hosts.touch(record)

    def _is_robots_only(self, record: HostRecord) -> bool:
        """Whether a host out of scope may be visited for others: for their rules or what their pages need."""
        return record.pages == 0 and record.waiting[0] == record.queued

    def _without_pages(self, record: HostRecord, requests: list[Request], refused: Dropped) -> list[Request]:
        """Keep only the requests that serve others; lay its own aside until the bounds include it again."""
        pages = [request for request in requests if request.purpose not in FOR_OTHERS]
        for request in pages:
            self._step.queues.push(record, 0, Chunk.of(request))
        self._drop_queue(record, refused)
        return [request for request in requests if request.purpose in FOR_OTHERS]

    def _unsettled(self, record: HostRecord, requests: list[Request]) -> list[Request]:
        """Return those of these requests that are still to be made."""
        keys = keys_on(record.host, [request.url for request in requests])
        known = self._step.store.get_many(Table.PAGE, keys)
        kept = []
        for request, stored in zip(requests, known, strict=True):
            if self._step.wishes and self._step.wishes.covers(record.host, request.url):
                self._step.discard(Dropped.FORGOTTEN)
                continue
            if not stored or request.purpose is Purpose.ROBOTS:
                kept.append(request)
                continue
            page = self._step.pages.decode(stored)
            if page.outcome == Dropped.DOWNLIST:
                self._step.discard(Dropped.DOWNLIST)
            elif page.outcome == WAITING:
                remains = Remains(page.version, page.text_hash) if page.is_lost else None
                kept.append(msgspec.structs.replace(request, remains=remains) if remains else request)
        return kept

    def _robots_for(self, requests: list[Request], now: float) -> dict[str, RobotsNote]:
        """Return the rules that are fresh; the harvester requests the others first."""
        notes = {}
        for origin in {origin_of(request.url) for request in requests}:
            stored = self._step.store.get(Table.ROBOTS, robots_key(origin))
            if stored is not None:
                note = self._robots_decoder.decode(stored)
                if now - note.fetched_at < self._rules.robots_expiry:
                    notes[origin] = note
        return notes

    def _release(self, record: HostRecord, now: float) -> None:
        """Queue a host that is no longer visited for its next turn, if it has work and was not given up."""
        if record.state in (HostState.GONE, HostState.UNPRODUCTIVE):
            self._intake.read_inbox(record, now)  # so that its links are counted as dropped
            return
        if record.state in (HostState.PARKED, HostState.NEW):
            return  # it was given up and has become active again: it is in the queue already
        if record.state is HostState.VISITED:
            self._transitions.withdraw(record)
        if not record.queued_new:
            self._intake.read_inbox(record, now)  # which may bring it work
        self._transitions.line_up(record, now)
