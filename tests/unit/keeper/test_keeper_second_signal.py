"""Somebody asks a crawl to stop, and perhaps insists."""

from tiptoe.keeper.second_signal import SecondSignal


def test_who_asks_once_waits_for_a_clean_end() -> None:
    assert not SecondSignal().is_shown(100.0)


def test_the_same_wish_may_come_twice() -> None:
    """`timeout` tells its command, and then everybody in its group."""
    second_signal = SecondSignal()
    assert [second_signal.is_shown(now) for now in (100.0, 100.0, 100.01)] == [False] * 3


def test_who_asks_again_insists() -> None:
    second_signal = SecondSignal()
    assert [second_signal.is_shown(now) for now in (100.0, 101.0)] == [False, True]
