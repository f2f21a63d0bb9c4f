"""Is the yardstick straight?"""

import numpy as np
import pytest

from tiptoe.experiment.optimum import best_freshness, best_freshness_of_hosts, even_freshness

RATES = np.random.default_rng(1).lognormal(0.0, 1.5, 400)


def test_pages_that_are_all_alike_are_best_visited_equally_often() -> None:
    rates = np.full(50, 0.7)
    assert best_freshness(rates, 30.0) == pytest.approx(even_freshness(rates, 30.0), abs=1e-6)


def test_nothing_that_chance_tries_is_better() -> None:
    """Visits moved from any page to any other cost freshness."""
    best = best_freshness(RATES, 200.0)
    chance = np.random.default_rng(2)
    for power in (0.0, 0.3, 0.5, 1.0):
        for _ in range(20):
            visits = RATES**power * chance.lognormal(0.0, 0.3, len(RATES))
            x = RATES / (visits * 200.0 / visits.sum())
            assert np.mean(-np.expm1(-x) / x) <= best + 1e-9


def test_limits_that_nobody_reaches_change_nothing() -> None:
    hosts = np.arange(400) % 4
    found, visits = best_freshness_of_hosts(RATES, hosts, np.full(4, 1e6), 200.0)
    assert found == pytest.approx(best_freshness(RATES, 200.0), abs=1e-6)
    assert visits == pytest.approx(200.0, rel=1e-6)


def test_limits_are_kept_and_cost_freshness() -> None:
    hosts = np.arange(400) % 4
    found, visits = best_freshness_of_hosts(RATES, hosts, np.array([5.0, 1e6, 1e6, 1e6]), 200.0)
    assert found < best_freshness(RATES, 200.0)
    assert visits == pytest.approx(200.0, rel=1e-6)
    tight, few = best_freshness_of_hosts(RATES, hosts, np.full(4, 10.0), 200.0)
    assert few == pytest.approx(40.0, rel=1e-6)
    assert tight < found
