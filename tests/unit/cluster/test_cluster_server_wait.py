"""Does a member wait for its servers, and only as long as waiting helps?"""

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from nats_servers import PASSWORD, USER, free_ports
from tiptoe.cluster.credentials import read_credentials
from tiptoe.cluster.engine import Engine, EngineUnavailable, UntrustedServer
from tiptoe.cluster.engine_options import EngineOptions, open_engine
from tiptoe.cluster.nats_server import NatsServer, ServerOptions
from tiptoe.cluster.server_wait import WAIT_SECONDS_MAX, wait_for_servers, wait_seconds
from tiptoe.errors import SettingsError


class Servers:
    """Servers that answer after some tries, and a clock that moves by the waits alone."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.now = 0.0
        self.said: list[str] = []
        self.waits: list[float] = []

    async def reach(self) -> str:
        if self.errors:
            raise self.errors.pop(0)
        return "reached"

    async def pause(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def run(self) -> str:
        waiting: Coroutine[Any, Any, str] = wait_for_servers(
            self.reach, self.said.append, pause=self.pause, clock=lambda: self.now
        )
        return asyncio.run(waiting)


def test_waits_grow_up_to_a_limit() -> None:
    waits = [wait_seconds(tries) for tries in (1, 2, 3, 4, 5, 1000)]
    assert waits == [1.0, 2.0, 4.0, 8.0, WAIT_SECONDS_MAX, WAIT_SECONDS_MAX]


def test_a_member_tries_until_somebody_answers_and_says_what_it_has_heard() -> None:
    """Machines start in any order after a power cut."""
    servers = Servers(*[EngineUnavailable("a: refuses")] * 3, EngineUnavailable("a: no such name"))
    assert servers.run() == "reached"
    assert servers.waits == [1.0, 2.0, 4.0, 8.0]
    assert [line.partition(": ")[2] for line in servers.said] == ["a: refuses", "a: no such name"]


def test_what_does_not_change_is_said_again_only_now_and_then() -> None:
    servers = Servers(*[EngineUnavailable("a: refuses")] * 80)
    servers.run()
    assert 2 <= len(servers.said) <= 1 + servers.now / 300


@pytest.mark.parametrize("error", [SettingsError("wrong credentials"), UntrustedServer("a stranger")])
def test_who_is_told_no_does_not_wait(error: Exception) -> None:
    servers = Servers(error)
    with pytest.raises(type(error)):
        servers.run()
    assert servers.waits == []


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("no-such-machine.invalid", "this name cannot be resolved"),
        ("a" * 70 + ".example", "this name cannot be resolved"),
        ("127.0.0.1", "refuses connections"),
    ],
)
def test_an_address_where_nobody_is_says_why(host: str, said: str) -> None:
    place = f"{host}:{free_ports(1)[0]}"
    options = EngineOptions(servers=(f"nats://{place}",), crawl="czech", seconds=0.7)
    with pytest.raises(EngineUnavailable, match=f"nats://{place}: {said}"):
        asyncio.run(open_engine(options))


def test_an_address_that_is_none_is_refused_at_once() -> None:
    with pytest.raises(SettingsError, match=r"\[zz\]"):
        read_credentials("nats://[zz]:4222")


def test_a_member_goes_on_as_soon_as_a_server_answers(tmp_path: Path) -> None:
    """With a real server, which starts when the member has said that it waits."""
    port = free_ports(1)[0]
    place = ServerOptions(name="late", directory=tmp_path, port=port, user=USER, password=PASSWORD)
    server = NatsServer(place)
    options = EngineOptions(
        servers=(place.address,), crawl="czech", user=USER, password=PASSWORD, replicas=1, seconds=1.0
    )
    said: list[str] = []

    def tell(line: str) -> None:
        said.append(line)
        server.start()

    async def main() -> None:
        engine: Engine = await wait_for_servers(lambda: open_engine(options), tell)
        assert await engine.get("crawl.record") is None
        await engine.close()

    try:
        asyncio.run(main())
    finally:
        server.kill()
    assert len(said) == 1
