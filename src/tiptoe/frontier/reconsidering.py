"""Which hosts that were given up, or left, are judged anew?

Some reasons lie with us: a network that we were not to enter, pauses that we would not grant, a name server
or a proxy of ours that did not answer. When the settings behind such a reason have changed since the last
run, the host gets back what it had queued and is tried as if for the first time. The same holds for a host
that the operator names again as a seed; when nobody has ever answered this crawl, for all that could
not be reached: then it was our line; and at every start for those that did not let us in, since a secret
that was put right cannot be seen from here. All of this between two runs only: nobody is being visited.

A page that was given up, on a host that was not, is asked for once more when it is named as a seed.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

import msgspec

from tiptoe.decide.scheduling import LinkGroup, SchedulePoint
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.intake import Intake
from tiptoe.frontier.page_record import WAITING, PageRecord
from tiptoe.frontier.patience import Trouble
from tiptoe.frontier.politeness import Politeness, leaves_no_page
from tiptoe.frontier.priority import class_of
from tiptoe.frontier.queues import Chunk
from tiptoe.frontier.step import Step
from tiptoe.frontier.transitions import Transitions
from tiptoe.frontier.troubles import begin_anew
from tiptoe.protocol.work import Request
from tiptoe.store.tables import Table
from tiptoe.url.address import KEY_BYTES, host_key, host_of, page_key
from tiptoe.url.dropped import Dropped

__all__ = ["DEPENDS_ON", "LINE_TROUBLES", "YIELD_SETTINGS", "Reconsidered", "Reconsidering"]

_WAY = frozenset({"fetch.proxy", "fetch.access", "fetch.nameservers", "fetch.allow_networks"})
_TIME = frozenset({"fetch.connect_timeout", "fetch.total_timeout"})
_SELF = frozenset({"crawl.contact"})

DEPENDS_ON: Final[Mapping[Trouble, frozenset[str]]] = {
    # given up because of        may be otherwise with other
    Trouble.PRIVATE_ADDRESS:     _WAY,
    Trouble.NO_SUCH_HOST:        _WAY,
    Trouble.DNS_FAILED:          _WAY,
    Trouble.REFUSED:             _WAY,
    Trouble.UNREACHABLE:         _WAY,
    Trouble.TIMED_OUT:           _WAY | _TIME,
    Trouble.TOO_SLOW:            _WAY | _TIME,
    Trouble.RESET:               _WAY,
    Trouble.TLS_FAILED:          _WAY,
    Trouble.BAD_ANSWER:          _WAY,
    Trouble.HEADERS_TOO_BIG:     frozenset({"fetch.header_max"}),
    Trouble.BAD_URL:             frozenset(),
    Trouble.ROBOTS_UNREACHABLE:  _WAY | _TIME | _SELF,
    Trouble.OVERLOADED:          _WAY | _SELF,
    Trouble.SERVER_ERROR:        _WAY | _SELF,
    Trouble.CHALLENGE:           _WAY | _SELF | {"fetch.accept_language"},
    Trouble.HARVESTER_LOST:      frozenset({"fetch.body_max", "fetch.decoded_max"}),
    Trouble.BROKEN_OFF:          _WAY,
    Trouble.LOGIN_FAILED:        frozenset({"fetch.access"}),
}  # fmt: skip
"""Settings upon which a host that was given up is judged anew. Long pauses that a host asks for
(`crawl_delay`) are compared with the rules themselves; a mirror stays one whatever is set."""

YIELD_SETTINGS: Final = frozenset(
    {"frontier.min_yield", "frontier.trial_pages", "text.languages", "text.extraction", "text.strictness",
     "text.min_chars", "segmenter.url", "segmenter.off"}
)  # fmt: skip
"""The same for a host that is unproductive."""

SCOPE_SETTINGS: Final = frozenset(
    {"scope.include", "scope.exclude", "scope.domains", "scope.within", "scope.seed_places"}
)

LINE_TROUBLES: Final = frozenset(
    trouble.value
    for trouble in (
        Trouble.NO_SUCH_HOST, Trouble.DNS_FAILED, Trouble.REFUSED, Trouble.UNREACHABLE, Trouble.TIMED_OUT,
        Trouble.RESET, Trouble.ROBOTS_UNREACHABLE,
    )
)  # fmt: skip
"""What a line that is down can cause."""

TROUBLES: Final = frozenset(trouble.value for trouble in Trouble)

SILENT_OUTCOMES: Final = TROUBLES | {Dropped.HOST_GONE}

LAST: Final = b"\xff" * (KEY_BYTES + 1)
"""Comes after every URL of a host."""

HOSTS_IN_STEP: Final = 1000
"""Records looked at and written together."""


@dataclass(slots=True)
class Reconsidered:
    """Which hosts are judged anew."""

    by_reason: Counter[str] = field(default_factory=Counter)  # how many, by the reason that may be gone
    named: set[str] = field(default_factory=set)  # those that the operator has named


class Reconsidering:
    """Gives hosts back what was taken from them for reasons that no longer hold."""

    def __init__(
        self, step: Step, transitions: Transitions, intake: Intake, schedule: SchedulePoint,
        rules: Politeness, *, rules_requests: int, pages_per_host: int,
    ) -> None:  # fmt: skip
        self._step = step
        self._transitions = transitions
        self._intake = intake
        self._schedule = schedule
        self._rules = rules
        self._rules_requests = rules_requests
        self._pages_per_host = pages_per_host
        self._decode_host = msgspec.msgpack.Decoder(HostRecord).decode

    def look_again(self, changed: Collection[str], named: Iterable[str], now: float) -> Reconsidered:
        """Judge hosts anew, by the settings that have changed and by name."""
        found = Reconsidered()
        was_cut_off = self._was_cut_off()
        was_turned_away = Trouble.LOGIN_FAILED.value in self._step.gauges.gone_hosts
        names = iter(named)
        while some := list(islice(names, HOSTS_IN_STEP)):
            found.named |= self._look_at_named(some, found.by_reason, now)
            self._step.commit()
        if changed or was_cut_off or was_turned_away:
            reasons = self._reasons(changed, was_cut_off=was_cut_off)
            for records in self._in_steps():
                for record in records:
                    self._look_at(record, reasons, changed, found.by_reason, now)
                self._step.commit()
        return found

    def ask_again(self, urls: Sequence[str], now: float) -> int:
        """Queue those pages once more that were given up after some tries; also in a run; return how many."""
        asked = 0
        keys = [page_key(url) for url in dict.fromkeys(urls)]
        for key, page in zip(keys, self._step.pages.find_many(keys), strict=True):
            if page is None or page.outcome not in TROUBLES or page.next_visit_at:
                continue
            record = self._step.hosts.obtain(host_of(page.url))
            if record.state not in (HostState.GONE, HostState.UNPRODUCTIVE) and self._has_room(record):
                self._requeue(record, key, page, now)
                asked += 1
        return asked

    def _look_at_named(self, hosts: list[str], found: Counter[str], now: float) -> set[str]:
        """Give those of some hosts that were given up another try; return which."""
        self._step.hosts.fetch(hosts)
        records = filter(None, map(self._step.hosts.find, hosts))
        gone = [record for record in records if record.state is HostState.GONE]
        for record in gone:
            self._give_back(record, found, now)
        return {record.host for record in gone}

    def _in_steps(self) -> Iterator[list[HostRecord]]:
        """Yield all records, some at a time."""
        start = b""
        while rows := list(islice(self._step.store.scan(Table.HOST, start), HOSTS_IN_STEP)):
            yield [self._decode_host(stored) for _, stored in rows]
            start = rows[-1][0] + b"\0"

    def _was_cut_off(self) -> bool:
        """Whether this crawl has met trouble and never an answer."""
        outcomes = self._step.totals.outcomes
        return bool(outcomes) and outcomes.keys() <= SILENT_OUTCOMES

    def _reasons(self, changed: Collection[str], *, was_cut_off: bool) -> frozenset[str]:
        ours = {trouble.value for trouble, settings in DEPENDS_ON.items() if settings & set(changed)}
        return frozenset(ours | {Trouble.LOGIN_FAILED.value} | (LINE_TROUBLES if was_cut_off else set()))

    def _look_at(
        self, seen: HostRecord, reasons: frozenset[str], changed: Collection[str], found: Counter[str],
        now: float,
    ) -> None:  # fmt: skip
        """Judge one host; what was read of it may be older than the cache."""
        is_gone = seen.state is HostState.GONE
        is_unproductive = seen.state is HostState.UNPRODUCTIVE
        if not (is_gone or is_unproductive or seen.aside):
            return
        record = self._step.hosts.find(seen.host)
        assert record is not None
        if is_gone:
            if record.gone_because in reasons or self._grants_pauses(record):
                self._give_back(record, found, now)
        elif is_unproductive:
            if YIELD_SETTINGS & set(changed):
                found[Dropped.NO_YIELD] += 1
                self._intake.reactivate(record, now)
        elif self._schedule.refusal(LinkGroup(record.host)) is None and self._has_room(record):
            found[Dropped.OUT_OF_SCOPE if SCOPE_SETTINGS & set(changed) else Dropped.HOST_FULL] += 1
            self._restore(record, now)

    def _grants_pauses(self, record: HostRecord) -> bool:
        """Whether the pauses for which a host was given up are no longer too long."""
        return record.gone_because == Dropped.CRAWL_DELAY and not leaves_no_page(
            self._rules, record.crawl_delay, rules_requests=self._rules_requests
        )

    def _has_room(self, record: HostRecord) -> bool:
        return not self._pages_per_host or record.pages < self._pages_per_host

    def _give_back(self, record: HostRecord, found: Counter[str], now: float) -> None:
        """Try a host that was given up as if for the first time."""
        reason = record.gone_because
        found[reason] += 1
        self._transitions.revive(record)
        begin_anew(record)
        self._requeue_failed(record, reason, now)
        self._restore(record, now)

    def _restore(self, record: HostRecord, now: float) -> None:
        self._step.queues.bring_back(self._step.batch, record)
        self._step.hosts.touch(record)
        self._transitions.line_up(record, now)

    def _requeue_failed(self, record: HostRecord, reason: str, now: float) -> None:
        """Queue the pages with which a host was given up: they were never answered."""
        failures = LINE_TROUBLES | {reason}  # others may have been under way when it was given up
        start = host_key(record.host)
        for key, stored in self._step.store.scan(Table.PAGE, start, start + LAST):
            page = self._step.pages.decode(stored) if stored else None
            if page is not None and page.outcome in failures and not page.next_visit_at:
                self._requeue(record, key, page, now)

    def _requeue(self, record: HostRecord, key: bytes, page: PageRecord, now: float) -> None:
        # A request with more tries than its record is one that is still to be made.
        page.outcome, page.tries = WAITING, 0
        self._step.pages.put(self._step.batch, key, page)
        request = Request(page.url, depth=page.depth, tries=1)
        index = class_of(request.purpose, request.depth, request.usability)
        self._transitions.enqueue(record, index, Chunk.of(request), now)
