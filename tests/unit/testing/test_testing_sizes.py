"""Sizes follow their laws, with the mean that was asked for."""

import math

import pytest

from tiptoe.testing.sizes import log_normal, power_law

DRAWS = [(i + 0.5) / 100_000 for i in range(100_000)]


@pytest.mark.parametrize("sigma", [0.0, 0.5, 1.0])
def test_log_normal_sizes_have_their_mean_and_median(sigma: float) -> None:
    sizes = [log_normal(draw, 10.0, sigma) for draw in DRAWS]
    assert sum(sizes) / len(sizes) == pytest.approx(10.0, rel=0.01)
    assert log_normal(0.5, 10.0, sigma) == pytest.approx(10.0 * math.exp(-sigma * sigma / 2))


@pytest.mark.parametrize("spread", [0.0, 0.3, 0.5])
def test_a_power_law_has_its_mean_and_its_tail(spread: float) -> None:
    sizes = [power_law(draw, 10.0, spread) for draw in DRAWS]
    assert sum(sizes) / len(sizes) == pytest.approx(10.0, rel=0.02)
    # A hundred times rarer is so many times bigger, wherever one looks.
    for rare in (0.1, 0.01):
        ratio = power_law(1.0 - rare / 100, 10.0, spread) / power_law(1.0 - rare, 10.0, spread)
        assert ratio == pytest.approx(100.0**spread)


def test_the_ends_of_the_draw_are_sizes_too() -> None:
    for draw in (0.0, 1.0 - 2.0**-53):
        assert 0.0 < log_normal(draw, 1.0, 2.0) < math.inf
        assert 0.0 < power_law(draw, 1.0, 0.9) < math.inf
