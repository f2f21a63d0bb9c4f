"""Does the judge know how stale a copy is?"""

import math

import pytest

from tiptoe.experiment.changing_pages import ByChance, Periodic, StaleTally


def test_a_regular_page_is_fresh_until_its_next_change() -> None:
    habit = Periodic(period=10.0, phase=3.0)
    assert habit.staleness(5.0, 5.0, 20.0) == (
        8.0,
        24.5,
    )  # changes at 13: fresh for 8, then its age grows to 7
    assert habit.staleness(5.0, 15.0, 20.0) == (0.0, 22.5)
    assert habit.staleness(5.0, 5.0, 12.0) == (7.0, 0.0)


def test_a_regular_page_changes_on_time() -> None:
    habit = Periodic(period=10.0, phase=3.0)
    assert habit.has_changed(5.0, 13.0, 0.5)
    assert not habit.has_changed(3.0, 12.9, 0.5)
    assert habit.changes(0.0, 34.0) == 4


def test_what_is_expected_of_chance_adds_up() -> None:
    """Two halves of a time are as stale as the whole."""
    habit = ByChance(rate=0.3)
    whole = habit.staleness(0.0, 1.0, 9.0)
    halves = [habit.staleness(0.0, 1.0, 4.0), habit.staleness(0.0, 4.0, 9.0)]
    assert [sum(part) for part in zip(*halves, strict=True)] == pytest.approx(list(whole))


def test_what_is_expected_of_chance_is_its_mean() -> None:
    """Against a plain sum over the moments of the first change."""
    rate, until, steps = 0.5, 6.0, 20_000
    mean_fresh = mean_age = 0.0
    for number in range(steps):
        share = (number + 0.5) / steps
        changed_at = -math.log1p(-share) / rate
        mean_fresh += min(changed_at, until) / steps
        mean_age += max(0.0, until - changed_at) ** 2 / 2 / steps
    assert ByChance(rate).staleness(0.0, 0.0, until) == pytest.approx((mean_fresh, mean_age), rel=1e-3)


def test_shares_of_nothing_are_no_failure() -> None:
    tally = StaleTally(pages=1, seconds=10.0, fresh_seconds=10.0)
    assert (tally.freshness, tally.found_share, tally.caught_share) == (1.0, 0.0, 1.0)
