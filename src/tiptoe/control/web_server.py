"""How does the application get its connections? From uvicorn, with limits against slow clients."""

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["PromptProtocol", "TlsFiles", "listen", "serve"]

CONNECTIONS_MAX: Final = 1000
HEAD_SECONDS: Final = 15.0
"""Longest time for the head of a request to arrive; slower clients are cut off."""

HEAD_BYTES_MAX: Final = 32 << 10
KEEP_ALIVE_SECONDS: Final = 30
STALL_SECONDS: Final = 25.0
"""Longest time in which a client reads nothing of an answer; shorter than the sender's SEND_SECONDS."""

SHUTDOWN_SECONDS: Final = 3


class TlsFiles:
    """A certificate and its key."""

    def __init__(self, certificate: Path, key: Path) -> None:
        self.certificate = certificate
        self.key = key


class PromptProtocol(H11Protocol):
    """One connection; it ends when a request's head takes too long to arrive, or an answer is not read.

    In the second case it is aborted: after a mere close the socket would stay until the client has read the
    rest."""

    _overdue: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None
    _goes_on = False  # the client has certainly read something since the timer was set

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._cancel()  # the head is complete

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._goes_on = True
        self._expect_taking()
        if self._overdue is None and not self.transport.is_closing():
            self._expect_head()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._expect_taking()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._goes_on = True

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel()
        if self._stalled is not None:
            self._stalled.cancel()
        super().connection_lost(exc)

    def _expect_head(self) -> None:
        seconds = HEAD_SECONDS + KEEP_ALIVE_SECONDS * (self.cycle is not None)
        self._overdue = self.loop.call_later(seconds, self.transport.close)

    def _cancel(self) -> None:
        if self._overdue is not None:
            self._overdue.cancel()
            self._overdue = None

    def _expect_taking(self) -> None:
        """End the connection unless the client reads some of what waits for it."""
        if self._stalled is None and (waiting := self.transport.get_write_buffer_size()):
            self._goes_on = False
            self._stalled = self.loop.call_later(STALL_SECONDS, self._look_for_taking, waiting)

    def _look_for_taking(self, before: int) -> None:
        self._stalled = None
        # A slow client may have read some although as much waits, because more was written meanwhile.
        if not self._goes_on and self.transport.get_write_buffer_size() >= before:
            self.transport.abort()
        else:
            self._expect_taking()


def listen(host: str, port: int) -> socket.socket:
    """Bind a port, so that it is known before anything is built; raise OSError when it is not available."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    taken = socket.socket(family, socket.SOCK_STREAM)
    try:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind((host, port))
        taken.set_inheritable(False)  # crawls are children, and outlive us
    except OSError:
        taken.close()
        raise
    return taken


def serve(
    app: ASGIApp, taken: socket.socket, *, tls: TlsFiles | None = None,
    on_start: Callable[[], None] = lambda: None, on_end: Callable[[], None] = lambda: None,
) -> None:  # fmt: skip
    """Serve until a signal; `on_start` is called when clients can connect, `on_end` while some still wait."""
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    config = uvicorn.Config(
        app,
        http=PromptProtocol,
        ws="none",
        loop="uvloop",
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        limit_concurrency=CONNECTIONS_MAX,
        h11_max_incomplete_event_size=HEAD_BYTES_MAX,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        ssl_certfile=tls.certificate if tls else None,
        ssl_keyfile=tls.key if tls else None,
        ssl_version=ssl.PROTOCOL_TLS_SERVER,
    )
    _Told(config, on_start, on_end).run(sockets=[taken])


class _Told(uvicorn.Server):
    """A server that calls back when it listens, and when it is about to end."""

    def __init__(
        self, config: uvicorn.Config, on_start: Callable[[], None], on_end: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._on_start = on_start
        self._on_end = on_end

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._on_end()
        await super().shutdown(sockets)
