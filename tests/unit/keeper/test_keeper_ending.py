"""What follows when a crawl has come to its end."""

import asyncio
from io import StringIO

import pytest

from tiptoe.keeper.afterwards import Afterwards
from tiptoe.keeper.ending import Sequel, is_worth_another, runs_end_command, sequel_of
from tiptoe.observe.eventlog import EventLog
from tiptoe.observe.stops import Stop
from tiptoe.protocol.status import Cause


@pytest.mark.parametrize("on_end", ["quit", "idle", "watch", "loop", "again"])
@pytest.mark.parametrize("stop", [*Stop, None])
def test_only_who_has_nothing_left_goes_on(stop: Stop | None, on_end: str) -> None:
    """A limit, a signal, a word of the operator: the run is over, whatever was to follow."""
    expected = Sequel(on_end) if stop is Stop.FINISHED and on_end != "watch" else Sequel.QUIT
    assert sequel_of(stop, on_end) is expected


@pytest.mark.parametrize(
    ("on_end", "expected"), [("idle", Sequel.IDLE), ("loop", Sequel.QUIT), ("again", Sequel.QUIT)]
)
def test_nobody_goes_in_circles_around_nothing(on_end: str, expected: Sequel) -> None:
    assert sequel_of(Stop.FINISHED, on_end, is_fruitful=False) is expected


def test_a_crawl_that_was_complete_may_begin_again_and_one_that_brings_nothing_may_not() -> None:
    """`--on-end again` on a finished crawl is a wish to run it once more, not a circle around nothing."""
    assert is_worth_another(0, is_continuation=True)
    assert is_worth_another(3, is_continuation=False)
    assert not is_worth_another(0, is_continuation=False)


def test_who_is_in_a_hurry_does_not_wait_for_a_command() -> None:
    assert [stop for stop in Stop if not runs_end_command(stop)] == [Stop.INTERRUPTED, Stop.UNREAD]
    assert not runs_end_command(None)


class World:
    """A crawl that has nothing left, and a command that takes as long as a test wants."""

    def __init__(self, *, has_command: bool = True) -> None:
        self.requests = 10
        self.rounds = 0
        self.told: list[Stop] = []
        self.may_end = asyncio.Event()
        self.can_loop = True
        self.log = StringIO()
        self.afterwards = Afterwards(
            EventLog("keeper", self.log), requests=lambda: self.requests, can_loop=lambda: self.can_loop,
            loop=self.loop,
        )  # fmt: skip
        if has_command:
            self.afterwards.tell = self.tell

    def loop(self) -> None:
        self.rounds += 1

    async def tell(self, stop: Stop) -> None:
        self.told.append(stop)
        await self.may_end.wait()

    async def look(self, on_end: str) -> bool:
        await asyncio.sleep(0)
        goes_on = self.afterwards.goes_on(Stop.FINISHED, on_end)
        await asyncio.sleep(0)
        return goes_on


def test_the_command_comes_before_the_next_round() -> None:
    """A round that begins under a command that copies files would change them."""

    async def play() -> None:
        world = World()
        assert await world.look("loop")
        assert await world.look("loop")
        assert (world.told, world.rounds) == ([Stop.FINISHED], 0)
        assert world.afterwards.cause is Cause.END_COMMAND
        world.may_end.set()
        await world.look("loop")
        assert await world.look("loop") or world.rounds
        assert world.rounds >= 1

    asyncio.run(play())


def test_an_idle_crawl_tells_its_command_once_for_each_time_it_has_worked() -> None:
    async def play() -> None:
        world = World()
        world.may_end.set()
        for _ in range(5):
            assert await world.look("idle")
        assert (len(world.told), world.afterwards.cause) == (1, Cause.IDLE)
        assert world.afterwards.has_told
        world.requests += 1
        world.afterwards.note_work()
        assert world.afterwards.cause is None
        for _ in range(5):
            await world.look("idle")
        assert len(world.told) == 2
        assert world.log.getvalue().count("crawl.idle") == 2

    asyncio.run(play())


def test_without_a_command_the_next_round_begins_at_once() -> None:
    async def play() -> None:
        world = World(has_command=False)
        assert await world.look("loop")
        assert world.rounds == 1
        world.can_loop = False
        assert not await world.look("loop")

    asyncio.run(play())


def test_who_is_told_to_quit_while_idle_quits() -> None:
    async def play() -> None:
        world = World(has_command=False)
        assert await world.look("idle")
        assert not await world.look("quit")

    asyncio.run(play())
