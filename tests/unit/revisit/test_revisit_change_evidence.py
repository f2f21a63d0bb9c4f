"""Is it learned how often a page changes?"""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.revisit.change_evidence import ChangeEvidence, Prior, noted, rate_of

DAY = 86400.0
NO_MEMORY_LOSS = 1e12
DOUBTFUL = Prior.of(1.0 / DAY, 0.5)


def watched(
    rate: float, intervals: list[float], *, seed: int = 1, memory: float = NO_MEMORY_LOSS
) -> ChangeEvidence:
    """Return the evidence of a page that changes by chance."""
    chance = random.Random(seed)
    evidence = ChangeEvidence()
    for seconds in intervals:
        is_changed = chance.random() < -math.expm1(-rate * seconds)
        evidence = noted(
            evidence, quiet_seconds=0.0, open_seconds=seconds, is_changed=is_changed, memory=memory
        )
    return evidence


@pytest.mark.parametrize("days", [0.1, 1.0, 3.0])
def test_many_visits_tell_the_rate(days: float) -> None:
    """Also when most intervals hid several changes: the naive count would be far too low at 3 days."""
    evidence = watched(1.0 / DAY, [days * DAY] * 5000)
    assert rate_of(evidence, DOUBTFUL) * DAY == pytest.approx(1.0, rel=0.1)


def test_uneven_intervals_tell_it_nearly_as_well() -> None:
    """Only sums are kept, so this is an approximation; it must not be a bad one."""
    chance = random.Random(7)
    evidence = watched(1.0 / DAY, [chance.uniform(0.2, 2.0) * DAY for _ in range(5000)])
    assert rate_of(evidence, DOUBTFUL) * DAY == pytest.approx(1.0, rel=0.2)


def test_equal_intervals_give_the_estimate_of_cho_and_garcia_molina() -> None:
    evidence = ChangeEvidence(changes=30, changed_seconds=30 * DAY, unchanged_seconds=20 * DAY)
    assert rate_of(evidence, Prior.of(1.0 / DAY, 1e-6)) * DAY == pytest.approx(math.log(50 / 20), rel=1e-3)


def test_without_visits_the_prior_stands() -> None:
    assert rate_of(ChangeEvidence(), Prior.of(0.25, 3.0)) == pytest.approx(0.25)


def test_two_visits_are_not_believed_wildly() -> None:
    """All of two visits found a change: the rate might be anything, so it is thought to be little higher."""
    twice = ChangeEvidence(changes=2, changed_seconds=2 * DAY)
    never = ChangeEvidence(unchanged_seconds=2 * DAY)
    assert 1.0 < rate_of(twice, DOUBTFUL) * DAY < 5.0
    assert 0.1 < rate_of(never, DOUBTFUL) * DAY < 1.0


def test_a_page_that_has_changed_its_habits_is_learned_anew() -> None:
    evidence = watched(2.0 / DAY, [DAY] * 300, memory=64.0)
    for _ in range(200):
        evidence = noted(evidence, quiet_seconds=0.0, open_seconds=DAY, is_changed=False, memory=64.0)
    assert rate_of(evidence, DOUBTFUL) * DAY < 0.1


def test_a_change_whose_moment_is_known_tells_more() -> None:
    """A hint says that it came after 3 quiet days; without it, nothing is known of those."""
    told = noted(ChangeEvidence(), quiet_seconds=3 * DAY, open_seconds=0.0, is_changed=True, memory=64.0)
    untold = noted(ChangeEvidence(), quiet_seconds=0.0, open_seconds=3 * DAY, is_changed=True, memory=64.0)
    assert rate_of(told, DOUBTFUL) < rate_of(untold, DOUBTFUL)


spans = st.floats(0.0, 1e9)
counts = st.floats(0.0, 1e4)


@given(counts, spans, spans, st.floats(1e-9, 10.0), st.floats(0.1, 10.0))
def test_every_evidence_gives_a_rate_that_solves_its_equation(
    changes: float, interval: float, unchanged: float, rate: float, strength: float
) -> None:
    evidence, prior = ChangeEvidence(changes, changes * interval, unchanged), Prior.of(rate, strength)
    found = rate_of(evidence, prior)
    assert 0.0 < found < math.inf
    x = found * interval
    hidden = x / math.expm1(x) if 1e-9 < x < 700 else float(x <= 1e-9)
    left = prior.changes + changes * hidden
    assert found * (prior.seconds + unchanged) == pytest.approx(left, rel=0.02)
