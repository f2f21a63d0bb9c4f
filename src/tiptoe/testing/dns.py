"""Where does a simulated host live? Asked over UDP, as resolvers do (RFC 1035)."""

import asyncio
import socket
import struct
from collections.abc import Callable
from typing import Final, cast

from tiptoe.testing.web import SimulatedWeb

__all__ = ["DnsFace", "answer_query", "answer_with"]

HEADER: Final = struct.Struct("!HHHHHH")
TTL_SECONDS: Final = 300
TYPE_A: Final = 1
CLASS_IN: Final = 1
IS_QUERY_MASK: Final = 0xF800  # response bit and operation: both zero in a plain query
RECURSION_DESIRED: Final = 0x0100
ANSWERED: Final = 0x8480  # response, authoritative, recursion available
FORMAT_ERROR: Final = 1
NO_SUCH_NAME: Final = 3
QUERY_BYTES_MAX: Final = 512


def answer_query(web: SimulatedWeb, query: bytes, *, loopback: bool) -> bytes | None:
    """Return the datagram that answers a query; None if it is not worth an answer."""

    def addresses_of(name: str, kind: int) -> list[str]:
        address = web.address_of(name, loopback=loopback)
        return [address] if address else []

    return answer_with(addresses_of, query)


def answer_with(addresses_of: Callable[[str, int], list[str]], query: bytes) -> bytes | None:
    """Return the datagram that answers a query; `addresses_of` maps name and record type to addresses."""
    if not HEADER.size <= len(query) <= QUERY_BYTES_MAX:
        return None
    number, flags, questions, *_ = HEADER.unpack_from(query)
    if flags & IS_QUERY_MASK:
        return None
    flags = ANSWERED | flags & RECURSION_DESIRED
    name, end = _read_name(query, HEADER.size)
    if questions != 1 or name is None or end + 4 > len(query):
        return HEADER.pack(number, flags | FORMAT_ERROR, 0, 0, 0, 0)
    question = query[HEADER.size : end + 4]
    kind, _ = struct.unpack_from("!HH", query, end)
    addresses = addresses_of(name, kind)
    if not addresses:
        return HEADER.pack(number, flags | NO_SUCH_NAME, 1, 0, 0, 0) + question
    if kind != TYPE_A:
        return HEADER.pack(number, flags, 1, 0, 0, 0) + question
    record = struct.pack("!HHHIH", 0xC00C, TYPE_A, CLASS_IN, TTL_SECONDS, 4)
    records = b"".join(record + socket.inet_aton(address) for address in addresses)
    return HEADER.pack(number, flags, 1, len(addresses), 0, 0) + question + records


def _read_name(query: bytes, start: int) -> tuple[str | None, int]:
    """Return the name in a question, lower case, and where it ends; queries never point back."""
    labels: list[str] = []
    while start < len(query):
        length = query[start]
        start += 1
        if length == 0:
            return ".".join(labels), start
        if length > 63:
            break
        labels.append(query[start : start + length].decode("latin-1").lower())
        start += length
    return None, start


class DnsFace(asyncio.DatagramProtocol):
    """Answers every query about the simulated web, and counts them."""

    def __init__(self, web: SimulatedWeb, *, loopback: bool) -> None:
        self._web = web
        self._loopback = loopback
        self._transport: asyncio.DatagramTransport | None = None
        self.queries = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        self.queries += 1
        answer = answer_query(self._web, data, loopback=self._loopback)
        if answer is not None and self._transport:
            self._transport.sendto(answer, addr)
