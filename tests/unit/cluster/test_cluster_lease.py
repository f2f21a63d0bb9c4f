"""Does an agent know what it holds, and only that?"""

import math

import pytest

from tiptoe.cluster.shard_clock import ClockReading, MachineTime
from tiptoe.cluster.shard_lease import (
    LeaseEvent,
    LeaseRead,
    LeaseRecord,
    LeaseStage,
    LeaseWrite,
    ShardLease,
)

READING = ClockReading("elsewhere", 0.0, 1e9, 0.0)


def record(holder: str = "b", *, serial: int = 1, term: int = 4, given_to: str = "") -> LeaseRecord:
    return LeaseRecord(holder, f"{holder}-1", term, serial, READING, given_to)


def at(count: float) -> MachineTime:
    return MachineTime("here", count, 1e9 + count)


def written(lease: ShardLease, count: float) -> LeaseWrite:
    """Return the write that is ordered at this moment."""
    order = lease.next_step(at(count))
    assert isinstance(order, LeaseWrite)
    return order


def done(lease: ShardLease, order: LeaseWrite, revision: int, now: float) -> LeaseEvent | None:
    lease.answered()
    return lease.seen(order.record, revision, now)


@pytest.fixture
def lease() -> ShardLease:
    return ShardLease(7, agent="a", incarnation="a-1", seconds=30.0)


@pytest.fixture
def held(lease: ShardLease) -> ShardLease:
    """A lease that was taken by a write sent at 100 and answered at 101."""
    lease.is_wanted = True
    lease.seen(None, 0, 99.0)
    assert done(lease, written(lease, 100.0), 1, 101.0) is LeaseEvent.TAKEN
    return lease


def test_nothing_is_done_about_a_shard_of_which_nothing_is_known(lease: ShardLease) -> None:
    lease.is_wanted = True
    assert lease.stage is LeaseStage.UNKNOWN
    assert lease.next_step(at(1e9)) is None


def test_a_free_shard_is_taken_at_once_by_who_wants_it(lease: ShardLease) -> None:
    lease.seen(None, 0, 99.0)
    assert lease.next_step(at(99.0)) is None
    lease.is_wanted = True
    order = written(lease, 99.0)
    assert (order.revision, order.record.holder, order.record.term) == (0, "a", 1)


def test_certainty_counts_from_before_the_write_was_sent(held: ShardLease) -> None:
    """An answer may take any time; others count from when they see the write."""
    assert held.certain_until == 118.0
    assert held.is_certain(117.9)
    assert not held.is_certain(118.0)


def test_an_answer_that_comes_late_brings_no_more_certainty_than_an_early_one(held: ShardLease) -> None:
    """A process that stood still wakes up with answers to what it asked long ago."""
    order = written(held, 105.0)
    assert done(held, order, 2, 190.0) is None
    assert held.certain_until == 123.0
    assert not held.is_certain(190.0)


def test_a_lease_is_renewed_six_times(held: ShardLease) -> None:
    assert held.next_step(at(104.9)) is None
    order = written(held, 105.0)
    assert (order.revision, order.record.term) == (1, 1)
    assert order.record.clock.moment == 1e9 + 105.0
    assert held.next_step(at(105.1)) is None  # one at a time
    done(held, order, 2, 105.2)
    assert held.wakes_at == 110.0


def test_another_ones_shard_is_taken_after_a_whole_lease_without_a_change(lease: ShardLease) -> None:
    lease.is_wanted = True
    lease.seen(record(serial=1), 5, 100.0)
    lease.seen(record(serial=2), 6, 110.0)
    lease.seen(record(serial=2), 6, 139.0)  # told again: nothing new
    assert lease.stage is LeaseStage.FOREIGN
    assert lease.next_step(at(139.9)) is None
    order = written(lease, 140.0)
    assert (order.revision, order.record.term) == (6, 5)
    assert lease.was_outlasted, "whatever its harvesters did is over"


def test_an_agent_that_was_cut_off_gives_others_time_first(lease: ShardLease) -> None:
    lease.is_wanted, lease.takes_from = True, 200.0
    lease.seen(record(), 5, 100.0)
    assert lease.next_step(at(199.0)) is None
    assert lease.next_step(at(200.0)) is not None


def test_what_was_left_to_this_agent_is_taken_at_once_and_by_nobody_else(lease: ShardLease) -> None:
    other = ShardLease(7, agent="c", incarnation="c-1", seconds=30.0)
    for one in (lease, other):
        one.is_wanted = True
        one.seen(record(given_to="a"), 5, 100.0)
    assert lease.next_step(at(100.0)) is not None
    assert not lease.was_outlasted, "harvesters of whoever gave it may not have heard of that"
    assert other.next_step(at(129.0)) is None
    assert other.next_step(at(130.0)) is not None  # it was not fetched
    assert other.was_outlasted


def test_who_restarts_waits_for_the_lease_of_its_own_former_life(lease: ShardLease) -> None:
    """That life may stand still rather than be dead."""
    lease.is_wanted = True
    lease.seen(LeaseRecord("a", "a-0", 3, 9, READING), 5, 100.0)
    assert lease.stage is LeaseStage.FOREIGN
    assert lease.next_step(at(129.0)) is None


