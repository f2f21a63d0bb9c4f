"""How is the simulated web fetched without a socket, on a clock that may be virtual?

`InProcessClient` and `InProcessResolver` behave like `fetch/client.py` and
`fetch/resolve.py`: the same calls, the same values, the same limits. All waiting
uses the running loop's timers and all moments come from `time`, so on a loop with
a virtual clock a day of crawling takes only the time of its computations.

Arrivals are recorded for `judge.py`, as by the simulated servers: a request arrives
at the moment it is sent, and its answer ends when the client has it.
"""

import asyncio
import ipaddress
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from email.utils import formatdate, parsedate_to_datetime
from http import HTTPStatus
from typing import Final

from simulated.received import Received, patience_seconds, receive
from tiptoe.fetch.approach import PLAIN_APPROACH, Approach
from tiptoe.fetch.guard import AddressGuard
from tiptoe.fetch.http_blocks import Target, read_header_block, request_block, split_url
from tiptoe.fetch.limits import FetchLimits
from tiptoe.fetch.outcome import Answer, Failed, Failure
from tiptoe.fetch.resolve import Resolution
from tiptoe.testing.answer import Delivery, SimulatedAnswer
from tiptoe.testing.recorder import Arrival
from tiptoe.testing.web import SimulatedWeb
from tiptoe.testing.web_hosts import Life, WebHost

__all__ = ["InProcessClient", "InProcessResolver"]

HTTP_PORT: Final = 80
DNS_SECONDS: Final = 300.0  # how long an address is remembered
NAMES_REMEMBERED: Final = 65_536
PHRASES: Final = {status.value: status.phrase for status in HTTPStatus}


class _Closed(Exception):
    """The client was closed while a request was under way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """One request under way."""

    url: str
    target: Target
    address: str
    connection: int
    lines: tuple[bytes, ...]
    started_at: float

    def failed(self, failure: Failure, detail: str, *, now: float, received: int = 0) -> Failed:
        return Failed(
            url=self.url, failure=failure, detail=detail, address=self.address,
            started_at=self.started_at, seconds=now - self.started_at, bytes_received=received,
        )  # fmt: skip


class InProcessClient:
    """Asks the simulated web for URLs; `time` is the clock, `record` is told of every arrival.

    `began_at` is the moment at which the web's own time, that its changes follow, is
    zero; clients that share a web should share it. Must be used on a running loop;
    `close` ends what is under way as `HARVESTER_LOST`.
    """

    def __init__(
        self,
        web: SimulatedWeb,
        *,
        limits: FetchLimits,
        user_agent: str,
        time: Callable[[], float],
        record: Callable[[Arrival], None] | None = None,
        began_at: float | None = None,
    ) -> None:
        self._web = web
        self._limits = limits
        self._user_agent = user_agent
        self._time = time
        self._record = record
        self._began_at = time() if began_at is None else began_at
        self._patience_seconds = patience_seconds(limits)
        self._waiting: set[asyncio.Future[None]] = set()
        self._connections: dict[tuple[str, str], int] = {}  # open and idle, by host and address
        self._connected = 0

    async def fetch(
        self,
        url: str,
        *,
        address: str | None,
        headers: Sequence[tuple[str, str]] = (),
        keep: bool = True,
        approach: Approach = PLAIN_APPROACH,
    ) -> Answer | Failed:
        """Ask for `url` at an address; without one, as through a proxy, where the host lives."""
        assert approach == PLAIN_APPROACH, "nobody here wants a login"
        started_at = self._time()
        target = split_url(url)
        if target is None or target.scheme == "file":
            return Failed(url=url, failure=Failure.BAD_URL, started_at=started_at)
        address = address or self._web.address_of(target.host) or ""
        call = _Call(
            url=url,
            target=target,
            address=address,
            connection=self._connect(target.host, address, keep),
            lines=self._lines(headers),
            started_at=started_at,
        )
        try:
            return await self._exchange(call)
        except _Closed:
            return call.failed(Failure.HARVESTER_LOST, "closed", now=self._time())

    async def close(self) -> None:
        """Abort all requests; they end as `HARVESTER_LOST`."""
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_exception(_Closed())

    async def _exchange(self, call: _Call) -> Answer | Failed:
        host = self._web.hosts.named(call.target.host)
        if host is None or host.life is Life.NO_SUCH_HOST:
            await self._wait(0.0)
            return call.failed(Failure.NO_SUCH_HOST, "no such host", now=self._time())
        if not self._is_listening(host, call.target):
            await self._wait(host.latency_seconds)
            return call.failed(Failure.REFUSED, "connection refused", now=self._time())
        return await self._ask(call)

    def _is_listening(self, host: WebHost, target: Target) -> bool:
        """Tell whether a connection would be made; nobody here speaks TLS or FTP."""
        port = int(target.port or HTTP_PORT)
        return host.life is Life.ALIVE and target.scheme == "http" and port == self._web.shape.port

    async def _ask(self, call: _Call) -> Answer | Failed:
        arrived_at = self._time()
        status, retry_after = 0, None
        try:
            answer = self._web.respond(
                call.target.host, call.target.path, now=arrived_at - self._began_at, accepts_gzip=True
            )
            if answer.latency_seconds > self._patience_seconds:
                await self._wait(self._patience_seconds)
                return call.failed(Failure.TIMED_OUT, "no answer in time", now=self._time())
            await self._wait(answer.latency_seconds)
            if answer.status == 200 and _is_unchanged(call.lines, answer):
                answer = SimulatedAnswer(304, answer.headers)
            received = receive(answer, self._head_of(answer), self._limits)
            if received.seconds:
                await self._wait(received.seconds)
            outcome = self._conclude(call, received)
            if isinstance(outcome, Answer) and outcome.truncated is None:
                status, retry_after = answer.status, _retry_after(answer, self._time())
            return outcome
        finally:
            self._note(call, arrived_at, status, retry_after)

    def _conclude(self, call: _Call, received: Received) -> Answer | Failed:
        now, size = self._time(), received.bytes_received
        if received.failure:
            return call.failed(received.failure, received.failure.value, now=now, received=size)
        header = read_header_block(received.head)
        if header is None:
            return call.failed(Failure.BAD_ANSWER, "no status line", now=now, received=size)
        return Answer(
            url=call.url,
            status=header.status,
            request_block=request_block(call.target.path, call.target.authority, call.lines),
            header_block=header.block,
            headers=header.headers,
            body=received.body,
            truncated=received.truncated,
            address=call.address,
            started_at=call.started_at,
            seconds=now - call.started_at,
            protocol=header.protocol,
        )

    def _head_of(self, answer: SimulatedAnswer) -> bytes:
        lines = [f"HTTP/1.1 {answer.status} {PHRASES.get(answer.status, 'Unknown')}"]
        lines += [f"{name}: {value}" for name, value in answer.headers]
        lines.append(f"Date: {formatdate(self._time(), usegmt=True)}")
        if answer.status != 304 and answer.delivery is Delivery.PLAIN:
            lines.append(f"Content-Length: {len(answer.body)}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def _note(self, call: _Call, arrived_at: float, status: int, retry_after: float | None) -> None:
        if self._record and call.address:
            self._record(
                Arrival(
                    arrived_at, self._time(), call.target.host, call.address, "GET", call.target.path,
                    status, self._user_agent, call.connection, retry_after,
                )
            )  # fmt: skip

    def _lines(self, headers: Sequence[tuple[str, str]]) -> tuple[bytes, ...]:
        fields = [("User-Agent", self._user_agent), ("Accept-Encoding", "gzip, br, zstd"), *headers]
        return tuple(f"{name}: {value}".encode("latin-1") for name, value in fields)

    def _connect(self, host: str, address: str, keep: bool) -> int:
        """Return the number of the connection used: one left open by an earlier request, or a new one."""
        number = self._connections.pop((host, address), None)
        if number is None:
            self._connected += 1
            number = self._connected
        if keep:
            self._connections[host, address] = number
            if len(self._connections) > self._limits.connections_max:
                del self._connections[next(iter(self._connections))]
        return number

    async def _wait(self, seconds: float) -> None:
        """Sleep on the loop's clock, unless the client is closed meanwhile."""
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[None] = loop.create_future()
        self._waiting.add(waiting)
        timer = loop.call_later(seconds, _wake, waiting)
        try:
            await waiting
        finally:
            timer.cancel()
            self._waiting.discard(waiting)


