"""Is a visit valued by all that the rate may be, not by one guess?"""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.revisit.belief import Belief, belief_of, mean_value, worth_after
from tiptoe.revisit.change_evidence import ChangeEvidence, Prior, rate_of
from tiptoe.revisit.value import Objective, crawl_value

DAY = 86400.0
PRIOR = Prior.of(1.0 / DAY, 0.5)
YEARS = 1000 * 365 * DAY


def exact(evidence: ChangeEvidence, prior: Prior, wanted: str) -> float:
    """Return a mean over the belief, by a sum over thousands of rates."""
    total = summed = 0.0
    mean = evidence.changed_seconds / evidence.changes if evidence.changes else 0.0
    for number in range(4000):
        log_rate = math.log(rate_of(evidence, prior)) - 9.0 + number * 0.004
        rate = math.exp(log_rate)
        log_weight = prior.changes * log_rate - rate * (prior.seconds + evidence.unchanged_seconds)
        if evidence.changes:
            log_weight += evidence.changes * math.log(-math.expm1(-rate * mean))
        weight = math.exp(log_weight + 20.0)
        total += weight
        summed += weight * (log_rate if wanted == "log" else crawl_value(Objective.FRESHNESS, rate, DAY))
    return summed / total


@pytest.mark.parametrize(
    "evidence",
    [
        ChangeEvidence(1.0, 3 * DAY, 0.0),
        ChangeEvidence(1.0, 30 * DAY, 0.0),
        ChangeEvidence(2.0, 4 * DAY, 10 * DAY),
        ChangeEvidence(5.0, 5 * DAY, 2 * DAY),
    ],
)
def test_a_few_rates_stand_for_all(evidence: ChangeEvidence) -> None:
    belief = belief_of(evidence, PRIOR)
    assert sum(belief.weights) == pytest.approx(1.0)
    assert belief.mean_log_rate == pytest.approx(exact(evidence, PRIOR, "log"), abs=0.1)
    assert mean_value(Objective.FRESHNESS, belief, DAY) == pytest.approx(
        exact(evidence, PRIOR, "value"), rel=0.05
    )


def test_a_change_seen_says_that_a_page_is_not_slow() -> None:
    """How fast it is stays open; that it stands still is out of the question."""
    slow = 0.01 / DAY
    unseen = belief_of(ChangeEvidence(), PRIOR)
    changed = belief_of(ChangeEvidence(1.0, 3 * DAY, 0.0), PRIOR)

    def doubt(belief: Belief) -> float:
        return sum(weight for rate, weight in zip(*belief, strict=True) if rate < slow)

    assert doubt(unseen) > 0.03
    assert doubt(changed) < 0.001


def test_after_many_visits_one_rate_is_enough() -> None:
    evidence = ChangeEvidence(30.0, 30 * DAY, 20 * DAY)
    assert belief_of(evidence, PRIOR) == Belief((rate_of(evidence, PRIOR),), (1.0,))


@given(
    st.sampled_from(Objective), st.floats(0.0, 10.0), st.floats(0.0, 100.0), st.floats(0.0, 300.0),
    st.floats(0.1, 30.0), st.floats(0.001, 1000.0),
)  # fmt: skip
def test_a_page_is_worth_its_price_after_the_time_that_is_said(
    objective: Objective, changes: float, interval: float, unchanged: float, days: float, near: float
) -> None:
    """From wherever the search begins."""
    belief = belief_of(ChangeEvidence(changes, changes * interval * DAY, unchanged * DAY), PRIOR)
    price = mean_value(objective, belief, days * DAY)
    seconds = worth_after(objective, belief, price, near=near * DAY, most=YEARS)
    if math.isfinite(seconds):
        assert mean_value(objective, belief, seconds) == pytest.approx(price, rel=0.01)
    else:  # the value of a fast page hardly grows any more
        assert mean_value(objective, belief, YEARS) == pytest.approx(price, rel=0.01)


def test_what_is_never_worth_its_price_is_given_up() -> None:
    belief = belief_of(ChangeEvidence(10.0, 0.1 * DAY, 0.0), PRIOR)
    assert worth_after(Objective.FRESHNESS, belief, DAY, near=DAY, most=365 * DAY) == math.inf
