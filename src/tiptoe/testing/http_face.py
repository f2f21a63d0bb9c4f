"""How is HTTP/1.1 spoken by the simulated servers?

As little of it as crawlers need: GET and HEAD, keep-alive, conditional requests,
one request after the other on a connection. Subclasses determine where the
name of the host comes from and which address it has, as in `proxy.py`.

The time of an answer is taken just before its last bytes are handed to the socket:
never after the client can have them, so that our own slowness never makes a polite
client look impolite.
"""

import asyncio
import re
import socket
from collections.abc import Callable
from email.utils import formatdate, parsedate_to_datetime
from http import HTTPStatus
from typing import Final, NamedTuple, cast

from tiptoe.testing.answer import Delivery, SimulatedAnswer
from tiptoe.testing.recorder import Arrival, Recorder
from tiptoe.testing.web import SimulatedWeb

__all__ = ["ArrivedRequest", "HttpConnection", "ServingContext"]

REQUEST_BYTES_MAX: Final = 65_536
SEND_BUFFER_BYTES: Final = 65_536
LAST_BYTES: Final = 4_096  # of an answer too big for the buffer: its time is taken before these are sent
USER_AGENT: Final = re.compile(rb"\r\nuser-agent:[ \t]*([^\r\n]*)", re.IGNORECASE)
IF_NONE_MATCH: Final = re.compile(rb"\r\nif-none-match:[ \t]*([^\r\n]*)", re.IGNORECASE)
IF_MODIFIED_SINCE: Final = re.compile(rb"\r\nif-modified-since:[ \t]*([^\r\n]*)", re.IGNORECASE)
HAS_BODY: Final = re.compile(rb"\r\n(content-length|transfer-encoding):", re.IGNORECASE)
CLOSES: Final = re.compile(rb"\r\n(proxy-)?connection:[ \t]*close", re.IGNORECASE)
ACCEPTS_GZIP: Final = re.compile(rb"\r\naccept-encoding:[^\r\n]*\bgzip\b", re.IGNORECASE)
PHRASES: Final = {status.value: status.phrase for status in HTTPStatus}


class ArrivedRequest(NamedTuple):
    """One request, read."""

    arrived_at: float
    method: str
    host: str
    target: str
    address: str  # of the intended server; empty: none, nothing to record
    head: bytes


class ServingContext:
    """What all connections of one face share: the web, the record and the clock of the web."""

    def __init__(
        self, web: SimulatedWeb, recorder: Recorder | None, *, began_at: float | None = None
    ) -> None:
        self.web = web
        self.recorder = recorder
        self.clock = recorder or Recorder()
        self.began_at = self.clock.now() if began_at is None else began_at
        self.connections: set[HttpConnection] = set()
        self.requests = 0
        self.connected = 0
        self._date_second = 0
        self._date = ""

    def date(self, now: float) -> str:
        """Return the Date field; it is formatted once per second."""
        if int(now) != self._date_second:
            self._date_second = int(now)
            self._date = formatdate(now, usegmt=True)
        return self._date


