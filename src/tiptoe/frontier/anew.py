"""How does a crawl forget what it has met, and nobody that it has to be polite to?

What was met, queued, visited, counted of texts and learned of hosts is forgotten. What stays: when each host
and address may be asked again, their rules and delays, whom the operator blocked or slowed, the totals, and
what is written in which file. Between two runs only; what a crash interrupts goes on when it is called again.
"""

from typing import Final

import msgspec

from tiptoe.frontier.counters import KEYS, Counters, Gauges, Learned
from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.rounds import ROUND_KEY
from tiptoe.store.tables import Store, Table, Writes

__all__ = ["begin_anew", "calmed", "has_begun_anew"]

ANEW_KEY: Final = b"anew"
"""Is there as long as not all is forgotten that is to be."""

FORGOTTEN: Final = (
    Table.PAGE, Table.SIEVE, Table.QUEUE, Table.INBOX, Table.AWAITED, Table.SHAPE, Table.DEFERRED, Table.DUE,
    Table.NEW, Table.PARKED, Table.REVISIT, Table.CONTENT, Table.PARAGRAPH,
)  # fmt: skip
"""Tables of what was met, and of the texts that it had: else each page would be a copy of itself."""

ROWS_AT_ONCE: Final = 1000

_decode = msgspec.msgpack.Decoder(HostRecord).decode
_encode = msgspec.msgpack.Encoder().encode


def has_begun_anew(store: Store) -> bool:
    """Whether a crash has come between: nothing may be read before `begin_anew` has been called again."""
    return store.get(Table.META, ANEW_KEY) is not None


def begin_anew(store: Store) -> None:
    """Forget what was met; the seeds are to be added again."""
    totals = Counters(store).totals
    totals.rounds += 1
    batch = Writes()
    batch.put(Table.META, ANEW_KEY, b"")
    store.write(batch)
    for table in FORGOTTEN:
        _clear(store, table)
    _calm_hosts(store)
    batch = Writes()
    # Counted anew when the store is opened next: see `recount`.
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
    """Leave of each host what politeness needs; it is idle."""
    batch = Writes()
    for key, stored in store.scan(Table.HOST):
        batch.put(Table.HOST, key, _encode(calmed(_decode(stored))))
        if len(batch) >= ROWS_AT_ONCE:
            store.write(batch)
            batch = Writes()
    store.write(batch)


def calmed(record: HostRecord) -> HostRecord:
    """Return what stays known of a host: how to treat it."""
    return HostRecord(
        record.host, address=record.address, gate=record.gate, resolved_at=record.resolved_at,
        next_at=record.next_at, held_until=record.held_until, left_at=record.left_at,
        crawl_delay=record.crawl_delay, crawl_delays=record.crawl_delays, slowed_to=record.slowed_to,
        is_blocked=record.is_blocked, response_seconds=record.response_seconds,
        backoff_level=record.backoff_level, troubled_at=record.troubled_at, shut_origins=record.shut_origins,
        requests=record.requests, ordered=record.ordered,
    )  # fmt: skip
