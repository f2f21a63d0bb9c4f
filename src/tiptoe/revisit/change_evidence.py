"""How often does a page change?

A visit shows only whether a page has changed since the previous one, not how often.
So three sums are kept, which are enough for an estimate whatever the intervals were.

The model: changes occur at random, `rate` of them per second. An interval of s
seconds then ends unchanged with probability exp(-rate * s). The estimate is the
mode of the posterior of log(rate), given the visits and a prior. It is never
0 and never infinite, not even if every visit found a change, or none did.
"""

import math

import msgspec

__all__ = ["ChangeEvidence", "Prior", "hidden_changes", "noted", "rate_of"]

NEWTON_STEPS = 8
CLOSE_ENOUGH = 1e-4
"""Relative error at which an estimate is good enough; the rate itself is known far less exactly."""

FORGOTTEN = 1e-9
"""Number of changes below which faded evidence of changes is ignored."""


class ChangeEvidence(msgspec.Struct, array_like=True, gc=False):
    """Sums over the visits of one page, or of all pages of a host."""

    changes: float = 0.0  # visits that found a change
    changed_seconds: float = 0.0  # sum of the intervals that ended with such a visit
    unchanged_seconds: float = 0.0  # sum of the others


class Prior(msgspec.Struct, array_like=True, gc=False):
    """The belief before the first visit: as if `changes` had been seen in `seconds`."""

    changes: float
    seconds: float

    @property
    def rate(self) -> float:
        """Changes per second."""
        return self.changes / self.seconds

    @classmethod
    def of(cls, rate: float, strength: float) -> "Prior":
        """Return a belief in a rate, as strong as `strength` changes seen."""
        return cls(strength, strength / rate)


def noted(
    evidence: ChangeEvidence, *, quiet_seconds: float, open_seconds: float, is_changed: bool, memory: float
) -> ChangeEvidence:
    """Return the evidence with one more interval; older ones fade a little.

    The interval has `quiet_seconds` known to be without a change, and `open_seconds` for which only
    `is_changed` is known. After many visits, the evidence is that of about the last `memory` ones.
    """
    kept = 1.0 - 1.0 / memory
    changes = evidence.changes * kept
    changed_seconds = evidence.changed_seconds * kept
    unchanged_seconds = evidence.unchanged_seconds * kept + quiet_seconds
    if is_changed:
        return ChangeEvidence(changes + 1.0, changed_seconds + open_seconds, unchanged_seconds)
    return ChangeEvidence(changes, changed_seconds, unchanged_seconds + open_seconds)


def rate_of(evidence: ChangeEvidence, prior: Prior) -> float:
    """Return the estimated number of changes per second.

    Solves `prior.changes + changes * x / (exp(x) - 1) = rate * (prior.seconds + unchanged_seconds)`, where
    x is the rate times the mean interval that ended with a change.
    """
    seconds = prior.seconds + evidence.unchanged_seconds
    changes = evidence.changes
    # The left side falls and the right side rises with the rate, so this is an upper bound.
    rate = (prior.changes + changes) / seconds
    if changes < FORGOTTEN or evidence.changed_seconds <= 0.0:
        return rate
    mean = evidence.changed_seconds / changes
    if rate * mean < CLOSE_ENOUGH:
        return rate
    # A first guess that is exact if all intervals are equal and the prior is weak.
    rate = min(rate, math.log1p((changes + prior.changes) * mean / seconds) / mean)
    for _ in range(NEWTON_STEPS):
        left, slope = hidden_changes(rate * mean)
        step = (prior.changes + changes * left - rate * seconds) / (seconds - changes * slope * mean)
        rate = max(rate + step, rate * 0.1)
        if abs(step) < CLOSE_ENOUGH * rate:
            break
    return rate


def hidden_changes(x: float) -> tuple[float, float]:
    """Return x / (exp(x) - 1), and its slope.

    This is how much information, in changes seen one by one, there is in an interval that ended changed and
    in which x changes were to be expected.
    """
    if x > 500.0:
        return 0.0, 0.0
    if x < 1e-6:
        return 1.0, -0.5
    grown = math.expm1(x)
    left = x / grown
    return left, (1.0 - left * (1.0 + grown)) / grown
