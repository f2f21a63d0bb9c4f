"""Which rows of a store belong to a host, and which to its gate?"""

from collections.abc import Iterable

from tiptoe.frontier.moving import HOST_FIRST, led_to
from tiptoe.store.tables import Store, Table, Writes, after
from tiptoe.url.address import host_key


def rows_of(store: Store, host: str) -> Writes:
    """Return everything a frontier has of a host; between steps, and while nobody visits it."""
    key, rows = host_key(host), Writes()
    for table in HOST_FIRST:
        for row, stored in store.scan(table, key, after(key)):
            rows.put(table, row, stored)
    places = [place for table, row, stored in rows for place in led_to(table, row, stored or b"")]
    _add_if_there(store, rows, places)  # a page that is to be visited again may be in a queue
    return rows


def gate_rows(store: Store, gate: str) -> Writes:
    """Return everything a frontier has of an address, or of a host at an address."""
    rows = Writes()
    _add_if_there(store, rows, [(Table.ADDRESS, gate.encode()), (Table.LEASE, gate.encode())])
    return rows


def _add_if_there(store: Store, rows: Writes, places: Iterable[tuple[Table, bytes]]) -> None:
    for table, key in places:
        stored = store.get(table, key)
        if stored is not None:
            rows.put(table, key, stored)
