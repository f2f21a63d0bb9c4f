"""Is the crawl value what the theory says, for rates and times of any size?"""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.revisit.value import Objective, crawl_value, worth_after

objectives = st.sampled_from(Objective)
rates = st.floats(-12.0, 3.0).map(lambda power: 10.0**power)
changes = st.floats(-6.0, 1.3).map(lambda power: 10.0**power)  # expected between two visits


@pytest.mark.parametrize(
    ("objective", "value"),
    [
        (Objective.FRESHNESS, (1 - 3 * math.exp(-2)) / 0.5),
        (Objective.CHANGES, 1 - 3 * math.exp(-2)),
        (Objective.AGE, (2 - 1 + 3 * math.exp(-2)) / 0.25),
    ],
)
def test_the_value_is_that_of_the_papers(objective: Objective, value: float) -> None:
    assert crawl_value(objective, 0.5, 4.0) == pytest.approx(value)


@given(objectives, rates, changes)
def test_a_page_is_worth_its_value_after_exactly_that_time(
    objective: Objective, rate: float, x: float
) -> None:
    """The calendar holds the moments, not the values: one must lead back to the other."""
    seconds = x / rate
    price = crawl_value(objective, rate, seconds)
    assert crawl_value(objective, rate, worth_after(objective, rate, price)) == pytest.approx(price, rel=1e-6)
    assert worth_after(objective, rate, price) == pytest.approx(seconds, rel=1e-4)


@given(objectives, rates, changes, st.floats(1.01, 10.0))
def test_a_visit_is_worth_more_the_longer_it_is_waited_for(
    objective: Objective, rate: float, x: float, longer: float
) -> None:
    early, late = (crawl_value(objective, rate, seconds) for seconds in (x / rate, longer * x / rate))
    assert late >= early
    assert x > 15 or late > early


@given(objectives, rates, changes, st.floats(1.001, 10.0))
def test_a_higher_price_never_means_an_earlier_visit(
    objective: Objective, rate: float, x: float, dearer: float
) -> None:
    price = crawl_value(objective, rate, x / rate)
    assert worth_after(objective, rate, dearer * price) >= worth_after(objective, rate, price)


def test_pages_that_change_too_fast_are_given_up_for_freshness_only() -> None:
    assert worth_after(Objective.FRESHNESS, 10.0, 0.2) == math.inf
    assert worth_after(Objective.CHANGES, 10.0, 0.2) < math.inf
    assert worth_after(Objective.AGE, 10.0, 0.2) < math.inf


@given(objectives, st.floats(1e-15, 1e6), st.floats(0.0, 1e15))
def test_no_rate_and_no_price_is_too_strange(objective: Objective, rate: float, price: float) -> None:
    seconds = worth_after(objective, rate, price)
    assert seconds >= 0.0
    assert not math.isnan(seconds)
