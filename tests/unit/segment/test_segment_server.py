"""The HTTP shell: whatever a client does costs only its own connection."""

import asyncio
import http.client
import json
from collections.abc import Awaitable, Callable

import pytest

from tiptoe.segment import server as server_module
from tiptoe.segment.segmenter_service import SegmenterReply
from tiptoe.segment.server import Server, ServerLimits

QUICK = ServerLimits(idle_seconds=0.1, request_seconds=0.1, body_bytes_max=100_000, head_bytes_max=4_000)


def echo(method: str, path: str, body: bytes) -> SegmenterReply:
    return SegmenterReply(200, json.dumps([method, path, len(body)]).encode())


async def exchange(port: int, *pieces: bytes) -> bytes:
    """Send bytes, and return all that comes until the server closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for piece in pieces:
        writer.write(piece)
    received = await asyncio.wait_for(reader.read(), 30)
    writer.close()
    return received


def served(scenario: Callable[[int], Awaitable[bytes]], limits: ServerLimits = QUICK) -> bytes:
    async def run() -> bytes:
        async with Server(echo, "127.0.0.1", 0, limits=limits) as server:
            return await scenario(server.port)

    return asyncio.run(run())


def test_requests_follow_each_other_over_one_connection() -> None:
    """Also when the client does not wait for the answers."""
    two = b"GET /a HTTP/1.1\r\nHost: x\r\n\r\nPOST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
    received = served(lambda port: exchange(port, two))
    assert received.count(b"HTTP/1.1 200") == 2
    assert b'["GET", "/a", 0]' in received
    assert b'["POST", "/b", 3]' in received


def test_a_body_may_come_in_chunks_and_after_a_question() -> None:
    head = b"POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"
    received = served(lambda port: exchange(port, head, b"3\r\nabc\r\n", b"0\r\n\r\n"))
    assert received.startswith(b"HTTP/1.1 100")
    assert b'["POST", "/b", 3]' in received


def test_a_head_request_has_no_body() -> None:
    """And the connection serves the next one."""
    asked = b"HEAD /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n"
    first, second, body = served(lambda port: exchange(port, asked)).split(b"\r\n\r\n")
    assert b"Content-Length: 17" in first
    assert second.startswith(b"HTTP/1.1 200")
    assert body == b'["GET", "/b", 0]'


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\n\r\n", b"400"),  # no Host
        (b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 5_000, b"431"),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", b"400"),
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", b"400"),
    ],
)
def test_what_is_no_http_is_refused(sent: bytes, status: bytes) -> None:
    assert served(lambda port: exchange(port, sent)).startswith(b"HTTP/1.1 " + status)


def test_a_body_without_measure_is_refused_and_the_client_hears_it() -> None:
    def post(port: int) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("POST", "/v1/segment", b"x" * 40_000_000)
        answer = connection.getresponse()
        said = answer.read()
        connection.close()
        return b"%d %s" % (answer.status, said)

    received = served(lambda port: asyncio.to_thread(post, port), ServerLimits(body_bytes_max=100_000))
    assert received == b'413 {"error":"at most 100000 bytes"}'


@pytest.mark.parametrize(
    "sent", [b"", b"GET / HT", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc"]
)
def test_who_sends_too_slowly_is_left(sent: bytes) -> None:
    assert served(lambda port: exchange(port, sent)) == b""


def test_beyond_the_bound_of_connections_newcomers_are_sent_away() -> None:
    async def run() -> None:
        async with Server(echo, "127.0.0.1", 0, limits=ServerLimits(connections_max=1)) as server:
            first = await asyncio.open_connection("127.0.0.1", server.port)
            first[1].write(b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
            assert await first[0].readuntil(b"\r\n\r\n")
            assert await exchange(server.port) == b""
            first[1].write(b"GET /b HTTP/1.1\r\nHost: x\r\n\r\n")
            assert b"HTTP/1.1 200" in await first[0].readuntil(b"\r\n\r\n")
            first[1].close()

    asyncio.run(run())


def test_closing_does_not_wait_for_clients_that_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "CLOSING_SECONDS", 1e6)

    async def run() -> bytes:
        async with Server(echo, "127.0.0.1", 0) as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
            await reader.readuntil(b"0]")
        left = await asyncio.wait_for(reader.read(), 30)
        writer.close()
        return left

    assert asyncio.run(run()) == b""


def test_a_fault_of_ours_does_not_end_the_service() -> None:
    notes: list[str] = []

    def respond(method: str, path: str, body: bytes) -> SegmenterReply:
        if path == "/bad":
            raise RuntimeError("a fault")
        return SegmenterReply(200, b"{}")

    async def run() -> None:
        async with Server(respond, "127.0.0.1", 0, note=notes.append) as server:
            ask = b"GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            assert (await exchange(server.port, ask % b"/bad")).startswith(b"HTTP/1.1 500")
            assert (await exchange(server.port, ask % b"/good")).startswith(b"HTTP/1.1 200")

    asyncio.run(run())
    assert notes == ["GET '/bad': RuntimeError('a fault')"]
