"""May this address be contacted now?

An address is in exactly one state:

    waiting ──open──▶ active ──close──▶ resting ──(time)──▶ waiting
       └── nothing to request there: done

One visit at a time, and after each the whole address rests. Its state is in
the store before the visit is handed out, so a restart cannot break the rule.

The key of a gate is the address, or address and host inside the named ranges
of content delivery networks (POL-11).
"""

import enum
import ipaddress
from collections import OrderedDict
from collections.abc import Sequence

import msgspec

from tiptoe.frontier.politeness import Politeness
from tiptoe.store.tables import Store, Table, Writes

__all__ = ["AddressRecord", "AddressState", "Gate", "GateKeys", "address_of"]

ACTIVE_UNTIL = float("inf")


class AddressState(enum.Enum):
    """The state of an address."""

    WAITING = "waiting"
    ACTIVE = "active"
    RESTING = "resting"


class AddressRecord(msgspec.Struct, array_like=True, gc=False):
    """Politeness state of one address."""

    free_at: float = 0.0
    visit: int = 0  # its number; 0 = no visit is under way
    requests: int = 0
    visits: int = 0
    is_blocked: bool = False
    slowed_to: float = 0.0  # delay set by the operator
    left_at: float = 0.0  # when its last visit ended; 0 = it had none


class GateKeys:
    """Determines the gate of a host at an address."""

    def __init__(self, cdn_ranges: Sequence[str] = ()) -> None:
        self._ranges = [ipaddress.ip_network(text, strict=False) for text in cdn_ranges]

    def key(self, address: str, host: str) -> str:
        if self._ranges and host:
            parsed = ipaddress.ip_address(address)
            if any(parsed in network for network in self._ranges):
                return f"{address} {host}"
        return address


def address_of(key: str) -> str:
    """Return the address that a gate guards."""
    return key.partition(" ")[0]


class Gate:
    """The addresses and their states, written to the store at every change.

    What is in memory is only a copy of it and can be dropped at any time.
    """

    def __init__(self, store: Store, *, cached_max: int = 50_000) -> None:
        self.rules: Politeness | None = None  # in force now; they may have changed since a visit ended
        self._store = store
        self._cached_max = cached_max
        self._decoder = msgspec.msgpack.Decoder(AddressRecord)
        self._encoder = msgspec.msgpack.Encoder()
        self._cache: OrderedDict[str, AddressRecord] = OrderedDict()

    def _read(self, key: str) -> AddressRecord:
        record = self._cache.get(key)
        if record is not None:
            self._cache.move_to_end(key)
            return record
        found = self._store.get(Table.ADDRESS, key.encode())
        record = self._decoder.decode(found) if found else AddressRecord()
        self._cache[key] = record
        return record

    def _write(self, batch: Writes, key: str, record: AddressRecord) -> None:
        batch.put(Table.ADDRESS, key.encode(), self._encoder.encode(record))

    def committed(self) -> None:
        """The batch of this step has been written: keep the cache within its bound."""
        while len(self._cache) > self._cached_max:
            self._cache.popitem(last=False)

    def free_at(self, key: str) -> float:
        """Return when the address may be contacted; infinity while it is being visited or blocked."""
        record = self._read(key)
        return ACTIVE_UNTIL if record.visit or self._is_blocked(key, record) else self._rested_at(record)

    def _rested_at(self, record: AddressRecord) -> float:
        if self.rules is None or not record.left_at:
            return record.free_at
        return max(record.free_at, record.left_at + self.rules.general_pause)

    def state(self, key: str, now: float) -> AddressState:
        """Return the state of the address."""
        record = self._read(key)
        if record.visit:
            return AddressState.ACTIVE
        return AddressState.RESTING if self._rested_at(record) > now else AddressState.WAITING

    def open(self, batch: Writes, key: str, *, visit: int, now: float) -> None:
        """Let one visit in."""
        record = self._read(key)
        assert not record.visit, f"{key} is being visited"
        assert self._rested_at(record) <= now, f"{key} rests until {self._rested_at(record)}"
        record.visit = visit
        record.visits += 1
        self._write(batch, key, record)

    def close(self, batch: Writes, key: str, *, free_at: float, left_at: float = 0.0) -> None:
        """The visit is over; the address rests."""
        record = self._read(key)
        record.visit = 0
        record.left_at = left_at
        record.free_at = max(record.free_at, free_at)
        self._write(batch, key, record)

    def hold(self, batch: Writes, key: str, *, free_at: float) -> None:
        """Lengthen the rest of an address; it is never shortened."""
        record = self._read(key)
        if free_at > record.free_at:
            record.free_at = free_at
            self._write(batch, key, record)

    def is_held(self, key: str, now: float) -> bool:
        """Whether the address must be left alone, even by a visit that is under way."""
        return self._read(key).free_at > now

    def slowed_to(self, key: str) -> float:
        """Return the delay that the operator set for this gate or for its whole address."""
        own = self._read(key).slowed_to
        return max(own, self._read(address_of(key)).slowed_to) if " " in key else own

    def slow(self, batch: Writes, key: str, delay: float) -> None:
        """Set a minimum delay for every host of an address."""
        record = self._read(key)
        record.slowed_to = delay
        self._write(batch, key, record)

    def is_blocked(self, key: str) -> bool:
        """Whether this gate, or the whole address it guards, is blocked."""
        return self._is_blocked(key, self._read(key))

    def _is_blocked(self, key: str, record: AddressRecord) -> bool:
        return record.is_blocked or (" " in key and self._read(address_of(key)).is_blocked)

    def block(self, batch: Writes, key: str, *, is_blocked: bool) -> None:
        """Block an address, or unblock it."""
        record = self._read(key)
        record.is_blocked = is_blocked
        self._write(batch, key, record)
