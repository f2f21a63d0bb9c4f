"""Which shard has an address, if the names of its hosts may decide that?

A rule for addresses (`ShardPlan.residence`) gives the same answer everywhere. A rule for names does not: an
address has many names. So the shard given by the rule for addresses is the *registrar* of an address. When
the first host arrives there, the registrar decides, in one write, whether it keeps the address or gives it to
the shard that the host's name asks for (`ShardPlan.claim`); every later host follows, whatever its name. The
shard that received the address notes it too, so its hosts stay there when their names are looked up again.

Rule: a decision about an address is never changed, so no address is ever in two shards.
"""

from typing import Final, Protocol

from tiptoe.store.tables import Store, Table, Writes

__all__ = ["KEY", "ClaimPlan", "GateRegister"]

KEY: Final = b"gate "
"""Prefix of the rows in META that hold the shard of a gate; the key of the gate follows."""

SHARD_BYTES: Final = 4


class ClaimPlan(Protocol):
    """Says which shard is responsible for an address, and which one its first host claims for it."""

    def is_claimable(self, gate_key: str) -> bool:
        """Whether names may claim this address."""
        ...

    def residence(self, gate_key: str) -> int: ...

    def claim(self, gate_key: str, host: str) -> int: ...


class GateRegister:
    """The shards of addresses, as far as one shard knows them: as their registrar, or as their new shard."""

    def __init__(self, store: Store, shard: int, plan: ClaimPlan) -> None:
        self._store = store
        self._shard = shard
        self._plan = plan
        self._noted: dict[bytes, int] = {}  # in the open step

    def shard_of(self, gate: str, host: str) -> int:
        """Return the shard of a gate for a host that was found there, as far as is known here."""
        registrar = self._plan.residence(gate)
        if not self._plan.is_claimable(gate):
            return registrar
        noted = self._find(gate)
        if noted is not None:
            return noted
        return self._plan.claim(gate, host) if registrar == self._shard else registrar

    def settle(self, batch: Writes, gate: str, host: str) -> int:
        """Return the shard of a gate; if this shard is its registrar, that decides it for good."""
        shard = self.shard_of(gate, host)
        if self._plan.is_claimable(gate) and self._plan.residence(gate) == self._shard:
            self._note(batch, gate, shard)
        return shard

    def receive(self, batch: Writes, gate: str, host: str, sender: int) -> int:
        """Return the shard for a host that another shard sent; a registrar gives the gate away with it."""
        if self._plan.is_claimable(gate) and sender == self._plan.residence(gate) != self._shard:
            self._note(batch, gate, self._shard)
        return self.settle(batch, gate, host)

    def committed(self) -> None:
        """The batch has been written."""
        self._noted.clear()

    def _find(self, gate: str) -> int | None:
        key = KEY + gate.encode()
        if key in self._noted:
            return self._noted[key]
        stored = self._store.get(Table.META, key)
        return None if stored is None else int.from_bytes(stored, "big")

    def _note(self, batch: Writes, gate: str, shard: int) -> None:
        if self._find(gate) is None:
            key = KEY + gate.encode()
            self._noted[key] = shard
            batch.put(Table.META, key, shard.to_bytes(SHARD_BYTES, "big"))
