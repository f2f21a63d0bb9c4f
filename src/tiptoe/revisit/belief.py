"""How often may a page change, and what is a visit to it worth then?

A single rate would not be enough. A page found changed after a month may change once a week or every minute:
at one rate it is worth watching, at the other it is not. So a belief is a handful of rates around the
likeliest one, spread according to the uncertainty, each with the weight that the evidence gives it. A visit
is worth the mean of its values at these rates (`value.py`).
"""

import math
from typing import NamedTuple

from tiptoe.revisit.change_evidence import ChangeEvidence, Prior, hidden_changes, rate_of
from tiptoe.revisit.value import Objective, lag, share
from tiptoe.revisit.value import worth_after as worth_after_at

__all__ = ["Belief", "belief_of", "mean_value", "worth_after"]

PLACES = (-4.0, -2.9, -1.8, -0.75, 0.3, 1.4, 2.5)
"""Distances of the rates from the likeliest one, in standard deviations of the logarithm. They reach farther
towards slow rates: it soon shows that a page changes, but takes long to show that it does not."""

CERTAIN = 15.0
"""Number of changes (as if seen one by one) above which only the likeliest rate is used."""

SHORT = 1e-9
"""Expected number of changes in an interval below which there was at most one."""

STEPS = 20
STEP_MAX = 1.5
CLOSE_ENOUGH = 2e-3
TINY = 1e-300


class Belief(NamedTuple):
    """Rates with their probabilities, which add up to 1."""

    rates: tuple[float, ...]
    weights: tuple[float, ...]

    @property
    def mean_log_rate(self) -> float:
        """Mean of the logarithm of the rate."""
        return sum(weight * math.log(rate) for rate, weight in zip(self.rates, self.weights, strict=True))


def belief_of(evidence: ChangeEvidence, prior: Prior) -> Belief:
    """Return the belief about a page."""
    rate = rate_of(evidence, prior)
    seconds = prior.seconds + evidence.unchanged_seconds
    changes = evidence.changes
    mean = evidence.changed_seconds / changes if changes > 0.0 else 0.0
    # How sharply the belief falls off around its mode; for changes seen one by one, this is their number.
    _, slope = hidden_changes(rate * mean)
    sharpness = rate * (seconds - changes * slope * mean)
    if sharpness > CERTAIN:
        return Belief((rate,), (1.0,))
    deviation = 1.0 / math.sqrt(sharpness)
    # In a very short interval there was exactly one change; otherwise there may have been more.
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
    """Return the seconds after which a visit is worth its price; infinity if that takes longer than `most`.

    The search begins at `near`.
    """
    if len(belief.rates) == 1 or price <= 0.0:
        return worth_after_at(objective, belief.rates[0], price)
    scales = _scales(objective, belief)
    seconds = min(near, most)
    for _ in range(STEPS):
        value, slope = _value_and_slope(objective, scales, belief.rates, seconds)
        # Newton's method with logarithms on both axes, where the value is almost a straight line at first.
        step = math.log(price / max(value, TINY)) * value / max(slope, TINY)
        if step > 0.0 and seconds >= most:
            return math.inf
        step = min(max(step, -STEP_MAX), STEP_MAX)
        seconds = min(seconds * math.exp(step), most)
        if abs(step) < CLOSE_ENOUGH:
            break
    return seconds


def _scales(objective: Objective, belief: Belief) -> tuple[float, ...]:
    """Return for each rate the factor by which its share or lag is multiplied."""
    if objective is Objective.CHANGES:
        return belief.weights
    power = 1 if objective is Objective.FRESHNESS else 2
    pairs = zip(belief.weights, belief.rates, strict=True)
    return tuple([weight / rate**power for weight, rate in pairs])


def _value_and_slope(
    objective: Objective, scales: tuple[float, ...], rates: tuple[float, ...], seconds: float
) -> tuple[float, float]:
    """Return the value of a visit, and `seconds` times its derivative by the seconds."""
    value = slope = 0.0
    is_age = objective is Objective.AGE
    for scale, rate in zip(scales, rates, strict=True):
        x = rate * seconds
        shrunk = math.exp(-min(x, 700.0))
        value += scale * (lag(x) if is_age else share(x))
        slope += scale * x * x * (1.0 - shrunk if is_age else shrunk)
    return value, slope
