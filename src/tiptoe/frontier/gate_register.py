"""In which shard is an address, when the names of its hosts may decide?

By a rule for addresses (`ShardPlan.residence`) that is known beforehand. By a rule for names it is not: an
address has many. So the shard by the first rule is the *registrar* of an address. The first host to come
there decides, in one write, whether the address stays or is given to the shard that the host's name asks for
(`ShardPlan.claim`); every later host is sent after it, whatever its name. The shard that it was given to
notes that, too: its hosts stay there when they are looked up again.

Rule: what was decided of an address is never changed. So it is never in two shards.
"""

from typing import Final, Protocol

from tiptoe.store.tables import Store, Table, Writes

__all__ = ["KEY", "ClaimPlan", "GateRegister"]

KEY: Final = b"gate "
"""Of a row in META, followed by the key of a gate: the shard that it is in."""

SHARD_BYTES: Final = 4


class ClaimPlan(Protocol):
    """Says where an address is, and where its first host may want it to be."""

    def is_claimable(self, gate_key: str) -> bool:
        """Whether names may ask for an address."""
        ...

    def residence(self, gate_key: str) -> int: ...

    def claim(self, gate_key: str, host: str) -> int: ...


class GateRegister:
    """What one shard knows of where addresses are: of those it is the registrar of, and those given to it."""

    def __init__(self, store: Store, shard: int, plan: ClaimPlan) -> None:
        self._store = store
        self._shard = shard
        self._plan = plan
        self._noted: dict[bytes, int] = {}  # in the open step

    def shard_of(self, gate: str, host: str) -> int:
        """Return the shard of a gate for a host that has come to it, as far as is known here."""
        registrar = self._plan.residence(gate)
        if not self._plan.is_claimable(gate):
            return registrar
        noted = self._find(gate)
        if noted is not None:
            return noted
        return self._plan.claim(gate, host) if registrar == self._shard else registrar

    def settle(self, batch: Writes, gate: str, host: str) -> int:
        """Return the same, and decide it for good if that is up to this shard."""
        shard = self.shard_of(gate, host)
        if self._plan.is_claimable(gate) and self._plan.residence(gate) == self._shard:
            self._note(batch, gate, shard)
        return shard

    def receive(self, batch: Writes, gate: str, host: str, sender: int) -> int:
        """Settle where a host belongs that a shard has sent: a registrar gives the gate away with it."""
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
