"""How much is where, counted from the tables alone?

For a frontier whose rows came from elsewhere or were damaged, and to verify its gauges. Reads every host and
everything that waits. Leased requests are not counted: no harvester holds work of such a frontier.
"""

from collections import Counter

import msgspec

from tiptoe.frontier.counters import Counters, Gauges
from tiptoe.frontier.front import BARRED_END, BARRED_START, side_of
from tiptoe.frontier.host import HostRecord, HostState, Side
from tiptoe.frontier.priority import REVISITS
from tiptoe.protocol.work import Purpose, Request
from tiptoe.store.tables import Store, Table

__all__ = ["recount"]

_host = msgspec.msgpack.Decoder(HostRecord).decode
_request = msgspec.msgpack.Decoder(Request).decode


def recount(store: Store, counters: Counters) -> None:
    """Set the gauges, and the number of watched pages, to what the tables say; between steps only."""
    gauges, watched = Gauges(), 0
    for _, stored in store.scan(Table.HOST):
        record = _host(stored)
        _count_host(gauges, record)
        watched += record.account.pages if record.account is not None else 0
    gauges.new_hosts = sum(1 for _ in store.scan(Table.NEW))
    parked = [key for key, _ in store.scan(Table.PARKED)]
    gauges.parked_hosts = len(parked)
    gauges.parked_with_revisits = sum(side_of(key) is not Side.NEW for key in parked)
    gauges.barred_hosts = sum(BARRED_START <= key < BARRED_END for key in parked)
    due = [_request(stored) for _, stored in store.scan(Table.DUE)]
    gauges.due = len(due)
    gauges.lookups_due = dict(Counter(request.via for request in due if request.purpose is Purpose.ADDRESS))
    counters.gauges = gauges
    counters.learned.account.pages = watched


def _count_host(gauges: Gauges, record: HostRecord) -> None:
    gauges.queued += record.queued
    gauges.revisits_queued += record.waiting[REVISITS]
    gauges.blocked_hosts += record.is_blocked
    if record.state is HostState.GONE:
        gauges.give_up(record.gone_because)
    elif record.state is HostState.UNPRODUCTIVE:
        gauges.unproductive_hosts += 1
        gauges.unproductive += record.queued
