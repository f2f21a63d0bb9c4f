"""What follows from a result?

A page record, new links, a retry later, a host that is left alone for a while
or for good. Results come from harvesters in the order of their requests.
"""

from collections.abc import Iterable

import msgspec
import xxhash

from tiptoe.frontier.find import Find
from tiptoe.frontier.finds import Finds
from tiptoe.frontier.front import Front
from tiptoe.frontier.host import CRAWL_DELAY, MIRROR, HostRecord, HostState
from tiptoe.frontier.intake import Intake
from tiptoe.frontier.ledger import Ledger
from tiptoe.frontier.messages import PageRecord, Purpose, Request, Result, RobotsNote, RobotsState
from tiptoe.frontier.mirrors import Mirrors
from tiptoe.frontier.pace import Pace
from tiptoe.frontier.patience import HOST_TRIES_MAX, PATIENCE, Patience, Trouble, Verdict, trouble_of
from tiptoe.frontier.politeness import Politeness, backoff_seconds, leaves_no_page
from tiptoe.frontier.queues import Chunk
from tiptoe.frontier.returning import Returning
from tiptoe.frontier.revisits import Revisits
from tiptoe.frontier.steering import Steering
from tiptoe.store.tables import Table
from tiptoe.url.address import host_of, origin_of, page_key

__all__ = ["WAITING", "Settlement"]

WAITING = "waiting"
"""Outcome of a page that is to be tried again."""

PACE_MEMORY = 0.7
"""Weight of the past in a host's smoothed response time."""

ADDRESS_HOLD_PAUSES = 10
"""One overloaded host holds its whole address for at most so many general pauses."""

ROBOTS_HOPS_MAX = 5


