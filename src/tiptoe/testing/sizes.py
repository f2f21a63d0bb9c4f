"""How is a size drawn from a random number from 0 to 1?

The two laws of sizes on the real web: log-normal for products of many
small causes (bytes of text, latency), and a power law for what grows in proportion
to its size (pages of a host, links of a list). Both are given by their mean.
"""

import math
from statistics import NormalDist
from typing import Final

__all__ = ["log_normal", "power_law"]

NORMAL: Final = NormalDist()
DRAW_MIN: Final = 2.0**-53  # the normal law has no finite value at 0


def log_normal(draw: float, mean: float, sigma: float) -> float:
    """Return a size from the log-normal law; the median is below the mean by exp(sigma^2 / 2)."""
    return mean * math.exp(sigma * (NORMAL.inv_cdf(max(draw, DRAW_MIN)) - sigma / 2))


def power_law(draw: float, mean: float, spread: float) -> float:
    """Return a size from a power law with exponent 1 / spread; with a spread of 0 always the mean."""
    # The mean of u^-s over u in (0, 1] is 1 / (1 - s).
    return mean * (1.0 - spread) * math.pow(1.0 - draw, -spread)
