"""Which pages are due again?

When their time in the calendar has come, they move to the queues of their hosts, where revisits wait beside
new requests (see `shares`). If a budget is spent over all pages, a page is first valued again at the current
price; it may get a later time instead. If the price has fallen, the next pages in the calendar are examined
before their time.

Pages of hosts that may not be visited stay in the calendar: in a queue they would take the room of others.

Rule: a host that was given up keeps its new requests in its queues, and its revisits in the calendar. After
some time it gets another chance, unless it only repeats another host.
"""

from collections.abc import Callable, Iterable
from itertools import islice
from math import ceil, log2

from tiptoe.frontier.calendar import NO_URL, Entry
from tiptoe.frontier.gate import AddressState
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.intake import Intake
from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.priority import RETRIED, REVISITS
from tiptoe.frontier.queues import Chunk
from tiptoe.frontier.revisits import Revisits, account_of
from tiptoe.frontier.step import Step
from tiptoe.frontier.transitions import Transitions
from tiptoe.protocol.work import Purpose, Request
from tiptoe.store.tables import Table
from tiptoe.url.address import KEY_BYTES, host_of, page_key
from tiptoe.url.dropped import Dropped

__all__ = ["FINAL", "TRANSIT_SECONDS", "RevisitScheduler"]

MOVED_MAX = 500
"""Maximum number of entries examined in one step."""

EARLY_LOOKS = 32
"""Entries examined together before their time; if fewer than half of them are due, no more are examined."""

LOOK_SECONDS = 1.0

EARLIER_SHARE = 0.05
"""Minimum part of its interval by which a visit must come earlier to be moved; less is not worth a write."""

BACKLOG_SECONDS = 3600.0
BACKLOG_MIN = 1000
"""Maximum number of queued revisits: what the budget allows in this time, but at least `BACKLOG_MIN`. Above
it, pages that are due wait in the calendar, where they can be valued again."""

POSTPONED_SHARE = 1 / 8
"""Part of its interval by which a page is postponed if the queue is full."""

CLOSED_SECONDS = 3600.0
"""Minimum time by which a page is postponed if its host may not be visited."""

CHANCE_SECONDS = 30 * 86400.0
CHANCES_MAX = 4
"""Wait of a host that was given up before another chance, doubled each time; maximum number of chances."""

WATCHED_CHANCE_SECONDS = 4 * 3600.0
"""The same for a host with watched pages, which was there and may be back soon: this wait is doubled until it
reaches that of the others; from then on the host gets as many chances as they do."""

TRANSIT_SECONDS = 60.0
"""How long requests that are due are postponed while their host moves to or from another frontier."""

FINAL = (Dropped.MIRROR, Dropped.KEY_TAKEN)
"""Reasons for which hosts are given up for good."""


