"""What comes first, and that nothing comes never."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiptoe.frontier.priority import (
    CLASSES,
    LEVELS,
    class_of,
    favoured_level,
    level_of,
    level_of_yield,
    quotas,
    shifted,
)
from tiptoe.protocol.work import Purpose

waiting = st.lists(st.integers(0, 30), min_size=CLASSES, max_size=CLASSES)


@pytest.mark.parametrize(
    ("purpose", "depth", "usability", "hint", "expected"),
    [
        (Purpose.PAGE, 0, 1.0, -1, 0),  # a seed
        (Purpose.ROBOTS, 9, 0.0, 3, 0),
        (Purpose.SITEMAP, 5, 1.0, -1, 0),
        (Purpose.PAGE, 1, 1.0, -1, 1),
        (Purpose.PAGE, 2, 1.0, -1, 1),
        (Purpose.PAGE, 3, 1.0, -1, 2),
        (Purpose.PAGE, 9, 1.0, -1, 3),
        (Purpose.PAGE, 1, 0.1, -1, 3),  # found in a document of little use
        (Purpose.PAGE, 9, 0.1, 1, 1),  # a sitemap knows better
        (Purpose.PAGE, 9, 1.0, 99, CLASSES - 1),
    ],
)
def test_requests_have_their_class(
    purpose: Purpose, depth: int, usability: float, hint: int, expected: int
) -> None:
    """Depth, the parent's usability and a sitemap's priority count (FRO-3)."""
    assert class_of(purpose, depth, usability, hint) == expected


@given(waiting, st.integers(0, 60), st.integers(0, 1000))
def test_quotas_fill_the_visit_with_what_is_there(waiting: list[int], wanted: int, turn: int) -> None:
    """Neither more than is wanted nor more than waits, and never less than could be had."""
    given_out = quotas(waiting, wanted, turn)
    assert all(0 <= share <= there for share, there in zip(given_out, waiting, strict=True))
    assert sum(given_out) == min(wanted, sum(waiting))


@given(waiting, st.integers(1, 60))
def test_no_class_is_starved(waiting: list[int], wanted: int) -> None:
    """Whatever waits is served within a few rounds, also when visits are very short."""
    served: Counter[int] = Counter()
    for turn in range(3 * 8):
        for index, share in enumerate(quotas(waiting, wanted, turn)):
            served[index] += share
    assert all(served[index] for index in range(CLASSES) if waiting[index])


def test_the_first_class_has_the_largest_share() -> None:
    """A share for everybody, most for the best."""
    assert quotas([100, 100, 100, 100], 48, 0) == [30, 6, 6, 6]
    assert quotas([0, 0, 0, 100], 48, 0) == [0, 0, 0, 48]


def test_hosts_with_text_that_answer_fast_come_first() -> None:
    """Usable text per byte, and speed (FRO-3)."""
    levels = [level_of(500, 1000, 0.1), level_of(100, 1000, 0.1), level_of(10, 1000, 0.1)]
    assert levels == [0, 1, 2]
    assert level_of(500, 1000, 9.0) == 1
    assert level_of(10, 1000, 9.0) == LEVELS - 1
    assert level_of(0, 0, 0.0) == 1  # nothing is known of it


def test_a_host_never_asked_stands_by_who_leads_to_it() -> None:
    """In-links from other hosts count (FRO-3), from useless pages they do not."""
    assert [level_of(0, 0, 0.0, inlinks) for inlinks in (20, 1, 0)] == [0, 1, 2]


def test_hosts_are_compared_with_the_average() -> None:
    """What is much depends on the web that is crawled: pages grow heavier every year."""
    assert [level_of_yield(ratio, 0.1) for ratio in (2.0, 1.0, 0.4, 0.0)] == [0, 1, 2, 3]
    assert level_of_yield(2.0, 9.0) == 1
    assert level_of_yield(0.0, 9.0) == LEVELS - 1


def test_a_section_moves_its_requests_within_the_lower_classes() -> None:
    """The first class is for seeds, sitemaps and rules; no section gets there or is kept from there."""
    assert [shifted(2, shift) for shift in (-1, 0, 1, 2)] == [1, 2, 3, 3]
    assert (shifted(1, -1), shifted(0, 2)) == (1, 0)


def test_every_level_has_its_turns() -> None:
    """8 : 4 : 2 : 1, so that the last is served too."""
    assert Counter(map(favoured_level, range(15))) == {0: 8, 1: 4, 2: 2, 3: 1}
