"""Do these rows of a host contain anything that its owner wants to be forgotten?"""

from collections.abc import Iterable
from typing import Final

import msgspec

from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.queues import chunks_in
from tiptoe.frontier.wishes import OwnersWishes
from tiptoe.protocol.work import Request
from tiptoe.store.tables import Table

__all__ = ["has_covered_rows", "urls_in"]

_page: Final = msgspec.msgpack.Decoder(PageRecord).decode
_request: Final = msgspec.msgpack.Decoder(Request).decode


def has_covered_rows(
    host: str, rows: Iterable[tuple[Table, bytes, bytes | None]], wishes: OwnersWishes
) -> bool:
    """Return whether a wish covers the host, or a URL in one of its rows."""
    if not wishes.touches(host):
        return False
    return wishes.covers_host(host) or any(
        wishes.covers(host, url) for table, _, stored in rows if stored for url in urls_in(table, stored)
    )


def urls_in(table: Table, stored: bytes) -> list[str]:
    """Return the URLs that a row of a host names as its own."""
    if table is Table.PAGE:
        return [_page(stored).url]
    if table is Table.QUEUE:
        return [url for chunk in chunks_in(stored) for url in chunk.urls]
    return [_request(stored).url] if table is Table.DUE else []
