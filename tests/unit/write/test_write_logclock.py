"""The clock of the request log."""

from tiptoe.write.logclock import LogClock


def test_the_wall_is_read_once_and_then_counted() -> None:
    """An administrator who sets the clock cannot make a pause look shorter."""
    wall, count = [1_000.0], [50.0]
    clock = LogClock(lambda: wall[0], lambda: count[0], boot="b")
    assert (clock.opened_at, clock.counted, clock.boot) == (1_000.0, 50.0, "b")
    wall[0] = 0.0
    count[0] = 57.5
    assert clock.now() == 1_007.5


def test_wall_and_count_are_read_as_close_together_as_possible() -> None:
    """A process that was put to sleep between the two readings tries again."""
    counts = iter([0.0, 9.0, 10.0, 10.5, 20.0, 25.0, 30.0, 35.0, 40.0, 45.0])
    clock = LogClock(lambda: 1_000.0, lambda: next(counts), boot="")
    assert clock.counted == 10.25


def test_this_machine_can_be_told_from_others() -> None:
    assert LogClock().boot == LogClock().boot
    assert abs(LogClock().now() - LogClock().opened_at) < 60.0
