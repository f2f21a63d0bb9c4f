"""Do the tables agree with the counters, and with each other?

For `Frontier.check()`: it reads every table, so it belongs to tests and drills.
"""

from collections import Counter
from collections.abc import Collection, Iterable

import msgspec

from tiptoe.frontier.calendar import Appointment
from tiptoe.frontier.counters import Counters
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.priority import REVISITS
from tiptoe.frontier.queues import chunks_in
from tiptoe.frontier.recount import recount
from tiptoe.frontier.visits import Lease, OpenVisit
from tiptoe.protocol.work import Purpose, Request
from tiptoe.store.tables import Store, Table
from tiptoe.url.address import KEY_BYTES, host_key, page_key

__all__ = ["check_tables"]

MOMENT_BYTES = 8

_host = msgspec.msgpack.Decoder(HostRecord).decode
_lease = msgspec.msgpack.Decoder(Lease).decode
_page = msgspec.msgpack.Decoder(PageRecord).decode
_appointment = msgspec.msgpack.Decoder(Appointment).decode


def check_tables(
    store: Store, counters: Counters, visits: Iterable[OpenVisit], in_transit: Collection[bytes] = ()
) -> None:
    """State every invariant of what is stored; between steps only.

    Rows of hosts that are moving to or from another frontier are incomplete and not checked.
    """
    visits = list(visits)
    found = Counters()
    recount(store, found)
    leases = {_lease(stored).visit for _, stored in store.scan(Table.LEASE)}
    assert leases == {visit.id for visit in visits}
    leased = [request for visit in visits for request in visit.outstanding.values()]
    revisits = [request for request in leased if request.last_visit is not None]
    found.gauges.leased, found.gauges.revisits_leased = len(leased), len(revisits)
    assert counters.gauges == found.gauges, "miscounted"
    assert counters.learned.account.pages == found.learned.account.pages
    gates = [visit.gate for visit in visits]
    assert len(gates) == len(set(gates)), "two visits at one address"
    records = [_host(stored) for _, stored in store.scan(Table.HOST)]
    assert all(record.held_until <= record.next_at for record in records), "a wait was cut short"
    leased_urls = {url for visit in visits for url in visit.outstanding}
    _check_queues(store, counters, records, leased_urls, in_transit)
    _check_inbox(store, records)
    _check_due(store, records)
    _check_watched(store, counters, records, revisits, in_transit)


def _check_queues(
    store: Store, counters: Counters, records: list[HostRecord], leased: set[str],
    in_transit: Collection[bytes],
) -> None:  # fmt: skip
    """No URL is queued twice, or queued and leased; requests laid aside are not counted as queued."""
    rows = [row for key, row in store.scan(Table.QUEUE) if key[:KEY_BYTES] not in in_transit]
    chunks = [chunk for row in rows for chunk in chunks_in(row)]
    queued = [url for chunk in chunks for url in chunk.urls if not chunk.for_origin]
    assert len(queued) == len(set(queued)), "a URL is queued twice"
    assert not leased & set(queued), "a URL is queued and leased"
    laid_aside = sum(waiting for record in records for *_, waiting in record.aside)
    assert counters.gauges.queued + laid_aside == sum(len(chunk.urls) for chunk in chunks)


def _check_due(store: Store, records: list[HostRecord]) -> None:
    """DUE and DEFERRED have the same rows, and no request is deferred for a host that was given up."""
    by_moment = [(row[MOMENT_BYTES:-KEY_BYTES], row) for row, _ in store.scan(Table.DUE)]
    by_host = {row for row, _ in store.scan(Table.DEFERRED)}
    assert by_host == {host + row[:MOMENT_BYTES] + row[-KEY_BYTES:] for host, row in by_moment}
    gone = {host_key(record.host) for record in records if record.state is HostState.GONE}
    assert not gone & {host for host, _ in by_moment}, "a request waits for a host that was given up"


def _check_inbox(store: Store, records: list[HostRecord]) -> None:
    """A host with links in its inbox will have a turn, or is left alone with its queue."""
    by_key = {host_key(record.host): record for record in records}
    for key, _ in store.scan(Table.INBOX):
        record = by_key[key[:KEY_BYTES]]
        is_left = record.queued_new > 0 and record.state is HostState.IDLE
        is_open = record.state in (HostState.NEW, HostState.VISITED, HostState.UNPRODUCTIVE)
        assert is_open or is_left or (record.state is HostState.PARKED and record.queued_new), (
            f"{record} never reads its inbox"
        )


def _check_watched(
    store: Store, counters: Counters, records: list[HostRecord], leased: list[Request],
    in_transit: Collection[bytes],
) -> None:  # fmt: skip
    """A page that is to be visited again is in exactly one place: the calendar, a queue or a lease."""
    pages = ((key, stored) for key, stored in store.scan(Table.PAGE) if key[:KEY_BYTES] not in in_transit)
    visited = {key: _page(stored) for key, stored in pages if stored}
    watched = {key: page for key, page in visited.items() if page.next_visit_at}
    assert counters.learned.account.pages == len(watched), f"{len(watched)} watched pages are there"
    places: Counter[bytes] = Counter(page_key(request.url) for request in leased)
    for key, stored in store.scan(Table.QUEUE):
        if key[KEY_BYTES] == REVISITS and key[:KEY_BYTES] not in in_transit:
            places.update(page_key(url) for chunk in chunks_in(stored) for url in chunk.urls)
    assert counters.gauges.revisits_queued == sum(places.values()) - len(leased)
    chances: dict[bytes, int] = {}
    for row, stored in store.scan(Table.REVISIT):
        key, moment = row[MOMENT_BYTES:], int.from_bytes(row[:MOMENT_BYTES], "big")
        if key[:KEY_BYTES] in in_transit:
            continue
        if _appointment(stored).purpose is Purpose.ADDRESS:
            chances[key[:KEY_BYTES]] = moment
        else:
            assert round(watched[key].next_visit_at * 1000) == moment, "calendar and record disagree"
            places[key] += 1
    assert chances == {
        host_key(record.host): round(record.chance_at * 1000) for record in records if record.chance_at
    }, "calendar and records of hosts disagree"
    for key, page in watched.items():
        assert places.pop(key, 0) == 1, f"{page.url} is not in one place"
    assert not places, "a page is to be visited again that is not watched"
