"""Everything is visited once more, round after round."""

from dataclasses import replace

import msgspec
import pytest
from vigil import DAY, HOME, UNIFORM, Watch, ok, refused

from tiptoe.frontier import rounds
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.frontier.rounds import Round, united_rounds
from tiptoe.protocol.work import Request, Result

PAGES = [HOME, *(f"{HOME}{number}" for number in range(9))]


def own_text(request: Request, now: float) -> Result:
    """An answer that says something else under each address, and always the same."""
    if request.last_visit is not None:
        return Result(request, status=304, is_changed=False)
    said = request.url.encode()
    return Result(request, status=200, text_chars=100, content_hash=said, text_hash=said)


def run_out(watch: Watch) -> list[str]:
    """Go on until nothing is left; return what was asked for."""
    asked = []
    for _ in range(100):
        asked += [request.url for _, request in watch.run(60.0)]
        if watch.frontier.is_finished():
            return asked
    raise AssertionError("it does not end")


@pytest.mark.parametrize("strategy", ["uniform", "adaptive", "optimal"])
def test_a_round_visits_every_page_once_though_none_is_due(
    strategy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a strategy says of their worth; also when they are more than one step looks at."""
    monkeypatch.setattr(rounds, "PAGES_AT_ONCE", 3)
    watch = Watch(revisit=replace(UNIFORM, strategy=strategy), answer=own_text)
    watch.add(*PAGES)
    assert sorted(run_out(watch)) == sorted(PAGES)
    for number in (1, 2):
        watch.now += 600.0  # the player is ahead of its clock within a visit
        watch.frontier.rounds.begin(watch.now)
        assert not watch.frontier.is_finished()
        assert sorted(run_out(watch)) == sorted(PAGES)
        assert watch.frontier.counters.totals.rounds == number
    assert all(request.last_visit is not None for _, request in watch.asked[len(PAGES) :])


def test_a_round_goes_on_after_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was visited in it before is not visited again."""
    monkeypatch.setattr(rounds, "PAGES_AT_ONCE", 3)
    watch = Watch(answer=own_text)
    watch.add(*PAGES)
    run_out(watch)
    watch.now += 600.0  # the player is ahead of its clock within a visit
    watch.frontier.rounds.begin(watch.now)
    before = [request.url for _, request in watch.run(5.0)]
    watch.start(UNIFORM)
    assert 0 < len(before) < len(PAGES)
    assert sorted(before + run_out(watch)) == sorted(PAGES)
    assert watch.frontier.counters.totals.rounds == 1


def test_a_round_takes_in_what_was_visited_when_nothing_was_watched() -> None:
    """A crawl that ended long ago can be made to loop."""
    watch = Watch(revisit=RevisitPolicy(), answer=own_text)
    watch.add(*PAGES)
    run_out(watch)
    watch.start(UNIFORM)
    watch.now += 600.0  # the player is ahead of its clock within a visit
    watch.frontier.rounds.begin(watch.now)
    assert sorted(run_out(watch)) == sorted(PAGES)
    assert watch.frontier.counters.learned.account.pages == len(PAGES)


def test_a_page_that_waits_for_another_try_keeps_its_moment() -> None:
    """A round is no reason to ask a host in trouble sooner."""
    is_down = False

    def answer(request: Request, now: float) -> Result:
        return refused(request, now) if is_down else ok(request, now)

    watch = Watch(answer=answer)
    watch.add(HOME)
    run_out(watch)
    is_down = True
    watch.run(1.01 * DAY)
    next_at = watch.page().next_visit_at
    watch.now += 600.0  # the player is ahead of its clock within a visit
    watch.frontier.rounds.begin(watch.now)
    watch.round()
    assert watch.page().next_visit_at == next_at > watch.now


def test_an_empty_round_is_the_last() -> None:
    """Nobody goes in circles around nothing."""
    watch = Watch(answer=lambda request, now: Result(request, status=404))
    watch.add(HOME)
    run_out(watch)
    assert watch.frontier.rounds.is_possible
    watch.now += 600.0  # the player is ahead of its clock within a visit
    watch.frontier.rounds.begin(watch.now)
    assert run_out(watch) == []
    assert not watch.frontier.rounds.is_possible


def test_without_revisits_there_is_no_round() -> None:
    assert not Watch(revisit=RevisitPolicy()).frontier.rounds.is_possible


def test_a_round_that_was_cut_short_ends_when_nothing_is_revisited_any_more() -> None:
    """Whoever continues a loop without it would otherwise wait for ever."""
    watch = Watch(answer=own_text)
    watch.add(*PAGES)
    run_out(watch)
    watch.now += 600.0  # the player is ahead of its clock within a visit
    watch.frontier.rounds.begin(watch.now)
    watch.start(RevisitPolicy())
    assert watch.frontier.is_finished()


def test_a_round_is_joined_once() -> None:
    """Shards of one crawl are told of it again and again."""
    watch = Watch(answer=own_text)
    watch.add(*PAGES)
    run_out(watch)
    for number in (4, 4, 3):
        watch.now += 600.0  # the player is ahead of its clock within a visit
        watch.frontier.rounds.join(number, watch.now)
        run_out(watch)
    assert len(watch.asked) == 2 * len(PAGES)
    assert watch.frontier.rounds.number == 4


def test_rounds_of_several_shards_become_one_that_leaves_nothing_out() -> None:
    """It goes on where the slowest was."""
    done, early, late = (
        Round(9.0, b"", False, 5, 2),
        Round(8.0, b"b", True, 1, 2),
        Round(9.0, b"c", True, 2, 2),
    )
    stored = united_rounds(map(msgspec.msgpack.encode, [done, late, early, Round(3.0, b"a", True, 7, 1)]))
    assert stored is not None
    assert msgspec.msgpack.decode(stored, type=Round) == Round(8.0, b"b", True, 8, 2)
    assert united_rounds([]) is None
