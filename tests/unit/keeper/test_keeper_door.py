"""Who is let in while everybody calls at once?"""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from keeper_samples import KeptLog, SetClock

from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.keeper.commands import answer
from tiptoe.keeper.door import Door, RefusalLog, TurnedAway, strangers_allowed
from tiptoe.keeper.keeper import Keeper, KeeperPlan
from tiptoe.keeper.listener import Listener, listen_at
from tiptoe.keeper.supervisor import Supervisor
from tiptoe.protocol.messages import FromKeeper, Hello, Refusal, Welcome
from tiptoe.protocol.operator import ShowStatus, StatusReply
from tiptoe.protocol.wire import Connection
from tiptoe.store.memory import MemoryStore

FLOOD = 200
LOOPBACK = "127.0.0.1"


def test_one_address_cannot_take_the_places_of_all() -> None:
    door = Door(strangers_max=4, per_address=2)
    assert [door.knock("192.0.2.1") for _ in range(3)] == [None, None, TurnedAway.ADDRESS_IS_CROWDED]
    assert door.knock("192.0.2.2") is None


def test_many_addresses_cannot_take_the_places_of_those_that_are_known() -> None:
    """A harvester whose line was cut has to come back while others knock."""
    door = Door(strangers_max=2, per_address=2)
    assert door.knock("192.0.2.9") is None
    door.leave("192.0.2.9", has_shown_token=True)
    assert [door.knock(f"192.0.2.{number}") for number in range(2)] == [None, None]
    assert door.knock("192.0.2.3") is TurnedAway.DOOR_IS_CROWDED
    assert door.knock("192.0.2.9") is None


@pytest.mark.parametrize(("files", "strangers"), [(1 << 20, 64), (1024, 64), (256, 32), (4, 1)])
def test_strangers_leave_files_for_those_who_work(files: int, strangers: int) -> None:
    assert strangers_allowed(files) == strangers


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["knock", "go", "show"]))))
def test_strangers_are_counted_as_they_come_and_go(calls: list[tuple[int, str]]) -> None:
    """Whoever is gone leaves its place: else the door would be shut for good some day."""
    door = Door(strangers_max=4, per_address=2)
    inside: list[str] = []
    known: set[str] = set()
    for number, what in calls:
        address = f"192.0.2.{number}"
        if what == "knock":
            unknown = sum(one not in known for one in inside)
            is_crowded = inside.count(address) >= 2 or (address not in known and unknown >= 4)
            assert (door.knock(address) is not None) == is_crowded
            inside += [] if is_crowded else [address]
        elif address in inside:
            door.leave(address, has_shown_token=what == "show")
            inside.remove(address)
            known |= {address} if what == "show" else set()
        assert len(door) == len(inside)


def test_a_flood_fills_no_log() -> None:
    """Who was refused, and why, is worth a line; a million times it is worth a number."""
    kept = KeptLog()
    log = RefusalLog(kept)
    for number in range(100_000):
        log.note(
            "peer.refused", 1000.0 + number / 1000, peer="192.0.2.1", reason="token", name="\x1b[2J" * 999
        )
    log.close()
    assert log.count == 100_000
    noted = [facts for _, facts in kept.events if facts.get("peer") == "192.0.2.1"]
    assert {facts["reason"] for facts in noted} == {"token"}
    assert all(str(facts["name"]).isprintable() for facts in noted)
    assert sum(len(str(facts)) for _, facts in kept.events) < 20_000
    unnoted = [facts.get("unnoted_before", facts.get("unnoted", 0)) for _, facts in kept.events]
    assert len(noted) + sum(int(str(count)) for count in unnoted) == 100_000


