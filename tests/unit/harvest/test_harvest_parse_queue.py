"""Some at a time, in order, in a row."""

import asyncio
from collections.abc import Callable

import pytest

from tiptoe.harvest.parse_queue import ParseQueue


class Clock:
    """Stands still unless somebody works."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def read_per_turn(parse_queue: ParseQueue, pages: int, read: Callable[[int], None]) -> list[list[int]]:
    """Lay so many pages on the parse_queue at once; return which were read in each turn of the loop."""
    turns: list[list[int]] = [[]]

    def note(number: int) -> None:
        read(number)
        turns[-1].append(number)

    outcomes = [parse_queue.add(lambda number=number: note(number)) for number in range(pages)]  # type: ignore[misc]
    while not all(outcome.done() for outcome in outcomes):
        await asyncio.sleep(0)
        turns.append([])
    return turns


def test_so_many_are_read_per_turn_of_the_loop_in_order() -> None:
    """Hundreds of answers at once must not keep the loop from its sockets."""

    async def run() -> list[list[int]]:
        return await read_per_turn(ParseQueue(3), 10, lambda number: None)

    turns = asyncio.run(run())
    assert [number for turn in turns for number in turn] == list(range(10))
    assert max(map(len, turns)) == 3


def test_answers_of_one_turn_are_read_before_anybody_goes_on() -> None:
    """That is what makes a page cheaper: nothing comes between two of them."""

    async def run() -> list[str]:
        parse_queue, happened = ParseQueue(8), list[str]()

        async def journey(name: str) -> None:
            await parse_queue.add(lambda: happened.append(f"{name} read"))
            happened.append(f"{name} goes on")

        await asyncio.gather(*(journey(name) for name in "ab"))
        return happened

    assert asyncio.run(run()) == ["a read", "b read", "a goes on", "b goes on"]


def test_whoever_was_cancelled_is_not_read() -> None:
    """A visit may end while its answer waits."""

    async def run() -> list[int]:
        parse_queue, read = ParseQueue(1), list[int]()
        outcomes = [parse_queue.add(lambda number=number: read.append(number)) for number in range(4)]  # type: ignore[misc]
        outcomes[2].cancel()
        await asyncio.wait_for(asyncio.gather(*outcomes, return_exceptions=True), 10.0)
        return read

    assert asyncio.run(run()) == [0, 1, 3]


def test_what_goes_wrong_is_told_to_whom_it_concerns() -> None:
    """One page that cannot be read must not take the others of its turn along."""

    def fail() -> int:
        raise ValueError("no page")

    async def run() -> None:
        parse_queue = ParseQueue(8)
        bad, good = parse_queue.add(fail), parse_queue.add(lambda: 7)
        with pytest.raises(ValueError, match="no page"):
            await bad
        assert await good == 7

    asyncio.run(run())


def test_nothing_is_read_between_a_fault_and_whom_it_concerns() -> None:
    """A page that brings us down must be known as the last one we were busy with."""

    async def run() -> list[str]:
        parse_queue, happened = ParseQueue(8), list[str]()

        def fail() -> None:
            raise ValueError("no page")

        async def journey() -> None:
            with pytest.raises(ValueError, match="no page"):
                await parse_queue.add(fail)
            happened.append("met")

        task = asyncio.ensure_future(journey())
        await asyncio.sleep(0)
        other = parse_queue.add(lambda: happened.append("read"))
        await asyncio.gather(task, other)
        return happened

    assert asyncio.run(run()) == ["met", "read"]


def test_of_long_pages_fewer_are_read_at_a_time_and_of_short_ones_many_again() -> None:
    """Sixty long pages in one turn would let the keeper wait for a beat until it gives us up."""

    async def run() -> tuple[int, ...]:
        clock = Clock()
        parse_queue = ParseQueue(64, clock=clock)
        most = []
        for pages, seconds_each in ((2000, 0.001), (500, 0.02), (4000, 0.001)):

            def work(number: int, seconds: float = seconds_each) -> None:
                clock.now += seconds

            turns = await read_per_turn(parse_queue, pages, work)
            most.append(max(map(len, turns[len(turns) // 2 :])))
        return tuple(most)

    assert asyncio.run(run()) == (64, 5, 64)
