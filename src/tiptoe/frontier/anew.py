"""How does a crawl start over without forgetting to be polite?

It forgets the URLs it has seen, queued and visited, its index of texts, and what it has learned about hosts.
It keeps when each host and address may be visited again, their rules and delays, what the operator blocked or
slowed down, the totals, and what is written in which file. Only between two runs; if a crash interrupts it,
the next call completes it.
"""

from typing import Final

import msgspec

from tiptoe.frontier.counters import KEYS, Counters, Gauges, Learned
from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.rounds import ROUND_KEY
from tiptoe.store.tables import Store, Table, Writes

__all__ = ["begin_anew", "calmed", "has_begun_anew"]

ANEW_KEY: Final = b"anew"
"""Present in META while the crawl has begun to forget but has not finished."""

FORGOTTEN: Final = (
    Table.PAGE, Table.SIEVE, Table.QUEUE, Table.INBOX, Table.AWAITED, Table.SHAPE, Table.DEFERRED, Table.DUE,
    Table.NEW, Table.PARKED, Table.REVISIT, Table.CONTENT, Table.PARAGRAPH,
)  # fmt: skip
"""Tables of URLs and of texts. If the texts stayed, each page would count as a copy of itself."""

ROWS_AT_ONCE: Final = 1000

_decode = msgspec.msgpack.Decoder(HostRecord).decode
_encode = msgspec.msgpack.Encoder().encode


def has_begun_anew(store: Store) -> bool:
    """Whether a crash interrupted `begin_anew`; if so, call it again before anything is read."""
    return store.get(Table.META, ANEW_KEY) is not None


def begin_anew(store: Store) -> None:
    """Forget all URLs and texts; the caller adds the seeds again."""
    totals = Counters(store).totals
    totals.rounds += 1
    batch = Writes()
    batch.put(Table.META, ANEW_KEY, b"")
    store.write(batch)
    for table in FORGOTTEN:
        _clear(store, table)
    _calm_hosts(store)
    batch = Writes()
    # Counted again when the store is next opened: see `recount`.
    for kind in (Gauges, Learned):
        batch.delete(Table.META, KEYS[kind])
    batch.delete(Table.META, ROUND_KEY)
    batch.delete(Table.META, ANEW_KEY)
    batch.put(Table.META, KEYS[type(totals)], _encode(totals))
    store.write(batch)


def _clear(store: Store, table: Table) -> None:
    batch = Writes()
    for key, _ in store.scan(table):
        batch.delete(table, key)
        if len(batch) >= ROWS_AT_ONCE:
            store.write(batch)
            batch = Writes()
    store.write(batch)


def _calm_hosts(store: Store) -> None:
    """Reduce each host to what politeness needs, in state idle."""
    batch = Writes()
    for key, stored in store.scan(Table.HOST):
        batch.put(Table.HOST, key, _encode(calmed(_decode(stored))))
        if len(batch) >= ROWS_AT_ONCE:
            store.write(batch)
            batch = Writes()
    store.write(batch)


def calmed(record: HostRecord) -> HostRecord:
    """Return a record with only what is needed to treat the host politely."""
    return HostRecord(
        record.host, address=record.address, gate=record.gate, resolved_at=record.resolved_at,
        next_at=record.next_at, held_until=record.held_until, left_at=record.left_at,
        crawl_delay=record.crawl_delay, crawl_delays=record.crawl_delays, slowed_to=record.slowed_to,
        is_blocked=record.is_blocked, response_seconds=record.response_seconds,
        backoff_level=record.backoff_level, troubled_at=record.troubled_at, shut_origins=record.shut_origins,
        requests=record.requests, ordered=record.ordered,
    )  # fmt: skip
