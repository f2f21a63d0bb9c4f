"""Servers on loopback that say exactly what a journey wants, byte by byte; and the hostile web.

The hostile web runs in a thread of the test, for it needs the test's certificates.
"""

import asyncio
import contextlib
import socketserver
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

import uvloop

from simulated.hostile_served import ServedHostileWeb, serve_hostile_web
from tiptoe.testing.recorder import Recorder
from tiptoe.testing.shape import WebShape

Talk = Callable[["Visitor"], None]


class Visitor(socketserver.StreamRequestHandler):
    """One connection: reads requests and lets the script of their path answer."""

    timeout = 60

    def handle(self) -> None:
        with contextlib.suppress(OSError):
            while request := self._read_head():
                path = request.split(b" ")[1].decode()
                self.server.asked.append(path)  # type: ignore[attr-defined]
                script = self.server.scripts.get(path, _not_found)  # type: ignore[attr-defined]
                script(self)

    def _read_head(self) -> bytes:
        lines = []
        while (line := self.rfile.readline(65536)) not in (b"", b"\r\n"):
            lines.append(line)
        return b"".join(lines)

    def say(self, data: bytes) -> None:
        """Send these bytes at once."""
        self.wfile.write(data)
        self.wfile.flush()

    def wait_for_leave(self) -> None:
        """Say nothing until the client has gone."""
        while self.rfile.read(1):
            pass


def _not_found(visitor: Visitor) -> None:
    visitor.say(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")


def html(body: bytes, *fields: bytes) -> Talk:
    """Answer with a page."""
    head = [b"HTTP/1.1 200 OK", b"Content-Type: text/html; charset=utf-8", *fields]
    head.append(b"Content-Length: %d" % len(body))
    whole = b"\r\n".join(head) + b"\r\n\r\n" + body
    return lambda visitor: visitor.say(whole)


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, address: str, scripts: Mapping[str, Talk], tls: ssl.SSLContext | None) -> None:
        super().__init__((address, 0), Visitor)
        self.scripts = scripts
        self.tls = tls
        self.asked: list[str] = []

    def finish_request(self, request, client_address) -> None:  # type: ignore[no-untyped-def]
        if self.tls is None:
            super().finish_request(request, client_address)
            return
        with self.tls.wrap_socket(request, server_side=True, do_handshake_on_connect=False) as secure:
            secure.do_handshake()
            super().finish_request(secure, client_address)

    def handle_error(self, request, client_address) -> None:  # type: ignore[no-untyped-def]
        """A client that breaks off is what these servers are for."""


@dataclass(slots=True)
class Scripted:
    """A server that runs; `asked` are the paths in the order they came."""

    origin: str
    asked: list[str] = field(default_factory=list)


@contextlib.contextmanager
def scripted_server(
    scripts: Mapping[str, Talk], *, address: str = "127.77.0.1", tls: ssl.SSLContext | None = None
) -> Iterator[Scripted]:
    """Serve these paths while the `with` lasts."""
    with _Server(address, scripts, tls) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        scheme = "https" if tls else "http"
        try:
            yield Scripted(f"{scheme}://{address}:{server.server_address[1]}", server.asked)
        finally:
            server.shutdown()
            thread.join()


@contextlib.contextmanager
def hostile_web(
    shape: WebShape, record: Path, tls: Mapping[str, ssl.SSLContext]
) -> Iterator[ServedHostileWeb]:
    """Serve the hostile web while the `with` lasts; its record can be read afterwards."""
    opened: Future[tuple[ServedHostileWeb, Callable[[], object]]] = Future()

    async def serve() -> None:
        recorder = Recorder(record)
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        async with serve_hostile_web(shape, recorder, tls) as served:
            opened.set_result((served, lambda: loop.call_soon_threadsafe(ended.set)))
            await ended.wait()
        recorder.close()

    def run() -> None:
        try:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                runner.run(serve())
        except BaseException as error:
            if opened.done():
                raise
            opened.set_exception(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        served, end = opened.result()
        yield served
        end()
    finally:
        if opened.done() and not opened.exception():
            opened.result()[1]()
        thread.join()
