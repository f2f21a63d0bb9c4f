"""Which hosts that were given up, or left alone, are judged again?

Some reasons are on our side: a network that was not allowed, a Crawl-delay longer than the settings permit, a
name server or proxy of ours that did not answer. If the settings behind such a reason have changed since the
last run, the host gets its queue back and is tried as if for the first time. So is

- a host that the operator names again as a seed;
- every host that could not be reached, if this crawl has never had an answer: then our connection was down;
- at every start, a host that rejected our login, because a corrected secret is not visible from here.

This happens only between two runs, when no host is being visited. Besides, a page that was given up on a host
that was not is requested once more if it is named as a seed.
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
    # given up because of        may not happen again after a change of
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
"""Settings whose change makes a host that was given up be judged again. A long Crawl-delay is compared with
the rules themselves; a mirror stays a mirror whatever the settings."""

YIELD_SETTINGS: Final = frozenset(
    {"frontier.min_yield", "frontier.trial_pages", "text.languages", "text.extraction", "text.strictness",
     "text.min_chars", "segmenter.url", "segmenter.off"}
)  # fmt: skip
"""The same for unproductive hosts."""

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
"""Troubles that can be caused by a connection of ours that is down."""

TROUBLES: Final = frozenset(trouble.value for trouble in Trouble)

SILENT_OUTCOMES: Final = TROUBLES | {Dropped.HOST_GONE}

LAST: Final = b"\xff" * (KEY_BYTES + 1)
"""Added to the key of a host, comes after the keys of all its URLs."""

HOSTS_IN_STEP: Final = 1000
"""Maximum number of records examined and written together."""


@dataclass(slots=True)
class Reconsidered:
    """Which hosts were judged again."""

    by_reason: Counter[str] = field(default_factory=Counter)  # how many, by the reason that may be gone
    named: set[str] = field(default_factory=set)  # hosts that the operator has named


class Reconsidering:
    """Restores hosts and their requests when the reasons for leaving them may no longer hold."""

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
        """Judge hosts again: those affected by changed settings, and those named by the operator."""
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
        """Queue again those pages that were given up after some tries, even during a run; return how many."""
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
        """Try again those of these hosts that were given up; return which."""
        self._step.hosts.fetch(hosts)
        records = filter(None, map(self._step.hosts.find, hosts))
        gone = [record for record in records if record.state is HostState.GONE]
        for record in gone:
            self._give_back(record, found, now)
        return {record.host for record in gone}

    def _in_steps(self) -> Iterator[list[HostRecord]]:
        """Yield all records of hosts, a thousand at a time."""
        start = b""
        while rows := list(islice(self._step.store.scan(Table.HOST, start), HOSTS_IN_STEP)):
            yield [self._decode_host(stored) for _, stored in rows]
            start = rows[-1][0] + b"\0"

    def _was_cut_off(self) -> bool:
        """Whether this crawl has had troubles but never an answer."""
        outcomes = self._step.totals.outcomes
        return bool(outcomes) and outcomes.keys() <= SILENT_OUTCOMES

    def _reasons(self, changed: Collection[str], *, was_cut_off: bool) -> frozenset[str]:
        ours = {trouble.value for trouble, settings in DEPENDS_ON.items() if settings & set(changed)}
        return frozenset(ours | {Trouble.LOGIN_FAILED.value} | (LINE_TROUBLES if was_cut_off else set()))

    def _look_at(
        self, seen: HostRecord, reasons: frozenset[str], changed: Collection[str], found: Counter[str],
        now: float,
    ) -> None:  # fmt: skip
        """Judge one host; the record that was read from the store may be older than the cached one."""
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
        """Whether the Crawl-delay for which a host was given up is no longer too long."""
        return record.gone_because == Dropped.CRAWL_DELAY and not leaves_no_page(
            self._rules, record.crawl_delay, rules_requests=self._rules_requests
        )

    def _has_room(self, record: HostRecord) -> bool:
        return not self._pages_per_host or record.pages < self._pages_per_host

    def _give_back(self, record: HostRecord, found: Counter[str], now: float) -> None:
        """Restore a host that was given up, to be tried as if for the first time."""
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
        """Queue the pages whose failures led to giving the host up: they were never answered."""
        failures = LINE_TROUBLES | {reason}  # requests under way at that time may have failed otherwise
        start = host_key(record.host)
        for key, stored in self._step.store.scan(Table.PAGE, start, start + LAST):
            page = self._step.pages.decode(stored) if stored else None
            if page is not None and page.outcome in failures and not page.next_visit_at:
                self._requeue(record, key, page, now)

    def _requeue(self, record: HostRecord, key: bytes, page: PageRecord, now: float) -> None:
        # A request counts as not settled while it has more tries than its page record.
        page.outcome, page.tries = WAITING, 0
        self._step.pages.put(self._step.batch, key, page)
        request = Request(page.url, depth=page.depth, tries=1)
        index = class_of(request.purpose, request.depth, request.usability)
        self._transitions.enqueue(record, index, Chunk.of(request), now)
