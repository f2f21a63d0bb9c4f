"""A connection to NATS that is not there yet can be given up."""

import asyncio

import pytest

from tiptoe.cluster import nats_connection
from tiptoe.cluster.engine import EngineUnavailable
from tiptoe.cluster.engine_options import EngineOptions
from tiptoe.cluster.nats_connection import CarefulClient, NatsConnection

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
