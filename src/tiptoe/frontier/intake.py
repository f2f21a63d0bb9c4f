"""Does this link become a request?

unread for now? -> wanted by the decision point `schedule`? -> host still wanted? -> met before? -> queue of
its host. The sieve is one batched look for all links of a report, or of the inbox of a host; new URLs are
remembered in the same batch that queues them.
"""

from itertools import islice

import msgspec

from tiptoe.decide.scheduling import SchedulePoint
from tiptoe.frontier.find import Find
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.priority import shifted
from tiptoe.frontier.sections import UNPRODUCTIVE, Shifts
from tiptoe.frontier.sieve import key_of, numbers_in
from tiptoe.frontier.steering import Steering
from tiptoe.frontier.step import Step
from tiptoe.frontier.transitions import Transitions
from tiptoe.protocol.work import HostLinks
from tiptoe.url.address import KEY_BYTES, host_of, page_key
from tiptoe.url.dropped import Dropped

__all__ = ["Intake"]


class Intake:
    """Turns links into queued requests, each URL once."""

    def __init__(
        self, step: Step, transitions: Transitions, schedule: SchedulePoint, steering: Steering, *,
        pages_per_host: int, queue_max: int,
    ) -> None:  # fmt: skip
        self._step = step
        self._transitions = transitions
        self._schedule = schedule
        self._steering = steering
        self._pages_per_host = pages_per_host
        self._queue_max = queue_max

    def admit(self, finds: list[Find], now: float) -> int:
        """Queue what is new, or leave it for the turn of its host; return how many were queued."""
        step = self._step
        # What this step has changed is at hand.
        return self._look_at(step.inbox.put(step.batch, finds, step.hosts.changed_names), now)

    def mark_downloaded(self, urls: list[str], now: float) -> None:
        """Remember URLs that others have fetched."""
        step = self._step
        found = [HostLinks(host_of(url), [url], page_key(url)) for url in urls]
        step.sieve.read(found)
        known = step.pages.find_many([links.keys for links in found])
        for url, links, page in zip(urls, found, known, strict=True):
            if page is None:  # what we fetched ourselves is known better
                step.sieve.note(step.batch, links)
                listed = PageRecord(url, outcome=Dropped.DOWNLIST, first_visit_at=now, last_visit_at=now)
                step.pages.put(step.batch, links.keys, listed)

    def read_inbox(self, record: HostRecord, now: float) -> None:
        """Look at what was left for a host; to be called before it is said that it has nothing to ask for."""
        self._look_at(self._step.inbox.open(self._step.batch, record), now)

    def _look_at(self, finds: list[Find], now: float) -> int:
        wanted: list[tuple[Find, HostRecord]] = []
        for find in finds:
            record = self._host_for(find, now)
            if record is not None:
                if find.inlink & ~record.inlinks:
                    record.inlinks |= find.inlink
                    self._step.hosts.touch(record)
                wanted.append((find, record))
        seen = self._step.sieve
        seen.read([find.links for find, _ in wanted])
        pointed_at: list[tuple[HostRecord, bytes]] = []
        admitted = 0
        for find, record in wanted:
            host = find.links.keys[:KEY_BYTES]
            met, numbers = seen.of(host), numbers_in(find.links)
            fresh = {
                number: url for number, url in zip(numbers, find.links.urls, strict=True) if number not in met
            }
            if find.is_foreign and len(fresh) < len(numbers):
                pointed_at += [(record, key_of(host, number)) for number in numbers if number in met]
            if fresh:
                admitted += self._enqueue(find, record, fresh, now)
        self._endorse(pointed_at)
        return admitted

    def _endorse(self, pointed_at: list[tuple[HostRecord, bytes]]) -> None:
        """Other hosts point to pages we know: that may bring those forward that still wait."""
        visited = self._step.pages.are_visited([key for _, key in pointed_at])
        for (record, key), is_visited in zip(pointed_at, visited, strict=True):
            if not is_visited:
                self._steering.inlinks.add(key[KEY_BYTES:])
                record.is_endorsed = True

    def _enqueue(self, find: Find, record: HostRecord, fresh: dict[int, str], now: float) -> int:
        shifts = None
        if record.is_uneven and find.index:
            shifts = self._steering.shifts(record, now)
            fresh = self._without_unproductive(fresh, shifts) if shifts else fresh
        room = self._room(record)
        if len(fresh) > room:
            self._step.discard(Dropped.HOST_FULL, len(fresh) - room)
            fresh = dict(islice(fresh.items(), room))
        if not fresh:
            return 0
        self._step.sieve.add(self._step.batch, find.links.keys[:KEY_BYTES], fresh)
        self._step.totals.urls += len(fresh)
        urls = list(fresh.values())
        if record.productivity.pages and not find.is_foreign and find.shared.via:
            self._steering.note_leads(record, find.shared.via, urls, now)
        find.shared.urls = urls
        if shifts is None:
            self._transitions.enqueue(record, find.index, find.shared, now)
        else:
            for index, some in _by_class(find, shifts).items():
                self._transitions.enqueue(record, index, msgspec.structs.replace(find.shared, urls=some), now)
        return len(fresh)

    def _without_unproductive(self, fresh: dict[int, str], shifts: Shifts) -> dict[int, str]:
        """Drop links to unproductive sections; they are not remembered, so that they may come again."""
        kept = {number: url for number, url in fresh.items() if shifts.of(url) != UNPRODUCTIVE}
        if len(kept) < len(fresh):
            self._step.discard(Dropped.NO_YIELD, len(fresh) - len(kept))
        return kept

    def _host_for(self, find: Find, now: float) -> HostRecord | None:
        """Return the host's record when it is still wanted."""
        count = len(find.links.urls)
        host = find.links.host
        # Also for hosts we know: the rules of a host we want may have moved to one that we do not.
        refused = self._schedule.refusal_at(host, find.shared.depth)
        if refused is not None:
            self._step.discard(refused, count)
            return None
        record = self._step.hosts.find(host)
        if record is None:
            record = self._step.hosts.obtain(host)
            self._step.totals.hosts += record.gone_because != Dropped.KEY_TAKEN
        if record.state is HostState.GONE:
            self._step.discard(record.refusal, count)
            return None
        if record.state is HostState.UNPRODUCTIVE:
            if not self._steering.is_rested(record, now):
                self._step.discard(Dropped.NO_YIELD, count)
                return None
            self.wake(record, now)
        return record

    def rested_at(self, record: HostRecord) -> float:
        """Return when a host that is unproductive is tried again."""
        return self._steering.rested_at(record)

    def wake(self, record: HostRecord, now: float) -> None:
        """Give a host that is unproductive a new trial, with what its queue still holds."""
        self._transitions.wake(record)
        self._steering.begin_anew(record)
        self._transitions.line_up(record, now)

    def _room(self, record: HostRecord) -> int:
        room = self._queue_max - record.queued_new
        if self._pages_per_host:
            room = min(room, self._pages_per_host - record.pages - record.queued_new)
        return max(room, 0)


def _by_class(find: Find, shifts: Shifts) -> dict[int, list[str]]:
    """Share links that came together out to the classes of their sections."""
    parts: dict[int, list[str]] = {}
    for url in find.shared.urls:
        parts.setdefault(shifted(find.index, shifts.of(url)), []).append(url)
    return parts
