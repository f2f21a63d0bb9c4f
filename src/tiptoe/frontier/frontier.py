"""The frontier as the keeper sees it.

Each method is told what happened and what time it is, changes the state, and returns what is to be done. It
does so in a step, which is one atomic write. A few take more than one step (`tick`, `recover`, `reconsider`,
and those that move hosts to other frontiers); each step is complete in itself, so nothing is lost in between.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from types import MappingProxyType

from tiptoe.frontier.duplicity import Answered
from tiptoe.frontier.effect import Effect, HostOrdered
from tiptoe.frontier.frontier_limits import Allotment
from tiptoe.frontier.frontier_parts import FrontierParts
from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.invariants import check_tables
from tiptoe.frontier.link_batch import LinkBatch
from tiptoe.frontier.mail import ShardMail
from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.patience import Trouble
from tiptoe.frontier.policy import FrontierPolicy
from tiptoe.frontier.priority import RETRIED
from tiptoe.frontier.queues import Chunk
from tiptoe.frontier.reconciling import RECONCILED_KEY, waiting_hosts
from tiptoe.frontier.reconsidering import Reconsidered
from tiptoe.frontier.residence import ShardPlan
from tiptoe.frontier.revisit_scheduler import TRANSIT_SECONDS
from tiptoe.frontier.standing_orders import StandingOrders
from tiptoe.frontier.step import Step
from tiptoe.frontier.wait_reasons import reasons_in
from tiptoe.protocol.status import Waiting
from tiptoe.protocol.work import HostWork, Purpose, Question, Report, Request, Visit
from tiptoe.store.tables import Ranges, Store, Table, Writes
from tiptoe.url.address import host_key, host_of, page_key

__all__ = ["Frontier", "FrontierPolicy"]

DUE_MOVED_MAX = 1000


class Frontier:
    """Decides which URL is requested next, and when; in a crawl on many machines, for one shard of a plan."""

    def __init__(
        self, store: Store, policy: FrontierPolicy, *, shard: int = 0, plan: ShardPlan | None = None,
        orders: StandingOrders | None = None, shares_texts: bool = False,
    ) -> None:  # fmt: skip
        # A copy, which `reconfigure` changes for all parts at once.
        self.policy = policy = replace(policy, politeness=replace(policy.politeness))
        self._store = store
        self._step = step = Step(
            store, hosts_cached_max=policy.front_hosts, sieve_row_urls=policy.sieve_row_urls,
            shard=shard, plan=plan, orders=orders, shares_texts=shares_texts,
        )  # fmt: skip
        self.counters, self.text_outbox, self.index_texts = step.counters, step.text_outbox, step.index_texts
        parts = FrontierParts(step, policy, shard=shard)
        self.runs = parts.runs
        self.exchanges = parts.exchanges
        self.outputs = parts.outputs
        self.limits = parts.limits
        self.rounds = parts.rounds
        self._front = parts.front
        self._transitions = parts.transitions
        self._intake = parts.intake
        self._revisits = parts.revisits
        self._revisit_scheduler = parts.revisit_scheduler
        self._effects = parts.effects
        self._admission = parts.admission
        self._others = parts.others
        self._dispatch = parts.dispatch
        self._reporting = parts.reporting
        self._reconsidering = parts.reconsidering
        self._endgame = parts.endgame
        self._lookups = parts.lookups
        self._completion = parts.completion
        self._orders = parts.orders

    def __repr__(self) -> str:
        now, total = self.counters.gauges, self.counters.totals
        return (
            f"<Frontier {now.queued} queued, {now.leased} leased, {now.due} due, {total.pages} pages, "
            f"{total.hosts} hosts>"
        )

    @property
    def given_up(self) -> Mapping[str, str]:
        """Some hosts that were given up in this run, with the reason."""
        return self._transitions.given_up

    def after_commit(self, act: Callable[[], None], *, or_lost: bool = False) -> None:
        """Call `act` once the steps so far are written: at once, because here each is written on return."""
        act()

    # -- sources ---------------------------------------------------------

    def add(self, requests: list[Request], now: float) -> int:
        """Queue seeds; return how many of those on hosts that live here were new or had been given up."""
        again = self._reconsidering.ask_again([request.url for request in requests], now)
        admitted = self._admission.admit([LinkBatch.single(request) for request in requests], now)
        self._step.commit()
        return admitted + again

    def mark_downloaded(self, urls: list[str], now: float) -> int:
        """Mark URLs that others have downloaded, so that they are not requested; return how many."""
        leased, wishes = self._dispatch.leased(), self._step.wishes
        # A request that is under way will be settled by its result.
        urls = [url for url in urls if url not in leased and not wishes.covers(host_of(url), url)]
        if self._others is not None:
            urls = self._others.routing.keep_downloaded(self._step.batch, urls)
        marked = self._intake.mark_downloaded(urls, now)
        self._step.commit()
        return marked

    # -- work ------------------------------------------------------------

    def new_hosts(self, wanted: int) -> list[str]:
        """Hand out hosts whose address is to be looked up."""
        return self._lookups.take(wanted)

    def wants_hosts(self) -> bool:
        """Whether the workbench has room for more hosts; if not, looking up names can wait."""
        return self._front.has_room

    def resolved_all(self, lookups: list[tuple[str, str, str]], now: float) -> None:
        """Settle the lookups of several names: host, address and failure of each."""
        moved = self._lookups.settle(lookups, now)
        self._step.commit()
        if self._others is not None and moved:
            self._others.depart(moved, now)

    def last_addresses(self, hosts: Iterable[str]) -> dict[str, str]:
        """Return the addresses of those hosts whose names have been looked up, as of the last lookup."""
        return self._lookups.last_addresses(hosts)

    def visits(self, wanted: int, harvester: str, now: float) -> list[Visit]:
        """Lease and return up to `wanted` visits that may begin now."""
        leased: list[Visit] = []
        while len(leased) < wanted:
            room = self.limits.room()
            if not room:
                self.limits.note_wait(self._front.bench.next_at(), now)
            if self.has_bytes_enough() or not (room or self._step.gauges.parked_with_revisits):
                break
            if (visit := self._dispatch.next_visit(harvester, room, now)) is None:
                break
            leased.append(visit)
        self._step.commit()
        return leased

    def has_bytes_enough(self) -> bool:
        """Whether the limit of bytes has been reached."""
        return self.limits.has_bytes_enough()

    def report(
        self, reports: list[Report], marks: dict[str, int], now: float, *,
        discards: Mapping[str, int] = MappingProxyType({}),
    ) -> dict[int, list[HostWork]]:  # fmt: skip
        """Settle reports; return further work for each visit that made all its requests (none: it ends).

        The committed size of the output files is written with the pages they hold.
        """
        self._reporting.settle(reports, now)
        answers: dict[int, list[HostWork]] = {}
        for report in reports:
            works = self._reporting.go_on(report, self.limits.room(), now, is_over=self.has_bytes_enough())
            if report.is_done:
                answers[report.visit] = works
        for reason, count in discards.items():
            self._step.discard(reason, count)
        if marks:
            self.outputs.grow(marks)
        self._step.commit()
        return answers

    def claim_paragraphs(self, questions: list[Question], answered: Answered) -> None:
        """Answer which paragraphs of pages under way are known; claim the others for their page."""
        answered(self._step.paragraphs.claim(questions))

    def find_known_paragraphs(self, questions: list[Question], answered: Answered) -> None:
        """Answer which paragraphs of texts that are not under way are known; claim nothing."""
        answered(self._step.paragraphs.find_known(questions))

    def learn(self, texts: Iterable[tuple[str, bytes]]) -> None:
        """Note texts that are in the corpus, each with its URL and fingerprint."""
        for url, fingerprint in texts:
            self._step.texts.learn_once(self._step.batch, url, fingerprint)
        self._step.commit()

    def miss_ratings(self, texts: int) -> None:
        """Count texts that no segmenter has judged in time."""
        self._step.totals.unjudged += texts
        self._step.commit()

    def lose(
        self, harvester: str, now: float, *, suspects: frozenset[str] = frozenset(), grace: float = 0.0
    ) -> int:
        """End the leases of a harvester that is gone; return how many requests are taken back.

        A suspect is a URL it was busy with when it died. If it was a request of the visit, it gets one more
        try, then it is dropped; any other belonged to the rules of its host, which count as unreachable.
        """
        lost = self._reporting.lose(harvester, now, suspects=suspects, grace=grace)
        self._step.commit()
        return lost

    def forget_resolving(self, hosts: list[str]) -> None:
        """Have names looked up again that a lost harvester was looking up."""
        self._lookups.forget(hosts)

    def apply(self, effects: Sequence[Effect], now: float) -> None:
        """Apply effects of other frontiers' steps on hosts of this one."""
        self._admission.admit(self._effects.apply(effects, now), now)
        self._step.commit()

    # -- other frontiers -------------------------------------------------

    def receive(self, mails: Sequence[ShardMail], now: float) -> None:
        """Apply each mail that is the next one expected from its shard; ignore the others."""
        if self._others is not None:
            self._others.receive(mails, now)

    def received(self, sender: int) -> int:
        """Return the number of the last mail of another shard that was applied."""
        return self._step.mail.received(sender) if self._step.mail is not None else 0

    def outgoing(
        self, sent: Mapping[int, int] = MappingProxyType({}), mails_max: int = 16
    ) -> list[ShardMail]:
        """Return the next mails to each shard, after the numbers that were sent last; between steps only."""
        return self._step.mail.outgoing(sent, mails_max) if self._step.mail is not None else []

    @property
    def has_mail(self) -> bool:
        """Whether there is mail that has not been delivered yet."""
        return bool(self._step.mail)

    def delivered(self, numbers: Mapping[int, int]) -> None:
        """Forget the mails to each shard up to this number: the engine has stored them safely."""
        if self._step.mail is not None:
            batch = Writes()
            self._step.mail.delivered(batch, numbers)
            self._step.store.write(batch)  # not a step: neither counters nor anything in memory changes

    # -- time ------------------------------------------------------------

    def tick(self, now: float, confirmed_troubles: AbstractSet[Trouble] = frozenset()) -> None:
        """Queue what is due and fill the workbench; *confirmed* troubles are certainly not on our side."""
        self._front.refill()
        self._front.bring_back(self._step.batch)
        self._front.bar_hosts(self._step.batch)
        for request in self._step.due.take(self._step.batch, now, DUE_MOVED_MAX):
            self._bring_back(request, now)
        self._revisit_scheduler.tick(now)
        self.rounds.tick(now)
        if self._step.has_changes:
            self._step.commit()
        if self._others is not None:
            self._others.go_on(now)
        is_last = not self._dispatch.open and not self._completion.awaits_pages()
        # A step of its own, because it reads the table DUE as stored.
        if confirmed_troubles and is_last and self._endgame.hurry(now, confirmed_troubles):
            self._step.commit()

    def _bring_back(self, request: Request, now: float) -> None:
        if self._step.in_transit and host_key(host_of(request.url)) in self._step.in_transit:
            self._step.due.put(self._step.batch, request, now + TRANSIT_SECONDS)
            return
        record = self._step.hosts.obtain(host_of(request.url))
        if request.purpose is Purpose.ADDRESS:
            self._lookups.bring_back(record, now)
        else:
            self._transitions.enqueue(record, RETRIED, Chunk.of(request), now)

    def next_at(self) -> float | None:
        """Return the next time at which something becomes possible, or None."""
        again_at = self._step.calendar.next_at() if self._revisits.is_active else None
        removals_at = 0.0 if self._others is not None and self._others.removals.can_go_on else None
        round_at = 0.0 if self.rounds.is_open else None
        # Hosts that only a limit keeps from being visited are not waited for.
        is_starved = self.limits.is_starved and not self._step.gauges.parked_with_revisits
        bench_at = None if is_starved else self._front.bench.next_at()
        moments = (bench_at, self._step.due.next_at(), again_at, removals_at, round_at)
        return min((at for at in moments if at is not None), default=None)

    def is_limited(self) -> bool:
        """Whether a limit of the crawl has been reached."""
        return self.limits.is_reached()

    def is_held_back(self) -> bool:
        """Whether the frontier has work that only a limit keeps it from doing; between steps only."""
        return self._completion.is_held_back()

    def is_finished(self) -> bool:
        """Whether nothing is left to do here; visits due later count only in an endless crawl."""
        return self._completion.is_finished()

    def waiting(self, now: float) -> Waiting:
        """Return what the frontier waits for; the cost does not depend on the number of hosts."""
        reasons = reasons_in(self._step, self._front, now, has_revisits=self._revisits.is_active)
        more = self._step.gauges.parked_hosts - len(self._front.waits)
        return Waiting(reasons=reasons, next_at=self.next_at(), more_hosts=more)

    # -- the operator ----------------------------------------------------

    def block(self, host: str, now: float, *, is_blocked: bool = True) -> None:
        """Block a host at once, or unblock it; its queue stays."""
        self._orders.order(HostOrdered(host, is_blocked=is_blocked), now)

    def block_address(self, gate: str, *, is_blocked: bool = True) -> None:
        """Block an address at once, or unblock it."""
        self._orders.block_address(gate, is_blocked=is_blocked)

    def slow(self, host: str, delay: float, now: float = 0.0) -> None:
        """Set a minimum delay for a host; 0 = as configured."""
        self._orders.order(HostOrdered(host, slowed_to=delay), now)

    def rest_address(self, gate: str, until: float) -> None:
        """Let an address rest at least until this time."""
        self._orders.rest_address(gate, until)

    def slow_address(self, gate: str, delay: float) -> None:
        """Set a minimum delay for the hosts of an address; 0 = as configured."""
        self._orders.slow_address(gate, delay)

    def obey(self, now: float) -> list[str]:
        """Carry out standing orders that are new here; return the hosts whose visits must end."""
        return self._orders.obey(now)

    def allot(self, allotment: Allotment, *, visits_per_day: float = 0.0) -> None:
        """Set this frontier's part of the limits of the crawl, and of its revisits (0: unchanged)."""
        self.limits.allot(allotment)
        self._revisits.allot(visits_per_day)

    def reconfigure(self, policy: FrontierPolicy) -> None:
        """Apply changed politeness and limits; a pause that has begun may become longer, never shorter."""
        self.policy.politeness.become(policy.politeness)
        self.policy = replace(self.policy, pages_max=policy.pages_max, bytes_max=policy.bytes_max)
        self.limits.reconfigure(self.policy)
        self._completion.reconfigure(policy.revisit)
        self._front.look_at_gates()

    def visited_hosts(self, gate: str = "") -> list[str]:
        """Return the hosts that are being visited: those of one gate or address, or all if it is empty."""
        return self._dispatch.hosts_at(gate)

    def tables_of(self, host: str) -> Ranges:
        """Return the tables that hold everything about a host; to be read between steps."""
        return self._store

    def host(self, host: str) -> HostRecord | None:
        """Return the record of a host, or None."""
        return self._step.hosts.find(host)

    def page(self, url: str) -> PageRecord | None:
        """Return the record of a page; None if it was never visited."""
        return self.page_at(page_key(url))

    def page_at(self, key: bytes) -> PageRecord | None:
        """Return the record of the page with this key; None if it was never visited."""
        stored = self._store.get(Table.PAGE, key)
        return self._step.pages.decode(stored) if stored else None

    # -- restart ---------------------------------------------------------

    def recover(self, now: float, *, grace: float = 0.0) -> int:
        """Take back the leases of a keeper that died; return how many requests they held.

        It is not known when the last of their requests ended, so every address
        of an open lease rests as if that had been now, plus `grace`.
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
        """Judge again the hosts that were given up; after `recover`, before anything is handed out."""
        return self._reconsidering.look_again(changed, named, now)

    def check(self) -> None:
        """State every invariant; between steps only."""
        self._front.check()
        check_tables(self._store, self.counters, self._dispatch.open.values(), self._step.in_transit)
        if self._others is not None:
            self._others.check()
        unread = sum(1 for _ in self._store.scan(Table.INBOX))
        assert len(self._step.inbox) == unread, f"{len(self._step.inbox)} unread counted, {unread} there"
