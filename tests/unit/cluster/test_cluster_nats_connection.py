"""A connection to NATS that is not there yet can be given up; servers that have no room say so."""

import asyncio
from pathlib import Path

import pytest

from nats_servers import PASSWORD, USER, free_ports
from tiptoe.cluster import nats_connection
from tiptoe.cluster.engine import Engine, EngineUnavailable
from tiptoe.cluster.engine_options import EngineOptions, open_engine
from tiptoe.cluster.nats_connection import CarefulClient, NatsConnection
from tiptoe.cluster.nats_server import NatsServer, ServerOptions

NOWHERE = "nats://127.0.0.1:1"


class Forgetful(CarefulClient):
    """Tries for ever, and forgets twice that it was told to stop, as `asyncio.wait_for` may."""

    async def connect(self, *_: object, **__: object) -> None:
        for _again in range(2):
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                continue
        await asyncio.Event().wait()

    async def close(self) -> None:
        """Let go of nothing."""


@pytest.mark.parametrize("seconds", [0.01, 30.0])
def test_a_try_to_connect_ends_with_whoever_wanted_it(
    monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    """A server of a cluster that was stopped in its first tenth of a second stayed for ever."""
    monkeypatch.setattr(nats_connection, "CarefulClient", Forgetful)

    async def main() -> None:
        connection = NatsConnection(EngineOptions(servers=(NOWHERE,), member="a", crawl="c", seconds=seconds))
        wanting = asyncio.create_task(connection.client())
        await asyncio.wait({wanting}, timeout=0.1)
        wanting.cancel()
        with pytest.raises((asyncio.CancelledError, EngineUnavailable)):
            await wanting
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


async def fill(engine: Engine) -> None:
    for number in range(10):
        await engine.put(f"key.{number}", b"x" * 10_000)


def test_servers_that_have_no_room_say_so_at_once(tmp_path: Path) -> None:
    """Whoever waits for an answer in vain would look for the fault in the network."""
    server = NatsServer(
        ServerOptions(
            name="small", directory=tmp_path, port=free_ports(1)[0], user=USER, password=PASSWORD,
            storage_bytes_max=20_000,
        )
    )  # fmt: skip

    async def main() -> None:
        options = EngineOptions(
            servers=(server.options.address,), crawl="full", replicas=1, user=USER, password=PASSWORD,
            seconds=600.0,
        )  # fmt: skip
        engine = await open_engine(options)
        try:
            with pytest.raises(EngineUnavailable, match="no room for more"):
                await fill(engine)
        finally:
            await engine.close()

    server.start()
    try:
        asyncio.run(main())
    finally:
        server.kill()