class House:
    """A keeper with both its doors, for as long as it is open."""

    def __init__(self, directory: Path) -> None:
        self.log = log = KeptLog()
        plan = KeeperPlan(directory=directory, settings={}, token="secret", crawl="c1")
        frontier = Frontier(MemoryStore(), FrontierPolicy())
        self.clock = SetClock()
        self.keeper = Keeper(
            frontier, plan, Supervisor([], log), log, self.clock, repair=lambda *_, **__: [], answer=answer
        )
        self.door = Door()
        self.path = str(directory / "s")
        self.port = 0

    @asynccontextmanager
    async def open(self) -> AsyncIterator["House"]:
        sockets = await listen_at(LOOPBACK, 0)
        self.port = sockets[0].getsockname()[1]
        async with (
            await asyncio.start_unix_server(self.keeper.reception.serve, self.path),
            Listener(sockets, self.door, self._serve, self._turn_away),
        ):
            yield self

    async def _serve(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        peer: str,
        let_in: Callable[[], None],
    ) -> None:
        await self.keeper.reception.serve(reader, writer, needs_token=True, peer=peer, let_in=let_in)

    def _turn_away(self, peer: str, reason: TurnedAway) -> None:
        self.keeper.reception.refuse(peer, reason.value)

    async def status(self) -> object:
        """Ask what an operator asks."""
        connection: Connection[FromKeeper] = Connection(
            *await asyncio.open_unix_connection(self.path), FromKeeper
        )
        with closing(connection):
            connection.send(Hello("control"))
            connection.send(ShowStatus())
            return await connection.receive()

    async def join(self, source: str, hello: Hello) -> object:
        """Say hello from this address; return what the keeper says."""
        streams = await asyncio.open_connection(LOOPBACK, self.port, local_addr=(source, 0))
        connection: Connection[FromKeeper] = Connection(*streams, FromKeeper)
        with closing(connection):
            connection.send(hello)
            return await connection.receive()

    async def flood(self, count: int, said: bytes) -> list[socket.socket]:
        """Call so often, say this, and nothing more."""
        callers = []
        for _ in range(count):
            caller = socket.socket()
            caller.setblocking(False)
            await asyncio.get_running_loop().sock_connect(caller, (LOOPBACK, self.port))
            if said:
                caller.send(said)
            callers.append(caller)
        return callers


def in_house(tmp_path: Path, act: Callable[[House], Awaitable[None]]) -> None:
    async def run() -> None:
        async with House(tmp_path).open() as house:
            await asyncio.wait_for(act(house), 60.0)

    asyncio.run(run())


async def until(holds: Callable[[], bool]) -> None:
    while not holds():
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("said", [b"", b"\x00\x00\x10\x00half of it"], ids=["nothing", "half a frame"])
def test_callers_that_say_nothing_keep_neither_the_operator_nor_a_harvester_out(
    tmp_path: Path, said: bytes
) -> None:
    """Whoever reaches the port can call; it must not be able to take the crawl out of our hands."""

    async def act(house: House) -> None:
        callers = await house.flood(FLOOD, said)
        began = time.monotonic()
        assert isinstance(await house.status(), StatusReply)
        assert time.monotonic() - began < 1.0
        assert len(house.door) <= 16
        hello = Hello("harvester", "blue1", "secret", pid=1)
        assert isinstance(await house.join("127.0.0.2", hello), Welcome)
        await until(lambda: house.keeper.reception.refusals.count >= FLOOD - 16)
        for caller in callers:
            caller.close()
        await until(lambda: len(house.door) == 0)

    in_house(tmp_path, act)


def test_whoever_does_not_say_who_it_is_has_to_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else sixteen callers would hold their places for ever."""
    monkeypatch.setattr("tiptoe.keeper.reception.HELLO_SECONDS", 0.05)

    async def act(house: House) -> None:
        callers = await house.flood(3, b"\x00")
        await until(lambda: house.keeper.reception.refusals.count == 3)
        assert len(house.door) == 0
        for caller in callers:
            caller.close()

    in_house(tmp_path, act)


@pytest.mark.parametrize(
    ("hello", "reason"),
    [
        (Hello("harvester", "blue1", "guess"), "token"),
        (Hello("control", "", "secret"), "role"),
        (Hello("harvester", "../x", "secret"), "name"),
        (Hello("harvester", "blue1", "secret", version=9), "version"),
        (Hello("harvester", "blue1", "secret", crawl="c2"), "crawl"),
    ],
)
def test_whoever_is_refused_is_noted_with_the_reason(tmp_path: Path, hello: Hello, reason: str) -> None:
    """An operator has to see that somebody tries, or that a harvester has the wrong token."""

    async def act(house: House) -> None:
        said = await house.join("127.0.0.3", hello)
        assert isinstance(said, Refusal)
        assert said.why.value == reason
        refused = [facts for event, facts in house.log.events if event == "peer.refused"]
        assert [(facts["peer"], facts["reason"]) for facts in refused] == [("127.0.0.3", reason)]
        assert len(house.door) == 0

    in_house(tmp_path, act)


def test_a_harvester_that_has_joined_is_no_stranger(tmp_path: Path) -> None:
    """A hundred of them may work behind one address."""

    async def act(house: House) -> None:
        connections = []
        for number in range(20):
            streams = await asyncio.open_connection(LOOPBACK, house.port)
            connection: Connection[FromKeeper] = Connection(*streams, FromKeeper)
            connection.send(Hello("harvester", f"blue{number}", "secret", pid=number, crawl="c1"))
            welcome = await connection.receive()
            assert isinstance(welcome, Welcome)
            assert welcome.crawl == "c1"
            connections.append(connection)
        assert len(house.door) == 0
        for connection in connections:
            connection.close()
        await until(lambda: not house.keeper.roster.members)

    in_house(tmp_path, act)