def test_a_write_without_an_answer_is_looked_after(held: ShardLease) -> None:
    written(held, 105.0)
    held.unanswered(107.0)
    assert held.next_step(at(107.5)) is None
    assert held.next_step(at(108.0)) == LeaseRead()


def test_a_renewal_that_was_done_without_an_answer_counts_from_when_it_was_sent(held: ShardLease) -> None:
    order = written(held, 105.0)
    held.unanswered(107.0)
    held.next_step(at(108.0))
    held.answered()
    assert held.seen(order.record, 2, 108.1) is None
    assert held.certain_until == 123.0
    assert written(held, 108.2).revision == 2


def test_a_renewal_that_is_done_late_keeps_no_later_one_from_being_done(held: ShardLease) -> None:
    """It was held up on the way, arrived when it was given up, and made the next one stale."""
    late = written(held, 105.0)
    held.unanswered(107.0)
    held.next_step(at(108.0))
    held.answered()
    held.seen(held.record, 1, 108.1)  # not done, so far
    written(held, 108.2)
    held.refused(108.3)
    held.seen(late.record, 2, 108.4)
    assert held.certain_until == 123.0
    assert written(held, 109.3).revision == 2


def test_a_taking_that_is_done_late_is_noticed_and_gives_no_certainty(lease: ShardLease) -> None:
    lease.is_wanted = True
    lease.seen(record(), 5, 100.0)
    late = written(lease, 130.0)
    lease.unanswered(132.0)
    assert lease.seen(late.record, 6, 190.0) is LeaseEvent.TAKEN
    assert lease.stage is LeaseStage.HELD
    assert not lease.is_certain(190.0)
    done(lease, written(lease, 190.1), 7, 190.2)
    assert lease.is_certain(190.2)


def test_one_that_is_uncertain_goes_on_when_its_renewal_succeeds(held: ShardLease) -> None:
    assert not held.is_certain(150.0)
    assert held.stage is LeaseStage.HELD
    done(held, written(held, 150.0), 2, 150.1)
    assert held.is_certain(150.1)
    assert held.term == 1


def test_a_shard_that_another_one_has_taken_is_lost(held: ShardLease) -> None:
    assert held.seen(record(term=2), 2, 140.0) is LeaseEvent.LOST
    assert held.stage is LeaseStage.FOREIGN
    assert held.certain_until == -math.inf


def test_a_refused_renewal_asks_who_it_was(held: ShardLease) -> None:
    written(held, 140.0)
    held.refused(140.1)
    assert held.next_step(at(141.1)) == LeaseRead()
    held.answered()
    assert held.seen(record(term=2), 2, 141.2) is LeaseEvent.LOST


def test_a_shard_is_given_away_when_its_visits_are_over_and_renewed_until_then(held: ShardLease) -> None:
    held.give("b")
    assert held.stage.value == "releasing"
    renewal = written(held, 105.0)
    assert (renewal.record.holder, renewal.record.given_to) == ("a", "")
    done(held, renewal, 2, 105.1)
    assert held.is_certain(106.0)

    held.released()
    assert held.stage.value == "giving"
    assert not held.is_certain(106.0)
    given = written(held, 106.0)
    assert (given.record.holder, given.record.given_to) == ("a", "b")
    assert done(held, given, 3, 106.1) is LeaseEvent.GIVEN
    assert held.holder == "b"


def test_a_shard_given_to_anybody_is_free(held: ShardLease) -> None:
    held.give("")
    held.released()
    given = written(held, 101.0)
    held.is_wanted = False
    assert done(held, given, 2, 101.1) is LeaseEvent.GIVEN
    assert (held.stage, held.holder) == (LeaseStage.FREE, "")


def test_giving_is_repeated_until_it_is_known_to_be_done(held: ShardLease) -> None:
    held.give("b")
    held.released()
    first = written(held, 101.0)
    held.unanswered(103.0)
    held.next_step(at(104.0))
    held.answered()
    held.seen(held.record, 1, 104.1)
    second = written(held, 104.1)
    assert (second.record.given_to, second.revision) == ("b", 1)
    held.refused(104.2)
    assert held.seen(first.record, 2, 104.3) is LeaseEvent.GIVEN


def test_a_receiver_that_dies_is_replaced_by_another_one(held: ShardLease) -> None:
    held.give("b")
    held.released()
    held.give("c")
    assert written(held, 101.0).record.given_to == "c"


def test_what_is_old_is_not_news(held: ShardLease) -> None:
    held.seen(record(term=2), 9, 140.0)
    assert held.seen(record("a", term=1), 3, 141.0) is None
    assert held.holder == "b"


def test_a_key_that_vanished_is_made_anew(held: ShardLease) -> None:
    """Somebody has deleted it by hand; what is read stale does no harm either."""
    before = held.record
    assert held.seen(None, 0, 110.0) is LeaseEvent.LOST
    order = written(held, 110.0)
    assert order.revision == 0
    held.refused(110.1)  # it is there after all
    assert held.seen(before, 1, 112.0) is LeaseEvent.TAKEN
    assert not held.is_certain(112.0)


def test_a_lease_shows_itself(held: ShardLease) -> None:
    assert repr(held) == "<ShardLease 7 held, holder a, revision 1>"
