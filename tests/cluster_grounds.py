"""Where the promises of an engine are checked: in memory, on one NATS server, on three."""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Coroutine
from typing import Any, Protocol, TypeVar

from nats_servers import PASSWORD, USER
from simulated.memory_engine import Broker
from simulated.virtual import Timeline
from tiptoe.cluster.engine import Engine, EngineUnavailable, LogMessage, OutOfDate
from tiptoe.cluster.engine_options import EngineOptions, open_engine
from tiptoe.cluster.nats_server import NatsServer

__all__ = ["ClusterGround", "MemoryGround", "NatsGround", "append_for_sure", "last_for_sure", "serving"]

Done = TypeVar("Done")

_numbers = itertools.count(1)


@contextlib.asynccontextmanager
async def serving(service: Coroutine[Any, Any, object]) -> AsyncIterator[None]:
    """Let a service of an agent answer as long as it is needed."""
    task = asyncio.ensure_future(service)
    await asyncio.sleep(0.1)  # it has subscribed by then
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def append_for_sure(engine: Engine, subject: str, data: bytes, expected: int) -> int:
    """Append what no other message equals, as somebody does who is the only writer and may hear nothing."""
    while True:
        try:
            return await engine.append(subject, data, expected=expected)
        except EngineUnavailable:
            continue
        except OutOfDate:
            last = await last_for_sure(engine, subject)
            assert last is not None
            assert (last.data, last.expected) == (data, expected), "somebody else has written"
            return last.sequence


async def last_for_sure(engine: Engine, subject: str) -> LogMessage | None:
    while True:
        with contextlib.suppress(EngineUnavailable):
            return await engine.last(subject)


class ClusterGround(Protocol):
    """One crawl with an engine, and what can be done to that."""

    def run(self, main: Coroutine[Any, Any, Done]) -> Done:
        """Run a coroutine to its end."""
        ...

    async def connect(self, *, seconds: float = 5.0) -> Engine:
        """Return the engine as one more member has it."""
        ...

    def restart(self) -> None:
        """Stop all servers the hard way, and start them."""
        ...

    def close(self) -> None: ...


class MemoryGround:
    """The engine in memory, in virtual time."""

    def __init__(self) -> None:
        self.timeline = Timeline()
        self.loop = self.timeline.loop("test")
        self.broker = Broker(self.timeline.loop("broker"))

    def run(self, main: Coroutine[Any, Any, Done]) -> Done:
        task = self.loop.create_task(main)
        if not self.timeline.run(until=self.timeline.now + 600, is_over=task.done):
            self.loop.kill()
            raise TimeoutError("waiting for what never comes")
        return task.result()

    async def connect(self, *, seconds: float = 5.0) -> Engine:
        return self.broker.connect("member", seconds=seconds)

    def restart(self) -> None:
        self.broker.stop()
        self.broker.start()

    def close(self) -> None:
        self.loop.kill()
        assert self.loop.faults == []


class NatsGround:
    """Real servers; every ground is a crawl of its own on them."""

    def __init__(self, servers: list[NatsServer], *, replicas: int = 1) -> None:
        self.servers = servers
        self.crawl = f"test-{next(_numbers)}"
        self._replicas = replicas
        self._runner = asyncio.Runner()
        self._members: list[Engine] = []

    def run(self, main: Coroutine[Any, Any, Done]) -> Done:
        return self._runner.run(main)

    def options(self, **changes: Any) -> EngineOptions:
        known = {
            "servers": tuple(server.options.address for server in self.servers),
            "crawl": self.crawl,
            "replicas": self._replicas,
            "user": USER,
            "password": PASSWORD,
        }
        return EngineOptions(**{**known, **changes})

    async def connect(self, *, seconds: float = 5.0) -> Engine:
        return await self.connect_by(self.options(seconds=seconds))

    async def connect_by(self, options: EngineOptions) -> Engine:
        member = await open_engine(options)
        self._members.append(member)
        return member

    def restart(self) -> None:
        for server in self.servers:
            server.kill()
        for server in self.servers:
            server.start()

    def close(self) -> None:
        for member in self._members:
            self.run(member.close())
        self._runner.close()
