"""Servers on loopback that say exactly what a test wants, byte by byte."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from tiptoe.fetch.client import Client
from tiptoe.fetch.limits import FetchLimits

Talk = Callable[["RawServer", asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

AGENT = "tiptoe/0.1 (+https://a.example/bot)"
SENDER = "bot@a.example"


class RawServer:
    """Counts its connections and keeps the requests it was asked."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0
        self.connections = 0
        self.requests: list[bytes] = []
        self.hung_up = asyncio.Event()  # the client left in the middle

    def url(self, path: str = "/", *, host: str = "a.example", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    async def read_request(self, reader: asyncio.StreamReader) -> bytes:
        request = await reader.readuntil(b"\r\n\r\n")
        self.requests.append(request)
        return request

    async def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._talk(self, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.hung_up.set()
        except asyncio.CancelledError:
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def stop(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def serving(
    talk: Talk, *, tls: ssl.SSLContext | None = None, address: str = "127.0.0.1", port: int = 0
) -> AsyncIterator[RawServer]:
    """Serve as long as the block lasts."""
    server = RawServer(talk)
    listener = await asyncio.start_server(server.meet, address, port, ssl=tls)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listener.close()
        await server.stop()


@asynccontextmanager
async def asking(
    limits: FetchLimits | None = None,
    *,
    proxy: str | None = None,
    ca_file: str | None = None,
    files: bool = False,
) -> AsyncIterator[Client]:
    """A client as long as the block lasts."""
    client = Client(limits or FetchLimits(), AGENT, sender=SENDER, proxy=proxy, ca_file=ca_file, files=files)
    try:
        yield client
    finally:
        await client.close()


def replying(*replies: bytes) -> Talk:
    """Answer each request on a connection with the next reply, the last one for ever."""

    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError):
            for number in range(1_000_000):
                await server.read_request(reader)
                writer.write(replies[min(number, len(replies) - 1)])
                await writer.drain()

    return talk


def page(body: bytes, *fields: bytes) -> bytes:
    """A plain answer with the given extra fields."""
    lines = [b"HTTP/1.1 200 OK", b"Content-Length: %d" % len(body), *fields]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body
