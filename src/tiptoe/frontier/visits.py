"""Which requests does a harvester hold?

A visit is *open* from the time it is handed out until it ends. What it holds is also in the store, as a
lease, so that it can be taken back if the keeper dies.
"""

from dataclasses import dataclass, field
from typing import Final

import msgspec

from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.page_record import PageRecord
from tiptoe.protocol.work import Purpose, Request

__all__ = ["Lease", "OpenVisit", "is_settled_since", "shard_of_visit", "visit_id"]

SHARD_BITS: Final = 24
COUNT_BITS: Final = 39
"""Bits in the id of a visit for its shard and for its number in that shard."""


def visit_id(shard: int, count: int) -> int:
    """Return the id of a visit, which is unique among all shards of the crawl.

    In shard 0 it is just the number. The count is stored in the tables of the shard and moves with them, so
    no id is assigned twice.
    """
    assert 0 <= shard < 1 << SHARD_BITS, f"shard {shard} is out of range"
    assert 0 < count < 1 << COUNT_BITS, f"visit {count} is out of range"
    return (shard << COUNT_BITS) | count


def shard_of_visit(visit: int) -> int:
    """Return the shard of the visit with this id."""
    return visit >> COUNT_BITS


class Lease(msgspec.Struct, array_like=True, gc=False):
    """A visit as it is stored: enough to take it back."""

    visit: int
    gate: str
    harvester: str
    hosts: list[str]
    requests: list[Request]


@dataclass(slots=True)
class OpenVisit:
    """A visit that a harvester holds."""

    id: int
    gate: str
    address: str
    harvester: str
    made: dict[str, int] = field(default_factory=dict)  # host -> requests made
    left: set[str] = field(default_factory=set)  # hosts whose requests came back
    outstanding: dict[str, Request] = field(default_factory=dict)  # see `hold`

    def has(self, record: HostRecord) -> bool:
        """Whether a host is in this visit; if it was given up and revived, it may be in another one."""
        return record.state is HostState.VISITED and record.gate == self.gate

    def hold(self, requests: list[Request]) -> list[Request]:
        """Note requests that the harvester holds; return the new ones (rules may be requested twice)."""
        held = {_lease_key(request): request for request in requests}
        added = [request for key, request in held.items() if key not in self.outstanding]
        self.outstanding.update(held)
        return added

    def take_back(self, request: Request) -> bool:
        """Remove a request; return whether the harvester held it.

        A request for an earlier visit of the same page does not count as held.
        """
        key = _lease_key(request)
        held = self.outstanding.get(key)
        if held is None or _visits_before(held) != _visits_before(request):
            return False
        del self.outstanding[key]
        return True

    def suspected(self, urls: frozenset[str]) -> list[Request]:
        """Return the requests for these URLs: those held, and for others those for the rules of a host."""
        held = [request for request in self.outstanding.values() if request.url in urls]
        # Not parsed as URLs: the note was written by a harvester that died, so it may contain anything.
        others = [url.partition("://")[2] for url in urls.difference(request.url for request in held)]
        return held + [
            Request(f"http://{host}/robots.txt", Purpose.ROBOTS, for_origin=f"http://{host}")
            for host in self.made
            if any(other.startswith((f"{host}/", f"{host}:")) for other in others)
        ]

    def lease(self) -> Lease:
        """Return the visit as it is stored."""
        return Lease(self.id, self.gate, self.harvester, list(self.made), list(self.outstanding.values()))


def is_settled_since(page: PageRecord | None, request: Request) -> bool:
    """Whether a page was settled since this request for it was handed out."""
    if page is None:
        return False
    if request.last_visit is not None:
        return page.visits > request.last_visit.visits
    return page.tries >= request.tries


def _visits_before(request: Request) -> int:
    return request.last_visit.visits if request.last_visit is not None else 0


def _lease_key(request: Request) -> str:
    """Return a key that distinguishes the requests of a visit, also rules and logins at the URL of a page."""
    is_beside = request.purpose in (Purpose.ROBOTS, Purpose.RULES_REQUEST, Purpose.LOGIN)
    return f"{request.url} {request.for_origin}" if is_beside else request.url
