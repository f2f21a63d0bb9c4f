"""What is a visit worth, depending on the time since the last one?

Pages change at random, `rate` times a second. If each page is visited when its
value reaches one price, the same for all, then no other distribution of as many
visits is better (Azar et al. 2018, Busa-Fekete et al. 2025). The value of a page
after `s` seconds, with x = rate * s:

    objective    value                                unit       limit
    freshness    (1 - (1 + x) exp(-x)) / rate         seconds    1 / rate: at a higher price never visited
    changes      1 - (1 + x) exp(-x)                  changes    1
    age          (x^2/2 - 1 + (1 + x) exp(-x)) / rate^2   seconds^2  none: every page is visited again

Each is `s * c(s) - integral of c from 0 to s`, where c is the cost per second of not
visiting a page: the probability that it is stale; minus the changes a visit might find; its age.
"""

import math
from enum import StrEnum

__all__ = ["Objective", "crawl_value", "lag", "share", "worth_after"]


class Objective(StrEnum):
    """What visits are to achieve."""

    FRESHNESS = "freshness"
    CHANGES = "changes"
    AGE = "age"


def crawl_value(objective: Objective, rate: float, seconds: float) -> float:
    """Return the value of a visit `seconds` after the last one."""
    x = rate * seconds
    if objective is Objective.AGE:
        return lag(x) / (rate * rate)
    if objective is Objective.FRESHNESS:
        return share(x) / rate
    return share(x)


def worth_after(objective: Objective, rate: float, price: float) -> float:
    """Return the seconds after which the value of a visit reaches the price; infinity if it never does."""
    if price <= 0.0:
        return 0.0
    if objective is Objective.AGE:
        return _lag_reached(price * rate * rate) / rate
    if objective is Objective.FRESHNESS:
        return _share_reached(price * rate) / rate
    return _share_reached(price) / rate


# -- 1 - (1 + x) exp(-x): from 0 to 1 ------------------------------------


def share(x: float) -> float:
    """Return 1 - (1 + x) exp(-x)."""
    if x < 1e-3:  # here the formula would lose precision
        return x * x * (0.5 - x / 3.0 + x * x / 8.0)
    if x > 700.0:
        return 1.0
    return 1.0 - (1.0 + x) * math.exp(-x)


def _share_reached(wanted: float) -> float:
    """Return the x at which `share` has this value."""
    if wanted >= 1.0:
        return math.inf
    p = math.sqrt(2.0 * wanted)
    if wanted < 0.5:
        # The series of the Lambert W function around its branch point.
        x = p * (1.0 + p * (1.0 / 3.0 + p * (11.0 / 72.0 + p * (43.0 / 540.0))))
        if wanted < 1e-6:
            return x
    else:
        rest = -math.log1p(-wanted)
        x = rest + math.log1p(rest + math.log1p(rest))
    for _ in range(3):
        shrunk = math.exp(-x)
        missing = wanted - 1.0 + (1.0 + x) * shrunk
        step = missing / (x * shrunk)
        # One term more than Newton's method, which makes it exact enough after two rounds.
        x += step / (1.0 - 0.5 * step * (1.0 - x) / x)
        if abs(step) < 1e-6 * x:
            break
    return x


# -- x^2/2 - 1 + (1 + x) exp(-x): from 0 to infinity ----------------------


def lag(x: float) -> float:
    """Return x^2/2 - 1 + (1 + x) exp(-x)."""
    if x < 1e-2:
        return x * x * x * (1.0 / 3.0 - x * (1.0 / 8.0 - x / 30.0))
    return 0.5 * x * x - 1.0 + (1.0 + x) * math.exp(-min(x, 700.0))


def _lag_reached(wanted: float) -> float:
    """Return the x at which `lag` has this value."""
    root = math.cbrt(3.0 * wanted)
    if root < 1e-2:
        return root * (1.0 + root * (1.0 / 8.0 + 0.0135416 * root))
    x = min(root * (1.0 + root / 8.0), math.sqrt(2.0 * (wanted + 1.0)))
    for _ in range(8):
        step = (wanted - lag(x)) / (x * -math.expm1(-x))
        x += step
        if abs(step) < 1e-6 * x:
            break
    return x
