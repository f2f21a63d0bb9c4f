"""Does time in a shard go on from holder to holder, neither back nor too far?"""

from hypothesis import given
from hypothesis import strategies as st

from tiptoe.cluster.shard_clock import ClockReading, MachineTime, ShardClock

HOUR = 3600.0


def test_a_new_shard_begins_with_the_wall_clock() -> None:
    clock = ShardClock.resume(None, 0.0, MachineTime("a", 50.0, 1_000_050.0))
    assert clock.now(60.0) == 1_000_060.0


def test_the_same_machine_goes_on_with_the_same_clock() -> None:
    """A crawl that is stopped every night must not fall behind by ten minutes each time."""
    last = ClockReading("a", 100.0, 5_000.0, 3.0)
    clock = ShardClock.resume(last, 40_000.0, MachineTime("a", 40_100.0, 77.0))
    assert clock.now(40_100.0) == 45_000.0


def test_another_machine_counts_from_what_it_heard_and_a_little_short() -> None:
    """Its own machine may count faster than the one before."""
    last = ClockReading("a", 100.0, 5_000.0, 0.0)
    clock = ShardClock.resume(last, 20.0, MachineTime("b", 50.0, 5_200.0))
    assert clock.now(50.0) == 5_000.0 + 30.0 * 0.98


def test_after_a_long_stop_the_wall_clock_says_what_nobody_has_heard() -> None:
    """Else a revisit that is due tomorrow would be due a day after the crawl goes on."""
    last = ClockReading("a", 100.0, 5_000.0, 7.0)
    clock = ShardClock.resume(last, 20.0, MachineTime("b", 20.0, 5_007.0 + 24 * HOUR))
    assert clock.now(20.0) == 5_000.0 + 24 * HOUR - 600.0


def test_a_machine_of_unknown_start_is_another_one() -> None:
    last = ClockReading("", 100.0, 5_000.0, 0.0)
    assert ShardClock.resume(last, 20.0, MachineTime("", 20.0, 0.0)).now(20.0) == 5_000.0


def test_what_is_read_leads_to_the_same_clock() -> None:
    reading = ShardClock(900.0).reading(MachineTime("a", 100.0, 1_003.0))
    assert reading == ClockReading("a", 100.0, 1_000.0, 3.0)


@given(
    st.floats(0.99, 1.01), st.floats(0.99, 1.01), st.floats(-299, 299), st.floats(-299, 299),
    st.floats(0, 1000), st.floats(0, 10 * HOUR), st.floats(0, 10 * HOUR),
)  # fmt: skip
def test_the_next_clock_is_neither_behind_what_was_told_nor_ahead_of_the_one_before(
    pace: float,
    next_pace: float,
    wall: float,
    next_wall: float,
    told: float,
    heard_after: float,
    waited: float,
) -> None:
    """At true times: the old one told its clock, the next one heard it later and took over later still.

    The wall clock of the old machine has not run away from its count by more than the rest of ten minutes.
    """
    clock = ShardClock(1e9 - told * pace)
    reading = clock.reading(MachineTime("old", told * pace, 1e9 + wall))
    heard, taken = told + heard_after, told + heard_after + waited
    now = MachineTime("new", taken * next_pace, 1e9 + taken - told + next_wall)
    resumed = ShardClock.resume(reading, heard * next_pace, now)

    moment = resumed.now(now.count)
    lag_of_the_old = (taken - told) * (1 - pace)
    assert moment >= reading.moment - 1e-6
    assert moment <= clock.now(taken * pace) + max(0.0, lag_of_the_old - 2.0) + 1e-6
