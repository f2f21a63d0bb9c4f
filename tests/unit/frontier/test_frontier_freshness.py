"""How long our copies were up to date, by estimate."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.frontier.freshness import aged_seconds, fresh_seconds


def test_a_page_that_did_not_change_was_fresh_all_the_time() -> None:
    assert fresh_seconds(500.0, 0.1, is_changed=False) == 500.0
    assert aged_seconds(500.0, 0.1, is_changed=False) == 0.0


@pytest.mark.parametrize("changes", [0.01, 0.3, 2.0, 9.0])
def test_estimates_are_what_chance_gives(changes: float) -> None:
    """Played out: the first change of those intervals in which there was one."""
    chance = random.Random(7)
    firsts = [first for _ in range(200_000) if (first := chance.expovariate(changes)) < 1.0]
    fresh = sum(firsts) / len(firsts)
    aged = sum((1.0 - first) ** 2 / 2 for first in firsts) / len(firsts)
    assert fresh_seconds(1.0, changes, is_changed=True) == pytest.approx(fresh, rel=0.05)
    assert aged_seconds(1.0, changes, is_changed=True) == pytest.approx(aged, rel=0.05)


@given(seconds=st.floats(1e-3, 1e9), rate=st.floats(1e-15, 1e3))
def test_no_rate_and_no_interval_breaks_the_arithmetic(seconds: float, rate: float) -> None:
    fresh = fresh_seconds(seconds, rate, is_changed=True)
    aged = aged_seconds(seconds, rate, is_changed=True)
    assert 0.0 <= fresh <= seconds * 0.5000001
    assert 0.0 <= aged <= seconds * seconds * 0.5000001
    assert math.isfinite(aged)


def test_the_series_meets_the_formula() -> None:
    for function in (fresh_seconds, aged_seconds):
        below, above = (function(1.0, rate, is_changed=True) for rate in (0.000999, 0.001001))
        assert below == pytest.approx(above, rel=1e-5)
