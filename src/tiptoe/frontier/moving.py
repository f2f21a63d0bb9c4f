"""What goes along when a host moves to another frontier?

All rows that bear its key, with every moment as it is, so that no pause is shortened: one range of each table
that begins with the key of a host, and the rows by moment to which these lead. The state of its address and
the visit that may be there are rows of the gate. What was counted stays where it was (`Totals`), how much is
there now is counted where the rows are (`Gauges`).
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
    """Yield the places by moment to which a row leads."""
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
