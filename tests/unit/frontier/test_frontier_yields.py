"""How much usable text is to be expected."""

import functools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.frontier.yields import (
    CREDENCE_PAGES_MAX,
    CREDENCE_PAGES_MIN,
    FIRST_PAGES,
    PRODUCTIVITY_PAGES_MAX,
    Experience,
    Productivity,
    cost_of,
    expected_yield,
    handed_on,
    is_unproductive,
    usable_chars,
)

shares = st.floats(0.0, 1.0)
hosts = st.lists(st.lists(shares, min_size=1, max_size=40), max_size=20)


def crop_of(*shares: float, cost: float = 10_000.0) -> Productivity:
    """Return the productivity of pages of one size that gave these shares of it."""
    productivity = Productivity()
    for share in shares:
        productivity.add(cost, share * cost)
    return productivity


def experience_of(hosts: list[list[float]]) -> Experience:
    """Return what a crawl has learned from hosts whose pages gave these shares."""
    experience = Experience()
    for pages in hosts:
        productivity = Productivity()
        for share in pages:
            productivity.add(10_000.0, share * 10_000.0)
            experience.learn(productivity, 10_000.0, share * 10_000.0)
    return experience


def test_a_host_with_two_pages_is_not_judged_wildly() -> None:
    """The average speaks for whom we hardly know."""
    after_two, after_fifty = crop_of(0.0, 0.0), crop_of(*[0.0] * 50)
    assert expected_yield(Productivity(), 0.1, 4.0) == pytest.approx(0.1)
    assert expected_yield(after_two, 0.1, 4.0) > 0.06
    assert expected_yield(after_fifty, 0.1, 4.0) < 0.01


@given(st.lists(shares, min_size=1, max_size=50), shares, st.floats(0.5, 16.0))
def test_what_is_expected_lies_between_the_crop_and_the_average(
    pages: list[float], average: float, credence: float
) -> None:
    productivity = crop_of(*pages)
    low, high = sorted((productivity.share, average))
    assert low - 1e-9 <= expected_yield(productivity, average, credence) <= high + 1e-9


def test_hosts_that_lie_far_apart_are_believed_sooner() -> None:
    """How many pages convince is learned from the hosts of the crawl."""
    apart = experience_of(
        [[0.2] * FIRST_PAGES if number % 2 else [0.0] * FIRST_PAGES for number in range(20)]
    )
    mingled = experience_of([[0.2, 0.0] * (FIRST_PAGES // 2) for _ in range(20)])
    assert apart.credence_pages == CREDENCE_PAGES_MIN
    assert mingled.credence_pages == CREDENCE_PAGES_MAX
    assert apart.share == pytest.approx(0.1)
    assert mingled.share == pytest.approx(0.1)


@given(hosts)
def test_whatever_the_web_gives_the_measure_stays_within_bounds(hosts: list[list[float]]) -> None:
    """Also when all is nothing, all is alike, or there is one host only."""
    experience = experience_of(hosts)
    assert CREDENCE_PAGES_MIN <= experience.credence_pages <= CREDENCE_PAGES_MAX
    assert 0.0 <= experience.share <= 1.0 + 1e-9


def test_a_host_without_end_teaches_no_more_than_others() -> None:
    """Else the crawl would take the largest trap for the measure of the web."""
    small = [[0.2] * FIRST_PAGES for _ in range(9)]
    assert experience_of([*small, [0.0] * 5000]).share == pytest.approx(0.18)


def test_what_a_site_gave_long_ago_fades() -> None:
    """Sites change hands."""
    productivity = crop_of(*[0.2] * 400, *[0.0] * 3000)
    assert productivity.share < 0.001
    assert productivity.pages <= PRODUCTIVITY_PAGES_MAX


def test_nothing_after_a_fair_trial_is_barren() -> None:
    experience = experience_of([[0.1] * FIRST_PAGES for _ in range(10)])
    judged = functools.partial(is_unproductive, experience=experience, min_yield=0.03, trial_pages=30)
    assert not judged(crop_of(*[0.0] * 29))
    assert judged(crop_of(*[0.0] * 30))
    assert not is_unproductive(crop_of(*[0.0] * 30), experience, min_yield=0.0, trial_pages=30)
    assert not judged(crop_of(*[0.0] * 29, 0.5))  # one long text outweighs much


def test_good_texts_on_heavy_pages_are_no_barren_land() -> None:
    """Two megabytes of scripts around it make an article no worse."""
    experience = experience_of([[0.1] * FIRST_PAGES for _ in range(10)])
    heavy = crop_of(*[0.0005] * 100, cost=2_000_000.0)
    assert heavy.share < 0.03 * experience.share
    assert not is_unproductive(heavy, experience, min_yield=0.03, trial_pages=30)


def test_lists_come_later_and_are_never_barren() -> None:
    """They cost something and bring nothing themselves, but nobody has judged them."""
    experience = experience_of([[0.1] * FIRST_PAGES for _ in range(10)])
    productivity = Productivity()
    for _ in range(450):
        productivity.add(10_000.0, None)
        assert not is_unproductive(productivity, experience, min_yield=0.03, trial_pages=30)
    assert expected_yield(productivity, 0.1, 4.0) < 0.01
    for _ in range(30):
        productivity.add(10_000.0, 0.0)
    assert is_unproductive(productivity, experience, min_yield=0.03, trial_pages=30)


def test_lists_beside_good_texts_do_not_make_them_barren() -> None:
    """A hundred lists for each article: what is judged is the article."""
    experience = experience_of([[0.1] * FIRST_PAGES for _ in range(10)])
    productivity = crop_of(*[0.1] * 30)
    for _ in range(400):
        productivity.add(10_000.0, None)
    assert not is_unproductive(productivity, experience, min_yield=0.3, trial_pages=30)


def test_where_nothing_gives_anything_nothing_is_left() -> None:
    """A segmenter that says 0 to everything must not end the crawl."""
    experience = experience_of([[0.0] * FIRST_PAGES for _ in range(10)])
    assert not is_unproductive(crop_of(*[0.0] * 100), experience, min_yield=0.03, trial_pages=30)


def test_what_a_page_brings_is_what_enters_the_corpus() -> None:
    assert usable_chars(0.5, 1000, None, "") == 500.0
    assert usable_chars(0.5, 1000, 120, "") == 120.0
    assert usable_chars(0.9, 1000, None, "noindex") == 0.0
    assert cost_of(0) > 0  # an empty answer is not free


@pytest.mark.parametrize(
    ("parent", "usability", "expected"), [(0.7, None, 0.7), (0.0, None, 0.0), (0.7, 0.0, 0.0)]
)
def test_an_unknown_page_hands_on_what_its_parent_had(
    parent: float, usability: float | None, expected: float
) -> None:
    assert handed_on(parent, usability) == expected
