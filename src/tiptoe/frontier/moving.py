"""Which rows move when a host moves to another frontier?

All rows of the host, with every time unchanged, so that no pause is shortened: one range of each table whose
keys begin with the key of a host, and the rows in tables ordered by time to which these refer. The state of
its address, and a visit there, are rows of the gate and stay. Totals stay too; gauges move with the rows.
"""

from collections.abc import Iterator

import msgspec

from tiptoe.frontier.calendar import NO_URL, row_of
from tiptoe.frontier.due import by_moment
from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.page_record import PageRecord
from tiptoe.store.tables import Table

__all__ = ["HOST_FIRST", "led_to"]

HOST_FIRST = [table for table in Table if table.host_at == 0]

_host = msgspec.msgpack.Decoder(HostRecord).decode
_page = msgspec.msgpack.Decoder(PageRecord).decode


def led_to(table: Table, row: bytes, stored: bytes) -> Iterator[tuple[Table, bytes]]:
    """Yield the rows, in tables ordered by time or turn, to which a row refers."""
    if table is Table.HOST:
        record = _host(stored)
        if record.parked_key:
            yield Table.PARKED, record.parked_key
        if record.new_key:
            yield Table.NEW, record.new_key
        if record.chance_at:
            yield Table.REVISIT, row_of(record.chance_at, row + NO_URL)
    elif table is Table.PAGE and stored:
        page = _page(stored)
        if page.next_visit_at:
            yield Table.REVISIT, row_of(page.next_visit_at, row)
    elif table is Table.DEFERRED:
        yield Table.DUE, by_moment(row)
