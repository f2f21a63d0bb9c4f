"""How is everything that is to be forgotten erased from a database?

Only while no frontier uses it. Rows are deleted in batches, each of which leaves counters and records
correct, so after a crash the same call completes the work. Of a host that is forgotten as a whole, a record
stays that says only how to treat it: when it was last visited, and what the operator ordered. If only some
pages of a host are forgotten, its other pages stay, and at the next start it is queued again.

URLs found later are dropped by `wishes`. The sieve, which holds only hashes of URLs, stays as it is.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Final

import msgspec

from tiptoe.frontier.anew import calmed
from tiptoe.frontier.calendar import row_of
from tiptoe.frontier.counters import KEYS, Counters, Gauges
from tiptoe.frontier.due import by_moment
from tiptoe.frontier.holdings import Holding
from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.link_batch import LinkBatch
from tiptoe.frontier.moving import HOST_FIRST, led_to
from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.queues import chunks_in
from tiptoe.frontier.reconciling import RECONCILED_KEY
from tiptoe.frontier.transitions import forget_waiting
from tiptoe.frontier.visits import Lease
from tiptoe.frontier.wishes import OwnersWishes
from tiptoe.protocol.work import Purpose, Request
from tiptoe.store.tables import Store, Table, Writes, after
from tiptoe.url.address import KEY_BYTES, host_key, page_key
from tiptoe.url.wish import Reach, Wish

__all__ = ["KnownOfIt", "Meant", "erase", "erasing", "known_of", "meant_by"]

BATCH_ROWS: Final = 1000
READ_ROWS: Final = 1000
PAGE_KEY_BYTES: Final = 2 * KEY_BYTES
FORGOTTEN: Final = b"forgotten"

_host = msgspec.msgpack.Decoder(HostRecord).decode
_page = msgspec.msgpack.Decoder(PageRecord).decode
_decode_found = msgspec.msgpack.Decoder(LinkBatch).decode
_lease = msgspec.msgpack.Decoder(Lease).decode
_request = msgspec.msgpack.Decoder(Request).decode
_holding = msgspec.msgpack.Decoder(Holding).decode
_encode = msgspec.msgpack.Encoder().encode


@dataclass(frozen=True, slots=True)
class Meant:
    """What a wish is about, by the keys of the database."""

    hosts: dict[bytes, str]  # key -> name of each host that is meant, as a whole or some pages of it
    pages: frozenset[bytes]  # keys of those pages; empty if whole hosts are meant
    is_whole: bool

    def covers(self, key: bytes) -> bool:
        """Whether a page is meant."""
        return key[:KEY_BYTES] in self.hosts if self.is_whole else key in self.pages


@dataclass(slots=True)
class KnownOfIt:
    """How much a database knows about what is meant."""

    pages: int = 0  # that were visited, or tried
    unasked: int = 0  # URLs that are queued or due


def meant_by(store: Store, wish: Wish) -> Meant:
    """Return what a wish is about; to be called before anything is erased."""
    if wish.reach is Reach.HOST:
        return Meant({host_key(wish.host): wish.host}, frozenset(), is_whole=True)
    if wish.reach is Reach.DOMAIN:
        records = (_host(stored) for _, stored in store.scan(Table.HOST))
        names = {record.host for record in records if wish.covers_host(record.host)} | {wish.host}
        return Meant({host_key(name): name for name in names}, frozenset(), is_whole=True)
    key = host_key(wish.host)
    rows = store.scan(Table.PAGE, key, after(key))
    pages = {place for place, stored in rows if stored and wish.covers(_page(stored).url)}
    if wish.reach is Reach.PAGE:
        pages |= {page_key(f"{scheme}://{wish.rest}") for scheme in ("http", "https")}
    return Meant({key: wish.host}, frozenset(pages), is_whole=False)


def known_of(store: Store, wish: Wish, meant: Meant) -> KnownOfIt:
    """Return how much there is to be erased."""
    known = KnownOfIt()
    for key in meant.hosts:
        known.pages += sum(
            1 for row, stored in store.scan(Table.PAGE, key, after(key)) if stored and meant.covers(row)
        )
        for _, stored in store.scan(Table.QUEUE, key, after(key)):
            known.unasked += sum(wish.covers(url) for chunk in chunks_in(stored) for url in chunk.urls)
        for row, _ in store.scan(Table.DEFERRED, key, after(key)):
            waiting = store.get(Table.DUE, by_moment(row))
            known.unasked += waiting is not None and wish.covers(_request(waiting).url)
    return known


def erase(store: Store, wish: Wish, meant: Meant, *, step: Callable[[], object] = lambda: None) -> None:
    """Remove everything that is meant from the tables; `step` is called before each write."""
    for _ in erasing(store, wish, meant, step=step):
        pass


def erasing(
    store: Store, wish: Wish, meant: Meant, *, step: Callable[[], object] = lambda: None
) -> Iterator[None]:
    """Do the same in small portions, with a pause after each in which the caller may do other things."""
    return _Erasing(store, wish, meant, step).run()


class _Erasing:
    def __init__(self, store: Store, wish: Wish, meant: Meant, step: Callable[[], object]) -> None:
        self._store = store
        self._wish = wish
        self._meant = meant
        self._step = step
        self._counters = Counters(store)
        self._batch = Writes()
        self._is_covered = OwnersWishes([wish])

    def run(self) -> Iterator[None]:
        self._release_leases()
        yield from self._thin_holdings()
        for key in self._meant.hosts:
            stored = self._store.get(Table.HOST, key)
            if stored is None:
                continue
            if self._meant.is_whole:
                yield from self._erase_host(key, _host(stored))
            else:
                yield from self._erase_pages(key, _host(stored))
        # Counted again when the database is next opened.
        self._batch.delete(Table.META, KEYS[Gauges])
        self._batch.put(Table.META, RECONCILED_KEY, FORGOTTEN)
        self._flush()

    # -- a whole host ----------------------------------------------------

    def _erase_host(self, key: bytes, record: HostRecord) -> Iterator[None]:
        for table in HOST_FIRST:
            if table is Table.HOST:
                continue
            for row, stored in self._store.scan(table, key, after(key)):
                for place, moment in led_to(table, row, stored):
                    self._batch.delete(place, moment)
                if table is Table.PAGE and stored:
                    self._forget_page(_page(stored), record.host)
                self._batch.delete(table, row)
                if self._wrote():
                    yield
        # Last, because the host's record is needed to find its rows in other tables.
        for place, moment in led_to(Table.HOST, key, _encode(record)):
            self._batch.delete(place, moment)
        self._batch.put(Table.HOST, key, _encode(calmed(record)))
        self._flush()

    # -- some pages of a host --------------------------------------------

    def _erase_pages(self, key: bytes, record: HostRecord) -> Iterator[None]:
        for row, stored in self._store.scan(Table.PAGE, key, after(key)):
            if stored and self._meant.covers(row):
                page = _page(stored)
                self._forget_page(page, record.host)
                record.pages -= page.is_counted
                if page.next_visit_at:
                    self._batch.delete(Table.REVISIT, row_of(page.next_visit_at, row))
                    if record.account is not None:
                        record.account.pages -= 1
                self._batch.delete(Table.PAGE, row)
                if len(self._batch) >= BATCH_ROWS:
                    self._batch.put(Table.HOST, key, _encode(record))
                    self._flush()
                    yield
        self._thin_queues(key, record)
        self._thin_due(key)
        for place, moment in led_to(Table.HOST, key, _encode(record)):
            if place in (Table.PARKED, Table.NEW):
                self._batch.delete(place, moment)
        forget_waiting(record)
        self._thin_inbox(key, record)
        # In one write with all of the above, so that the queues always agree with the host's record.
        self._batch.put(Table.HOST, key, _encode(record))
        self._flush()

    def _thin_queues(self, key: bytes, record: HostRecord) -> None:
        for row, stored in self._store.scan(Table.QUEUE, key, after(key)):
            chunks = chunks_in(stored)
            before = sum(len(chunk.urls) for chunk in chunks)
            for chunk in chunks:
                chunk.urls = [url for url in chunk.urls if not self._wish.covers(url)]
            chunks = [chunk for chunk in chunks if chunk.urls]
            gone = before - sum(len(chunk.urls) for chunk in chunks)
            if not gone:
                continue
            self._batch.put(Table.QUEUE, row, _encode(chunks))
            index, sequence = row[KEY_BYTES], int.from_bytes(row[KEY_BYTES + 1 :], "big")
            if record.heads[index] <= sequence < record.tails[index]:
                record.waiting[index] -= gone
            else:
                record.aside = [
                    (one, head, tail, waiting - gone * (one == index and head <= sequence < tail))
                    for one, head, tail, waiting in record.aside
                ]

    def _thin_due(self, key: bytes) -> None:
        for row, _ in self._store.scan(Table.DEFERRED, key, after(key)):
            stored = self._store.get(Table.DUE, by_moment(row))
            if stored is None:
                continue
            request = _request(stored)
            # The name is looked up again at the next start, as for any host that is in no queue.
            if request.purpose is Purpose.ADDRESS or self._wish.covers(request.url):
                self._batch.delete(Table.DUE, by_moment(row))
                self._batch.delete(Table.DEFERRED, row)

    def _thin_inbox(self, key: bytes, record: HostRecord) -> None:
        for row, stored in self._store.scan(Table.INBOX, key, after(key)):
            found = _decode_found(stored)
            links = self._is_covered.without(found.links)
            if not links.urls or not record.queued_new:  # an idle host would never read its inbox
                self._batch.delete(Table.INBOX, row)
            elif len(links.urls) < len(found.links.urls):
                self._batch.put(Table.INBOX, row, _encode(msgspec.structs.replace(found, links=links)))

    # -- rows outside the tables of a host -------------------------------

    def _forget_page(self, page: PageRecord, host: str) -> None:
        self._counters.totals.pages -= page.is_counted
        if page.text_hash and self._store.get(Table.CONTENT, page.text_hash) == host.encode():
            self._batch.delete(Table.CONTENT, page.text_hash)

    def _release_leases(self) -> None:
        """Remove requests from the leases that a keeper left behind when it died."""
        for gate, stored in self._store.scan(Table.LEASE):
            lease = _lease(stored)
            kept = [request for request in lease.requests if not self._wish.covers(request.url)]
            if len(kept) < len(lease.requests):
                self._batch.put(Table.LEASE, gate, _encode(msgspec.structs.replace(lease, requests=kept)))
                self._wrote()
        self._flush()

    def _thin_holdings(self) -> Iterator[None]:
        """Remove these pages from the holdings: the files no longer contain them."""
        totals = self._counters.totals
        for count, (row, stored) in enumerate(self._store.scan(Table.HOLDING), 1):
            if not count % READ_ROWS:
                yield
            holding = _holding(stored)
            places = list(_places_meant(holding, self._meant))
            if not places:
                continue
            for place in places:
                totals.documents -= holding.versions[place] > 0
                totals.text_chars -= holding.chars[place]
            self._batch.put(Table.HOLDING, row, _encode(_without(holding, set(places))))
            self._wrote()
        self._flush()

    # -- rows ------------------------------------------------------------

    def _wrote(self) -> bool:
        """Write the batch if it is large; return whether it was."""
        if len(self._batch) < BATCH_ROWS:
            return False
        self._flush()
        return True

    def _flush(self) -> None:
        if not self._batch:
            return
        self._counters.write(self._batch)
        self._batch.delete(Table.META, KEYS[Gauges])
        self._step()
        self._store.write(self._batch)
        self._batch = Writes()


def _places_meant(holding: Holding, meant: Meant) -> Iterator[int]:
    for place in range(len(holding.keys) // PAGE_KEY_BYTES):
        if meant.covers(holding.keys[place * PAGE_KEY_BYTES : (place + 1) * PAGE_KEY_BYTES]):
            yield place


def _without(holding: Holding, places: Collection[int]) -> Holding:
    kept = [place for place in range(len(holding.versions)) if place not in places]
    return Holding(
        holding.files,
        b"".join(holding.keys[place * PAGE_KEY_BYTES : (place + 1) * PAGE_KEY_BYTES] for place in kept),
        [holding.versions[place] for place in kept],
        [holding.chars[place] for place in kept],
        [holding.stored_at[place] for place in kept],
        bytes(holding.signs[place] for place in kept),
        [holding.checks[place] for place in kept],
    )
