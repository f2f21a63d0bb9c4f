"""Do the strategies that judge each page by itself do what INC-2 says?"""

import pytest

from tiptoe.experiment.changing_pages import ByChance, ChangingPage
from tiptoe.revisit.strategies import Adaptive, Observation, Uniform

DAY = 86400.0
CHANGED, UNCHANGED, UNKNOWN = Observation(True), Observation(False), Observation(None)
ADAPTIVE = Adaptive(first=5 * DAY, least=3600.0, most=180 * DAY)


def visited(*, interval: float, changed_at: float, visits: int = 5) -> ChangingPage:
    """Return a page last visited on day 100."""
    return ChangingPage(
        ByChance(1.0),
        visits=visits,
        interval=interval,
        first_visit_at=1.0,
        last_visit_at=100 * DAY,
        changed_at=changed_at,
    )


def test_uniform_always_waits_as_long() -> None:
    page = visited(interval=DAY, changed_at=100 * DAY)
    assert {Uniform(5 * DAY).next_visit(page, seen, 100 * DAY) for seen in (CHANGED, UNCHANGED, UNKNOWN)} == {
        5 * DAY
    }


def test_adaptive_comes_sooner_after_a_change() -> None:
    page = visited(interval=10 * DAY, changed_at=100 * DAY)
    assert ADAPTIVE.next_visit(page, CHANGED, 100 * DAY) == pytest.approx(8 * DAY)


def test_adaptive_comes_later_after_none() -> None:
    page = visited(interval=10 * DAY, changed_at=95 * DAY)
    assert ADAPTIVE.next_visit(page, UNCHANGED, 100 * DAY) == pytest.approx(12 * DAY)


def test_adaptive_waits_at_least_as_long_as_the_page_has_been_quiet() -> None:
    """What has not changed for 30 days will hardly change within 12."""
    page = visited(interval=10 * DAY, changed_at=70 * DAY)
    assert ADAPTIVE.next_visit(page, UNCHANGED, 100 * DAY) == pytest.approx(30 * DAY)


def test_a_page_that_was_never_seen_to_change_is_quiet_since_the_first_visit() -> None:
    page = visited(interval=10 * DAY, changed_at=0.0)
    assert ADAPTIVE.next_visit(page, UNCHANGED, 100 * DAY) == pytest.approx(100 * DAY - 1.0)


def test_a_change_ends_the_quiet_time() -> None:
    """Else a page that is visited too rarely could never be visited more often."""
    page = visited(interval=40 * DAY, changed_at=100 * DAY)
    assert ADAPTIVE.next_visit(page, CHANGED, 100 * DAY) == pytest.approx(32 * DAY)


def test_adaptive_keeps_to_its_limits() -> None:
    assert ADAPTIVE.next_visit(visited(interval=3700.0, changed_at=100 * DAY), CHANGED, 100 * DAY) == 3600.0
    assert (
        ADAPTIVE.next_visit(visited(interval=170 * DAY, changed_at=90 * DAY), UNCHANGED, 100 * DAY)
        == 180 * DAY
    )


def test_the_second_visit_comes_after_the_first_interval() -> None:
    assert ADAPTIVE.next_visit(visited(interval=0.0, changed_at=0.0, visits=1), UNKNOWN, 100 * DAY) == 5 * DAY


def test_a_visit_that_says_nothing_changes_nothing() -> None:
    assert ADAPTIVE.next_visit(visited(interval=7 * DAY, changed_at=0.0), UNKNOWN, 100 * DAY) == 7 * DAY


@pytest.mark.parametrize("coefficient", [0.0, 0.5])
def test_the_coefficients_are_the_operators(coefficient: float) -> None:
    strategy = Adaptive(first=DAY, least=1.0, most=1000 * DAY, shrink=coefficient, grow=coefficient)
    page = visited(interval=10 * DAY, changed_at=100 * DAY)
    assert strategy.next_visit(page, CHANGED, 100 * DAY) == pytest.approx(10 * DAY * (1 - coefficient))
    assert strategy.next_visit(page, UNCHANGED, 100 * DAY) == pytest.approx(10 * DAY * (1 + coefficient))
