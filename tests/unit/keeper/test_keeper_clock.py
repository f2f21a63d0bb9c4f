"""A clock that agrees with the wall and never jumps."""

import time

import pytest

from tiptoe.keeper.clock import Clock


def test_it_agrees_with_the_wall_when_it_starts() -> None:
    """Moments on disk survive a restart."""
    before = time.time()
    now = Clock().now()
    assert before - 0.1 <= now <= time.time() + 0.1


def test_a_wall_clock_that_is_set_back_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else every address would seem to have rested for an hour."""
    clock = Clock()
    before = clock.now()
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert clock.now() >= before


def test_a_clock_goes_on_as_the_one_before_it() -> None:
    """The wall clock was set forward between two runs: no stored pause is over because of that."""
    first = Clock(steady=lambda: 100.0, wall=lambda: 5_000.0)
    second = Clock(steady=lambda: 102.0, wall=lambda: 8_602.0, offset=first.offset)
    assert second.now() == first.now() + 2.0
