"""What must hold after every step of the keeper, besides `Frontier.check()`?

Checked only in the store and the roster, since these are what a crash leaves.
"""

from collections import Counter

import msgspec

from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.queues import chunks_in
from tiptoe.frontier.settlement import WAITING
from tiptoe.frontier.sieve import met_in
from tiptoe.frontier.visits import Lease, is_settled_since
from tiptoe.keeper.keeper import Keeper
from tiptoe.protocol.work import Purpose, Request
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table
from tiptoe.url.address import KEY_BYTES, page_key

__all__ = ["check_leases", "check_places"]

NO_PAGES = (Purpose.ROBOTS, Purpose.RULES_REQUEST, Purpose.ADDRESS)

_request = msgspec.msgpack.Decoder(Request).decode
_lease = msgspec.msgpack.Decoder(Lease).decode
_page = msgspec.msgpack.Decoder(PageRecord).decode
_host = msgspec.msgpack.Decoder(HostRecord).decode


def check_places(store: MemoryStore) -> None:
    """An open URL is queued, due or leased: in one place. A settled one is in none, unless it is watched."""
    pages = dict.fromkeys(met_in(store), b"") | dict(store.scan(Table.PAGE))
    places = Counter(page_key(url) for url in _waiting(store, pages))
    gone = {key for key, stored in store.scan(Table.HOST) if _host(stored).state is HostState.GONE}
    for key, stored in pages.items():
        page = _page(stored) if stored else None
        count = places.pop(key, 0)
        if page is not None and page.outcome != WAITING:
            most = 1 if page.next_visit_at else 0
            assert count <= most, f"{page.url} is settled ({page.outcome}) and waits elsewhere"
        elif key[:KEY_BYTES] not in gone:
            assert count == 1, f"page {key.hex()} is in {count} places"
    assert not places, "a URL waits that was never admitted"


def _waiting(store: MemoryStore, pages: dict[bytes, bytes]) -> list[str]:
    """Return every page URL that is queued, due or leased, once per place."""
    requests: list[Request] = []
    for _, stored in store.scan(Table.QUEUE):
        for chunk in chunks_in(stored):
            requests += chunk.requests(chunk.urls)
    requests += [_request(stored) for _, stored in store.scan(Table.DUE)]
    for _, stored in store.scan(Table.LEASE):
        requests += [held for held in _lease(stored).requests if _is_open(held, pages)]
    return [request.url for request in requests if request.purpose not in NO_PAGES]


def _is_open(request: Request, pages: dict[bytes, bytes]) -> bool:
    """Whether a leased request was not settled since its lease was written."""
    stored = pages.get(page_key(request.url))
    return not is_settled_since(_page(stored) if stored else None, request)


def check_leases(store: MemoryStore, keeper: Keeper) -> None:
    """Every lease is in the hands of one living harvester, and no two are at one address."""
    gates: Counter[str] = Counter()
    leased: dict[str, set[int]] = {name: set() for name in keeper.roster.members}
    for _, stored in store.scan(Table.LEASE):
        lease = _lease(stored)
        gates[lease.gate] += 1
        assert lease.harvester in leased, f"{lease.harvester} is gone and holds a visit to {lease.gate}"
        leased[lease.harvester].add(lease.visit)
    assert all(count == 1 for count in gates.values()), f"an address is visited twice: {gates}"
    for name, member in keeper.roster.members.items():
        assert member.visits == leased[name], f"{name} holds {member.visits}, the store says {leased[name]}"
