"""When is a segmenter that failed asked again?"""

from tiptoe.segment.breaker import LONGEST_WAIT_SECONDS, Breaker


def fail(breaker: Breaker, now: float) -> None:
    assert breaker.ask(now)
    breaker.failed(now, now)


def test_everything_is_asked_until_something_fails() -> None:
    breaker = Breaker()
    assert [breaker.ask(0.0) for _ in range(3)] == [True] * 3


def test_after_a_failure_nothing_is_asked_for_a_while_and_then_one_batch() -> None:
    breaker = Breaker()
    fail(breaker, 10.0)
    assert not breaker.may_ask(10.9)
    assert breaker.may_ask(11.0)
    assert breaker.ask(11.0)
    assert not breaker.ask(11.0)  # the others wait for what comes of it


def test_each_failure_in_a_row_doubles_the_wait_up_to_a_minute() -> None:
    breaker = Breaker()
    now, waits = 0.0, []
    for _ in range(9):
        fail(breaker, now)
        begin = now
        while not breaker.may_ask(now):
            now += 0.5
        waits.append(now - begin)
    assert waits == [1, 2, 4, 8, 16, 32, *[LONGEST_WAIT_SECONDS] * 3]


def test_a_success_forgives_everything() -> None:
    breaker = Breaker()
    fail(breaker, 0.0)
    fail(breaker, 1.0)
    assert breaker.ask(3.0)
    breaker.succeeded()
    assert [breaker.ask(3.0) for _ in range(3)] == [True] * 3
    fail(breaker, 4.0)
    assert breaker.may_ask(5.0)


def test_batches_that_were_under_way_together_fail_together() -> None:
    """Four failures of one moment are one failure of the segmenter."""
    breaker = Breaker()
    for _ in range(4):
        assert breaker.ask(0.0)
    for _ in range(4):
        breaker.failed(0.0, 5.0)
    assert breaker.may_ask(6.0)


def test_a_long_time_down_does_not_overflow() -> None:
    breaker = Breaker()
    for number in range(5000):
        fail(breaker, number * 100.0)
    assert breaker.may_ask(5000 * 100.0)
