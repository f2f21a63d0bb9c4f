"""What a crawl has promised to operators is judged by what its keeper heard, in the order it heard it."""

import pytest

from simulated.promises import CarriedOut, Confirmation, Promise, promises_of
from simulated.run import simulate
from tiptoe.frontier.frontier import Frontier
from tiptoe.keeper.commands import answer
from tiptoe.keeper.keeper import Keeper
from tiptoe.keeper.plan import CommandReply
from tiptoe.protocol.operator import (
    BlockHost,
    Command,
    Done,
    PauseCrawl,
    ResumeCrawl,
    UnblockHost,
)

NEVER = float("inf")
PAUSE, RESUME = PauseCrawl(), ResumeCrawl()
BLOCK, UNBLOCK = BlockHost("a.example"), UnblockHost("a.example")


def promised(
    *heard: tuple[float, Command | None], order: PauseCrawl | BlockHost = PAUSE, grace: float = 0.0
) -> list[Promise]:
    """Return what is promised to an operator who asked at 1.0 and was told yes at 3.0."""
    return promises_of(
        [Confirmation(order, 1.0, 3.0, grace)], [CarriedOut(at, command) for at, command in heard]
    )


@pytest.mark.parametrize(
    ("heard", "until"),
    [
        ([(2.0, PAUSE)], NEVER),
        ([(2.0, PAUSE), (9.0, RESUME)], 9.0),
        ([(2.0, PAUSE), (9.0, None)], 9.0),
        ([(0.5, PAUSE), (1.5, RESUME), (2.0, PAUSE), (7.0, RESUME)], 7.0),
        ([(2.0, PAUSE), (5.0, UNBLOCK), (7.0, RESUME), (8.0, PAUSE)], 7.0),
        ([(2.0, PAUSE), (2.5, PAUSE), (7.0, RESUME)], 7.0),
    ],
)
def test_a_pause_holds_until_the_keeper_hears_otherwise_or_ends(
    heard: list[tuple[float, Command | None]], until: float
) -> None:
    """Not until somebody says so: that may take a while to arrive, and nobody may be asked before."""
    assert promised(*heard) == [Promise("", 3.0, until)]


@pytest.mark.parametrize(
    "heard",
    [
        [(2.0, PAUSE), (2.5, RESUME)],
        [(2.0, PAUSE), (2.5, None)],
        [(2.0, PAUSE), (2.2, RESUME), (2.5, PAUSE)],  # who was told yes may be either of the two
        [(0.5, PAUSE)],
        [(3.5, PAUSE)],
        [],
    ],
)
def test_what_was_taken_back_before_the_answer_arrived_is_no_promise(
    heard: list[tuple[float, Command | None]],
) -> None:
    assert promised(*heard) == []


def test_a_block_outlives_its_keeper() -> None:
    """It is in the database."""
    heard = [(2.0, BLOCK), (4.0, None), (5.0, RESUME), (6.0, UnblockHost("b.example")), (9.0, UNBLOCK)]

    assert promised(*heard, order=BLOCK) == [Promise("a.example", 3.0, 9.0)]


def test_harvesters_that_could_not_be_told_have_the_rest_of_their_lease() -> None:
    assert promised((2.0, PAUSE), (9.0, RESUME), grace=4.0) == [Promise("", 7.0, 9.0)]
    assert promised((2.0, PAUSE), (6.0, RESUME), grace=4.0) == []


def test_the_last_order_wins_however_long_another_took() -> None:
    """One operator's "go on" was held up for six seconds, and ended the pause of another."""
    assert simulate(60150).problems == []


# -- it can fail ---------------------------------------------------------


def _passes_over_pauses(keeper: Keeper, command: Command) -> CommandReply:
    return Done("yes, yes") if isinstance(command, PauseCrawl) else answer(keeper, command)


class PassesOverBlocks(Frontier):
    """Says yes and does nothing."""

    def block(self, host: str, now: float, *, is_blocked: bool = True) -> None:
        return


def test_a_keeper_that_passes_over_a_pause_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simulated.keepers.answer", _passes_over_pauses)
    found = (problem for seed in (3, 6, 8, 14, 24) for problem in simulate(seed).problems)
    assert any("everybody was to be left alone" in problem for problem in found)


def test_a_frontier_that_passes_over_a_block_is_caught() -> None:
    seeds = (0, 6, 27, 29)
    runs = (simulate(seed, build_frontier=PassesOverBlocks) for seed in seeds)
    assert any("was to be left alone" in problem for run in runs for problem in run.problems)
