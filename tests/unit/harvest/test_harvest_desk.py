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


def test_long_pages_are_served_by_fewer_at_a_time_and_short_ones_by_many_again() -> None:
    """Sixty long pages in one turn would let the keeper wait for a beat until it gives us up."""

    class Clock:
        now = 0.0

        def __call__(self) -> float:
            return self.now

    async def run() -> tuple[int, int, int]:
        clock = Clock()
        desk = Desk(seats=64, clock=clock)

        async def most_per_turn(pages: int, seconds_each: float) -> int:
            turns = [0]

            async def digest() -> None:
                await desk.sit()
                clock.now += seconds_each
                turns[-1] += 1

            async def look() -> None:
                while sum(turns) < pages:
                    await asyncio.sleep(0)
                    turns.append(0)

            await asyncio.gather(*(digest() for _ in range(pages)), look())
            return max(turns[len(turns) // 2 :])

        return (
            await most_per_turn(2000, 0.001),
            await most_per_turn(500, 0.02),
            await most_per_turn(4000, 0.001),
        )

    assert asyncio.run(run()) == (64, 5, 64)
