"""A few at a time, in order."""

import asyncio

from tiptoe.harvest.desk import Desk


def test_so_many_are_served_per_turn_of_the_loop_in_order() -> None:
    """Hundreds of answers at once must not keep the loop from its sockets."""

    async def run() -> list[list[int]]:
        desk = Desk(seats=3)
        turns: list[list[int]] = [[]]

        async def digest(number: int) -> None:
            await desk.sit()
            turns[-1].append(number)

        async def look() -> None:
            while sum(map(len, turns)) < 10:
                await asyncio.sleep(0)
                turns.append([])

        await asyncio.gather(*(digest(number) for number in range(10)), look())
        return turns

    turns = asyncio.run(run())
    assert [number for turn in turns for number in turn] == list(range(10))
    assert max(map(len, turns)) <= 3


def test_whoever_was_cancelled_keeps_nobody_waiting() -> None:
    """A visit may end while it waits for its seat."""

    async def run() -> int:
        desk = Desk(seats=1)
        tasks = [asyncio.ensure_future(desk.sit()) for _ in range(4)]
        await asyncio.sleep(0)
        tasks[2].cancel()
        finished = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 10.0)
        return sum(outcome is None for outcome in finished)

    assert asyncio.run(run()) == 3


def test_a_free_desk_keeps_nobody_waiting() -> None:
    """One page at a time costs nothing."""

    async def run() -> bool:
        desk = Desk(seats=1)
        step = desk.sit()
        try:
            step.send(None)
        except StopIteration:
            return True
        return False

    assert asyncio.run(run())
