"""How is a simulated web served on loopback, in this process or in one of its own?"""

import asyncio
import contextlib
import select
import subprocess  # our own interpreter, with our own arguments
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final

import msgspec

from tiptoe.errors import CrawlerError
from tiptoe.testing.dns import DnsFace
from tiptoe.testing.http_face import HttpConnection, ServingContext
from tiptoe.testing.proxy import ProxyConnection
from tiptoe.testing.recorder import Recorder
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb

__all__ = ["ServedWeb", "SpawnedWeb", "WebClosed", "WebOpened", "spawn_web"]

LOOPBACK: Final = "127.0.0.1"
BACKLOG: Final = 4_096
FLUSH_SECONDS: Final = 0.5
OPENING_SECONDS: Final = 60.0
CLOSING_SECONDS: Final = 20.0


class ServedWeb:
    """A web on loopback while the `async with` lasts: a proxy in front of it, and a name server.

    Its time begins when it is opened, unless another moment is given.
    """

    connection: type[HttpConnection] = ProxyConnection
    on_loopback = False  # whether names resolve to loopback addresses; the proxy needs none

    def __init__(
        self,
        web: SimulatedWeb,
        *,
        recorder: Recorder | None = None,
        port: int = 0,
        dns_port: int = 0,
        began_at: float | None = None,
    ) -> None:
        self.web = web
        self.port = port
        self.proxy_url = ""
        self.dns_address = ""
        self._dns_port = dns_port
        self._began_at = began_at
        self._recorder = recorder
        self._servers: list[asyncio.Server] = []
        self._dns: asyncio.DatagramTransport | None = None
        self._flusher: asyncio.Task[None] | None = None

    @property
    def requests(self) -> int:
        """Number of requests received so far."""
        return self._context.requests

    @property
    def began_at(self) -> float:
        """The moment, by the clock of the record, that `now=0` of this web stands for."""
        return self._context.began_at

    async def __aenter__(self) -> "ServedWeb":
        await self._listen()
        loop = asyncio.get_running_loop()
        self._dns, _ = await loop.create_datagram_endpoint(
            lambda: DnsFace(self.web, loopback=self.on_loopback), local_addr=(LOOPBACK, self._dns_port)
        )
        self.dns_address = f"{LOOPBACK}:{self._dns.get_extra_info('sockname')[1]}"
        if self._recorder:
            self._flusher = asyncio.create_task(_flush_now_and_then(self._recorder))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for server in self._servers:
            server.close()
        for connection in list(self._context.connections):
            connection.abort()
        if self._dns:
            self._dns.close()
        if self._flusher:
            self._flusher.cancel()
        # One turn of the event loop, in which the closed connections are notified and recorded.
        await asyncio.sleep(0)
        for server in self._servers:
            await server.wait_closed()
        if self._recorder:
            self._recorder.flush()

    async def _listen(self) -> None:
        """Open the sockets that clients connect to."""
        self._context = ServingContext(self.web, self._recorder, began_at=self._began_at)
        server = await asyncio.get_running_loop().create_server(
            lambda: self.connection(self._context), LOOPBACK, self.port, backlog=BACKLOG
        )
        self._servers.append(server)
        self.port = int(server.sockets[0].getsockname()[1])
        self.proxy_url = f"http://{LOOPBACK}:{self.port}"


class WebOpened(msgspec.Struct, frozen=True):
    """First line that `python -m tiptoe.testing.serve` prints: the web is ready."""

    port: int
    dns_address: str
    proxy_url: str
    pid: int
    began_at: float = 0.0  # when the web began, by its clock


class WebClosed(msgspec.Struct, frozen=True):
    """Last line it prints."""

    requests: int
    cpu_seconds: float


@dataclass(slots=True)
class SpawnedWeb:
    """A web in a process of its own; `closing` is set when it has ended."""

    web: SimulatedWeb
    port: int
    dns_address: str
    proxy_url: str
    pid: int
    began_at: float = 0.0
    closing: WebClosed | None = None


@contextlib.contextmanager
def spawn_web(
    shape: WebShape, *, record: Path | None = None, seconds: float = 3_600.0
) -> Iterator[SpawnedWeb]:
    """Run a web in its own process while the `with` lasts; `seconds` bounds it in any case."""
    command = [sys.executable, "-m", "tiptoe.testing.serve"]
    command += ["--shape", msgspec.json.encode(shape).decode(), "--seconds", str(seconds)]
    if record:
        command += ["--record", str(record)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - ours
    try:
        opening = _read_opening(process)
        web = SimulatedWeb(shape, dated_from=opening.began_at)
        spawned = SpawnedWeb(web, **msgspec.structs.asdict(opening))
        yield spawned
        rest, _ = process.communicate(timeout=CLOSING_SECONDS)  # closes its input, so it ends
        spawned.closing = msgspec.json.decode(rest, type=WebClosed)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()


def _read_opening(process: "subprocess.Popen[bytes]") -> WebOpened:
    assert process.stdout is not None
    opening = select.poll()  # unlike select() it has no limit on descriptor numbers
    opening.register(process.stdout, select.POLLIN)
    line = process.stdout.readline() if opening.poll(OPENING_SECONDS * 1000) else b""
    if not line:
        raise CrawlerError("the simulated web did not start; its own message says why")
    return msgspec.json.decode(line, type=WebOpened)


async def _flush_now_and_then(recorder: Recorder) -> None:
    while True:
        await asyncio.sleep(FLUSH_SECONDS)
        recorder.flush()