class Settlement:
    """Turns results into page records, retries and further requests."""

    def __init__(
        self, ledger: Ledger, front: Front, intake: Intake, rules: Politeness, steering: Steering,
        revisits: Revisits, returning: Returning, *,
        redirects_max: int, follows_sitemaps: bool, follows_feeds: bool, errands: int,
    ) -> None:  # fmt: skip
        self._ledger = ledger
        self._front = front
        self._intake = intake
        self._rules = rules
        self._steering = steering
        self._revisits = revisits
        self._returning = returning
        self._follows_sitemaps = follows_sitemaps
        self._errands = errands
        self._finds = Finds(
            ledger, redirects_max=redirects_max,
            follows_sitemaps=follows_sitemaps, follows_feeds=follows_feeds,
        )  # fmt: skip
        self._encode = msgspec.msgpack.Encoder().encode
        self._mirrors = Mirrors(ledger)
        self._pace = Pace(rules, ledger.gate)

    def expect(self, results: Iterable[Result]) -> None:
        """Look up together what settling these results will ask for one by one."""
        self._mirrors.expect(dict.fromkeys(result.text_hash for result in results if result.text_hash))

    def settle(self, result: Result, now: float) -> list[Find]:
        """Record one result; return the links it brought."""
        record = self._ledger.hosts.obtain(host_of(result.request.url))
        self._ledger.hosts.touch(record)
        if result.status or result.failure:
            self._count_request(record, result)
        if result.retry_after > 0:  # whatever else the answer says
            self._leave_alone(record, now + min(result.retry_after, self._rules.retry_after_max))
        if result.request.purpose in (Purpose.ERRAND, Purpose.ROBOTS):
            self._spare_asked(record, result, now)
        if result.request.purpose is Purpose.ERRAND:
            return []
        if result.robots is not None:
            return self._settle_robots(record, result.request, result.robots, now)
        if result.request.purpose is Purpose.ROBOTS:
            return self._settle_lost_robots(result.request, now)
        trouble = trouble_of(result.status, result.failure, result.discard)
        if trouble is not None:
            self._settle_trouble(record, result, trouble, now)
            return []
        record.troubles = record.chances = 0
        if result.request.precedent is not None:
            return self._settle_revisit(record, result, now)
        return self._settle_answer(record, result, now)

    # -- answers ---------------------------------------------------------

    def _count_request(self, record: HostRecord, result: Result) -> None:
        counters = self._ledger.counters
        counters.requests += 1
        counters.body_bytes += result.body_bytes
        counters.seconds_answering += result.seconds
        record.requests += 1
        if result.request.precedent is None:  # what a host gives for its bytes is seen at first visits
            record.body_bytes += result.body_bytes
        if record.response_seconds:
            past = PACE_MEMORY * record.response_seconds
            record.response_seconds = past + (1 - PACE_MEMORY) * result.seconds
        else:
            record.response_seconds = result.seconds

    def _settle_answer(self, record: HostRecord, result: Result, now: float) -> list[Find]:
        outcome = _outcome_of(result)
        self._ledger.outcome(outcome)
        if result.discard:
            self._ledger.discard(result.discard)
        is_page = _is_page(result)
        page = self._page(result, outcome, now)
        if is_page and not page.is_counted:
            self._count_page(record, result)
            mirror = self._mirrors.compare(record, result.text_hash) if result.text_hash else None
            if mirror is not None:
                self.give_up(mirror, MIRROR, now)
            if not page.is_lost:  # else this was noted when it came first
                self._steering.note(record, result, now)
        if result.fingerprint:
            url, is_kept = result.request.url, not result.discard
            self._ledger.paragraphs.learn(
                self._ledger.batch, url, result.fingerprint, is_kept=is_kept, is_revisit=page.is_lost
            )
        page.is_counted |= is_page
        if is_page and outcome == "ok" and result.text_chars > 0 and result.is_changed is not False:
            page.version += 1
        page.is_lost = False
        if self._revisits.is_active:
            self._revisits.begin(record, page, result.request, now)
        key = page_key(page.url)
        self._ledger.holdings.note(key, page, result)
        self._ledger.pages.put(self._ledger.batch, key, page)
        return self._finds.of(result)

    def _settle_revisit(self, record: HostRecord, result: Result, now: float) -> list[Find]:
        """Settle another visit: what a host gives is judged by the first visits of its pages alone."""
        outcome = _outcome_of(result)
        self._ledger.outcome(outcome)
        if result.discard:
            self._ledger.discard(result.discard)
        url = result.request.url
        key = page_key(url)
        page = self._ledger.pages.find(key)
        assert page is not None, f"{url} is visited again and unknown"
        if _is_page(result) and not page.is_counted:
            self._count_page(record, result)
            page.is_counted = True
        paragraphs = self._ledger.paragraphs
        if result.fingerprint:
            is_kept = not result.discard and result.is_changed is not False
            paragraphs.learn(self._ledger.batch, url, result.fingerprint, is_kept=is_kept, is_revisit=True)
        else:
            paragraphs.release(url)
        self._revisits.note(record, page, result, outcome, now)
        self._ledger.holdings.note(key, page, result)
        self._ledger.pages.put(self._ledger.batch, key, page)
        return self._finds.of(result)

    def _count_page(self, record: HostRecord, result: Result) -> None:
        counters = self._ledger.counters
        record.pages += 1
        counters.pages += 1
        if result.text_chars and not result.discard:  # else it does not stand in the corpus
            record.text_chars += result.text_chars
            counters.documents += 1
            counters.text_chars += result.text_chars

    def _page(self, result: Result, outcome: str, now: float) -> PageRecord:
        """Return the record of a page after a first visit, or a try of one."""
        request = result.request
        is_known = request.tries > 0 or request.remains is not None
        page = self._ledger.pages.find(page_key(request.url)) if is_known else None
        page = page or PageRecord(request.url, first_visit_at=now)
        if page.is_lost and not _is_page(result):
            # What is left of it stays known: by that a text is known again when it comes at last.
            page.outcome, page.tries, page.last_visit_at = outcome, request.tries, now
            page.visits += 1
            return page
        page.status = result.status
        page.outcome = outcome
        page.title = result.title
        page.depth = request.depth
        page.usability = result.usability
        page.tries = request.tries
        page.visits += 1
        page.last_visit_at = now
        page.changed_at = now
        page.etag = result.etag
        page.last_modified = result.last_modified
        page.content_hash = result.content_hash
        page.text_hash = result.text_hash
        page.location = result.redirect
        page.payload_digest = result.payload_digest
        page.stored_at = result.stored_at
        page.expires_at = result.expires_at
        page.is_off_useless = request.usability <= 0.0
        return page

    def _write_page(self, result: Result, outcome: str, now: float) -> None:
        page = self._page(result, outcome, now)
        self._ledger.pages.put(self._ledger.batch, page_key(page.url), page)

    # -- trouble ---------------------------------------------------------

    def _settle_trouble(self, record: HostRecord, result: Result, trouble: Trouble, now: float) -> None:
        patience = PATIENCE[trouble]
        self._ledger.outcome(trouble.value)
        wait = self._wait(record, trouble, result.retry_after, now)
        request = msgspec.structs.replace(result.request, tries=result.request.tries + 1)
        if patience.host_waits:
            self.hold(record, patience, now + wait)
        drops_host = patience.then is Verdict.DROP_HOST and record.same_troubles >= patience.tries
        drops_host |= record.troubles >= HOST_TRIES_MAX
        if result.request.precedent is not None:
            is_over = patience.then is Verdict.DROP_URL and request.tries >= patience.tries
            is_over |= drops_host or record.state is HostState.GONE
            self._revisit_later(record, result, trouble, 0.0 if is_over else now + wait, now)
            if drops_host:
                self.give_up(record, trouble.value, now)
        elif record.state is HostState.GONE:
            self._drop_url(result, trouble, now)
        elif drops_host:
            self.give_up(record, trouble.value, now)
            self._drop_or_keep(record, result, request, trouble, now)
        elif patience.then is Verdict.DROP_URL and request.tries >= patience.tries:
            self._drop_url(result, trouble, now)
        elif patience.host_waits:
            self._keep_waiting(result, now)
            self._intake.enqueue(record, 0, Chunk.of(request), now)
        else:
            self._keep_waiting(result, now)
            self.defer(request, now + wait)

    def _drop_or_keep(
        self, record: HostRecord, result: Result, request: Request, trouble: Trouble, now: float
    ) -> None:
        """Drop a URL with its host, unless that gets another chance some day."""
        if self._returning.is_lost(record):
            self._drop_url(result, trouble, now)
        else:
            self._keep_waiting(result, now)
            self._intake.enqueue(record, 0, Chunk.of(request), now)

    def _revisit_later(
        self, record: HostRecord, result: Result, trouble: Trouble, retry_at: float, now: float
    ) -> None:
        """Keep what is known of a page that could not be asked for; 0 = it is not tried again soon."""
        key = page_key(result.request.url)
        page = self._ledger.pages.find(key)
        assert page is not None, f"{result.request.url} is visited again and unknown"
        if trouble is Trouble.HARVESTER_LOST and not retry_at:
            page.visits += 1
            self._revisits.end(record, page)
        else:
            self._revisits.troubled(page, result.request, retry_at, now)
        self._ledger.paragraphs.release(page.url)
        self._ledger.pages.put(self._ledger.batch, key, page)

    def _spare_asked(self, record: HostRecord, result: Result, now: float) -> None:
        """Leave a host alone that was asked for rules, its own or another's, and is in trouble.

        How often it is tried is decided by the rules and whose they are, not by this.
        """
        if result.failure:
            self._ledger.outcome(result.failure)
        trouble = trouble_of(result.status, result.failure)
        if trouble is not None and PATIENCE[trouble].host_waits:
            patience = PATIENCE[trouble]
            wish = min(result.retry_after, self._rules.retry_after_max)
            record.troubled_at = now
            self.hold(record, patience, now + max(patience.first_wait * self._rules.backoff_first, wish))

    def _wait(self, record: HostRecord, trouble: Trouble, retry_after: float, now: float) -> float:
        """Count one more trouble of this host and return how long to wait."""
        is_same = record.troubles > 0 and record.trouble == trouble.value
        record.trouble, record.same_troubles = trouble.value, record.same_troubles + 1 if is_same else 1
        if now - max(record.troubled_at, record.next_at) > self._rules.backoff_forgive:
            record.strain = 0
        level = record.strain
        record.strain += 1
        record.troubles += 1
        record.troubled_at = now
        salt = xxhash.xxh3_64_intdigest(record.host.encode(), seed=level)
        first = PATIENCE[trouble].first_wait * self._rules.backoff_first
        own = backoff_seconds(self._rules, first, level, salt=salt)
        return max(own, min(retry_after, self._rules.retry_after_max))

    def hold(self, record: HostRecord, patience: Patience, until: float) -> None:
        """Leave a host alone until then, and its address when the table says so."""
        self._leave_alone(record, until)
        if patience.address_waits and record.gate:
            cap = record.troubled_at + ADDRESS_HOLD_PAUSES * self._rules.general_pause
            self._ledger.gate.hold(self._ledger.batch, record.gate, free_at=min(until, cap))
            self._front.bench.set_free(record.gate, self._ledger.gate.free_at(record.gate))

    def _leave_alone(self, record: HostRecord, until: float) -> None:
        record.held_until = max(record.held_until, until)
        record.next_at = max(record.next_at, until)
        self._ledger.hosts.touch(record)

    def defer(self, request: Request, at: float) -> None:
        """Let a request wait for a moment."""
        self._ledger.due.put(self._ledger.batch, request, at)
        self._ledger.counters.due += 1

    def _drop_url(self, result: Result, trouble: Trouble, now: float) -> None:
        self._ledger.discard(trouble.value)
        self._write_page(result, trouble.value, now)

    def _keep_waiting(self, result: Result, now: float) -> None:
        self._write_page(result, WAITING, now)

    def give_up(self, record: HostRecord, reason: str, now: float) -> None:
        """Leave a host, for good unless it is to get another chance some day."""
        if record.state is HostState.GONE:
            return
        if record.state is HostState.PARKED:
            self._front.unpark(self._ledger.batch, record, HostState.GONE)
        elif record.state is HostState.NEW:
            self._ledger.batch.delete(Table.NEW, record.new_key)
            self._ledger.counters.new_hosts -= 1
        elif record.state is HostState.FALLOW:
            self._ledger.counters.fallow -= record.queued
            self._ledger.counters.fallow_hosts -= 1
        record.state = HostState.GONE
        record.gone_because = reason
        self._ledger.hosts.touch(record)
        self._ledger.outcome(record.refusal)
        self._intake.open_letters(record, now)  # to be counted among what is dropped
        self._returning.lose(record, now)

    def host_trouble(self, record: HostRecord, trouble: Trouble, now: float) -> None:
        """Meet trouble that concerns no URL in particular: name look-up, robots.txt."""
        patience = PATIENCE[trouble]
        wait = self._wait(record, trouble, 0.0, now)
        self._ledger.outcome(trouble.value)
        if record.same_troubles >= patience.tries or record.troubles >= HOST_TRIES_MAX:
            self.give_up(record, trouble.value, now)
        else:
            self.hold(record, patience, now + wait)

    # -- robots.txt ------------------------------------------------------

    def _settle_robots(
        self, record: HostRecord, request: Request, note: RobotsNote, now: float
    ) -> list[Find]:
        origin = request.for_origin or origin_of(request.url)
        subject = self._ledger.hosts.obtain(host_of(origin))
        self._ledger.hosts.touch(subject)
        self._ledger.outcome("robots." + note.state.value)
        if note.state is RobotsState.UNREACHABLE:
            self._robots_trouble(subject, now, note.retry_after)
            return []
        if note.state is RobotsState.MOVED:
            return self._robots_moved(subject, request, origin, note, now)
        # Rules that were completed later are as old as they were.
        stored = msgspec.structs.replace(note, fetched_at=note.fetched_at or now)
        self._ledger.batch.put(Table.ROBOTS, origin.encode(), self._encode(stored))
        subject.robots_troubles = 0
        subject.wish_delay(origin, note.crawl_delay)
        if leaves_no_page(self._rules, subject.crawl_delay, errands=self._errands):
            self.give_up(subject, CRAWL_DELAY, now)
            return []
        if subject is not record:
            self._come_forward(subject, now)
        if not self._follows_sitemaps:
            return []
        return [Find.single(Request(url, Purpose.SITEMAP, via=request.url)) for url in note.sitemaps]

    def _settle_lost_robots(self, request: Request, now: float) -> list[Find]:
        """Rules that had moved could not be had: the host they belong to stays away."""
        self._robots_trouble(self._ledger.hosts.obtain(host_of(request.for_origin)), now)
        return []

    def _robots_trouble(
        self, subject: HostRecord, now: float, retry_after: float = 0.0, *, are_under_way: bool = False
    ) -> None:
        """The rules of a host are not here: it waits, and comes forward when they were only under way."""
        patience = PATIENCE[Trouble.ROBOTS_UNREACHABLE]
        subject.robots_troubles += 1
        self._ledger.hosts.touch(subject)
        if subject.robots_troubles >= patience.tries:
            self._ledger.outcome(Trouble.ROBOTS_UNREACHABLE.value)
            self.give_up(subject, Trouble.ROBOTS_UNREACHABLE.value, now)
            return
        salt = xxhash.xxh3_64_intdigest(subject.host.encode(), seed=subject.robots_troubles)
        first = patience.first_wait * self._rules.backoff_first
        wait = backoff_seconds(self._rules, first, subject.robots_troubles - 1, salt=salt)
        if are_under_way:
            subject.next_at = max(subject.next_at, now + wait)
        else:
            self.hold(subject, patience, now + max(wait, min(retry_after, self._rules.retry_after_max)))

    def _robots_moved(
        self, subject: HostRecord, request: Request, origin: str, note: RobotsNote, now: float
    ) -> list[Find]:
        hops = request.hops + 1
        if hops > ROBOTS_HOPS_MAX:  # as if there were none (RFC 9309, 2.3.1.2)
            return self._settle_robots(subject, request, RobotsNote(RobotsState.RULES), now)
        # While the answer is under way the host waits; if it never comes, the rules are asked for again.
        self._robots_trouble(subject, now, are_under_way=True)
        moved = Request(note.location, Purpose.ROBOTS, hops=hops, via=request.url, for_origin=origin)
        holder = self._ledger.hosts.obtain(host_of(note.location))
        if holder.state is HostState.FALLOW:  # it may give no text, but it has the rules of one that does
            self._intake.wake(holder, now)
        if holder.state is HostState.GONE:
            self._ledger.discard(holder.refusal)
        elif not holder.is_blocked:
            self._intake.enqueue(holder, 0, Chunk.of(moved), now)
        return []

    def _come_forward(self, subject: HostRecord, now: float) -> None:
        """The rules a host waited for are here: its turn may come now, unless it waits for more than them."""
        if not subject.troubles:
            # Its Crawl-delay may have become known just now: it counts from the last answer.
            earliest = max(now, subject.held_until, self._pace.earliest(subject))
            subject.next_at = min(subject.next_at, earliest)
        if subject.state is HostState.PARKED:
            self._front.unpark(self._ledger.batch, subject, HostState.IDLE)
            self._front.park(self._ledger.batch, subject, now)


def _is_page(result: Result) -> bool:
    return 200 <= result.status < 300 and result.request.purpose is Purpose.PAGE


def _outcome_of(result: Result) -> str:
    if result.discard:
        return result.discard
    if result.redirect:
        return "redirect"
    if 200 <= result.status < 300 or result.status == 304:
        return "ok"
    return f"http_{result.status}"
