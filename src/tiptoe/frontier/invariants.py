"""Do the tables agree with the counters, and with each other?

For `Frontier.check()`: it reads every table, so it belongs to tests and drills.
"""

from collections.abc import Iterable

import msgspec

from tiptoe.frontier.dispatch import OpenVisit
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.ledger import Counters
from tiptoe.frontier.queues import Chunk
from tiptoe.store.tables import Store, Table

__all__ = ["check_tables"]


def check_tables(store: Store, counters: Counters, visits: Iterable[OpenVisit]) -> None:
    """State every invariant of what is stored; between steps only."""
    visits = list(visits)
    parked = sum(1 for _ in store.scan(Table.PARKED))
    assert counters.parked_hosts == parked, f"{counters.parked_hosts} parked hosts counted, {parked} there"
    assert counters.new_hosts == sum(1 for _ in store.scan(Table.NEW))
    assert counters.due == sum(1 for _ in store.scan(Table.DUE))
    leases = {int.from_bytes(key, "big") for key, _ in store.scan(Table.LEASE)}
    assert leases == {visit.id for visit in visits}
    assert counters.leased == sum(len(visit.outstanding) for visit in visits)
    gates = [visit.gate for visit in visits]
    assert len(gates) == len(set(gates)), "two visits at one address"
    _check_queues(store, counters, {url for visit in visits for url in visit.outstanding})
    _check_fallow(store, counters)


def _check_queues(store: Store, counters: Counters, leased: set[str]) -> None:
    decode = msgspec.msgpack.Decoder(Chunk).decode
    chunks = [decode(stored) for _, stored in store.scan(Table.QUEUE)]
    queued = [url for chunk in chunks for url in chunk.urls if not chunk.for_origin]
    assert len(queued) == len(set(queued)), "a URL is queued twice"
    assert not leased & set(queued), "a URL is queued and leased"
    assert counters.queued == sum(len(chunk.urls) for chunk in chunks)


def _check_fallow(store: Store, counters: Counters) -> None:
    decode = msgspec.msgpack.Decoder(HostRecord).decode
    records = (decode(stored) for _, stored in store.scan(Table.HOST))
    waiting = [record.queued for record in records if record.state is HostState.FALLOW]
    assert (counters.fallow_hosts, counters.fallow) == (len(waiting), sum(waiting)), "fallow hosts miscounted"
