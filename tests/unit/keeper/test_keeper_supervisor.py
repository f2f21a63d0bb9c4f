"""Processes that are started, replaced and let go; with a small script instead of a harvester."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from keeper_samples import KeptLog

from tiptoe.keeper.supervisor import Supervisor, harvester_command

SCRIPT = """
import os, sys, time
folder, behaviour, name = sys.argv[1], sys.argv[2], sys.argv[4]
open(f"{folder}/{name}.{os.getpid()}", "w").close()
if behaviour == "dies":
    sys.exit(3)
while not os.path.exists(f"{folder}/leave"):
    time.sleep(0.01)
"""


class Ship:
    """A supervisor, and the tracks its processes leave in a folder."""

    def __init__(self, folder: Path, behaviour: str) -> None:
        self.folder = folder
        self.log = KeptLog()
        command = [sys.executable, "-S", "-c", SCRIPT, str(folder), behaviour]
        self.pauses: list[float] = []
        self.supervisor = Supervisor(command, self.log, pause=self.pause)

    async def pause(self, seconds: float) -> None:
        """Nobody waits here."""
        self.pauses.append(seconds)

    def pids(self, name: str) -> list[int]:
        return sorted(int(path.suffix[1:]) for path in self.folder.glob(f"{name}.*"))

    def let_go(self) -> None:
        (self.folder / "leave").touch()


async def until(is_so: Callable[[], object]) -> None:
    async with asyncio.timeout(30.0):
        while not is_so():
            await asyncio.sleep(0.005)


def sail(folder: Path, behaviour: str, step: Callable[[Ship], Awaitable[None]]) -> None:
    async def run() -> None:
        ship = Ship(folder, behaviour)
        try:
            await step(ship)
        finally:
            ship.let_go()
            await ship.supervisor.wait(10.0)
            assert not ship.supervisor.is_running

    asyncio.run(run())


def test_each_place_is_a_process_with_its_name(tmp_path: Path) -> None:
    """A page that crashes one takes nothing else along."""

    async def step(ship: Ship) -> None:
        ship.supervisor.add()
        ship.supervisor.add()
        await until(lambda: ship.pids("h1") and ship.pids("h2"))
        (first,) = ship.pids("h1")
        assert (len(ship.supervisor), ship.supervisor.newest(), ship.supervisor.is_running) == (2, "h2", True)
        assert ship.supervisor.is_alive(first)
        assert not ship.supervisor.is_alive(os.getpid())

    sail(tmp_path, "stays", step)


def test_one_that_cannot_be_started_is_tried_again(tmp_path: Path) -> None:
    """A machine may have no room for one more process just now; without harvesters a crawl stands still."""
    program = tmp_path / "harvester"

    async def step() -> None:
        ship = Ship(tmp_path, "stays")

        async def make_room(seconds: float) -> None:
            await ship.pause(seconds)
            program.symlink_to(sys.executable)

        command = [str(program), "-S", "-c", SCRIPT, str(tmp_path), "stays"]
        ship.supervisor = Supervisor(command, ship.log, pause=make_room)
        ship.supervisor.add()
        await until(lambda: ship.pids("h1"))
        assert len(ship.pauses) == 1
        ship.let_go()
        await ship.supervisor.wait(10.0)

    asyncio.run(step())


def test_where_none_can_be_started_there_is_no_hope(tmp_path: Path) -> None:
    """The run ends and says so, instead of waiting for nobody."""

    async def step() -> None:
        ship = Ship(tmp_path, "stays")
        ship.supervisor = Supervisor([str(tmp_path / "missing")], ship.log, pause=ship.pause)
        ship.supervisor.add()
        await until(lambda: ship.supervisor.is_hopeless)
        await ship.supervisor.wait(0.0)

    asyncio.run(step())


def test_one_that_is_killed_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The crawl goes on with as many as before."""
    monkeypatch.setattr("tiptoe.keeper.supervisor.QUICK_DEATH_SECONDS", 0.0)

    async def step(ship: Ship) -> None:
        ship.supervisor.add()
        await until(lambda: ship.pids("h1"))
        (first,) = ship.pids("h1")
        ship.supervisor.kill("h1")
        await until(lambda: len(ship.pids("h1")) == 2)
        assert not ship.supervisor.is_alive(first)
        assert ("harvester.ended", {"name": "h1", "code": -9}) in ship.log.events

    sail(tmp_path, "stays", step)


def test_one_that_was_released_is_not_replaced(tmp_path: Path) -> None:
    """It has done its packets, or the load has gone."""

    async def step(ship: Ship) -> None:
        ship.supervisor.add()
        await until(lambda: ship.pids("h1"))
        ship.supervisor.release("h1")
        assert (len(ship.supervisor), ship.supervisor.newest()) == (0, None)
        ship.supervisor.kill("h1")
        await until(lambda: not ship.supervisor.is_running)
        assert len(ship.pids("h1")) == 1
        ship.supervisor.release("nobody")
        ship.supervisor.kill("nobody")

    sail(tmp_path, "stays", step)


def test_one_that_dies_at_once_is_started_again_ever_more_slowly(tmp_path: Path) -> None:
    """A harvester that cannot start must not keep the machine busy with starting it."""

    async def step(ship: Ship) -> None:
        ship.supervisor.add()
        assert not ship.supervisor.is_hopeless
        await until(lambda: len(ship.pauses) >= 9)
        assert ship.pauses[:9] == [0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30.0, 30.0]
        assert ship.supervisor.is_hopeless
        assert ("harvester.ended", {"name": "h1", "code": 3}) in ship.log.events

    sail(tmp_path, "dies", step)


def test_whoever_does_not_leave_is_killed(tmp_path: Path) -> None:
    """The end of a crawl does not hang on one process."""

    async def run() -> None:
        ship = Ship(tmp_path, "stays")
        ship.supervisor.add()
        await until(lambda: ship.pids("h1"))
        await ship.supervisor.wait(0.01)
        assert not ship.supervisor.is_running
        assert ("harvester.ended", {"name": "h1", "code": -9}) in ship.log.events

    asyncio.run(run())


def test_the_command_starts_this_installation() -> None:
    """Not whatever python stands first in the path."""
    assert harvester_command("/a/keeper.sock")[:3] == [sys.executable, "-m", "tiptoe.harvest"]
