"""Which shard is looked at when, and whose turn it is."""

from tiptoe.cluster.shard_turns import ShardTurns


def turns_of(**next_at: float | None) -> ShardTurns:
    """Return turns in which shards, called `s1` and so on, were looked at at 0."""
    turns = ShardTurns()
    for name, at in next_at.items():
        turns.looked(int(name[1:]), at, 0.0)
    return turns


def test_only_shards_that_are_due_or_were_changed_are_looked_at() -> None:
    turns = turns_of(s1=5.0, s2=9.0, s3=None, s4=20.0)
    turns.touch(4)
    assert turns.take_due(6.0) == [4, 1]
    assert turns.take_due(6.0) == []


def test_the_next_moment_is_that_of_the_first_shard() -> None:
    turns = turns_of(s1=5.0, s2=3.0, s3=None)
    assert turns.next_at() == 3.0
    turns.looked(2, 8.0, 3.0)
    assert turns.next_at() == 5.0
    turns.forget(1)
    assert turns.next_at() == 8.0


def test_a_change_is_not_waited_for() -> None:
    turns = turns_of(s1=5.0)
    turns.touch(1)
    assert turns.next_at() == float("-inf")


def test_nothing_is_waited_for_without_a_shard_that_waits() -> None:
    assert turns_of(s1=None).next_at() is None


def test_shards_that_have_something_take_turns() -> None:
    turns = turns_of(s1=-1.0, s2=0.0, s3=4.0)
    assert turns.in_turn() == [1, 2]
    turns.had_turn(1)
    assert turns.in_turn() == [2, 1]
    turns.has_nothing(2)
    assert turns.in_turn() == [1]
    turns.looked(3, 4.0, 5.0)
    assert turns.in_turn() == [1, 3]


def test_a_shard_that_stays_due_is_looked_at_again() -> None:
    """It may have had no room for all that was due."""
    turns = turns_of(s1=1.0)
    for now in (2.0, 3.0):
        assert turns.take_due(now) == [1]
        turns.looked(1, 1.0, now)


def test_a_shard_that_is_forgotten_has_no_turn() -> None:
    turns = turns_of(s1=-1.0, s2=-1.0)
    turns.touch(1)
    turns.forget(1)
    assert turns.take_due(5.0) == [2]
    assert turns.in_turn() == [2]
