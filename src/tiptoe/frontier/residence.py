"""In which shard does a host live?

A crawl on many machines consists of shards, each with a frontier of its own. A host lives in the shard of its
address, so that the rules for an address are kept in one place. Until that is known it is in its *home*, the
shard of its name, where links to it are sent by everybody who knows nothing better.

When a host moves, a note of it stays in the shard that it leaves, and its home is told when it has arrived.
Both say how often the host had moved by then. Mail that comes to a shard where the host has been is sent on
by such a note.

Rules: a note is written only when mail that is sent by it will arrive after the host; and mail is only sent
on by a note of a later move than the one that brought it here. So mail finds its host after as many hops
as that has moved at most, and is never sent in circles.
"""

from collections.abc import Collection, Mapping
from typing import Final, Protocol

import msgspec

from tiptoe.frontier.gate_register import ClaimPlan, GateRegister
from tiptoe.store.tables import Store, Table, Writes
from tiptoe.url.address import host_key

__all__ = ["Residence", "Residences", "ShardPlan"]

CACHED_MAX: Final = 100_000
"""Hosts of which it is remembered where they live, about 15 MB."""


class ShardPlan(ClaimPlan, Protocol):
    """Says which shard is the home of a name, and which that of a gate, as long as the crawl exists."""

    def home(self, host: str) -> int: ...


class Residence(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Where a host lives, or lived."""

    shard: int
    moves: int = 0  # how often it had moved when it came there


class Residences:
    """What one shard knows of where hosts live: of those it is the home of, and of those that were here.

    Without a row a host is where everything begins: at its home.
    """

    def __init__(self, store: Store, shard: int, plan: ShardPlan) -> None:
        self._store = store
        self.shard = shard
        self._plan = plan
        self.gates = GateRegister(store, shard, plan)
        self._known: dict[bytes, Residence] = {}
        self._noted: dict[bytes, Residence] = {}  # in the open step
        self.in_transit: set[bytes] = set()  # hosts of which some rows are here, and others not
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(Residence).decode

    def fetch(self, hosts: Mapping[bytes, str]) -> None:
        """Look up some hosts at once."""
        if len(self._known) > CACHED_MAX:
            self._known.clear()
        wanted = [key for key in hosts if key not in self._known]
        for key, stored in zip(wanted, self._store.get_many(Table.RESIDENCE, wanted), strict=True):
            self._known[key] = self._decode(stored) if stored else Residence(self.home(hosts[key]))

    def of(self, key: bytes, host: str) -> Residence:
        """Return where a host, given by its key and name, lives, as far as is known here."""
        found = self._noted.get(key) or self._known.get(key)
        if found is None:
            self.fetch({key: host})
            found = self._known[key]
        return found

    def home(self, host: str) -> int:
        """Return the shard that a host comes from."""
        return self._plan.home(host)

    def note(self, batch: Writes, key: bytes, residence: Residence) -> None:
        """A host lives elsewhere now, or here."""
        batch.put(Table.RESIDENCE, key, self._encode(residence))
        self._known[key] = self._noted[key] = residence

    def hear(self, batch: Writes, host: str, residence: Residence) -> None:
        """A shard says that a host has arrived there; it may have moved on since."""
        key = host_key(host)
        if residence.moves > self.of(key, host).moves:
            self.note(batch, key, residence)

    def committed(self) -> None:
        """The batch has been written."""
        self._noted.clear()
        self.gates.committed()

    def noted(self, key: bytes) -> Residence | None:
        """Return what is stored of a host; None when it has never moved, as far as is known here."""
        stored = self._store.get(Table.RESIDENCE, key)
        return self._decode(stored) if stored else None

    def check(self, living: Mapping[bytes, str], arriving: Collection[bytes]) -> None:
        """State every invariant, given the hosts with a record and those on their way here."""
        for key, stored in self._store.scan(Table.RESIDENCE):
            is_here = self._decode(stored).shard == self.shard
            assert is_here == (key in living or key in arriving), f"host {key.hex()} is not where it is noted"
        for key, host in living.items():
            assert self.of(key, host).shard == self.shard, f"{host} is here and does not live here"