class HttpConnection(asyncio.Protocol):
    """One client: *reading* until a request is complete, then *answering* it; further requests wait."""

    def __init__(self, context: ServingContext) -> None:
        self._context = context
        self._transport: asyncio.Transport | None = None
        self._received = b""
        self._request: ArrivedRequest | None = None  # being answered
        self._answer: SimulatedAnswer | None = None
        self._on_drained: Callable[[], None] | None = None
        self._is_paused = False
        self._timer: asyncio.TimerHandle | None = None
        self._number = 0

    def locate(self, target: bytes, head: bytes) -> tuple[str, str, str]:
        """Return host, path and server address of a request."""
        raise NotImplementedError

    def respond(self, request: ArrivedRequest) -> SimulatedAnswer:
        """Return the web's answer to a request."""
        context = self._context
        return context.web.respond(
            request.host,
            request.target,
            now=request.arrived_at - context.began_at,
            accepts_gzip=ACCEPTS_GZIP.search(request.head) is not None,
        )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        # Without a buffer of our own a write goes out at once, and we are told if it could not.
        self._transport.set_write_buffer_limits(high=0)
        # With a big kernel buffer an answer would seem finished long before the client has it.
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        self._context.connected += 1
        self._number = self._context.connected
        self._context.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._context.connections.discard(self)
        if self._timer:
            self._timer.cancel()
        if self._request:
            self._record(self._context.clock.now(), 0)
        self._transport = None
        self._on_drained = None

    def pause_writing(self) -> None:
        self._is_paused = True

    def resume_writing(self) -> None:
        self._is_paused = False
        if self._on_drained:
            then, self._on_drained = self._on_drained, None
            then()

    def data_received(self, data: bytes) -> None:
        self._received += data
        if self._request is None:
            self._read_request()
        elif len(self._received) > REQUEST_BYTES_MAX:
            self.abort()

    def abort(self) -> None:
        """Break the connection."""
        if self._transport:
            self._transport.abort()

    def _read_request(self) -> None:
        """Take the next complete request, if there is one."""
        end = self._received.find(b"\r\n\r\n")
        if end < 0:
            if len(self._received) > REQUEST_BYTES_MAX:
                self.abort()
            return
        arrived_at = self._context.clock.now()
        head, self._received = self._received[:end], self._received[end + 4 :]
        parts = head.partition(b"\r\n")[0].split(b" ")
        if len(parts) != 3 or parts[0] not in (b"GET", b"HEAD") or HAS_BODY.search(head):
            self.abort()
            return
        self._context.requests += 1
        host, target, address = self.locate(parts[1], head)
        self._request = ArrivedRequest(arrived_at, parts[0].decode(), host, target, address, head)
        answer = self.respond(self._request)
        if answer.latency_seconds:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(answer.latency_seconds, self._deliver, answer)
        else:
            self._deliver(answer)

    def _deliver(self, answer: SimulatedAnswer) -> None:
        assert self._request is not None
        self._timer = None
        if answer.status == 200 and _is_unchanged(self._request.head, answer):
            answer = SimulatedAnswer(304, answer.headers)
        self._answer = answer
        if answer.delivery is not Delivery.PLAIN:
            self._deliver_unkindly(answer)
            return
        body = b"" if self._request.method == "HEAD" else answer.body
        self._write_last(self._head_of(answer, len(answer.body)) + body)

    def _head_of(self, answer: SimulatedAnswer, body_bytes: int | None) -> bytes:
        lines = [f"HTTP/1.1 {answer.status} {PHRASES.get(answer.status, 'Unknown')}"]
        lines += [f"{name}: {value}" for name, value in answer.headers]
        lines.append(f"Date: {self._context.date(self._context.clock.now())}")
        if answer.status != 304:
            lines.append("Connection: close" if body_bytes is None else f"Content-Length: {body_bytes}")
        lines.append("\r\n")
        return "\r\n".join(lines).encode("latin-1")

    def _write_last(self, data: bytes, *, then_close: bool = False) -> None:
        """Write the last bytes of an answer; it is finished when the socket has them."""
        assert self._transport is not None
        if len(data) > SEND_BUFFER_BYTES:
            self._transport.write(data[:-LAST_BYTES])
            data = data[-LAST_BYTES:]
            if self._is_paused:
                self._on_drained = lambda: self._write_last(data, then_close=then_close)
                return
        now = self._context.clock.now()
        self._transport.write(data)
        if self._is_paused:
            self._on_drained = lambda: self._finish(now, then_close)
        else:
            self._finish(now, then_close)

    def _finish(self, answered_at: float, then_close: bool) -> None:
        """Record the answer and turn to the next request."""
        if self._request is None or self._answer is None or self._transport is None:
            return
        closes = then_close or CLOSES.search(self._request.head) is not None
        self._record(answered_at, self._answer.status)
        if closes:
            self._transport.close()
        elif self._received:
            self._read_request()

    def _record(self, answered_at: float, status: int) -> None:
        request, answer = self._request, self._answer
        self._request = self._answer = None
        recorder = self._context.recorder
        if request is None or recorder is None or not request.address:
            return
        agent = USER_AGENT.search(request.head)
        recorder.add(
            Arrival(
                request.arrived_at, answered_at, request.host, request.address, request.method,
                request.target, status, agent[1].decode("latin-1") if agent else "", self._number,
                _retry_after(answer, answered_at) if status in (429, 503) and answer else None,
            )
        )  # fmt: skip

    def _deliver_unkindly(self, answer: SimulatedAnswer) -> None:
        """Deliver an answer in one of the faulty ways that occur on the web every day."""
        assert self._transport is not None
        assert answer.delivery is Delivery.RESET, f"nobody here delivers {answer.delivery}"
        size = len(answer.body)
        self._transport.write(self._head_of(answer, size) + answer.body[: size // 2])
        self.abort()


def _is_unchanged(head: bytes, answer: SimulatedAnswer) -> bool:
    """True if the client already has exactly this; an ETag, when sent, decides alone."""
    asked, field = IF_NONE_MATCH.search(head), "ETag"
    if asked is None:
        asked, field = IF_MODIFIED_SINCE.search(head), "Last-Modified"
    return asked is not None and (field, asked[1].decode("latin-1").strip()) in answer.headers


def _retry_after(answer: SimulatedAnswer, now: float) -> float | None:
    """Return how many seconds the client was told to wait; None if the field is missing or invalid."""
    value = dict(answer.headers).get("Retry-After", "")
    if value.isdecimal():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, OverflowError):
        return None
