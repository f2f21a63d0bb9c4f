"""Revisits and new pages side by side with the whole crawler, day after day: neither side starves."""

from collections import Counter

from simulated.watching import watch_web
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.testing.shape import WebShape

DAY = 200.0
"""Seconds; all pauses are as much shorter than usual."""

ENDLESS = WebShape(
    seed=3, hosts=2, hosts_per_address=1, pages_per_host=5_000, pages_spread=0.0, page_bytes=4_000,
    links_per_page=12, external_share=0.05, languages=("en",), change_seconds=DAY,
)  # fmt: skip
"""More pages than can be visited in that time, so there is always something new."""

POLITENESS = Politeness(req_delay=1.0, max_hosts=1, max_reqs=5, general_pause=4.0)


def revisits_by_day(share: float, days: int) -> list[float]:
    """Return which share of the pages asked for was known, on each day but the first."""
    policy = RevisitPolicy(
        strategy="adaptive", first_seconds=DAY / 4, min_seconds=DAY / 8, max_seconds=DAY, share=share,
        is_endless=True,
    )  # fmt: skip
    watched = watch_web(ENDLESS, policy, POLITENESS, measured_from=DAY, until=days * DAY)
    assert watched.violations == ()
    new, again = Counter[int](), Counter[int]()
    for first, *later in watched.visits.values():
        new[int(first / DAY)] += 1
        again.update(int(at / DAY) for at in later)
    return [again[day] / (again[day] + new[day]) for day in range(1, days)]


def test_both_sides_get_their_share_on_every_day_of_a_fortnight() -> None:
    """More pages than ever are to be visited again, and there are always more new ones.

    A month of it is with the frontier alone, in `test_frontier_shares.py`.
    """
    by_day = revisits_by_day(0.3, 14)
    assert max(abs(share - 0.3) for share in by_day) <= 0.02


def test_without_a_share_of_their_own_new_pages_starve() -> None:
    """So that the fortnight above proves something."""
    assert min(revisits_by_day(1.0, 6)) > 0.9
