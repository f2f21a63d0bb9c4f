"""May an address be contacted?"""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tiptoe.frontier.gate import AddressState, Gate, GateKeys, address_of
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Writes

ADDRESS = "192.0.2.1"
FOREVER = float("inf")


def test_an_address_is_waiting_then_active_then_resting() -> None:
    """Every address is in exactly one state (POL-4)."""
    store = MemoryStore()
    gate, batch = Gate(store), Writes()
    assert gate.state(ADDRESS, 0.0) is AddressState.WAITING
    gate.open(batch, ADDRESS, visit=7, now=0.0)
    assert (gate.state(ADDRESS, 1e9), gate.free_at(ADDRESS)) == (AddressState.ACTIVE, FOREVER)
    gate.close(batch, ADDRESS, free_at=60.0)
    assert gate.state(ADDRESS, 59.9) is AddressState.RESTING
    assert gate.state(ADDRESS, 60.0) is AddressState.WAITING


def test_nobody_goes_where_somebody_is_or_has_just_been() -> None:
    """A fault of ours must end in an error of ours, not in a rude request."""
    store = MemoryStore()
    gate, batch = Gate(store), Writes()
    gate.open(batch, ADDRESS, visit=1, now=0.0)
    with pytest.raises(AssertionError, match="is being visited"):
        gate.open(batch, ADDRESS, visit=2, now=1.0)
    gate.close(batch, ADDRESS, free_at=60.0)
    with pytest.raises(AssertionError, match="rests until"):
        gate.open(batch, ADDRESS, visit=2, now=59.0)


def test_inside_a_named_range_every_host_has_its_own_gate() -> None:
    """Thousands of sites share one address there (POL-11)."""
    keys = GateKeys(("198.51.100.0/24", "2001:db8::/32"))
    assert keys.key("192.0.2.1", "a.example") == "192.0.2.1"
    assert keys.key("198.51.100.9", "a.example") == "198.51.100.9 a.example"
    assert keys.key("2001:db8::1", "a.example") == "2001:db8::1 a.example"
    assert GateKeys().key("198.51.100.9", "a.example") == "198.51.100.9"
    assert address_of("198.51.100.9 a.example") == "198.51.100.9"


def test_a_wish_about_an_address_counts_for_all_gates_of_it() -> None:
    """An operator who blocks an address means everything behind it (POL-10)."""
    store = MemoryStore()
    gate, batch = Gate(store), Writes()
    gate.block(batch, ADDRESS, is_blocked=True)
    gate.slow(batch, ADDRESS, 30.0)
    assert gate.free_at(f"{ADDRESS} a.example") == FOREVER
    assert gate.slowed_to(f"{ADDRESS} a.example") == 30.0
    assert gate.free_at("192.0.2.2") == 0.0


class Door(RuleBasedStateMachine):
    """One address; the store is written after every step, and now and then read anew."""

    def __init__(self) -> None:
        super().__init__()
        self.store = MemoryStore()
        self.gate = Gate(self.store, cached_max=0)
        self.now = 0.0
        self.visits = 0
        self.visit = 0
        self.rests_until = 0.0
        self.is_blocked = False

    @rule(seconds=st.integers(0, 40))
    def wait(self, seconds: int) -> None:
        self.now += seconds

    @rule()
    def go_in(self) -> None:
        may_go = not self.visit and not self.is_blocked and self.rests_until <= self.now
        assert (self.gate.free_at(ADDRESS) <= self.now) == may_go
        if may_go:
            self.visits += 1
            self.visit = self.visits
            batch = Writes()
            self.gate.open(batch, ADDRESS, visit=self.visit, now=self.now)
            self.written(batch)

    @rule(seconds=st.integers(0, 60))
    def come_out(self, seconds: int) -> None:
        if self.visit:
            self.visit = 0
            self.rest(self.now + seconds)
            batch = Writes()
            self.gate.close(batch, ADDRESS, free_at=self.now + seconds)
            self.written(batch)

    @rule(seconds=st.integers(-20, 60))
    def hold(self, seconds: int) -> None:
        self.rest(self.now + seconds)
        batch = Writes()
        self.gate.hold(batch, ADDRESS, free_at=self.now + seconds)
        self.written(batch)

    @rule(is_blocked=st.booleans())
    def block(self, is_blocked: bool) -> None:
        self.is_blocked = is_blocked
        batch = Writes()
        self.gate.block(batch, ADDRESS, is_blocked=is_blocked)
        self.written(batch)

    @rule()
    def restart(self) -> None:
        self.gate = Gate(self.store)

    def rest(self, until: float) -> None:
        self.rests_until = max(self.rests_until, until)

    def written(self, batch: Writes) -> None:
        self.store.write(batch)
        self.gate.committed()

    @invariant()
    def is_in_one_state(self) -> None:
        if self.visit:
            expected = AddressState.ACTIVE
        else:
            expected = AddressState.RESTING if self.rests_until > self.now else AddressState.WAITING
        assert self.gate.state(ADDRESS, self.now) is expected
        is_shut = self.visit or self.is_blocked
        assert self.gate.free_at(ADDRESS) == (FOREVER if is_shut else self.rests_until)


TestDoor = Door.TestCase
TestDoor.settings = settings(max_examples=50, stateful_step_count=25, deadline=None)