class InProcessResolver:
    """Knows where the simulated hosts live; a look-up takes as long as one trip to the host.

    With a clock, what was looked up is remembered for a while, as resolvers do.
    """

    def __init__(
        self,
        web: SimulatedWeb,
        *,
        time: Callable[[], float] | None = None,
        guard: AddressGuard | None = None,
    ) -> None:
        self._web = web
        self._time = time
        self._guard = guard
        self._known_until: dict[str, float] = {}

    async def resolve(self, host: str, last_address: str = "") -> Resolution:
        """Return the address to connect to."""
        name = host.removeprefix("[").removesuffix("]")
        try:
            return self._choose(str(ipaddress.ip_address(name)))
        except ValueError:
            await self._look_up(name)
        address = self._web.address_of(name)
        return self._choose(address) if address else Resolution(None, Failure.NO_SUCH_HOST)

    async def _look_up(self, name: str) -> None:
        """Wait as long as name servers take, unless the answer is still known."""
        if self._time and self._known_until.get(name, -math.inf) > self._time():
            return
        host = self._web.hosts.named(name)
        await asyncio.sleep(host.latency_seconds if host else 0.0)
        if self._time:
            self._known_until[name] = self._time() + DNS_SECONDS
            if len(self._known_until) > NAMES_REMEMBERED:
                del self._known_until[next(iter(self._known_until))]

    async def close(self) -> None:
        """Nothing is held."""

    def _choose(self, address: str) -> Resolution:
        if self._guard and not self._guard.permits(address):
            return Resolution(None, Failure.PRIVATE_ADDRESS)
        return Resolution(address, None)


def _wake(waiting: "asyncio.Future[None]") -> None:
    if not waiting.done():
        waiting.set_result(None)


def _is_unchanged(lines: tuple[bytes, ...], answer: SimulatedAnswer) -> bool:
    """True if the client already has exactly this; an ETag, when sent, decides alone."""
    asked = {}
    for line in lines:
        name, _, value = line.decode("latin-1").partition(": ")
        asked[name.lower()] = value
    if "if-none-match" in asked:
        return ("ETag", asked["if-none-match"]) in answer.headers
    return ("Last-Modified", asked.get("if-modified-since", "")) in answer.headers


def _retry_after(answer: SimulatedAnswer, now: float) -> float | None:
    """Return the seconds a busy server asks for; None if what stands there says nothing."""
    wish = dict(answer.headers).get("Retry-After", "")
    if answer.status not in (429, 503) or not wish:
        return None
    if wish.isascii() and wish.isdigit():
        return float(wish)
    try:
        return max(0.0, parsedate_to_datetime(wish).timestamp() - now)
    except (ValueError, OverflowError):
        return None
