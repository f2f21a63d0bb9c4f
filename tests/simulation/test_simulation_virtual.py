"""Several processes on one clock that never waits."""

import asyncio
import time

import pytest

from simulated.virtual import Killed, Timeline, TimeStandsStill, VirtualLoop, run_virtual


async def tick(notes: list[tuple[str, float]], name: str, seconds: float, times: int = 3) -> None:
    for _ in range(times):
        await asyncio.sleep(seconds)
        notes.append((name, asyncio.get_running_loop().time()))


def two_processes() -> tuple[Timeline, VirtualLoop, VirtualLoop, list[tuple[str, float]]]:
    """Return two processes that tick every second, the second one half a second later."""
    timeline = Timeline()
    first, second = timeline.loop("first"), timeline.loop("second")
    notes: list[tuple[str, float]] = []
    first.create_task(tick(notes, "first", 1.0))
    second.call_at(0.5, lambda: second.create_task(tick(notes, "second", 1.0)))
    return timeline, first, second, notes


def test_a_day_passes_in_no_time() -> None:
    """Nobody sleeps: time jumps to the next thing that happens."""
    began = time.monotonic()

    async def sleep_long() -> float:
        await asyncio.sleep(86_400.0)
        return asyncio.get_running_loop().time()

    assert run_virtual(sleep_long()) == 86_400.0
    assert time.monotonic() - began < 10.0


def test_what_falls_due_together_happens_in_the_order_it_was_asked_for() -> None:
    """Else a failing seed would not fail again."""
    timeline = Timeline()
    loop = timeline.loop("main")
    notes: list[int] = []
    for number in range(100):
        loop.call_at(1.0, notes.append, number)
    timeline.run()
    assert notes == list(range(100))


def test_the_tools_of_asyncio_work() -> None:
    """The crawler uses them all and must not notice where it runs."""

    async def use_everything() -> list[object]:
        done: list[object] = []
        gate, lock = asyncio.Event(), asyncio.Lock()
        asyncio.get_running_loop().call_later(2.0, gate.set)
        try:
            await asyncio.wait_for(gate.wait(), 1.0)
        except TimeoutError:
            done.append("timed out")
        async with lock, asyncio.timeout(5.0), asyncio.Semaphore(1):
            await gate.wait()
        done.append(asyncio.get_running_loop().time())
        done += await asyncio.gather(asyncio.sleep(1.0, "a"), asyncio.sleep(0.5, "b"))
        sleeping = asyncio.ensure_future(asyncio.sleep(9.0))
        await asyncio.wait({sleeping}, timeout=1.0)
        sleeping.cancel()
        return done

    assert run_virtual(use_everything()) == ["timed out", 2.0, "a", "b"]


def test_a_frozen_process_stands_still_while_the_others_go_on() -> None:
    """SIGSTOP: what falls due meanwhile happens when it thaws, not earlier."""
    timeline, first, _, notes = two_processes()
    first.call_at(1.2, first.freeze)
    timeline.loop("outside").call_at(9.0, first.thaw)
    timeline.run()
    assert notes == [
        ("first", 1.0), ("second", 1.5), ("second", 2.5), ("second", 3.5), ("first", 9.0), ("first", 10.0),
    ]  # fmt: skip


def test_a_killed_process_says_nothing_more() -> None:
    """SIGKILL: not even its last timer fires."""
    timeline, first, _, notes = two_processes()
    first.call_at(1.2, first.kill)
    timeline.run()
    assert notes == [("first", 1.0), ("second", 1.5), ("second", 2.5), ("second", 3.5)]
    assert repr(first) == "<VirtualLoop first dead, 0 tasks>"


def test_code_can_kill_its_own_process() -> None:
    """As a page does that crashes its parser."""
    timeline, first, _, notes = two_processes()

    async def crash() -> None:
        await asyncio.sleep(1.2)
        raise Killed(9)

    first.create_task(crash())
    timeline.run()
    assert [name for name, _ in notes].count("first") == 1
    assert first.is_dead


def test_a_task_that_will_not_die_is_buried_all_the_same() -> None:
    """It may catch the cancellation and go on; a kill does not wait for it."""
    timeline = Timeline()
    loop = timeline.loop("stubborn")

    async def cling() -> None:
        for _ in range(20):
            try:
                await asyncio.sleep(1.0)
            except asyncio.CancelledError:
                await asyncio.sleep(0.0)

    loop.create_task(cling())
    timeline.run(until=0.5)
    loop.kill()
    assert repr(loop) == "<VirtualLoop stubborn dead, 0 tasks>"


def test_waiting_for_what_never_comes_is_noticed() -> None:
    """A dead lock would otherwise look like the end."""

    async def wait_for_ever() -> None:
        await asyncio.get_running_loop().create_future()

    with pytest.raises(TimeoutError):
        run_virtual(wait_for_ever())


def test_going_in_circles_without_waiting_is_noticed() -> None:
    """Else the simulation itself would hang."""

    async def spin() -> None:
        while True:
            await asyncio.sleep(0.0)

    timeline = Timeline()
    loop = timeline.loop("spinning")
    loop.create_task(spin())
    with pytest.raises(TimeStandsStill, match="spinning"):
        timeline.run()
    loop.kill()


def test_time_ends_where_it_is_told_to() -> None:
    timeline, _, _, notes = two_processes()
    assert timeline.run(until=1.0) is False
    assert notes == [("first", 1.0)]
    assert timeline.run(is_over=lambda: len(notes) == 3) is True
    assert timeline.now == 2.0
