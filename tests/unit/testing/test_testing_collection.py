"""The truth about a collection, by hand and by counting."""

from dataclasses import replace

import pytest

from tiptoe.testing.collection import true_freshness
from tiptoe.testing.editions import changed_at, vanishes_at
from tiptoe.testing.recorder import Arrival
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb

BEGAN_AT = 1_790_000_000.0
WEB = SimulatedWeb(WebShape(hosts=3, pages_per_host=5, pages_spread=0.0, change_seconds=100.0))
HOST = WEB.hosts.at(0)


def arrive(at: float, target: str = "/", status: int = 200) -> Arrival:
    return Arrival(BEGAN_AT + at, BEGAN_AT + at + 0.1, HOST.name, "192.0.2.1", "GET", target, status, "x", 1)


def change(number: int) -> float:
    """Return when the home page appeared in this edition."""
    return changed_at(WEB.shape, HOST, 0, number)


def test_a_copy_is_fresh_until_the_first_change_after_its_visit() -> None:
    first, second = change(1), change(2)
    visits = [first - 1.0, second + 3.0, second + 4.0]
    truth = true_freshness(
        WEB, [arrive(visits[1]), arrive(visits[0]), arrive(visits[2], status=304)],
        began_at=BEGAN_AT, ended_at=BEGAN_AT + change(3) + 7.0,
    )  # fmt: skip
    assert truth.watched_seconds == pytest.approx(visits[2] - visits[0])
    assert truth.fresh_seconds == pytest.approx(1.0 + 1.0)
    outdated = visits[1] - first
    assert truth.age_integral == pytest.approx(outdated**2 / 2)
    assert (truth.revisits, truth.revisits_changed, truth.changes) == (2, 1, 2)
    assert (truth.pages, truth.fresh) == (1, 0)
    assert truth.aged_seconds == pytest.approx(7.0)


def test_a_copy_that_nothing_happened_to_is_fresh_in_the_end() -> None:
    truth = true_freshness(
        WEB, [arrive(change(1) + 0.5)], began_at=BEGAN_AT, ended_at=BEGAN_AT + change(1) + 0.6
    )
    assert (truth.pages, truth.fresh, truth.aged_seconds, truth.watched_seconds) == (1, 1, 0.0, 0.0)


def test_only_pages_that_were_answered_in_this_rehearsal_count() -> None:
    """Arrivals of an earlier one are of another time of the web."""
    arrivals = [arrive(-5.0), arrive(1.0, "/robots.txt"), arrive(2.0, status=503), arrive(900.0)]
    truth = true_freshness(WEB, arrivals, began_at=BEGAN_AT, ended_at=BEGAN_AT + 100.0)
    assert truth.pages == 0


def test_a_copy_of_a_page_that_has_vanished_is_out_of_date_until_somebody_finds_out() -> None:
    """Then it is no copy of anything any more, and leaves the collection."""
    web = SimulatedWeb(replace(WEB.shape, vanishing_share=1.0, vanishing_seconds=50.0, static_share=1.0))
    path, vanished = web.graph.path_of(HOST, 1).decode(), vanishes_at(web.shape, HOST, 1)
    seen = arrive(vanished - 2.0, path)
    unnoticed = true_freshness(web, [seen], began_at=BEGAN_AT, ended_at=BEGAN_AT + vanished + 5.0)
    assert (unnoticed.pages, unnoticed.fresh, unnoticed.gone) == (1, 0, 0)
    assert unnoticed.aged_seconds == pytest.approx(5.0)

    looked_for = [arrive(vanished + 3.0, path, 404), arrive(vanished + 9.0, path, 404)]
    found = true_freshness(web, [seen, *looked_for], began_at=BEGAN_AT, ended_at=BEGAN_AT + vanished + 20.0)
    assert (found.pages, found.fresh, found.gone, found.aged_seconds) == (0, 0, 1, 0.0)
    assert found.watched_seconds == pytest.approx(5.0)
    assert found.fresh_seconds == pytest.approx(2.0)
    assert found.age_integral == pytest.approx(3.0**2 / 2)
    assert (found.revisits, found.caught, found.changes) == (0, 1, 1)

    never_seen = true_freshness(web, looked_for, began_at=BEGAN_AT, ended_at=BEGAN_AT + vanished + 20.0)
    assert (never_seen.pages, never_seen.gone) == (0, 0)


def test_a_change_before_it_vanished_makes_a_copy_old_from_then_on() -> None:
    web = SimulatedWeb(replace(WEB.shape, change_seconds=5.0, vanishing_share=1.0, vanishing_seconds=500.0))
    number = next(n for n in range(1, 5) if vanishes_at(web.shape, HOST, n) > 30.0)
    first = changed_at(web.shape, HOST, number, 1)
    vanished = vanishes_at(web.shape, HOST, number)
    path = web.graph.path_of(HOST, number).decode()
    visits = [arrive(first - 0.1, path), arrive(vanished + 1.0, path, 404)]
    found = true_freshness(web, visits, began_at=BEGAN_AT, ended_at=BEGAN_AT + vanished + 2.0)
    assert found.fresh_seconds == pytest.approx(0.1)
    assert (found.gone, found.caught) == (1, 1)
    assert found.changes > 5  # editions that nobody saw, and the end of the page


def test_the_truth_is_what_counting_every_moment_gives() -> None:
    """The integrals against a stupid sum over small steps."""
    visits = [3.0, 160.0, 161.0, 400.0, 777.0]
    truth = true_freshness(WEB, map(arrive, visits), began_at=BEGAN_AT, ended_at=BEGAN_AT + 777.0)
    changes = [change(number) for number in range(1, 60)]
    step, fresh, aged = 0.01, 0.0, 0.0
    for number in range(int((777.0 - 3.0) / step)):
        at = 3.0 + (number + 0.5) * step
        seen = max(visit for visit in visits if visit <= at)
        missed = [moment for moment in changes if seen < moment <= at]
        fresh += 0.0 if missed else step
        aged += (at - missed[0]) * step if missed else 0.0
    assert truth.fresh_seconds == pytest.approx(fresh, abs=0.1)
    assert truth.age_integral == pytest.approx(aged, rel=1e-3)
