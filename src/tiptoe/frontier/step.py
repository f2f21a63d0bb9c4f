"""What does one step of the frontier change?

Everything that a step writes is gathered in one batch and committed
whole. The step also keeps the counters of the crawl, which are part of the batch.
"""

from collections.abc import Iterable

import msgspec

from tiptoe.frontier.calendar import Calendar
from tiptoe.frontier.due import Due
from tiptoe.frontier.duplicity import Paragraphs
from tiptoe.frontier.filemarks import FileMarks
from tiptoe.frontier.gate import Gate
from tiptoe.frontier.holdings import Holdings
from tiptoe.frontier.host import HostRecord, Hosts
from tiptoe.frontier.inbox import LinkInbox
from tiptoe.frontier.pages import Pages
from tiptoe.frontier.queues import Queues
from tiptoe.frontier.sections import SectionBook
from tiptoe.frontier.sieve import SIEVE_ROW_URLS, Sieve
from tiptoe.frontier.yields import Experience, expected_yield
from tiptoe.protocol.work import Request
from tiptoe.revisit.budget import Account
from tiptoe.store.tables import Store, Table, Writes

__all__ = ["COUNTERS_KEY", "Counters", "Step"]

COUNTERS_KEY = b"counters"

BOXES_PER_CACHED_HOST = 12
"""A letterbox takes a tenth of the memory of a record; without one a link to a host costs twice as much."""

GIVEN_UP_MAX = 50
"""Hosts that were given up and are remembered by name; all are counted."""


class Counters(msgspec.Struct):
    """Figures of the crawl, over all its runs."""

    requests: int = 0
    pages: int = 0  # answered with a document
    body_bytes: int = 0
    text_chars: int = 0  # of `documents`
    links: int = 0  # occurrences reported
    urls: int = 0  # distinct ones admitted
    hosts: int = 0
    queued: int = 0
    parked_hosts: int = 0
    new_hosts: int = 0
    due: int = 0
    leased: int = 0
    visits: int = 0
    seconds_answering: float = 0.0
    next_new: int = 0
    outcomes: dict[str, int] = msgspec.field(default_factory=dict)
    discards: dict[str, int] = msgspec.field(default_factory=dict)
    usable_chars: int = 0  # of judged pages
    unproductive_hosts: int = 0
    unproductive: int = 0  # requests in their queues, part of `queued`
    experience: Experience = msgspec.field(default_factory=Experience)
    account: Account = msgspec.field(default_factory=Account)  # of all pages that are visited again
    again_owed: float = 0.0  # requests that revisits, if negative new pages, are owed: see `shares`
    again_parked: int = 0  # parked hosts with revisits in their queues
    revisits: int = 0  # answered, of pages whose text stands in the corpus
    revisits_changed: int = 0
    revisits_unchanged: int = 0
    revisits_gone: int = 0  # the page is no longer there, or no longer to be read
    revisits_queued: int = 0  # part of `queued`
    revisits_leased: int = 0  # part of `leased`
    watched_seconds: float = 0.0  # between two visits of a page, over all that could be compared
    fresh_seconds: float = 0.0  # of these, our copy was up to date, by estimate
    aged_seconds: float = 0.0  # the age of our copy, summed over those seconds
    documents: int = 0  # pages whose text stands in the corpus
    lookups_due: dict[str, int] = msgspec.field(default_factory=dict)  # names among `due`, by their trouble
    blocked_hosts: int = 0
    unjudged: int = 0  # texts that a segmenter elsewhere did not judge in time
    gone_hosts: dict[str, int] = msgspec.field(default_factory=dict)  # given up, by reason
    barred_hosts: int = 0  # parked hosts of blocked addresses: see `front`
    holdings: int = 0  # reports that have written to files

    def lease(self, requests: Iterable[Request], by: int = 1) -> None:
        """Count requests that go into the hands of a harvester, or come back (-1)."""
        for request in requests:
            self.leased += by
            if request.last_visit is not None:
                self.revisits_leased += by

    def await_lookup(self, trouble: str, by: int = 1) -> None:
        """Count a name that is to be looked up again, or that is no longer (-1)."""
        _count(self.lookups_due, trouble, by)

    def give_up(self, reason: str, by: int = 1) -> None:
        """Count a host that was given up, or that gets another chance (-1)."""
        _count(self.gone_hosts, reason, by)


def _count(counts: dict[str, int], name: str, by: int) -> None:
    left = counts.get(name, 0) + by
    if left:
        counts[name] = left
    else:
        counts.pop(name, None)


class Step:
    """The open step: one batch, the records it changes, the counters."""

    def __init__(self, store: Store, *, hosts_cached_max: int, sieve_row_urls: int = SIEVE_ROW_URLS) -> None:
        self.store = store
        self.hosts = Hosts(store, cached_max=hosts_cached_max)
        self.queues = Queues(store)
        self.gate = Gate(store)
        self.sections = SectionBook()
        self.paragraphs = Paragraphs(store, self.hosts)
        self.pages = Pages(store)
        self.sieve = Sieve(store, self.pages, row_urls=sieve_row_urls)
        self.inbox = LinkInbox(store, boxes_max=BOXES_PER_CACHED_HOST * hosts_cached_max)
        self.calendar = Calendar(store)
        self.due = Due(store)
        self.files = FileMarks(store)
        self.holdings = Holdings(store)
        stored = store.get(Table.META, COUNTERS_KEY)
        self.counters = msgspec.msgpack.decode(stored, type=Counters) if stored else Counters()
        self.batch = Writes()
        self.given_up: dict[str, str] = {}  # the first hosts that were given up in this run, with the reason

    def give_up(self, host: str, reason: str) -> None:
        """Count a host that is given up."""
        self.counters.give_up(reason)
        if len(self.given_up) < GIVEN_UP_MAX:
            self.given_up[host] = reason

    def discard(self, reason: str, count: int = 1) -> None:
        """Count something that went no further."""
        self.counters.discards[reason] = self.counters.discards.get(reason, 0) + count

    def outcome(self, name: str) -> None:
        """Count what came of a request."""
        self.counters.outcomes[name] = self.counters.outcomes.get(name, 0) + 1

    def host_yield(self, record: HostRecord) -> float:
        """Return how many usable characters per byte to expect of a host."""
        experience = self.counters.experience
        return expected_yield(record.productivity, experience.share, experience.credence_pages)

    def _write_sections(self) -> None:
        credence = self.counters.experience.credence_pages
        for host, sections in self.sections.changed():
            record = self.hosts.obtain(host)
            record.sections = sections.encode()
            record.is_uneven = sections.shifts(self.host_yield(record), credence) is not None
            self.hosts.touch(record)

    def commit(self) -> None:
        """Write the step, whole or not at all."""
        self._write_sections()
        self.sieve.write(self.batch)
        self.queues.write(self.batch)
        self.hosts.write(self.batch)
        self.inbox.follow(self.hosts.changed)
        self.batch.put(Table.META, COUNTERS_KEY, msgspec.msgpack.encode(self.counters))
        self.store.write(self.batch)
        self.batch = Writes()
        self.hosts.committed()
        self.sieve.committed()
        self.queues.committed()
        self.inbox.committed()
        self.gate.committed()
        self.pages.committed()
        self.calendar.committed()
        self.due.committed()
        self.sections.committed()
        self.paragraphs.committed()
        self.holdings.committed()
