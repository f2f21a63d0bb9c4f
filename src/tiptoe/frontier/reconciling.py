"""How are tables made consistent again after some of their rows were lost?

A frontier relies on its tables being consistent: see `invariants`. After damage they are not. Then everything
that can be counted is counted again, rows that refer to nothing are dropped, and every host is taken out of
the tables of waiting hosts; the next start puts those with requests (`waiting_hosts`) back.

Rule: rather request a page twice than miss it; a page whose record says that it was visited is not requested.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from struct import pack
from typing import Final

import msgspec

from tiptoe.frontier.calendar import Appointment, Calendar
from tiptoe.frontier.counters import Counters, Ids, Totals
from tiptoe.frontier.due import by_host
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.priority import QUEUES, REVISITS
from tiptoe.frontier.queues import Chunk, chunks_in
from tiptoe.frontier.recount import recount
from tiptoe.frontier.revisits import account_of
from tiptoe.frontier.runs import RUN_KEY
from tiptoe.frontier.sieve import OVERFLOW
from tiptoe.frontier.transitions import forget_waiting
from tiptoe.protocol.work import Purpose, Request
from tiptoe.store.tables import Store, Table, Writes, after
from tiptoe.url.address import KEY_BYTES, host_key, host_of, page_key

__all__ = ["RECONCILED_KEY", "Reconciled", "reconcile", "waiting_hosts"]

BATCH_ROWS: Final = 1000
MOMENT_BYTES: Final = 8
REPAIRED: Final = b"repaired"
"""Stored in place of a clean end of the run: it is unknown who was visited last, so every host rests."""

RECONCILED_KEY: Final = b"reconciled"
"""Key in META; present until the next start has queued the waiting hosts again."""

_host = msgspec.msgpack.Decoder(HostRecord).decode
_page = msgspec.msgpack.Decoder(PageRecord).decode
_request = msgspec.msgpack.Decoder(Request).decode
_appointment = msgspec.msgpack.Decoder(Appointment).decode
_encode = msgspec.msgpack.Encoder().encode


@dataclass(slots=True)
class Reconciled:
    """What had to be repaired."""

    hosts_made: int = 0  # hosts whose records were lost, and with them the operator's orders
    requests_lost: int = 0  # requests that were counted but are in no queue
    links_lost: int = 0
    visits_planned: int = 0  # revisits whose place in the calendar was lost


def reconcile(store: Store, now: float) -> Reconciled:
    """Make the tables consistent; the caller must have exclusive use of the store."""
    return _Reconciling(store, now).run()


def waiting_hosts(store: Store) -> Iterator[str]:
    """Yield the idle hosts that have requests and are not blocked."""
    for _, stored in store.scan(Table.HOST):
        record = _host(stored)
        if record.state is HostState.IDLE and record.queued and not record.is_blocked:
            yield record.host


def _first_url(row: bytes) -> str:
    """Return the first URL in a row of a queue; empty if all its URLs were forgotten."""
    return next((url for chunk in chunks_in(row) for url in chunk.urls), "")


class _Reconciling:
    def __init__(self, store: Store, now: float) -> None:
        self._store = store
        self._now = now
        self._calendar = Calendar(store)
        self._done = Reconciled()
        self._counters = Counters(store)
        self._is_counted = self._counters.has(Totals)
        self._batch = Writes()
        self._rows = 0

    def run(self) -> Reconciled:
        counters = self._counters
        for table in (Table.PARKED, Table.NEW):
            for key, _ in self._store.scan(table):
                self._delete(table, key)
        self._make_hosts()
        counters.totals.hosts = 0
        if not counters.has(Ids):
            # The last numbers are lost: continue with numbers too high to have been assigned before.
            counters.ids = Ids(visits=int(self._now), holdings=int(self._now))
        for _, stored in self._store.scan(Table.HOST):
            self._settle_host(_host(stored))
        self._settle_due()
        self._strike_strangers()
        self._drop_unread()
        self._flush()
        recount(self._store, counters)
        counters.write(self._batch)
        self._put(Table.META, RUN_KEY, REPAIRED)
        self._put(Table.META, RECONCILED_KEY, REPAIRED)
        self._store.write(self._batch)
        return self._done

    # -- hosts -----------------------------------------------------------

    def _make_hosts(self) -> None:
        """Create a record for every host that has pages or requests but none."""
        for table in (Table.QUEUE, Table.PAGE):
            before = b""
            for key, stored in self._store.scan(table):
                if key[:KEY_BYTES] == before or not stored:
                    continue
                url = _first_url(stored) if table is Table.QUEUE else _page(stored).url
                if not url:
                    continue
                before = key[:KEY_BYTES]
                if self._store.get(Table.HOST, before) is None:
                    self._put(Table.HOST, before, _encode(HostRecord(host_of(url))))
                    self._done.hosts_made += 1
            self._flush()

    def _settle_host(self, record: HostRecord) -> None:
        key = host_key(record.host)
        self._counters.totals.hosts += 1
        forget_waiting(record)
        queued = self._settle_queues(record, key)
        watched = self._settle_pages(record, key, queued)
        if record.account is not None or watched:
            account_of(record).pages = watched
        self._put(Table.HOST, key, _encode(record))

    def _settle_queues(self, record: HostRecord, key: bytes) -> set[str]:
        """Rewrite the queues of a host so that its record matches its rows; return the revisits in them."""
        rows: list[list[list[Chunk]]] = [[] for _ in range(QUEUES)]
        again: set[str] = set()
        for place, stored in list(self._store.scan(Table.QUEUE, key, after(key))):
            index = place[KEY_BYTES]
            chunks = chunks_in(stored)
            if index == REVISITS:
                for chunk in chunks:
                    chunk.urls = [url for url in chunk.urls if self._is_watched(url)]
                    again.update(chunk.urls)
                chunks = [chunk for chunk in chunks if chunk.urls]
            if chunks:
                rows[index].append(chunks)
            self._delete(Table.QUEUE, place)
        before = record.queued + sum(waiting for *_, waiting in record.aside)
        stays_aside = record.state is HostState.GONE and bool(record.aside)
        record.aside = []
        for index, chunks_of in enumerate(rows):
            record.heads[index], record.tails[index] = 0, len(chunks_of)
            record.waiting[index] = sum(len(chunk.urls) for chunks in chunks_of for chunk in chunks)
            for sequence, chunks in enumerate(chunks_of):
                self._put(Table.QUEUE, key + bytes((index,)) + sequence.to_bytes(8, "big"), _encode(chunks))
            if stays_aside and index != REVISITS and record.waiting[index]:
                record.aside.append((index, 0, len(chunks_of), record.waiting[index]))
                record.heads[index], record.waiting[index] = len(chunks_of), 0
        found = record.queued + sum(waiting for *_, waiting in record.aside)
        self._done.requests_lost += max(0, before - found)
        return again

    def _is_watched(self, url: str) -> bool:
        stored = self._store.get(Table.PAGE, page_key(url))
        return _page(stored).next_visit_at > 0 if stored else False

    def _settle_pages(self, record: HostRecord, key: bytes, again: set[str]) -> int:
        """Give every watched page of a host exactly one place; return how many there are."""
        watched = pages = 0
        has_rows = False
        for place, stored in self._store.scan(Table.PAGE, key, after(key)):
            has_rows = True
            if not stored:
                continue
            page = _page(stored)
            pages += page.is_counted
            if not self._is_counted:
                self._counters.totals.pages += page.is_counted
                self._counters.totals.documents += page.version > 0
            if not page.next_visit_at:
                continue
            watched += 1
            is_dated = self._calendar.find(place, page.next_visit_at) is not None
            if page.url in again and is_dated:
                self._calendar.strike(self._batch, place, page.next_visit_at)
            elif page.url not in again and not is_dated:
                appointment = Appointment(Purpose.PAGE)
                page.next_visit_at = self._calendar.enter(self._batch, place, self._now, appointment)
                self._put(Table.PAGE, place, _encode(page))
                self._done.visits_planned += 1
        record.pages = pages
        if has_rows and self._store.get(Table.SIEVE, key) is None:
            # OVERFLOW makes the sieve look each of its URLs up among its pages.
            self._put(Table.SIEVE, key, pack("Q", OVERFLOW))
        return watched

    # -- rows that refer to nothing --------------------------------------

    def _settle_due(self) -> None:
        """Keep requests deferred for hosts not given up; names are looked up again at the next start."""
        self._flush()
        for key, _ in self._store.scan(Table.DEFERRED):
            self._delete(Table.DEFERRED, key)
        self._flush()
        for row, stored in self._store.scan(Table.DUE):
            known = self._store.get(Table.HOST, row[MOMENT_BYTES:-KEY_BYTES])
            is_wanted = known is not None and _host(known).state is not HostState.GONE
            if is_wanted and _request(stored).purpose is not Purpose.ADDRESS:
                self._put(Table.DEFERRED, by_host(row), b"")
            else:
                self._delete(Table.DUE, row)

    def _strike_strangers(self) -> None:
        """Remove entries of the calendar whose page or host is unknown or names another time."""
        self._flush()
        for row, stored in self._store.scan(Table.REVISIT):
            key, is_chance = row[MOMENT_BYTES:], _appointment(stored).purpose is Purpose.ADDRESS
            known = self._store.get(*((Table.HOST, key[:KEY_BYTES]) if is_chance else (Table.PAGE, key)))
            at = (_host(known).chance_at if is_chance else _page(known).next_visit_at) if known else -1.0
            if round(at * 1000) != int.from_bytes(row[:MOMENT_BYTES], "big"):
                self._delete(Table.REVISIT, row)

    def _drop_unread(self) -> None:
        """Drop unread links to hosts that have no other requests, and so no turn at which to read them."""
        self._flush()
        for key, _ in self._store.scan(Table.INBOX):
            stored = self._store.get(Table.HOST, key[:KEY_BYTES])
            record = _host(stored) if stored else None
            if record is None or not (record.queued_new or record.state is HostState.UNPRODUCTIVE):
                self._delete(Table.INBOX, key)
                self._done.links_lost += 1

    # -- rows ------------------------------------------------------------

    def _put(self, table: Table, key: bytes, value: bytes) -> None:
        self._batch.put(table, key, value)
        self._wrote()

    def _delete(self, table: Table, key: bytes) -> None:
        self._batch.delete(table, key)
        self._wrote()

    def _wrote(self) -> None:
        self._rows += 1
        if self._rows >= BATCH_ROWS:
            self._flush()

    def _flush(self) -> None:
        self._store.write(self._batch)
        self._batch = Writes()
        self._calendar.committed()
        self._rows = 0
