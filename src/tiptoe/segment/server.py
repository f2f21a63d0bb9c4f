"""How are requests for a segmenter received over HTTP?

h11 handles the protocol, asyncio the bytes. Requests of a connection are answered one
after the other; each has limits on size and time.

Rule: whatever a client sends, or fails to send, affects only its own connection.
"""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import formatdate
from typing import Final

import h11

from tiptoe.segment.segmenter_protocol import REQUEST_BYTES_MAX
from tiptoe.segment.segmenter_service import SegmenterReply, refusal

__all__ = ["Respond", "Server", "ServerLimits"]

Respond = Callable[[str, str, bytes], SegmenterReply]
"""Answers method, path and body."""

READ_BYTES: Final = 262_144
CLOSING_SECONDS: Final = 5.0
HEARING_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """Limits for each client."""

    head_bytes_max: int = 16_384
    body_bytes_max: int = REQUEST_BYTES_MAX
    idle_seconds: float = 120.0  # between requests on one connection
    request_seconds: float = 30.0  # from the head of a request to the end of its body; again for the answer
    connections_max: int = 256


class Server:
    """Listens, and lets `respond` answer; `async with` opens and closes it."""

    def __init__(
        self,
        respond: Respond,
        host: str,
        port: int,
        *,
        limits: ServerLimits | None = None,
        note: Callable[[str], None] = lambda fault: None,
    ) -> None:
        """`note` is told about exceptions of `respond`."""
        self._note = note
        self._respond = respond
        self._host = host
        self._asked_port = port
        self._limits = limits or ServerLimits()
        self._server: asyncio.Server | None = None
        self._open: dict[asyncio.Task[None], _Connection] = {}

    @property
    def port(self) -> int:
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    async def __aenter__(self) -> "Server":
        self._server = await asyncio.start_server(
            self._accept, self._host, self._asked_port, limit=READ_BYTES
        )
        return self

    async def __aexit__(self, *exc: object) -> None:
        """Accept no more requests, finish those under way, and close."""
        assert self._server is not None
        self._server.close()
        for task, connection in self._open.items():
            if connection.is_idle:
                task.cancel()
        if self._open:
            _, late = await asyncio.wait(self._open, timeout=CLOSING_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connection = _Connection(reader, writer, self._respond, self._limits, self._note)
        self._open[task] = connection
        try:
            if len(self._open) <= self._limits.connections_max:
                await connection.serve(lambda: self._server is not None and self._server.is_serving())
        except (OSError, TimeoutError, asyncio.CancelledError):
            pass  # the client left or sent nothing for too long, or we are closing
        finally:
            del self._open[task]
            writer.close()


class _Connection:
    """One client."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        respond: Respond,
        limits: ServerLimits,
        note: Callable[[str], None],
    ) -> None:
        self._note = note
        self._reader = reader
        self._writer = writer
        self._respond = respond
        self._limits = limits
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=limits.head_bytes_max)
        self.is_idle = True

    async def serve(self, goes_on: Callable[[], bool]) -> None:
        """Answer requests until one side ends the connection."""
        while goes_on():
            try:
                request = await self._next_request()
                if request is None:
                    return
                self.is_idle = False
                async with asyncio.timeout(self._limits.request_seconds):
                    await self._answer(request)
            except h11.RemoteProtocolError as problem:
                if self._http.our_state in (h11.IDLE, h11.SEND_RESPONSE):
                    await self._send(refusal(problem.error_status_hint, str(problem)), is_last=True)
                    await self._read_all()
                return
            if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
                return
            self._http.start_next_cycle()
            self.is_idle = True

    async def _next_request(self) -> h11.Request | None:
        async with asyncio.timeout(self._limits.idle_seconds):
            event = await self._next_event()
        return event if isinstance(event, h11.Request) else None

    async def _answer(self, request: h11.Request) -> None:
        body = await self._body()
        method, path = request.method.decode("ascii"), request.target.decode("latin-1")
        if body is None:
            await self._send(refusal(413, f"at most {self._limits.body_bytes_max} bytes"), is_last=True)
            await self._read_all()
        else:
            await self._send(self._reply(method, path, body), is_head=method == "HEAD")

    def _reply(self, method: str, path: str, body: bytes) -> SegmenterReply:
        try:
            return self._respond(method, path, body)
        except Exception as fault:  # a bug of ours, which must not affect the next request
            self._note(f"{method} {path[:200]!r}: {fault!r}")
            return refusal(500, "a fault of the segmenter")

    async def _read_all(self) -> None:
        """Read the rest of a request: if we closed with unread bytes, our answer would be lost."""
        self._writer.write_eof()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(HEARING_SECONDS):
                while await self._reader.read(READ_BYTES):
                    pass

    async def _body(self) -> bytes | None:
        """Return the body of the request; None if it is too long."""
        pieces: list[bytes] = []
        size = 0
        if self._http.they_are_waiting_for_100_continue:
            self._writer.write(self._http.send(h11.InformationalResponse(status_code=100, headers=[])) or b"")
        while isinstance(event := await self._next_event(), h11.Data):
            size += len(event.data)
            if size > self._limits.body_bytes_max:
                return None
            pieces.append(bytes(event.data))
        return b"".join(pieces)

    async def _next_event(self) -> h11.Event | type[h11.PAUSED]:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            self._http.receive_data(await self._reader.read(READ_BYTES))
        return event  # type: ignore[return-value]

    async def _send(self, reply: SegmenterReply, *, is_last: bool = False, is_head: bool = False) -> None:
        headers = [
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(reply.body))),
            ("Date", formatdate(usegmt=True)),
        ]
        if reply.allow:
            headers.append(("Allow", reply.allow))
        if is_last:
            headers.append(("Connection", "close"))
        http = self._http
        self._writer.write(http.send(h11.Response(status_code=reply.status, headers=headers)) or b"")
        if not is_head:
            self._writer.write(http.send(h11.Data(data=reply.body)) or b"")
        self._writer.write(http.send(h11.EndOfMessage()) or b"")
        with contextlib.suppress(ConnectionError):
            await self._writer.drain()
