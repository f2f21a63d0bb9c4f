"""Millions of things in little memory."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.observe.tally import BoundedTally, Row, Spread, Timeline

NAMES = st.lists(st.tuples(st.integers(0, 40).map(str), st.integers(0, 9)), max_size=300)


@given(NAMES)
def test_a_tally_keeps_its_bound_and_loses_nothing_of_the_sum(met: list[tuple[str, int]]) -> None:
    """What is forgotten by name is still counted: shares stay right."""
    tally = BoundedTally(1, names_max=5)
    for name, amount in met:
        tally.add(name, amount)
        assert len(tally) <= 10
    shown = tally.top(3)
    rest = tally.rest(shown)
    rows = [*shown, *([rest] if rest else [])]
    assert tally.count == sum(row.count for row in rows) == len(met)
    assert sum(row.amounts[0] for row in rows) == sum(amount for _, amount in met)


@given(NAMES)
def test_a_count_is_too_low_by_at_most_the_error_that_is_told(met: list[tuple[str, int]]) -> None:
    tally = BoundedTally(1, names_max=5)
    for name, amount in met:
        tally.add(name, amount)
    for row in tally.top(100):
        true = sum(name == row.name for name, _ in met)
        assert row.count <= true <= row.count + tally.error_max


def test_the_biggest_names_survive_a_flood_of_rare_ones() -> None:
    """One hostile server can invent a million content types; those of the crawl must stay."""
    tally = BoundedTally(names_max=10)
    for number in range(10_000):
        tally.add(f"x/{number}")
        tally.add("text/html")
        if number % 3 == 0:
            tally.add("text/plain")
    assert [row.name for row in tally.top(2)] == ["text/html", "text/plain"]
    assert tally.top(1)[0].count == 10_000
    assert len(tally) <= 20


def test_names_are_ordered_by_count_or_by_an_amount_and_then_by_name() -> None:
    tally = BoundedTally(1, names_max=10)
    for name, amount in (("b", 1), ("a", 1), ("c", 9)):
        tally.add(name, amount)
    tally.add("b", 0)
    assert [row.name for row in tally.top(9)] == ["b", "a", "c"]
    assert tally.top(1, by=0) == [Row("c", 1, (9,))]


def test_nothing_left_is_no_rest() -> None:
    tally = BoundedTally(names_max=2)
    tally.add("a")
    assert tally.rest(tally.top(2)) is None


@pytest.mark.parametrize("share", [0.01, 0.5, 0.9, 0.99])
def test_quantiles_are_right_to_within_a_twelfth(share: float) -> None:
    chance = random.Random(7)
    amounts = [chance.lognormvariate(-2, 1.5) for _ in range(5000)]
    spread = Spread(least=0.0001, most=1000)
    for amount in amounts:
        spread.add(amount)
    true = sorted(amounts)[round(share * len(amounts)) - 1]
    assert spread.quantile(share) == pytest.approx(true, rel=1 / 12)
    assert spread.mean == pytest.approx(sum(amounts) / len(amounts))


def test_a_spread_takes_any_amount_in_the_same_room() -> None:
    """A clock that jumps, or a page of a terabyte, ends in the outermost columns."""
    spread = Spread(least=1, most=8)
    for amount in (0, 0.001, 1, 3, 1e12):
        spread.add(amount)
    assert spread.doublings() == [(1, 2, 3), (2, 4, 1), (4, 8, 0), (8, 16, 1)]


def test_an_empty_spread_has_no_columns() -> None:
    spread = Spread(least=1, most=8)
    assert (spread.doublings(), spread.quantile(0.5), spread.mean) == ([], 0.0, 0.0)


@given(st.lists(st.floats(0, 1e10), min_size=1, max_size=50))
def test_a_timeline_keeps_its_bound_and_its_sum_whatever_the_order(moments: list[float]) -> None:
    """Logs of several harvesters are read one after the other, not by time."""
    timeline = Timeline(1, slots_max=8)
    for at in moments:
        timeline.add(at, 1)
    rows = list(timeline.rows())
    assert len(rows) <= 8
    assert sum(amounts[0] for _, amounts in rows) == len(moments)
    assert rows[0][0] <= min(moments)
    assert max(moments) < rows[-1][0] + timeline.slot_seconds


def test_slots_double_until_everything_fits() -> None:
    timeline = Timeline(1, slots_max=4)
    for at in (0.0, 1.0, 2.0, 3.0, 4.0):
        timeline.add(at, 1)
    assert timeline.slot_seconds == 2.0
    assert list(timeline.rows()) == [(0.0, (2,)), (2.0, (2,)), (4.0, (1,))]


def test_quiet_slots_are_shown_as_quiet() -> None:
    timeline = Timeline(1, slots_max=10)
    timeline.add(5.0, 3)
    timeline.add(7.5, 1)
    assert list(timeline.rows()) == [(5.0, (3,)), (6.0, (0,)), (7.0, (1,))]
