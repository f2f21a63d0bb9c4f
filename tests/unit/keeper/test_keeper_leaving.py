"""Does a keeper go on with what it still holds while others take over?"""

import asyncio

import pytest

from tiptoe.keeper.leaving import work_until_left
from tiptoe.observe.stops import Stop


def turns_while_leaving(stopped_because: Stop | None, *, turns: int) -> int:
    """Return how often work was handed out, of a leave that is done after so many turns of it."""
    handed = 0

    async def main() -> None:
        done = asyncio.Event()

        async def leave() -> None:
            if turns:
                await asyncio.wait_for(done.wait(), 0.3 if stopped_because is Stop.TIME_LIMIT else 10.0)

        def hand_out() -> None:
            nonlocal handed
            handed += 1
            if handed == turns:
                done.set()

        await work_until_left(leave, hand_out, stopped_because)

    asyncio.run(main())
    return handed


@pytest.mark.parametrize("reason", [Stop.OPERATOR, Stop.INTERRUPTED])
def test_work_goes_on_until_everything_is_given_away(reason: Stop) -> None:
    """With a million addresses in a queue, whoever takes over needs a while to get ready."""
    assert turns_while_leaving(reason, turns=3) == 3


def test_who_has_nothing_to_give_away_hands_out_nothing_more() -> None:
    """A crawl on one machine ends."""
    assert turns_while_leaving(Stop.OPERATOR, turns=0) == 0


def test_a_crawl_that_is_over_does_not_go_on_while_it_leaves() -> None:
    with pytest.raises(TimeoutError):
        turns_while_leaving(Stop.TIME_LIMIT, turns=1)


def test_a_fault_of_leaving_is_told() -> None:
    async def leave() -> None:
        raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        asyncio.run(work_until_left(leave, lambda: None, Stop.OPERATOR))
