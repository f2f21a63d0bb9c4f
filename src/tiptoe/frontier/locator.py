"""What is the state of a host, or of one of its pages?

Read only from the tables, between two steps or in a crawl that has stopped; nothing is changed. Searches are
limited, because a host may have a million requests.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Final

import msgspec

from tiptoe.fetch.robots import Robots
from tiptoe.frontier.due import by_moment
from tiptoe.frontier.gate import AddressRecord, address_of
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.link_batch import LinkBatch
from tiptoe.frontier.origins import robots_key
from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.queues import chunks_in
from tiptoe.frontier.visits import Lease
from tiptoe.protocol.whereabouts import HostWhereabouts, OriginWhereabouts, PageWhereabouts
from tiptoe.protocol.work import Purpose, Request, RobotsNote, RobotsState
from tiptoe.store.tables import Ranges, Table, after
from tiptoe.url.address import KEY_BYTES, host_key, host_of, origin_of, page_key, split_url, url_key

__all__ = ["WHEREABOUTS_TABLES", "find_address", "find_host", "find_page"]

WHEREABOUTS_TABLES: Final = (
    Table.HOST, Table.PAGE, Table.SIEVE, Table.QUEUE, Table.INBOX, Table.DUE, Table.DEFERRED, Table.ROBOTS,
    Table.ADDRESS, Table.LEASE,
)  # fmt: skip

URLS_SEARCHED_MAX: Final = 200_000
ROWS_COUNTED_MAX: Final = 10_000


def find_host(store: Ranges, host: str, *, unproductive_rest: float) -> HostWhereabouts | None:
    """Return the state of a host; None if it is unknown."""
    record = _record(store, host)
    if record is None:
        return None
    gate = find_address(store, record.gate)
    whole = find_address(store, address_of(record.gate))
    key = host_key(host)
    deferred = list(_deferred(store, host))
    return HostWhereabouts(
        host=host,
        state=record.state.value,
        gone_because=record.gone_because,
        twin=record.twin,
        address=record.address,
        is_blocked=record.is_blocked,
        is_address_blocked=gate.is_blocked or whole.is_blocked,
        slowed_to=max(record.slowed_to, gate.slowed_to, whole.slowed_to),
        crawl_delay=record.crawl_delay,
        next_at=record.next_at,
        held_until=record.held_until,
        free_at=gate.free_at,
        is_address_busy=bool(gate.visit),
        lookup_at=next((at for at, one in deferred if one.purpose is Purpose.ADDRESS), 0.0),
        trouble=record.trouble,
        troubles=max(record.troubles, record.robots_troubles),
        troubled_at=record.troubled_at,
        chance_at=record.chance_at,
        rested_at=_rested_at(record, unproductive_rest),
        left_at=record.left_at,
        queued=record.waiting,
        aside=sum(count for *_, count in record.aside),
        unread=sum(1 for _ in islice(_range(store, Table.INBOX, key), ROWS_COUNTED_MAX)),
        deferred=sum(one.purpose is not Purpose.ADDRESS for _, one in deferred),
        deferred_at=min((at for at, one in deferred if one.purpose is not Purpose.ADDRESS), default=0.0),
        pages=record.pages,
        requests=record.requests,
        origins=list(_origins(store, record)),
    )


def find_page(store: Ranges, url: str) -> PageWhereabouts:
    """Return the state of a page, given its canonical URL."""
    host, key = host_of(url), page_key(url)
    stored = store.get(Table.PAGE, key)
    page = msgspec.msgpack.decode(stored, type=PageRecord) if stored else PageRecord(url)
    record = _record(store, host)
    place = _place_in_queues(store, record, url) if record is not None else _Place()
    deferred = next(((at, one) for at, one in _deferred(store, host) if _is_page(one, url)), None)
    is_unread = _is_unread(store, url)
    return msgspec.structs.replace(
        msgspec.convert(page, PageWhereabouts, from_attributes=True),
        is_met=stored is not None or _is_in_sieve(store, url) or is_unread,
        is_underway=record is not None and _is_leased(store, record.gate, url),
        queued_in=place.index,
        queued_before=place.before,
        via=place.via or (deferred[1].via if deferred else ""),
        is_aside=place.is_aside,
        is_unread=is_unread,
        deferred_until=deferred[0] if deferred else 0.0,
        tries=max(page.tries, deferred[1].tries if deferred else 0),
        is_in_corpus=page.version > 0,
        robots_line=_robots_line(store, url),
        is_unsearched=place.is_unsearched,
    )


def find_address(store: Ranges, gate: str) -> AddressRecord:
    """Return the record of a gate; an empty one if it is unknown."""
    stored = store.get(Table.ADDRESS, gate.encode()) if gate else None
    return msgspec.msgpack.decode(stored, type=AddressRecord) if stored else AddressRecord()


def _record(store: Ranges, host: str) -> HostRecord | None:
    stored = store.get(Table.HOST, host_key(host))
    record = msgspec.msgpack.decode(stored, type=HostRecord) if stored else None
    return record if record is not None and record.host == host else None


def _rested_at(record: HostRecord, unproductive_rest: float) -> float:
    is_tried_again = record.state is HostState.UNPRODUCTIVE and unproductive_rest
    return record.unproductive_since + unproductive_rest if is_tried_again else 0.0


def _range(store: Ranges, table: Table, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
    return store.scan(table, prefix, after(prefix))


def _deferred(store: Ranges, host: str) -> Iterator[tuple[float, Request]]:
    """Yield deferred requests of a host with the time each is due, up to a limit."""
    rows = islice(_range(store, Table.DEFERRED, host_key(host)), ROWS_COUNTED_MAX)
    for row, _ in rows:
        place = by_moment(row)
        if (stored := store.get(Table.DUE, place)) is not None:
            at = int.from_bytes(place[: -2 * KEY_BYTES], "big") / 1000
            yield at, msgspec.msgpack.decode(stored, type=Request)


def _origins(store: Ranges, record: HostRecord) -> Iterator[OriginWhereabouts]:
    prefix = host_key(record.host)
    known: set[str] = set()
    for key, stored in _range(store, Table.ROBOTS, prefix):
        note = msgspec.msgpack.decode(stored, type=RobotsNote)
        origin = key[len(prefix) :].decode()
        known.add(origin)
        shut = record.shut_origins.get(origin)
        yield OriginWhereabouts(
            origin=origin,
            fetched_at=note.fetched_at,
            rules=len(note.rules),
            crawl_delay=note.crawl_delay,
            shut_until=shut.until if shut else 0.0,
        )
    for origin, shut in record.shut_origins.items():
        if origin not in known:
            yield OriginWhereabouts(origin=origin, shut_until=shut.until)


class _Place(msgspec.Struct):
    """The place of a request in the queues of its host."""

    index: int | None = None
    before: int = 0
    via: str = ""
    is_aside: bool = False
    is_unsearched: bool = False


def _place_in_queues(store: Ranges, record: HostRecord, url: str) -> _Place:
    searched = before = 0
    index = -1
    for key, row in _range(store, Table.QUEUE, host_key(record.host)):
        sequence = int.from_bytes(key[KEY_BYTES + 1 :], "big")
        if key[KEY_BYTES] != index:
            index, before = key[KEY_BYTES], 0
        is_aside = sequence < record.heads[index]
        for chunk in chunks_in(row):
            if url in chunk.urls:
                before += chunk.urls.index(url)
                return _Place(index, 0 if is_aside else before, chunk.via, is_aside)
            before += 0 if is_aside else len(chunk.urls)
            searched += len(chunk.urls)
        if searched > URLS_SEARCHED_MAX:
            return _Place(is_unsearched=True)
    return _Place()


def _is_page(request: Request, url: str) -> bool:
    return request.url == url and request.purpose is not Purpose.ADDRESS


def _is_unread(store: Ranges, url: str) -> bool:
    rows = islice(_range(store, Table.INBOX, host_key(host_of(url))), ROWS_COUNTED_MAX)
    return any(url in msgspec.msgpack.decode(row, type=LinkBatch).links.urls for _, row in rows)


def _is_in_sieve(store: Ranges, url: str) -> bool:
    row = store.get(Table.SIEVE, host_key(host_of(url))) or b""
    wanted = url_key(url)
    return any(row[at : at + KEY_BYTES] == wanted for at in range(0, len(row), KEY_BYTES))


def _is_leased(store: Ranges, gate: str, url: str) -> bool:
    stored = store.get(Table.LEASE, gate.encode()) if gate else None
    if stored is None:
        return False
    return any(request.url == url for request in msgspec.msgpack.decode(stored, type=Lease).requests)


def _robots_line(store: Ranges, url: str) -> str:
    """Return the line that forbids a page, by the rules last read."""
    stored = store.get(Table.ROBOTS, robots_key(origin_of(url)))
    note = msgspec.msgpack.decode(stored, type=RobotsNote) if stored else None
    if note is None or note.state is not RobotsState.RULES:
        return ""
    return Robots(tuple(note.rules)).forbidding_line(split_url(url).path)
