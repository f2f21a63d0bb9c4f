"""Who has to show the token?"""

import asyncio
import functools
import io
from pathlib import Path

import pytest

from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.keeper.clock import Clock
from tiptoe.keeper.commands import answer
from tiptoe.keeper.keeper import Keeper, KeeperPlan
from tiptoe.keeper.supervisor import Supervisor
from tiptoe.observe.eventlog import EventLog
from tiptoe.protocol.messages import Denial, FromKeeper, Hello, Refusal, Welcome
from tiptoe.protocol.operator import ShowStatus, StatusReply
from tiptoe.protocol.wire import HELLO_BYTES_MAX, Connection
from tiptoe.store.memory import MemoryStore


def keeper_at(directory: Path) -> Keeper:
    log = EventLog("keeper", io.StringIO())
    plan = KeeperPlan(directory=directory, settings={}, token="secret")
    frontier = Frontier(MemoryStore(), FrontierPolicy())
    return Keeper(
        frontier, plan, Supervisor([], log), log, Clock(), repair=lambda *_, **__: [], answer=answer
    )


async def first_answer(
    keeper: Keeper, path: Path, *, needs_token: bool, token: str, role: str = "control"
) -> object:
    """Say hello, as an operator ask for the status; return what the keeper says first."""
    serve = functools.partial(keeper.reception.serve, needs_token=needs_token)
    async with await asyncio.start_unix_server(serve, str(path)):
        connection: Connection[FromKeeper] = Connection(
            *await asyncio.open_unix_connection(str(path)), FromKeeper
        )
        connection.send(Hello(role, "h9", token=token))
        if role == "control" and not needs_token:
            connection.send(ShowStatus())
        said = await asyncio.wait_for(connection.receive(), 30)
        connection.close()
        return said


@pytest.mark.parametrize("token", ["", "Secret", "sécret"])
def test_a_peer_from_the_network_without_the_token_is_refused(tmp_path: Path, token: str) -> None:
    """Whoever could bring results could fill the corpus and the queue."""
    said = asyncio.run(first_answer(keeper_at(tmp_path), tmp_path / "s", needs_token=True, token=token))
    assert isinstance(said, Refusal)
    assert said.why is Denial.TOKEN


def test_the_token_opens_the_door(tmp_path: Path) -> None:
    door = first_answer(
        keeper_at(tmp_path), tmp_path / "s", needs_token=True, token="secret", role="harvester"
    )
    assert isinstance(asyncio.run(door), Welcome)


def test_commands_do_not_come_over_the_network(tmp_path: Path) -> None:
    """A harvester's machine may be less well guarded than the keeper's."""
    said = asyncio.run(first_answer(keeper_at(tmp_path), tmp_path / "s", needs_token=True, token="secret"))
    assert isinstance(said, Refusal)
    assert said.why is Denial.ROLE


def test_peers_of_this_machine_need_no_token(tmp_path: Path) -> None:
    """Only the owner can open the socket: the keeper's own harvesters and commands have no token to show."""
    said = asyncio.run(first_answer(keeper_at(tmp_path), tmp_path / "s", needs_token=False, token=""))
    assert isinstance(said, StatusReply)


def test_a_stranger_cannot_fill_the_memory(tmp_path: Path) -> None:
    """Whoever has not said who it is may announce a hello, not a quarter of a gigabyte."""

    async def knock() -> bytes:
        serve = functools.partial(keeper_at(tmp_path).reception.serve, needs_token=True)
        async with await asyncio.start_unix_server(serve, str(tmp_path / "s")):
            reader, writer = await asyncio.open_unix_connection(str(tmp_path / "s"))
            writer.write((HELLO_BYTES_MAX + 1).to_bytes(4, "big"))
            said = await asyncio.wait_for(reader.read(), 5.0)  # less than it may take to say hello
            writer.close()
            return said

    assert asyncio.run(knock()) == b""