class RevisitScheduler:
    """Moves pages from the calendar to the queues."""

    def __init__(
        self, step: Step, transitions: Transitions, intake: Intake, revisits: Revisits, *,
        queue_max: int, most_seconds: float, host_rate: Callable[[HostRecord], float],
    ) -> None:  # fmt: skip
        self._step = step
        self._transitions = transitions
        self._intake = intake
        self._revisits = revisits
        self._queue_max = queue_max
        self._most_seconds = most_seconds
        self._host_rate = host_rate  # revisits per second that politeness allows
        self._looked_at = 0.0
        self._stuck: dict[str, int] = {}  # revisits queued for hosts that may not be visited, as last seen
        self._stuck_sum = 0
        self._given_up: dict[str, float] = {}  # host whose queue is to be cleared -> time of its chance
        self._awaited = ""  # a host with revisits but no address, found by the last search for one
        self.is_behind = revisits.is_active  # more entries are due than were examined

    def tick(self, now: float) -> None:
        """Move what is due to the queues; at the start of a step."""
        if not self._revisits.is_active:
            return
        due = self._step.calendar.due(now, MOVED_MAX)
        self.is_behind = len(due) == MOVED_MAX
        self._clear(now)
        self._bring(due, now)
        if self._revisits.is_priced and not self.is_behind and now - self._looked_at >= LOOK_SECONDS:
            self._looked_at = now
            self._look_ahead(now)

    def fall_behind(self) -> None:
        """Note that entries have become due that were not examined yet."""
        self.is_behind = True

    def has_plans(self) -> bool:
        """Whether a page is watched, or a host that was given up is to get another chance."""
        if not self._revisits.is_active:
            return False
        return self._step.learned.account.pages > 0 or self._step.calendar.next_at() is not None

    def awaits_pages(self, *, is_endless: bool) -> bool:
        """Whether pages are due again, or will be in a crawl that goes on when nothing else is left."""
        return self.is_behind or (is_endless and self.has_plans())

    def awaits_address(self) -> bool:
        """Whether some host with revisits waits for its address to be looked up; between steps only."""
        if not (self._step.gauges.new_hosts and self._step.gauges.revisits_queued):
            return False
        if not self._is_awaited(self._awaited):
            names = (name.decode() for _, name in self._step.store.scan(Table.NEW))
            self._awaited = next(filter(self._is_awaited, names), "")
        return bool(self._awaited)

    def _is_awaited(self, host: str) -> bool:
        record = self._step.hosts.find(host) if host else None
        return record is not None and record.state is HostState.NEW and record.waiting[REVISITS] > 0

    def _look_ahead(self, now: float) -> None:
        entries = iter(self._step.calendar.ahead(now, MOVED_MAX))
        while some := list(islice(entries, EARLY_LOOKS)):
            if self._bring(some, now, is_early=True) < EARLY_LOOKS // 2:
                return

    def _bring(self, entries: Iterable[Entry], now: float, *, is_early: bool = False) -> int:
        """Move pages to the queues of their hosts; return how many."""
        if self._step.in_transit:
            entries = self._without_travellers(entries, now, is_early=is_early)
        entries = [entry for entry in entries if not self._is_about_host(entry, now, is_early=is_early)]
        pages = self._step.pages.find_many([entry.key for entry in entries])
        chunks: dict[tuple[str, Purpose, int], list[str]] = {}
        for entry, page in zip(entries, pages, strict=True):
            assert page is not None, f"page {entry.key.hex()} is to be visited again and unknown"
            record = self._step.hosts.obtain(host_of(page.url))
            at = self._visit_at(record, page, entry, now)
            if at is None:
                self._move(record, page, entry, 0.0)
            elif at > now:
                if not is_early or at < entry.at - EARLIER_SHARE * page.interval:
                    self._move(record, page, entry, at)
            elif not is_early or self._revisits.is_valued(page, entry.appointment):
                self._step.calendar.strike(self._step.batch, entry.key, entry.at)
                group = (record.host, entry.appointment.purpose, entry.appointment.tries)
                chunks.setdefault(group, []).append(page.url)
                self._spend(record, now)
        for (host, purpose, tries), urls in chunks.items():
            chunk = Chunk(urls, purpose, tries=tries)
            self._transitions.enqueue(self._step.hosts.obtain(host), REVISITS, chunk, now)
        return sum(map(len, chunks.values()))

    def _without_travellers(self, entries: Iterable[Entry], now: float, *, is_early: bool) -> list[Entry]:
        """Postpone the pages of hosts that are moving to or from another frontier; return the others."""
        others = []
        for entry in entries:
            if entry.key[:KEY_BYTES] not in self._step.in_transit:
                others.append(entry)
            elif not is_early and (page := self._step.pages.find(entry.key)) is not None:
                calendar, batch = self._step.calendar, self._step.batch
                calendar.strike(batch, entry.key, entry.at)
                page.next_visit_at = calendar.enter(
                    batch, entry.key, now + TRANSIT_SECONDS, entry.appointment
                )
                self._step.pages.put(batch, entry.key, page)
        return others

    def _visit_at(self, record: HostRecord, page: PageRecord, entry: Entry, now: float) -> float | None:
        """Return when a page is to be visited, judged by the current state; None if never again."""
        revisits = self._revisits
        if self.is_lost(record) or not revisits.is_wanted(record, page, entry.appointment.purpose):
            return None
        if record.state is HostState.UNPRODUCTIVE:
            rested_at = self._intake.rested_at(record)
            if rested_at > now:
                return min(rested_at, now + self._most_seconds)
            self._intake.reactivate(record, now)
        if self._is_closed(record):
            return max(entry.at, now + max(POSTPONED_SHARE * page.interval, CLOSED_SECONDS))
        if entry.appointment.is_ordered:
            return now
        at = now
        if revisits.is_valued(page, entry.appointment):
            if self._is_full(record):
                self._charge(record, now)
            at = revisits.optimal.due_at(page, account_of(record), now)
        if at <= now and (self._is_full(record) or self._is_crowded()):
            return max(entry.at, now + max(POSTPONED_SHARE * page.interval, LOOK_SECONDS))
        return at

    def _is_closed(self, record: HostRecord) -> bool:
        """Whether a host may not be visited now; if so, note how many revisits are stuck in its queue."""
        is_closed = (
            record.state is HostState.GONE
            or record.is_blocked
            or (bool(record.gate) and self._step.gate.is_blocked(record.gate))
        )
        self._stuck_sum -= self._stuck.pop(record.host, 0)
        if is_closed and record.waiting[REVISITS]:
            self._stuck[record.host] = record.waiting[REVISITS]
            self._stuck_sum += record.waiting[REVISITS]
        return is_closed

    def _is_full(self, record: HostRecord) -> bool:
        """Whether too many revisits wait in the queue of a host."""
        return record.waiting[REVISITS] >= (BACKLOG_MIN if self._revisits.is_priced else self._queue_max)

    def _is_crowded(self) -> bool:
        """Whether more revisits wait in all queues than can be made soon."""
        if not self._revisits.is_priced:
            return False
        in_stock = self._revisits.optimal.budget * BACKLOG_SECONDS
        return self._step.gauges.revisits_queued - self._stuck_sum >= max(BACKLOG_MIN, in_stock)

    def _spend(self, record: HostRecord, now: float) -> None:
        if self._revisits.is_priced:
            rate = self._host_rate(record)
            waiting = record.waiting[REVISITS]
            self._revisits.optimal.spend(account_of(record), now, host_rate=rate, waiting=waiting)
            self._step.hosts.touch(record)

    def _charge(self, record: HostRecord, now: float) -> None:
        """Raise the price of a host whose queue is full, without spending anything of the crawl's budget."""
        rate, waiting = self._host_rate(record), record.waiting[REVISITS]
        self._revisits.optimal.charge_host(account_of(record), now, rate, waiting)
        self._step.hosts.touch(record)

    def _move(self, record: HostRecord, page: PageRecord, entry: Entry, at: float) -> None:
        """Move a page to another time; 0 ends watching it."""
        calendar, batch = self._step.calendar, self._step.batch
        calendar.strike(batch, entry.key, entry.at)
        if at:
            page.next_visit_at = calendar.enter(batch, entry.key, at, entry.appointment)
        else:
            self._revisits.end(record, page)
        self._step.pages.put(batch, entry.key, page)

    # -- hosts that were given up ----------------------------------------

    def lose(self, record: HostRecord, now: float) -> None:
        """Keep the requests of a host that was given up for another chance, or drop them if it gets none."""
        deferred = self._withdraw_deferred(record)
        if self.is_lost(record):
            self.drop(record)
            is_final = record.gone_because in FINAL
            queues = self._step.queues
            for request in deferred:
                queues.push(record, RETRIED, Chunk.of(request))
            dropped = (queues.clear if is_final else queues.lay_aside)(self._step.batch, record)
            self._step.discard(record.refusal, dropped)
            return
        for request in deferred:
            self._transitions.enqueue(record, RETRIED, Chunk.of(request), now)
        at = now + self._chance_wait(record)
        self._step.calendar.enter_chance(self._step.batch, record, at)
        self._given_up[record.host] = at

    def _withdraw_deferred(self, record: HostRecord) -> list[Request]:
        """Take back deferred requests: none may wait for a host that was given up."""
        requests = self._step.due.withdraw(self._step.batch, record.host)
        record.is_lookup_due = False
        return [request for request in requests if request.purpose is not Purpose.ADDRESS]

    def _clear(self, now: float) -> None:
        """Move the queued revisits of hosts that were given up to the calendar, until their next chance."""
        for host, at in list(self._given_up.items()):
            record = self._step.hosts.find(host)
            if record is None:  # it has moved to another frontier
                del self._given_up[host]
                continue
            if record.gate and self._step.gate.state(record.gate, now) is AddressState.ACTIVE:
                continue  # the visit that had the trouble may still return requests
            del self._given_up[host]
            if record.state is HostState.GONE:
                self.put_off(record, at)

    def put_off(self, record: HostRecord, at: float) -> None:
        """Move the revisits in a host's queue to the calendar, at the given time."""
        for request, page in self._take_revisits(record):
            self._revisits.put_off(page, request, at)
            self._step.pages.put(self._step.batch, page_key(page.url), page)

    def drop(self, record: HostRecord) -> None:
        """Drop the revisits in a host's queue; their pages are no longer watched."""
        for _, page in self._take_revisits(record):
            self._revisits.end(record, page)
            self._step.pages.put(self._step.batch, page_key(page.url), page)

    def _take_revisits(self, record: HostRecord) -> list[tuple[Request, PageRecord]]:
        """Empty a host's queue of revisits; return each request with its page record."""
        waiting = record.waiting[REVISITS]
        if not waiting:
            return []
        requests = self._step.queues.take_revisits(self._step.batch, record, waiting)
        self._step.hosts.touch(record)
        pages = self._step.pages.find_many([page_key(request.url) for request in requests])
        return [(request, page) for request, page in zip(requests, pages, strict=True) if page is not None]

    def is_lost(self, record: HostRecord) -> bool:
        """Whether a host was given up for good."""
        if record.state is not HostState.GONE:
            return False
        is_final = record.gone_because in FINAL or record.chances >= self._chances_max(record)
        return is_final or not self._revisits.is_active

    def _first_chance(self, record: HostRecord) -> float:
        """Return after how long a host gets its first chance."""
        longest = min(CHANCE_SECONDS, self._most_seconds)
        if record.account is None or record.account.pages < 1:
            return longest
        # A host with many pages is usually visited far more often than each of them.
        usual = self._revisits.first_seconds / record.account.pages
        return min(max(WATCHED_CHANCE_SECONDS, usual), longest)

    def _chance_wait(self, record: HostRecord) -> float:
        wait = self._first_chance(record) * 2.0**record.chances
        longest = min(CHANCE_SECONDS, self._most_seconds)
        is_watched = record.account is not None and record.account.pages > 0
        return min(wait, longest) if is_watched else wait

    def _chances_max(self, record: HostRecord) -> int:
        shorter = min(CHANCE_SECONDS, self._most_seconds) / self._first_chance(record)
        return CHANCES_MAX + ceil(log2(shorter))

    def _is_about_host(self, entry: Entry, now: float, *, is_early: bool) -> bool:
        """Whether an entry is a chance for a host and not a page; if it is due, give the chance."""
        if entry.appointment.purpose is not Purpose.ADDRESS:
            return False
        if not is_early:
            self._step.calendar.strike(self._step.batch, entry.key, entry.at)
            stored = self._step.store.get(Table.HOST, entry.key[: -len(NO_URL)])
            name = self._step.hosts.name_in(stored) if stored else ""
            record = self._step.hosts.find(name) if name else None
            if record is not None and record.state is HostState.GONE:
                self._give_chance(record, now)
        return True

    def _give_chance(self, record: HostRecord, now: float) -> None:
        self._transitions.revive(record)
        record.chances += 1
        record.troubles = record.patience_used = record.robots_troubles = 0
        self._transitions.line_up(record, now)
