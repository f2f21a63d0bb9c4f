"""Hosts go from state to state, with their rows and gauges."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.frontier.counters import Counters
from tiptoe.frontier.front import Front
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.queues import Chunk
from tiptoe.frontier.recount import recount
from tiptoe.frontier.step import Step
from tiptoe.frontier.transitions import Transitions
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table

MOVES = ("enqueue", "line_up", "visit", "withdraw", "mark_unproductive", "reactivate", "give_up", "revive",
         "block", "unblock", "address", "move_up")  # fmt: skip


class Yard:
    """One host, and every way to move it."""

    def __init__(self) -> None:
        self.step = Step(MemoryStore(), hosts_cached_max=10)
        self.front = Front(
            self.step.store, self.step.hosts, self.step.gate, self.step.gauges, hosts_max=10,
            turn_seconds=lambda ahead: 0.0, level=lambda record: 0,
        )  # fmt: skip
        self.transitions = Transitions(self.step, self.front)
        self.now = 0.0

    @property
    def record(self) -> HostRecord:
        return self.step.hosts.obtain("a.example")

    def move(self, name: str) -> None:
        transitions, record = self.transitions, self.record
        self.now += 1.0
        match name:
            case "enqueue":
                transitions.enqueue(record, 1, Chunk([f"http://a.example/{self.now}"]), self.now)
            case "address":
                record.address = record.gate = "192.0.2.1"
                self.step.hosts.touch(record)
            case "block" | "unblock":
                transitions.block(record, self.now, is_blocked=name == "block")
            case "give_up":
                transitions.give_up(record, "refused")
            case "line_up" | "move_up" | "mark_unproductive":
                getattr(transitions, name)(record, self.now)
            case _:
                getattr(transitions, name)(record)
        self.step.commit()

    def check(self) -> None:
        """Rows and gauges say of the host what its record says."""
        store, record = self.step.store, self.record
        counted = Counters()
        recount(store, counted)
        assert self.step.gauges == counted.gauges
        assert [key for key, _ in store.scan(Table.NEW)] == [record.new_key] * (record.state is HostState.NEW)
        parked = [key for key, _ in store.scan(Table.PARKED)]
        assert parked == [record.parked_key] * (record.state is HostState.PARKED)
        assert bool(record.gone_because) == (record.state is HostState.GONE)
        self.front.check()


@given(st.lists(st.sampled_from(MOVES), max_size=12))
def test_a_host_is_in_one_place_however_it_got_there(moves: list[str]) -> None:
    """A move that is not allowed is refused before anything has changed."""
    yard = Yard()
    for move in moves:
        before = yard.record.state
        try:
            yard.move(move)
        except AssertionError:
            assert yard.record.state is before
        yard.check()


@pytest.mark.parametrize(
    ("moves", "state"),
    [
        (["enqueue"], HostState.NEW),
        (["enqueue", "withdraw", "address", "line_up"], HostState.PARKED),
        (["address", "enqueue"], HostState.PARKED),
        (["address", "enqueue", "visit"], HostState.VISITED),
        (["address", "enqueue", "visit", "mark_unproductive"], HostState.UNPRODUCTIVE),
        (["address", "enqueue", "visit", "mark_unproductive", "reactivate", "line_up"], HostState.PARKED),
        (["address", "enqueue", "visit", "withdraw"], HostState.IDLE),
        (["address", "enqueue", "block"], HostState.IDLE),
        (["enqueue", "block", "unblock"], HostState.NEW),
        (["block", "enqueue"], HostState.IDLE),
        (["address", "line_up"], HostState.IDLE),
        (["enqueue", "give_up"], HostState.GONE),
        (["address", "enqueue", "give_up", "enqueue"], HostState.GONE),
        (["address", "enqueue", "give_up", "revive", "line_up"], HostState.NEW),
    ],
)
def test_moves_lead_where_they_are_drawn(moves: list[str], state: HostState) -> None:
    yard = Yard()
    for move in moves:
        yard.move(move)
    assert yard.record.state is state
    yard.check()


@pytest.mark.parametrize("move", ["visit", "withdraw", "mark_unproductive", "reactivate", "revive"])
def test_an_idle_host_cannot_be_taken_from_where_it_is_not(move: str) -> None:
    with pytest.raises(AssertionError, match=r"a\.example"):
        Yard().move(move)
