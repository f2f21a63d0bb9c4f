"""In which shard does a host live?

A crawl on many machines consists of shards, each with a frontier of its own. A host lives in the shard of its
address, so that the rules for an address are kept in one place. Until its address is known, it lives in its
*home*, the shard of its name. Shards that do not know where a host lives send links to its home.

When a host moves, a note of the move stays in the shard that it leaves, and its home is notified of its
arrival. Both contain how often the host had moved by then. A shard in which the host has been forwards its
mail by such a note.

Rules: a note is written only if mail forwarded by it will arrive after the host; and mail is forwarded only
by a note of a later move than the one by which it came here. So mail takes at most as many hops as its host
has moved, and never goes in circles.
"""

from collections.abc import Collection, Mapping
from typing import Final, Protocol

import msgspec

from tiptoe.frontier.gate_register import ClaimPlan, GateRegister
from tiptoe.store.tables import Store, Table, Writes
from tiptoe.url.address import host_key

__all__ = ["Residence", "Residences", "ShardPlan"]

CACHED_MAX: Final = 100_000
"""Maximum number of cached residences, about 15 MB; above it the cache is cleared."""


class ShardPlan(ClaimPlan, Protocol):
    """Gives the home of a name and the shard of a gate; both are fixed as long as the crawl exists."""

    def home(self, host: str) -> int: ...


class Residence(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Where a host lives, or lived."""

    shard: int
    moves: int = 0  # how often it had moved when it arrived there


class Residences:
    """What one shard knows about where hosts live: those it is the home of, and those that were here.

    A host without a row lives at its home, where every host begins.
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
        """Look up the residences of several hosts at once."""
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
        """Return the home of a host."""
        return self._plan.home(host)

    def note(self, batch: Writes, key: bytes, residence: Residence) -> None:
        """Note where a host lives now."""
        batch.put(Table.RESIDENCE, key, self._encode(residence))
        self._known[key] = self._noted[key] = residence

    def hear(self, batch: Writes, host: str, residence: Residence) -> None:
        """Note that a host has arrived in a shard, unless a later move is known."""
        key = host_key(host)
        if residence.moves > self.of(key, host).moves:
            self.note(batch, key, residence)

    def committed(self) -> None:
        """The batch has been written."""
        self._noted.clear()
        self.gates.committed()

    def noted(self, key: bytes) -> Residence | None:
        """Return the stored residence of a host; None if it has never moved, as far as is known here."""
        stored = self._store.get(Table.RESIDENCE, key)
        return self._decode(stored) if stored else None

    def check(self, living: Mapping[bytes, str], arriving: Collection[bytes]) -> None:
        """State every invariant, given the hosts with a record and those on their way here."""
        for key, stored in self._store.scan(Table.RESIDENCE):
            is_here = self._decode(stored).shard == self.shard
            assert is_here == (key in living or key in arriving), f"host {key.hex()} is not where it is noted"
        for key, host in living.items():
            assert self.of(key, host).shard == self.shard, f"{host} is here and does not live here"
