"""How soon a harvester comes back to a keeper it has lost."""

from hypothesis import given
from hypothesis import strategies as st

from tiptoe.harvest.comeback import GOOD_LIFE_SECONDS, WAIT_SECONDS_FIRST, WAIT_SECONDS_MAX, Comeback

DAY = 86_400.0


def waits(comeback: Comeback, tries: int, *, chance: float = 0.0) -> list[float | None]:
    """Return the waits of attempts that come to nothing at once."""
    now, found = 0.0, []
    for _ in range(tries):
        wait = comeback.wait_seconds(now, now, chance)
        found.append(wait)
        now += wait or 0.0
    return found


def test_a_keeper_that_stays_away_is_looked_for_ever_more_slowly() -> None:
    assert waits(Comeback(give_up_seconds=DAY, now=0.0), 8) == [1, 2, 4, 8, 16, 32, 60, 60]


def test_after_a_good_life_it_is_soon_again() -> None:
    comeback = Comeback(give_up_seconds=DAY, now=0.0)
    waits(comeback, 7)
    assert comeback.wait_seconds(1000.0, 1000.0 + GOOD_LIFE_SECONDS, 0.0) == WAIT_SECONDS_FIRST


@given(st.lists(st.floats(0.0, 1.0), max_size=50))
def test_chance_spreads_those_who_were_cut_off_together(chances: list[float]) -> None:
    """Else all of them would come in the same moment, again and again."""
    comeback = Comeback(give_up_seconds=0.0, now=0.0)
    for number, chance in enumerate(chances):
        longest = min(WAIT_SECONDS_FIRST * 2**number, WAIT_SECONDS_MAX)
        assert comeback.wait_seconds(0.0, 0.0, chance) == longest * (1 - chance / 2)


def test_it_gives_up_after_the_time_it_was_given_and_one_last_try() -> None:
    found = waits(Comeback(give_up_seconds=10.0, now=0.0), 6)
    assert found == [1, 2, 4, 3, None, None]


def test_each_good_life_gives_it_the_whole_time_anew() -> None:
    comeback = Comeback(give_up_seconds=10.0, now=0.0)
    assert comeback.wait_seconds(0.0, 100.0, 0.0) == 1.0


def test_it_never_gives_up_when_nobody_wants_it_to() -> None:
    comeback = Comeback(give_up_seconds=0.0, now=0.0)
    assert comeback.wait_seconds(1e9, 1e9, 0.0) == WAIT_SECONDS_FIRST
