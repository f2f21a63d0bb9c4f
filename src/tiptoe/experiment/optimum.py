"""How well could any strategy do if it knew how often every page changes?

For freshness, with random changes. Bisection finds, for all pages at once, the price
of a visit at which the number of visits matches the budget (Cho and Garcia-Molina
2003, Azar et al. 2018). With limits per host, each host that would get more visits
than it allows has a price of its own (Kolobov et al. 2019).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_freshness", "best_freshness_of_hosts", "even_freshness"]

Floats = NDArray[np.float64]

HALVINGS = 60
NEWTON_STEPS = 30
LOG_PRICE_MIN = -30.0


def even_freshness(rates: Floats, visits: float) -> float:
    """Return the freshness when all pages are visited equally often; visits and rates per second."""
    x = rates * len(rates) / visits
    return float(np.mean(-np.expm1(-x) / x))


def best_freshness(rates: Floats, visits: float) -> float:
    """Return the highest possible freshness with this number of visits."""
    low, high = LOG_PRICE_MIN - np.log(rates.max()), -np.log(rates.min())
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if _visits(rates, np.exp(middle)).sum() > visits:
            low = middle
        else:
            high = middle
    return float(np.mean(_freshness(rates, np.exp(high))))


def best_freshness_of_hosts(
    rates: Floats, hosts: NDArray[np.int64], limits: Floats, visits: float
) -> tuple[float, float]:
    """Return the highest possible freshness when hosts have limits too, and the visits it takes.

    `hosts` has the host of each page, `limits` the most visits of each host.
    """
    count = len(limits)
    span = (LOG_PRICE_MIN - np.log(rates.max()), -np.log(rates.min()))
    low, high = (np.full(count, bound) for bound in span)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        asked = np.bincount(hosts, _visits(rates, np.exp(middle)[hosts]), minlength=count)
        is_cheap = asked > limits
        low, high = np.where(is_cheap, middle, low), np.where(is_cheap, high, middle)
    host_prices = high  # prices at which each host just reaches its limit
    bottom, top = span
    for _ in range(HALVINGS):
        price = 0.5 * (bottom + top)
        if _visits(rates, np.exp(np.maximum(host_prices, price))[hosts]).sum() > visits:
            bottom = price
        else:
            top = price
    prices = np.exp(np.maximum(host_prices, top))[hosts]
    return float(np.mean(_freshness(rates, prices))), float(_visits(rates, prices).sum())


def _visits(rates: Floats, price: Any) -> Floats:
    """Return the visits of each page at a price."""
    result: Floats = rates / _reached(rates, price)
    return result


def _freshness(rates: Floats, price: Any) -> Floats:
    x = _reached(rates, price)
    result: Floats = np.where(np.isfinite(x), -np.expm1(-x) / np.where(np.isfinite(x), x, 1.0), 0.0)
    return result


def _reached(rates: Floats, price: Any) -> Floats:
    """Return the expected changes between two visits; infinite for pages that are never visited."""
    share = np.minimum(rates * price, 1.0)
    is_worth = share < 1.0
    share = np.where(is_worth, share, 0.5)
    rest = -np.log1p(-share)
    x = np.where(
        share < 0.5, np.sqrt(2.0 * share) + 2.0 * share / 3.0, rest + np.log1p(rest + np.log1p(rest))
    )
    for _ in range(NEWTON_STEPS):
        shrunk = np.exp(-x)
        step = (share - (1.0 - (1.0 + x) * shrunk)) / (x * shrunk)
        x = np.maximum(x + step, 0.1 * x)
        if np.max(np.abs(step) / x) < 1e-9:
            break
    result: Floats = np.where(is_worth, x, np.inf)
    return result
