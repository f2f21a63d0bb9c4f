"""How is a simulated web put on loopback, in this process or in one of its own?"""

import asyncio
import contextlib
import enum
import select
import socket
import subprocess  # the web's own interpreter, with arguments of ours
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Final

import msgspec

from tiptoe.errors import CrawlerError
from tiptoe.testing.dns import DnsFace
from tiptoe.testing.http_face import ServingContext
from tiptoe.testing.proxy import ProxyConnection
from tiptoe.testing.recorder import Recorder
from tiptoe.testing.servers import bind_addresses, listen
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb

__all__ = ["Face", "ServedWeb", "SpawnedWeb", "WebClosed", "WebOpened", "spawn_web"]

LOOPBACK: Final = "127.0.0.1"
BACKLOG: Final = 4_096
FLUSH_SECONDS: Final = 0.5
OPENING_SECONDS: Final = 60.0
CLOSING_SECONDS: Final = 20.0


class Face(enum.Enum):
    """Through what the web is seen."""

    PROXY = "proxy"
    SERVERS = "servers"


class ServedWeb:
    """A web on loopback while the `async with` lasts.

    `web` is the web as served: with real servers its links carry their port. It begins when it is opened,
    unless another moment is given.
    """

    def __init__(
        self,
        web: SimulatedWeb,
        *,
        face: Face = Face.PROXY,
        recorder: Recorder | None = None,
        port: int = 0,
        dns_port: int = 0,
        began_at: float | None = None,
    ) -> None:
        self.web = web
        self.face = face
        self.port = port
        self.proxy_url: str | None = None
        self.dns_address = ""
        self._dns_port = dns_port
        self._began_at = began_at
        self._recorder = recorder
        self._servers: list[asyncio.Server] = []
        self._dns: asyncio.DatagramTransport | None = None
        self._flusher: asyncio.Task[None] | None = None

    @property
    def requests(self) -> int:
        """How many requests came so far."""
        return self._context.requests

    @property
    def began_at(self) -> float:
        """The moment, by the clock of the record, that `now=0` of this web stands for."""
        return self._context.began_at

    async def __aenter__(self) -> "ServedWeb":
        if self.face is Face.PROXY:
            await self._open_proxy()
        else:
            await self._open_servers()
        loopback = self.face is Face.SERVERS
        loop = asyncio.get_running_loop()
        self._dns, _ = await loop.create_datagram_endpoint(
            lambda: DnsFace(self.web, loopback=loopback), local_addr=(LOOPBACK, self._dns_port)
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
        # One turn of the loop, in which the closed connections are told so and recorded.
        await asyncio.sleep(0)
        for server in self._servers:
            await server.wait_closed()
        if self._recorder:
            self._recorder.flush()

    async def _open_proxy(self) -> None:
        self._context = ServingContext(self.web, self._recorder, began_at=self._began_at)
        loop = asyncio.get_running_loop()
        server = await loop.create_server(
            lambda: ProxyConnection(self._context), LOOPBACK, self.port, backlog=BACKLOG
        )
        self._servers.append(server)
        self.port = _port_of(server.sockets[0])
        self.proxy_url = f"http://{LOOPBACK}:{self.port}"

    async def _open_servers(self) -> None:
        sockets = bind_addresses(self.web, self.port)
        self.port = _port_of(sockets[0])
        shape = replace(self.web.shape, port=self.port)
        self.web = SimulatedWeb(shape, dated_from=self.web.dated_from)
        self._context = ServingContext(self.web, self._recorder, began_at=self._began_at)
        self._servers = await listen(self._context, sockets)


class WebOpened(msgspec.Struct, frozen=True):
    """First line that `python -m tiptoe.testing.serve` prints: the web can be visited."""

    port: int
    dns_address: str
    proxy_url: str | None
    pid: int
    began_at: float = 0.0  # the beginning of the web, by its clock


class WebClosed(msgspec.Struct, frozen=True):
    """Last line it prints."""

    requests: int
    cpu_seconds: float


@dataclass(slots=True)
class SpawnedWeb:
    """A web in a process of its own; `closing` is known when it has ended."""

    web: SimulatedWeb
    port: int
    dns_address: str
    proxy_url: str | None
    pid: int
    began_at: float = 0.0
    closing: WebClosed | None = None


@contextlib.contextmanager
def spawn_web(
    shape: WebShape, *, face: Face = Face.PROXY, record: Path | None = None, seconds: float = 3_600.0
) -> Iterator[SpawnedWeb]:
    """Run a web in its own process while the `with` lasts; `seconds` bounds it in any case."""
    command = [sys.executable, "-m", "tiptoe.testing.serve", "--face", face.value]
    command += ["--shape", msgspec.json.encode(shape).decode(), "--seconds", str(seconds)]
    if record:
        command += ["--record", str(record)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - ours
    try:
        opening = _read_opening(process)
        served = replace(shape, port=opening.port) if face is Face.SERVERS else shape
        spawned = SpawnedWeb(
            SimulatedWeb(served, dated_from=opening.began_at), opening.port, opening.dns_address,
            opening.proxy_url, opening.pid, opening.began_at,
        )  # fmt: skip
        yield spawned
        rest, _ = process.communicate(timeout=CLOSING_SECONDS)  # closes its input: it ends
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
    opening = select.poll()  # unlike select() it knows no highest descriptor
    opening.register(process.stdout, select.POLLIN)
    line = process.stdout.readline() if opening.poll(OPENING_SECONDS * 1000) else b""
    if not line:
        raise CrawlerError("the simulated web did not start; its own message says why")
    return msgspec.json.decode(line, type=WebOpened)


async def _flush_now_and_then(recorder: Recorder) -> None:
    while True:
        await asyncio.sleep(FLUSH_SECONDS)
        recorder.flush()


def _port_of(listening: socket.socket) -> int:
    return int(listening.getsockname()[1])
