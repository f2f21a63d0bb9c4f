"""Does this link become a request?

unread for now? -> wanted by the decision point `schedule`? -> host still wanted? -> seen before? -> queue of
its host. The sieve is read once for all links of a report, or of the inbox of a host; new URLs are added to
it in the same batch that queues them.
"""

from itertools import islice

import msgspec

from tiptoe.decide.scheduling import SchedulePoint
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.link_batch import LinkBatch
from tiptoe.frontier.page_record import WAITING, PageRecord
from tiptoe.frontier.priority import shifted
from tiptoe.frontier.sections import UNPRODUCTIVE, Shifts
from tiptoe.frontier.sieve import key_of, numbers_in
from tiptoe.frontier.steering import Steering
from tiptoe.frontier.step import Step
from tiptoe.frontier.transitions import Transitions
from tiptoe.protocol.work import HostLinks, Purpose
from tiptoe.url.address import KEY_BYTES, host_of, page_key
from tiptoe.url.dropped import Dropped

__all__ = ["Intake"]


class Intake:
    """Turns links into queued requests, each URL once."""

    def __init__(
        self, step: Step, transitions: Transitions, schedule: SchedulePoint, steering: Steering, *,
        pages_per_host: int, queue_max: int, hosts_max: int = 0,
    ) -> None:  # fmt: skip
        self._step = step
        self._transitions = transitions
        self._schedule = schedule
        self._steering = steering
        self._pages_per_host = pages_per_host
        self._queue_max = queue_max
        self._hosts_max = hosts_max

    def admit(self, found_links: list[LinkBatch], now: float) -> int:
        """Queue what is new, or leave it for the turn of its host; return how many were queued."""
        step, found_links = self._step, self.without_forgotten(found_links)
        # Records that this step has changed are in memory: their links can be examined now.
        return self._look_at(step.inbox.put(step.batch, found_links, step.hosts.changed_names), now)

    def mark_downloaded(self, urls: list[str], now: float) -> int:
        """Mark URLs that others have downloaded; return how many were neither fetched nor marked before."""
        step = self._step
        downloaded = [HostLinks(host_of(url), [url], page_key(url)) for url in urls]
        step.sieve.read(downloaded)
        known = step.pages.find_many([links.keys for links in downloaded])
        marked = 0
        for url, links, page in zip(urls, downloaded, known, strict=True):
            is_tried = page is not None and page.outcome == WAITING and not page.is_lost
            if page is None or is_tried:  # never overwrite the record of a page we fetched ourselves
                step.sieve.note(step.batch, links)
                listed = PageRecord(url, outcome=Dropped.DOWNLIST, first_visit_at=now, last_visit_at=now)
                step.pages.put(step.batch, links.keys, listed)
                marked += 1
        return marked

    def read_inbox(self, record: HostRecord, now: float) -> None:
        """Examine the links in a host's inbox; to be called before concluding that it has no requests."""
        self._look_at(self._step.inbox.open(self._step.batch, record), now)

    def _look_at(self, found_links: list[LinkBatch], now: float) -> int:
        wanted: list[tuple[LinkBatch, HostRecord]] = []
        for found in found_links:
            record = self._host_for(found, now)
            if record is not None:
                if found.inlink & ~record.inlinks:
                    record.inlinks |= found.inlink
                    self._step.hosts.touch(record)
                wanted.append((found, record))
        seen = self._step.sieve
        seen.read([found.links for found, _ in wanted])
        pointed_at: list[tuple[HostRecord, bytes]] = []
        admitted = 0
        for found, record in wanted:
            host = found.links.keys[:KEY_BYTES]
            met, numbers = seen.of(host), numbers_in(found.links)
            fresh = {
                number: url
                for number, url in zip(numbers, found.links.urls, strict=True)
                if number not in met
            }
            if found.is_foreign and len(fresh) < len(numbers):
                pointed_at += [(record, key_of(host, number)) for number in numbers if number in met]
            if fresh:
                admitted += self._enqueue(found, record, fresh, now)
        self._endorse(pointed_at)
        return admitted

    def without_forgotten(self, found_links: list[LinkBatch]) -> list[LinkBatch]:
        """Drop links to URLs that their owners want to be forgotten."""
        if not self._step.wishes:
            return found_links
        kept = []
        for found in found_links:
            links = self._step.wishes.without(found.links)
            if len(links.urls) < len(found.links.urls):
                self._step.discard(Dropped.FORGOTTEN, len(found.links.urls) - len(links.urls))
                found = msgspec.structs.replace(found, links=links)
            if links.urls:
                kept.append(found)
        return kept

    def _endorse(self, pointed_at: list[tuple[HostRecord, bytes]]) -> None:
        """Count links from other hosts to known pages: those still waiting may be requested earlier."""
        visited = self._step.pages.are_visited([key for _, key in pointed_at])
        for (record, key), is_visited in zip(pointed_at, visited, strict=True):
            if not is_visited:
                self._steering.inlinks.add(key[KEY_BYTES:])
                if not record.is_endorsed:
                    record.is_endorsed = True
                    self._step.hosts.touch(record)

    def _enqueue(self, found: LinkBatch, record: HostRecord, fresh: dict[int, str], now: float) -> int:
        shifts = None
        if record.is_uneven and found.queue_class:
            shifts = self._steering.shifts(record, now)
            fresh = self._without_unproductive(fresh, shifts) if shifts else fresh
        room = self._room(record, found.template.purpose)
        if len(fresh) > room:
            self._step.discard(Dropped.HOST_FULL, len(fresh) - room)
            fresh = dict(islice(fresh.items(), room))
        if not fresh:
            return 0
        self._step.sieve.add(self._step.batch, found.links.keys[:KEY_BYTES], fresh)
        self._step.totals.urls += len(fresh)
        urls = list(fresh.values())
        if record.productivity.pages and not found.is_foreign and found.template.via:
            self._steering.note_leads(record, found.template.via, urls, now)
        found.template.urls = urls
        if shifts is None:
            self._transitions.enqueue(record, found.queue_class, found.template, now)
        else:
            for queue_class, some in _by_class(found, shifts).items():
                chunk = msgspec.structs.replace(found.template, urls=some)
                self._transitions.enqueue(record, queue_class, chunk, now)
        return len(fresh)

    def _without_unproductive(self, fresh: dict[int, str], shifts: Shifts) -> dict[int, str]:
        """Drop links to unproductive sections; they stay out of the sieve, so that they may come again."""
        kept = {number: url for number, url in fresh.items() if shifts.of(url) != UNPRODUCTIVE}
        if len(kept) < len(fresh):
            self._step.discard(Dropped.NO_YIELD, len(fresh) - len(kept))
        return kept

    def _host_for(self, found: LinkBatch, now: float) -> HostRecord | None:
        """Return the record of the host if it is wanted; otherwise count its links as dropped."""
        count = len(found.links.urls)
        host = found.links.host
        # Known hosts are checked too: one may be known only because the rules of a wanted host moved there.
        # What a page needs to be shown may be on any host; the harvester that found it has checked it.
        is_needed = found.template.purpose is Purpose.REQUISITE
        refused = self._schedule.refusal_at(None if is_needed else host, found.template.depth)
        if refused is not None:
            self._step.discard(refused, count)
            return None
        record = self._step.hosts.find(host)
        if record is None:
            if self._hosts_max and self._step.totals.hosts >= self._hosts_max:
                self._step.discard(Dropped.MANY_HOSTS, count)
                return None
            record = self._new_host(host, is_errand=is_needed)
        if record.is_errand and not is_needed:
            record.is_errand = False
            self._step.hosts.touch(record)
        if record.state is HostState.GONE:
            self._step.discard(record.refusal, count)
            return None
        if record.state is HostState.UNPRODUCTIVE:
            if not self._steering.is_rested(record, now):
                self._step.discard(Dropped.NO_YIELD, count)
                return None
            self.reactivate(record, now)
        return record

    def _new_host(self, host: str, *, is_errand: bool) -> HostRecord:
        """Create the record of a host that is seen for the first time, and count it."""
        record = self._step.hosts.obtain(host)
        record.is_errand = is_errand
        if record.gone_because != Dropped.KEY_TAKEN:
            self._step.totals.hosts += 1
        return record

    def rested_at(self, record: HostRecord) -> float:
        """Return when an unproductive host is tried again."""
        return self._steering.rested_at(record)

    def reactivate(self, record: HostRecord, now: float) -> None:
        """Give an unproductive host a new trial, with what is still in its queue."""
        self._transitions.reactivate(record)
        self._steering.begin_anew(record)
        self._transitions.line_up(record, now)

    def _room(self, record: HostRecord, purpose: Purpose) -> int:
        room = self._queue_max - record.queued_new
        if self._pages_per_host and purpose is not Purpose.REQUISITE:
            # The first class is not counted: it holds seeds, rules and sitemaps, many of which are no pages.
            queued = record.queued_new - record.waiting[0]
            room = min(room, self._pages_per_host - record.pages - queued)
        return max(room, 0)


def _by_class(found: LinkBatch, shifts: Shifts) -> dict[int, list[str]]:
    """Group the links of a batch by the class that the yield of their section gives them."""
    parts: dict[int, list[str]] = {}
    for url in found.template.urls:
        parts.setdefault(shifted(found.queue_class, shifts.of(url)), []).append(url)
    return parts
