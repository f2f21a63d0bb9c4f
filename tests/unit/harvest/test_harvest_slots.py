"""So many requests at once, and no more."""

import asyncio

from tiptoe.harvest.slots import Slots


async def free_in(places: Slots) -> int:
    """Return how many places can be taken at once."""
    takers = [asyncio.ensure_future(places.__aenter__()) for _ in range(9)]
    await asyncio.sleep(0)
    free = sum(taker.done() for taker in takers)
    for taker in takers:
        taker.cancel()
    return free


def test_no_more_than_so_many_are_inside_and_all_come_in_order() -> None:
    """The bound is one on memory: each request may bring a body of some megabytes."""

    async def run() -> tuple[int, list[int]]:
        places = Slots(3)
        inside = most = 0
        order: list[int] = []

        async def ask(number: int) -> None:
            nonlocal inside, most
            async with places:
                inside += 1
                most = max(most, inside)
                order.append(number)
                await asyncio.sleep(0)
                inside -= 1

        await asyncio.gather(*(ask(number) for number in range(20)))
        return most, order

    assert asyncio.run(run()) == (3, list(range(20)))


def test_a_free_place_keeps_nobody_waiting() -> None:
    async def run() -> bool:
        step = Slots(1).__aenter__()
        try:
            step.send(None)
        except StopIteration:
            return True
        return False

    assert asyncio.run(run())


def test_whoever_is_cancelled_in_line_takes_no_place() -> None:
    """Visits end while they wait: by the operator, or because the harvester leaves."""

    async def run() -> int:
        places = Slots(1)
        await places.__aenter__()
        waiting = [asyncio.ensure_future(places.__aenter__()) for _ in range(2)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.sleep(0)
        places.give_back()
        await waiting[1]
        places.give_back()
        return await free_in(places)

    assert asyncio.run(run()) == 1


def test_a_place_is_passed_on_by_whoever_is_cancelled_when_just_called() -> None:
    """Otherwise each such moment would cost a place for good."""

    async def run() -> int:
        places = Slots(1)
        await places.__aenter__()
        waiting = [asyncio.ensure_future(places.__aenter__()) for _ in range(2)]
        await asyncio.sleep(0)
        places.give_back()  # calls the first one,
        waiting[0].cancel()  # which does not know yet
        await asyncio.wait_for(waiting[1], 10.0)
        places.give_back()
        return await free_in(places)

    assert asyncio.run(run()) == 1


def test_an_error_inside_gives_the_place_back() -> None:
    async def run() -> int:
        places = Slots(1)
        try:
            async with places:
                raise ValueError
        except ValueError:
            return await free_in(places)

    assert asyncio.run(run()) == 1
