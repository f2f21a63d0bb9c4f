"""The client over TLS, HTTP/2 and through a tunnel."""

import asyncio
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme
from fetch_servers import RawServer, asking, page, replying, serving

from tiptoe.fetch.outcome import Answer, Failed, Failure
from tiptoe.fetch.trust import find_ca_file


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def ca_file(authority: trustme.CA) -> Iterator[str]:
    with authority.cert_pem.tempfile() as path:
        yield path


def context(authority: trustme.CA, name: str, *protocols: str) -> ssl.SSLContext:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(made)
    if protocols:
        made.set_alpn_protocols(list(protocols))
    return made


def fetch_over_tls(tls: ssl.SSLContext, ca_file: str | None) -> Answer | Failed:
    async def scenario() -> Answer | Failed:
        async with serving(replying(page(b"safe")), tls=tls) as server, asking(ca_file=ca_file) as client:
            return await client.fetch(server.url(scheme="https"), address="127.0.0.1")

    return asyncio.run(scenario())


def test_a_certificate_is_checked_for_the_host_and_not_the_address(
    authority: trustme.CA, ca_file: str
) -> None:
    answer = fetch_over_tls(context(authority, "a.example"), ca_file)
    assert isinstance(answer, Answer)
    assert (answer.body, answer.protocol) == (b"safe", "http/1.1")


@pytest.mark.parametrize("case", ["wrong name", "unknown authority"])
def test_a_wrong_certificate_is_refused(case: str, authority: trustme.CA, ca_file: str) -> None:
    tls = context(authority, "b.example" if case == "wrong name" else "a.example")
    outcome = fetch_over_tls(tls, None if case == "unknown authority" else ca_file)
    assert isinstance(outcome, Failed)
    assert outcome.failure == Failure.TLS_FAILED


def test_a_server_without_tls_is_refused() -> None:
    async def talk_plain(
        _server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    async def scenario() -> Answer | Failed:
        async with serving(talk_plain) as server, asking() as client:
            return await client.fetch(server.url(scheme="https"), address="127.0.0.1")

    outcome = asyncio.run(scenario())
    assert isinstance(outcome, Failed)
    assert outcome.failure == Failure.TLS_FAILED


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


async def speak_http2(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Just enough of RFC 9113: settings, then `:status 200`, one field and a body for each request."""
    await reader.readexactly(24)
    writer.write(frame(4, 0, 0))
    while True:
        head = await reader.readexactly(9)
        await reader.readexactly(int.from_bytes(head[:3], "big"))
        kind, flags, stream = head[3], head[4], int.from_bytes(head[5:9], "big")
        if kind == 4 and not flags & 1:
            writer.write(frame(4, 1, 0))
        elif kind == 1:
            server.requests.append(head)
            fields = b"\x88" + b"\x00\x03x-a\x01b"  # indexed :status 200, literal x-a: b
            writer.write(frame(1, 4, stream, fields) + frame(0, 1, stream, b"two"))


def test_http2_is_taken_when_offered(authority: trustme.CA, ca_file: str) -> None:
    """WARC readers know no HTTP/2 status line, so the block is written as HTTP/1.1."""

    async def scenario() -> None:
        tls = context(authority, "a.example", "h2", "http/1.1")
        async with serving(speak_http2, tls=tls) as server, asking(ca_file=ca_file) as client:
            answers = [
                await client.fetch(server.url("/x", scheme="https"), address="127.0.0.1") for _ in range(2)
            ]
            assert (server.connections, len(server.requests)) == (1, 2)
        answer = answers[1]
        assert isinstance(answer, Answer)
        assert (answer.status, answer.body, answer.protocol) == (200, b"two", "h2")
        assert answer.header_block == b"HTTP/1.1 200 \r\nx-a: b\r\n\r\n"
        assert answer.request_block.startswith(
            f"GET /x HTTP/1.1\r\nHost: a.example:{server.port}\r\n".encode()
        )

    asyncio.run(scenario())


def test_https_goes_through_a_tunnel_of_the_proxy(authority: trustme.CA, ca_file: str) -> None:
    """The proxy's own header block is not the server's answer."""

    async def scenario() -> None:
        async with serving(replying(page(b"deep")), tls=context(authority, "a.example")) as server:

            async def connect(
                proxy: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
            ) -> None:
                await proxy.read_request(reader)
                writer.write(b"HTTP/1.1 200 Connection established\r\nVia: p\r\n\r\n")
                inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", server.port)
                try:
                    await asyncio.gather(pump(reader, inner_writer), pump(inner_reader, writer))
                finally:
                    inner_writer.close()

            async with (
                serving(connect) as proxy,
                asking(proxy=f"http://127.0.0.1:{proxy.port}", ca_file=ca_file) as client,
            ):
                answer = await client.fetch(server.url(scheme="https"), address=None)
        assert isinstance(answer, Answer)
        assert answer.header_block == b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"
        assert server.requests == [answer.request_block]
        assert proxy.requests[0].startswith(b"CONNECT a.example:")

    asyncio.run(scenario())


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


def test_a_bundle_of_the_system_is_found() -> None:
    assert Path(find_ca_file()).is_file()
