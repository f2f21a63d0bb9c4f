"""Do shards move without haste, and to those who are ready?"""

import pytest

from tiptoe.cluster.shard_clock import ClockReading, MachineTime
from tiptoe.cluster.shard_lease import LeaseRecord, LeaseStage, LeaseWrite, ShardLease
from tiptoe.cluster.shard_moves import ShardMoves, next_moves

READING = ClockReading("elsewhere", 0.0, 1e9, 0.0)


def held(shard: int) -> ShardLease:
    lease = ShardLease(shard, agent="a", incarnation="a-1", seconds=30.0)
    lease.seen(None, 0, 0.0)
    lease.is_wanted = True
    order = lease.next_step(MachineTime("", 0.0, 0.0))
    assert isinstance(order, LeaseWrite)
    lease.answered()
    lease.seen(order.record, 1, 0.0)
    assert lease.stage is LeaseStage.HELD
    return lease


def foreign(shard: int, holder: str = "b") -> ShardLease:
    lease = ShardLease(shard, agent="a", incarnation="a-1", seconds=30.0)
    lease.seen(LeaseRecord(holder, f"{holder}-1", 1, 1, READING), 1, 0.0)
    return lease


def test_what_is_as_it_should_be_stays() -> None:
    leases = [held(0), foreign(1)]
    moves = next_moves("a", leases, {0: "a", 1: "b"}, ready={"b": [0]})
    assert moves == ShardMoves(frozenset(), frozenset(), {})


def test_a_shard_to_come_is_wanted_and_followed() -> None:
    moves = next_moves("a", [foreign(0), foreign(1)], {0: "a", 1: "b"}, ready={})
    assert moves == ShardMoves(frozenset({0}), frozenset({0}), {})


def test_a_free_shard_is_wanted_and_needs_no_following() -> None:
    """It is taken at once."""
    lease = ShardLease(0, agent="a", incarnation="a-1", seconds=30.0)
    lease.seen(None, 0, 0.0)
    moves = next_moves("a", [lease], {0: "a"}, ready={})
    assert moves == ShardMoves(frozenset({0}), frozenset(), {})


def test_only_a_few_are_read_at_a_time_those_that_nobody_looks_after_first() -> None:
    """To read all at once would make each of them late."""
    leases = [foreign(shard) for shard in range(20)] + [foreign(shard, "dead") for shard in range(20, 26)]
    assigned = dict.fromkeys(range(26), "a") | {99: "b"}

    first = next_moves("a", leases, assigned, ready={})
    assert first.wanted == set(range(26))
    assert first.followed == {20, 21, 22}

    then = next_moves("a", leases, assigned, ready={"a": [20, 21]}, followed=first.followed)
    assert then.followed == {*range(20, 25)}

    last = next_moves("a", leases, assigned, ready={"a": range(20, 25)}, followed=then.followed)
    assert last.followed == {*range(20, 26), 0, 1}


def test_a_shard_is_given_to_who_has_read_it() -> None:
    leases = [held(0), held(1)]
    assert next_moves("a", leases, {0: "b", 1: "b"}, ready={"b": []}).given == {}
    assert next_moves("a", leases, {0: "b", 1: "b"}, ready={"b": [1]}).given == {1: "b"}
    assert next_moves("a", leases, {0: "b", 1: "b"}, ready={"c": [0, 1]}).given == {}


def test_a_few_are_given_at_a_time_and_all_by_one_that_leaves() -> None:
    leases = [held(shard) for shard in range(20)]
    assigned = dict.fromkeys(range(20), "b")
    ready = {"b": range(20)}
    assert len(next_moves("a", leases, assigned, ready=ready).given) == 4
    assert len(next_moves("a", leases, assigned, ready=ready, is_leaving=True).given) == 20


def test_one_that_leaves_waits_for_others_to_be_ready_but_not_for_ever() -> None:
    leases = [held(0)]
    assert next_moves("a", leases, {0: "b"}, ready={}, is_leaving=True).given == {}
    assert next_moves("a", leases, {0: "b"}, ready={}, is_leaving=True, is_patient=False).given == {0: "b"}


def test_one_that_leaves_an_empty_house_leaves_its_shards_to_anybody() -> None:
    assert next_moves("a", [held(0)], {}, ready={}, is_leaving=True).given == {0: ""}
    assert next_moves("a", [foreign(0)], {0: "a"}, ready={}, is_leaving=True).wanted == set()


@pytest.mark.parametrize(("assigned", "receiver"), [({0: "c"}, "c"), ({0: "a"}, ""), ({}, "")])
def test_a_shard_on_its_way_gets_another_receiver_when_the_first_is_gone(
    assigned: dict[int, str], receiver: str
) -> None:
    """Its frontier is closed; there is no way back but to take it anew."""
    lease = held(0)
    lease.give("b")
    assert next_moves("a", [lease], assigned, ready={}).given == {0: receiver}
