"""What may the rate of a page be, and what is a visit to it worth then?

One number would not do. A page seen changed after a month may change once a week or every minute: at the one
rate it is worth watching, at the other it is to be given up. So a belief is a handful of rates about the
likeliest one, spread as far as the evidence leaves it open, each with the weight that the evidence gives it.
A visit is worth the mean of what it is worth at each (`value.py`).
"""

import math
from typing import NamedTuple

from tiptoe.revisit.change_evidence import ChangeEvidence, Prior, hidden_changes, rate_of
from tiptoe.revisit.value import Objective, lag, share
from tiptoe.revisit.value import worth_after as worth_after_at

__all__ = ["Belief", "belief_of", "mean_value", "worth_after"]

PLACES = (-4.0, -2.9, -1.8, -0.75, 0.3, 1.4, 2.5)
"""Where rates are taken, from the likeliest one, in standard deviations of its logarithm. Slow ones lie
farther out: that a page changes at all is seen at once, that it does not takes long."""

CERTAIN = 15.0
"""Changes as good as seen one by one, after which the likeliest rate stands for all."""

SHORT = 1e-9
"""Minimum number of changes to be expected in an interval; with fewer there is one at most."""

STEPS = 20
STEP_MAX = 1.5
CLOSE_ENOUGH = 2e-3
TINY = 1e-300


class Belief(NamedTuple):
    """Rates, and how likely each is; together 1."""

    rates: tuple[float, ...]
    weights: tuple[float, ...]

    @property
    def mean_log_rate(self) -> float:
        """Mean of the logarithm of the rate."""
        return sum(weight * math.log(rate) for rate, weight in zip(self.rates, self.weights, strict=True))


def belief_of(evidence: ChangeEvidence, prior: Prior) -> Belief:
    """Return what is believed of a page."""
    rate = rate_of(evidence, prior)
    seconds = prior.seconds + evidence.unchanged_seconds
    changes = evidence.changes
    mean = evidence.changed_seconds / changes if changes > 0.0 else 0.0
    # How sharply the belief falls off about its mode: for changes seen one by one, their number.
    _, slope = hidden_changes(rate * mean)
    sharpness = rate * (seconds - changes * slope * mean)
    if sharpness > CERTAIN:
        return Belief((rate,), (1.0,))
    deviation = 1.0 / math.sqrt(sharpness)
    # In an interval so short there was no second change; else it is only known that there was one.
    open_changes = changes if rate * mean > SHORT else 0.0
    rates, weights = [], []
    for place in PLACES:
        other = rate * math.exp(place * deviation)
        log_weight = (prior.changes + changes - open_changes) * place * deviation - other * seconds
        if open_changes:
            log_weight += open_changes * math.log(-math.expm1(-other * mean))
        rates.append(other)
        weights.append(log_weight)
    top = max(weights)
    weights = [math.exp(log_weight - top) for log_weight in weights]
    total = sum(weights)
    return Belief(tuple(rates), tuple([weight / total for weight in weights]))


def mean_value(objective: Objective, belief: Belief, seconds: float) -> float:
    """Return what a visit is worth `seconds` after the last one."""
    return _value_and_slope(objective, _scales(objective, belief), belief.rates, seconds)[0]


def worth_after(objective: Objective, belief: Belief, price: float, *, near: float, most: float) -> float:
    """Return the seconds after which a visit is worth its price, sought from `near`; infinite past `most`."""
    if len(belief.rates) == 1 or price <= 0.0:
        return worth_after_at(objective, belief.rates[0], price)
    scales = _scales(objective, belief)
    seconds = min(near, most)
    for _ in range(STEPS):
        value, slope = _value_and_slope(objective, scales, belief.rates, seconds)
        # Newton's steps, with logarithms on both axes: there the value is all but a straight line at first.
        step = math.log(price / max(value, TINY)) * value / max(slope, TINY)
        if step > 0.0 and seconds >= most:
            return math.inf
        step = min(max(step, -STEP_MAX), STEP_MAX)
        seconds = min(seconds * math.exp(step), most)
        if abs(step) < CLOSE_ENOUGH:
            break
    return seconds


def _scales(objective: Objective, belief: Belief) -> tuple[float, ...]:
    """Return for each rate what its share or lag is to be multiplied by."""
    if objective is Objective.CHANGES:
        return belief.weights
    power = 1 if objective is Objective.FRESHNESS else 2
    pairs = zip(belief.weights, belief.rates, strict=True)
    return tuple([weight / rate**power for weight, rate in pairs])


def _value_and_slope(
    objective: Objective, scales: tuple[float, ...], rates: tuple[float, ...], seconds: float
) -> tuple[float, float]:
    """Return the value of a visit, and by how much it grows when the seconds do, in relation to them."""
    value = slope = 0.0
    is_age = objective is Objective.AGE
    for scale, rate in zip(scales, rates, strict=True):
        x = rate * seconds
        shrunk = math.exp(-min(x, 700.0))
        value += scale * (lag(x) if is_age else share(x))
        slope += scale * x * x * (1.0 - shrunk if is_age else shrunk)
    return value, slope
