"""The frontier as the keeper sees it.

Every public method is one step: told what happened and what time it is, it
changes the state in one atomic write and returns what is to be done.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from types import MappingProxyType

from tiptoe.frontier.counters import Counters
from tiptoe.frontier.dispatch import Dispatch
from tiptoe.frontier.effect import Effect
from tiptoe.frontier.effects import Effects
from tiptoe.frontier.endgame import Endgame
from tiptoe.frontier.find import Find
from tiptoe.frontier.front import Front
from tiptoe.frontier.gate import GateKeys, address_of
from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.intake import Intake
from tiptoe.frontier.invariants import check_tables
from tiptoe.frontier.lookups import Lookups
from tiptoe.frontier.mirrors import Mirrors
from tiptoe.frontier.outputfiles import OutputFiles
from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.patience import Trouble
from tiptoe.frontier.policy import FrontierPolicy
from tiptoe.frontier.priority import RETRIED
from tiptoe.frontier.queues import Chunk
from tiptoe.frontier.reconciling import RECONCILED_KEY, waiting_hosts
from tiptoe.frontier.reconsidering import Reconsidered, Reconsidering
from tiptoe.frontier.restraint import Restraint
from tiptoe.frontier.revisit_scheduler import RevisitScheduler
from tiptoe.frontier.revisits import Revisits
from tiptoe.frontier.robots_settlement import RobotsSettlement
from tiptoe.frontier.runs import Runs
from tiptoe.frontier.settlement import Settlement
from tiptoe.frontier.shapes import Shapes
from tiptoe.frontier.shares import Shares
from tiptoe.frontier.steering import Steering
from tiptoe.frontier.step import Step
from tiptoe.frontier.transitions import Transitions
from tiptoe.frontier.visits import OpenVisit
from tiptoe.frontier.wait_reasons import reasons_in
from tiptoe.protocol.status import Waiting
from tiptoe.protocol.work import HostWork, Purpose, Question, Report, Request, Result, Visit
from tiptoe.store.tables import Store, Table
from tiptoe.url.address import host_of, page_key
from tiptoe.url.dropped import Dropped

__all__ = ["Frontier", "FrontierPolicy"]

DUE_MOVED_MAX = 1000


class Frontier:
    """Which URL is asked for next, and when; of a crawl that has several, one says which `shard` it is."""

    def __init__(self, store: Store, policy: FrontierPolicy, *, shard: int = 0) -> None:
        rules = replace(policy.politeness)
        self.policy = replace(policy, politeness=rules)
        self._store = store
        self._step = Step(store, hosts_cached_max=policy.front_hosts, sieve_row_urls=policy.sieve_row_urls)
        self._step.gate.rules = rules
        self.runs = Runs(self._step)
        self._steering = Steering(
            self._step, min_yield=policy.min_yield, trial_pages=policy.trial_pages,
            unproductive_rest_seconds=policy.unproductive_rest_seconds,
            textless_max=policy.textless_pages_max,
        )  # fmt: skip
        shapes = Shapes(store, pages_max=policy.shape_pages_max)
        self._front = Front(
            store, self._step.hosts, self._step.gate, self._step.gauges, hosts_max=policy.front_hosts,
            turn_seconds=lambda ahead: ahead // rules.max_hosts * rules.general_pause,
            level=self._steering.level, has_revisits=policy.revisit.strategy != "none",
        )  # fmt: skip
        self._transitions = transitions = Transitions(self._step, self._front)
        self._intake = Intake(
            self._step, transitions, policy.schedule, self._steering,
            pages_per_host=policy.pages_per_host, queue_max=policy.host_queue_max,
        )  # fmt: skip
        self._revisits = Revisits(self._step, policy.revisit)
        self._revisit_scheduler = RevisitScheduler(
            self._step, transitions, self._intake, self._revisits,
            queue_max=policy.host_queue_max, most_seconds=policy.revisit.max_seconds,
            host_rate=lambda record: self._dispatch.host_rate(record),
        )  # fmt: skip
        self._restraint = restraint = Restraint(
            self._step, self._front, transitions, self._intake, rules, self._revisit_scheduler
        )
        robots = RobotsSettlement(
            self._step, transitions, self._intake, rules, restraint,
            follows_sitemaps=policy.follows_sitemaps, rules_requests=policy.rules_requests,
        )  # fmt: skip
        mirrors = Mirrors(self._step)
        self._effects = Effects(self._step, robots, mirrors, self._steering, restraint)
        self._settlement = Settlement(
            self._step, transitions, rules, self._steering, self._revisits, self._revisit_scheduler, shapes,
            restraint, robots, mirrors, policy.schedule,
            follows_sitemaps=policy.follows_sitemaps, follows_feeds=policy.follows_feeds,
        )  # fmt: skip
        self._gates = GateKeys(policy.cdn_ranges)
        self._dispatch = Dispatch(
            self._step, self._front, transitions, self._intake, rules, policy.schedule, self._steering,
            self._gates, Shares(self._step.learned, share=policy.revisit.share), self._revisit_scheduler,
            rules_requests=policy.rules_requests, pages_per_host=policy.pages_per_host,
            shapes=shapes, revisits=self._revisits.is_active, shard=shard,
        )  # fmt: skip
        self._reconsidering = Reconsidering(
            self._step, transitions, self._intake, policy.schedule, rules,
            rules_requests=policy.rules_requests, pages_per_host=policy.pages_per_host,
        )  # fmt: skip
        self._endgame = Endgame(self._step, self._front, transitions, restraint, rules)
        self._lookups = Lookups(self._step, transitions, restraint, self._gates)
        self.outputs = OutputFiles(self._step, self._revisits, self._revisit_scheduler, self._dispatch)

    def __repr__(self) -> str:
        now, total = self.counters.gauges, self.counters.totals
        return (
            f"<Frontier {now.queued} queued, {now.leased} leased, {now.due} due, {total.pages} pages, "
            f"{total.hosts} hosts>"
        )

    @property
    def counters(self) -> Counters:
        """Figures of the crawl."""
        return self._step.counters

    @property
    def given_up(self) -> Mapping[str, str]:
        """Some hosts that were given up in this run, with the reason."""
        return self._transitions.given_up

    # -- sources ---------------------------------------------------------

    def add(self, requests: list[Request], now: float) -> int:
        """Queue seeds; return how many were new."""
        admitted = self._intake.admit([Find.single(request) for request in requests], now)
        self._step.commit()
        return admitted

    def mark_downloaded(self, urls: list[str], now: float) -> None:
        """Remember URLs that others have fetched: they are not asked for again (`downlist`)."""
        self._intake.mark_downloaded(urls, now)
        self._step.commit()

    # -- work ------------------------------------------------------------

    def new_hosts(self, wanted: int) -> list[str]:
        """Hand out hosts whose address is to be looked up."""
        return self._lookups.take(wanted)

    def wants_hosts(self) -> bool:
        """Whether the workbench has room for more hosts; else their names can wait."""
        return self._front.has_room

    def resolved(self, host: str, address: str, failure: str, now: float) -> None:
        """A name was looked up: the host waits for its turn, or trouble follows."""
        self.resolved_all([(host, address, failure)], now)

    def resolved_all(self, lookups: list[tuple[str, str, str]], now: float) -> None:
        """Names were looked up: host, address, failure of each."""
        self._lookups.settle(lookups, now)
        self._step.commit()

    def visits(self, wanted: int, harvester: str, now: float) -> list[Visit]:
        """Lease up to so many visits that may begin now."""
        leased: list[Visit] = []
        while len(leased) < wanted and not self.has_bytes_enough():
            room = self._room()
            if not room and not self._step.gauges.again_parked:
                break
            visit = self._dispatch.next_visit(harvester, room, now)
            if visit is None:
                break
            leased.append(visit)
        self._step.commit()
        return leased

    def _room(self) -> int:
        """Return how many more new requests the limits of the crawl allow."""
        policy, gauges = self.policy, self._step.gauges
        if policy.pages_max:
            new_leased = gauges.leased - gauges.revisits_leased
            return max(0, policy.pages_max - self._step.totals.pages - new_leased)
        return policy.politeness.max_reqs * policy.politeness.max_hosts

    def has_bytes_enough(self) -> bool:
        """Whether as much was received as the operator wants."""
        return 0 < self.policy.bytes_max <= self._step.totals.body_bytes

    def report(
        self, reports: list[Report], marks: dict[str, int], now: float, *,
        discards: Mapping[str, int] = MappingProxyType({}),
    ) -> dict[int, list[HostWork]]:  # fmt: skip
        """Settle what harvesters bring; return, for each visit that asked, its further work (none = it ends).

        The committed size of the output files is written with the pages they hold.
        """
        self._settlement.expect(result for report in reports for result in report.results)
        finds: list[Find] = []
        for report in reports:
            visit = self._dispatch.open.get(report.visit)
            for result in report.results:
                if self._is_ours(visit, result):
                    finds += self._effects.apply(self._settlement.settle(result, now), now)
                    if result.hints:
                        self._revisits.heed(result, now)
        self._intake.admit(finds, now)
        answers: dict[int, list[HostWork]] = {}
        for report in reports:
            visit = self._dispatch.open.get(report.visit)
            for request in report.returned:
                if visit is not None and visit.take_back(request):
                    self._step.gauges.lease([request], -1)
                    self._dispatch.put_back(request, now)
            if report.returned and visit is not None:
                self._dispatch.store_lease(visit)
            if report.is_done:
                answers[report.visit] = self._continue_or_close(visit, report, now)
        for reason, count in discards.items():
            self._step.discard(reason, count)
        if marks:
            self.outputs.grow(marks)
        self._step.commit()
        return answers

    def ask(self, questions: list[Question]) -> dict[int, bytes]:
        """Tell which paragraphs of pages that are not settled yet are known: marks, by question."""
        return self._step.paragraphs.ask(questions)

    def look(self, questions: list[Question]) -> dict[int, bytes]:
        """Tell the same of texts that no visit brings."""
        return self._step.paragraphs.look(questions)

    def learn(self, texts: Iterable[tuple[str, bytes]]) -> None:
        """These texts, each with its URL and fingerprint, stand in the corpus."""
        for url, fingerprint in texts:
            self._step.paragraphs.learn_once(self._step.batch, url, fingerprint)
        self._step.commit()

    def miss_ratings(self, texts: int) -> None:
        """Count texts that no segmenter has judged in time."""
        self._step.totals.unjudged += texts
        self._step.commit()

    def _is_ours(self, visit: OpenVisit | None, result: Result) -> bool:
        """Whether a result belongs to a lease that still holds; late ones are not counted twice."""
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
        return result.request.purpose in (Purpose.ROBOTS, Purpose.RULES_REQUEST)

    def _continue_or_close(self, visit: OpenVisit | None, report: Report, now: float) -> list[HostWork]:
        if visit is None:
            return []
        works: list[HostWork] = []
        if report.wants_more and not visit.outstanding and not self.has_bytes_enough():
            # Whoever returns requests has left that host for this visit: handing them out again, even after
            # those of another host, would go in circles.
            visit.left.update(host_of(request.url) for request in report.returned)
            works = self._dispatch.extend(visit, self._room(), now)
        if not works:
            self._dispatch.close(visit, now)
        return works

    def lose(
        self, harvester: str, now: float, *, suspects: frozenset[str] = frozenset(), grace: float = 0.0
    ) -> int:
        """A harvester is gone: its leases end and its work returns; return how many requests that is.

        A suspect is a URL it was busy with when it died. One that it was given gets one more try, then it is
        dropped; any other was part of the rules of its host, which count as rules that cannot be had.
        """
        lost = 0
        for visit in [visit for visit in self._dispatch.open.values() if visit.harvester == harvester]:
            lost += len(visit.outstanding)
            for url in visit.outstanding:
                self._step.paragraphs.release(url)
            for request in visit.suspected(suspects):
                if visit.take_back(request):
                    self._step.gauges.lease([request], -1)
                lost_result = Result(request, failure=Trouble.HARVESTER_LOST.value)
                self._effects.apply(self._settlement.settle(lost_result, now), now)
            self._dispatch.close(visit, now, grace=grace)
        self._step.commit()
        return lost

    def forget_resolving(self, hosts: list[str]) -> None:
        """Names that a lost harvester was looking up are to be looked up again."""
        self._lookups.forget(hosts)

    def apply(self, effects: Sequence[Effect], now: float) -> None:
        """Apply what steps elsewhere mean for hosts of this frontier."""
        self._intake.admit(self._effects.apply(effects, now), now)
        self._step.commit()

    # -- time ------------------------------------------------------------

    def wake(self, now: float, certain: AbstractSet[Trouble] = frozenset()) -> None:
        """Bring back what is due, and fill the workbench; for what is `certain` see `endgame`."""
        self._front.refill()
        self._front.bring_back(self._step.batch)
        self._front.bar_hosts(self._step.batch)
        for request in self._step.due.take(self._step.batch, now, DUE_MOVED_MAX):
            self._bring_back(request, now)
        self._revisit_scheduler.wake(now)
        self._step.commit()
        is_endless = self.policy.revisit.is_endless
        is_last = not self._dispatch.open and not self._revisit_scheduler.awaits_pages(is_endless=is_endless)
        # A step of its own: what is due is read as it was written.
        if certain and is_last and self._endgame.hurry(now, certain):
            self._step.commit()

    def _bring_back(self, request: Request, now: float) -> None:
        record = self._step.hosts.obtain(host_of(request.url))
        if request.purpose is Purpose.ADDRESS:
            self._lookups.bring_back(record, now)
        else:
            self._transitions.enqueue(record, RETRIED, Chunk.of(request), now)

    def next_at(self) -> float | None:
        """Return the next moment at which something becomes possible."""
        again_at = self._step.calendar.next_at() if self._revisits.is_active else None
        moments = (self._front.bench.next_at(), self._step.due.next_at(), again_at)
        return min((at for at in moments if at is not None), default=None)

    def is_limited(self) -> bool:
        """Whether a limit of the crawl has been reached."""
        return self.has_bytes_enough() or 0 < self.policy.pages_max <= self._step.totals.pages

    def is_finished(self) -> bool:
        """Whether there is nothing left to do; what is due some day counts in an endless crawl only."""
        if self._dispatch.open:
            return False
        if self.has_bytes_enough():
            return True
        if self._revisit_scheduler.awaits_pages(is_endless=self.policy.revisit.is_endless):
            return False
        # Hosts of a blocked address wait for the operator, not for their moment.
        is_stuck, gauges = self._front.is_stuck, self._step.gauges
        if self.is_limited():
            if gauges.again_parked and not is_stuck:
                return False
            # While the bench is full of hosts that may not be asked any more, nobody looks up further names.
            return not (self.wants_hosts() and self._revisit_scheduler.awaits_address())
        return not (gauges.new_hosts or (gauges.parked_hosts and not is_stuck) or gauges.due)

    def waiting(self, now: float) -> Waiting:
        """Return what is waited for; costs the same however many hosts there are; between steps only."""
        reasons = reasons_in(self._step, self._front, now, has_revisits=self._revisits.is_active)
        more = self._step.gauges.parked_hosts - len(self._front.waits)
        return Waiting(reasons=reasons, next_at=self.next_at(), more_hosts=more)

    # -- the operator ----------------------------------------------------

    def block(self, host: str, now: float, *, is_blocked: bool = True) -> None:
        """Leave a host alone at once, or no longer; its queue stays."""
        record = self._step.hosts.obtain(host)
        self._transitions.block(record, now, is_blocked=is_blocked)
        self._step.commit()

    def block_address(self, gate: str, *, is_blocked: bool = True) -> None:
        """Leave an address alone at once, or no longer."""
        self._step.gate.block(self._step.batch, gate, is_blocked=is_blocked)
        gates = [key for key in self._front.bench.gates() if gate in (key, address_of(key))]
        if is_blocked:
            for key in gates:
                self._front.block(key)
        else:
            self._front.unblock(self._step.batch, gates)
        self._step.commit()

    def slow(self, host: str, delay: float) -> None:
        """Ask a host at most this often; 0 = as configured."""
        record = self._step.hosts.obtain(host)
        record.slowed_to = delay
        self._step.hosts.touch(record)
        self._step.commit()

    def slow_address(self, gate: str, delay: float) -> None:
        """Ask the hosts of an address at most this often; 0 = as configured."""
        self._step.gate.slow(self._step.batch, gate, delay)
        self._step.commit()

    def reconfigure(self, policy: FrontierPolicy) -> None:
        """Go by other politeness and limits; a pause that has begun may become longer, never shorter."""
        self.policy.politeness.become(policy.politeness)
        self.policy = replace(self.policy, pages_max=policy.pages_max, bytes_max=policy.bytes_max)
        self._front.look_at_gates()

    def visited_hosts(self, gate: str = "") -> list[str]:
        """Return the hosts that are being visited, all or those of one address."""
        visits = [visit for visit in self._dispatch.open.values() if gate in ("", visit.gate, visit.address)]
        return [host for visit in visits for host in visit.made]

    def host(self, host: str) -> HostRecord | None:
        """Return what is known of a host."""
        return self._step.hosts.find(host)

    def page(self, url: str) -> PageRecord | None:
        """Return what is known of a page; None when it was never visited."""
        return self.page_at(page_key(url))

    def page_at(self, key: bytes) -> PageRecord | None:
        """Return what is known of the page with this key; None when it was never visited."""
        stored = self._store.get(Table.PAGE, key)
        return self._step.pages.decode(stored) if stored else None

    # -- restart ---------------------------------------------------------

    def recover(self, now: float, *, grace: float = 0.0) -> int:
        """Take back the leases of a keeper that died; return how many requests they held.

        Nobody knows when the last of their requests ended, so every address
        of an open lease rests as if it had ended now, plus `grace`.
        """
        returned = self._dispatch.recover(now, grace=grace)
        self._step.commit()
        if self._store.get(Table.META, RECONCILED_KEY) is not None:
            for host in waiting_hosts(self._store):
                self._transitions.line_up(self._step.hosts.obtain(host), now)
                self._step.commit()
            self._step.batch.delete(Table.META, RECONCILED_KEY)
            self._step.commit()
        return returned

    def reconsider(self, changed: Collection[str], named: Iterable[str], now: float) -> Reconsidered:
        """Judge hosts that were given up anew; after `recover`, before anything is handed out."""
        return self._reconsidering.look_again(changed, named, now)

    def check(self) -> None:
        """State every invariant; between steps only."""
        self._front.check()
        check_tables(self._store, self.counters, self._dispatch.open.values())
        unread = sum(1 for _ in self._store.scan(Table.INBOX))
        assert len(self._step.inbox) == unread, f"{len(self._step.inbox)} unread counted, {unread} there"
