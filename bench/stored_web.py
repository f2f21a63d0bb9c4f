"""How are stored pages served under any number of host names, as cheaply as possible?

A forward proxy and a name server on loopback, in one process of their own. Every name has an address in
the range reserved for benchmarks, every path a page: the next one of the stock, complete with its header.
There are no rules and feeds: robots.txt, /.well-known/ and everything called a feed are not found.

Nothing is recorded, and no answer is made on demand: it only costs reading the first line of the request and
one write.
"""

import asyncio
import contextlib
import multiprocessing
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from multiprocessing.connection import Connection
from typing import Final, cast

import uvloop

from tiptoe.errors import CrawlerError
from tiptoe.testing.dns import answer_with
from tiptoe.testing.web_addresses import LIVE_ADDRESSES, address_at

LOOPBACK: Final = "127.0.0.1"
BACKLOG: Final = 4_096
OPENING_SECONDS: Final = 300.0
REQUEST_BYTES_MAX: Final = 65_536
MISSING: Final = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n"
_NO_PAGE: Final = re.compile(rb"/robots\.txt$|/\.well-known/|\b(?:feeds?|rss|atom)\b|\.(?:xml|rss|atom)\b")


@dataclass(frozen=True, slots=True)
class Stock:
    """Answers in the order in which they are sent, and their sizes."""

    answers: Sequence[bytes]
    html_bytes: int
    body_bytes: int  # as sent, compressed


@dataclass(frozen=True, slots=True)
class StoredWeb:
    """A web in a process of its own."""

    proxy_url: str
    dns_address: str
    pid: int
    pages: int  # before the first is repeated
    html_bytes: int
    body_bytes: int


class _Client(asyncio.Protocol):
    """One connection of a crawler; requests are answered in order, at once."""

    def __init__(self, answers: Iterator[bytes]) -> None:
        self._answers = answers
        self._received = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        assert self._transport is not None
        self._received += data
        while (end := self._received.find(b"\r\n\r\n")) >= 0:
            line = self._received[: self._received.index(b"\r\n")]
            self._received = self._received[end + 4 :]
            self._transport.write(answer_to(line, self._answers))
        if len(self._received) > REQUEST_BYTES_MAX:
            self._transport.abort()


class _Names(asyncio.DatagramProtocol):
    """A name server that knows every name."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        if answer := answer_with(addresses_of, data):
            self._transport.sendto(answer, addr)


def answer_to(line: bytes, answers: Iterator[bytes]) -> bytes:
    """Return the answer to a request by its first line, `GET http://host/path HTTP/1.1`."""
    method, _, rest = line.partition(b" ")
    target = rest.partition(b" ")[0].removeprefix(b"http://")
    path = b"/" + target.partition(b"/")[2]
    return MISSING if method != b"GET" or _NO_PAGE.search(path) else next(answers)


def addresses_of(name: str, kind: int) -> list[str]:
    """Return the addresses of a name: nearly always one of its own."""
    return [address_at(1 + zlib.crc32(name.encode()) % (LIVE_ADDRESSES - 1), loopback=False)]


@contextlib.contextmanager
def serve_stored(make_stock: Callable[[], Stock]) -> Iterator[StoredWeb]:
    """Serve pages while the `with` lasts; the stock is made in the serving process."""
    spawn = multiprocessing.get_context("spawn")  # the stock is in its memory, not in ours
    here, there = spawn.Pipe()
    process = spawn.Process(target=_run, args=(make_stock, there), daemon=True)
    process.start()
    try:
        there.close()
        if not here.poll(OPENING_SECONDS):
            raise CrawlerError("the web of stored pages did not start")
        yield here.recv()
    except EOFError as error:
        raise CrawlerError("the web of stored pages did not start; its own message says why") from error
    finally:
        process.terminate()
        process.join()


def _run(make_stock: Callable[[], Stock], parent: Connection) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(make_stock(), parent))


async def _serve(stock: Stock, parent: Connection) -> None:
    loop = asyncio.get_running_loop()
    answers = cycle(stock.answers)
    server = await loop.create_server(lambda: _Client(answers), LOOPBACK, 0, backlog=BACKLOG)
    names, _ = await loop.create_datagram_endpoint(_Names, local_addr=(LOOPBACK, 0))
    port, dns_port = server.sockets[0].getsockname()[1], names.get_extra_info("sockname")[1]
    pid = multiprocessing.current_process().pid or 0
    parent.send(
        StoredWeb(
            f"http://{LOOPBACK}:{port}", f"{LOOPBACK}:{dns_port}", pid,
            len(stock.answers), stock.html_bytes, stock.body_bytes,
        )
    )  # fmt: skip
    await server.serve_forever()
