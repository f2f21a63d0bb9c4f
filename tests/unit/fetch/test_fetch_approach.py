"""Requests that bring something along, or take a way of their own."""

import asyncio
import base64
import ssl
from pathlib import Path

import trustme
from fetch_servers import RawServer, asking, page, replying, serving

from tiptoe.fetch.approach import Approach, Way
from tiptoe.fetch.http_blocks import without_cookies
from tiptoe.fetch.outcome import Answer, Failed, Failure

SECRET = Approach(fields=(("X-Project", "corpus"), ("Accept-Language", "de")), hidden=(("X-Key", "s3cret"),))


def test_what_is_hidden_is_sent_and_not_kept() -> None:
    """The request block goes into the archive, which others read."""

    async def scenario() -> None:
        async with serving(replying(page(b"in"))) as server, asking() as client:
            first = await client.fetch(
                server.url(), address="127.0.0.1", headers=[("Accept-Language", "cs")], approach=SECRET
            )
            second = await client.fetch(server.url(), address="127.0.0.1")
        assert isinstance(first, Answer)
        assert isinstance(second, Answer)
        assert server.requests[0] == first.request_block[:-2] + b"X-Key: s3cret\r\n\r\n"
        assert b"X-Project: corpus\r\n" in first.request_block
        assert first.request_block.count(b"Accept-Language") == 1
        assert b"Accept-Language: de\r\n" in first.request_block
        assert server.requests[1] == second.request_block
        assert b"X-" not in server.requests[1]

    asyncio.run(scenario())


async def take_form(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Read requests with their bodies, and answer each."""
    while True:
        head = await server.read_request(reader)
        lengths = [line[15:] for line in head.split(b"\r\n") if line.startswith(b"Content-Length:")]
        server.requests.append(await reader.readexactly(int(lengths[0])) if lengths else b"")
        writer.write(page(b"fine"))


def test_a_form_is_posted_and_the_next_request_is_a_plain_one() -> None:
    async def scenario() -> None:
        async with serving(take_form) as server, asking() as client:
            posted = await client.fetch(
                server.url("/login"), address="127.0.0.1", approach=Approach(form=b"user=me&word=s3cret")
            )
            got = await client.fetch(server.url("/page"), address="127.0.0.1")
        head, body, second, empty = server.requests
        assert head.startswith(b"POST /login HTTP/1.1\r\n")
        assert b"Content-Type: application/x-www-form-urlencoded\r\n" in head
        assert (body, empty) == (b"user=me&word=s3cret", b"")
        assert second.startswith(b"GET /page HTTP/1.1\r\n")
        assert b"Content-" not in second
        assert isinstance(posted, Answer)
        assert isinstance(got, Answer)
        assert posted.request_block.startswith(b"POST /login")
        assert b"s3cret" not in posted.request_block

    asyncio.run(scenario())


def test_a_way_may_lead_through_a_proxy_that_wants_a_password() -> None:
    async def scenario() -> None:
        async with serving(replying(page(b"via"))) as proxy, serving(replying(page(b"direct"))) as server:
            way = Way(proxy=f"http://127.0.0.1:{proxy.port}", proxy_login="me:s3cret")
            async with asking() as client:
                via = await client.fetch(server.url("/a"), address="127.0.0.1", approach=Approach(way=way))
                direct = await client.fetch(server.url("/b"), address="127.0.0.1")
        assert isinstance(via, Answer)
        assert isinstance(direct, Answer)
        assert (via.body, direct.body) == (b"via", b"direct")
        login = base64.b64encode(b"me:s3cret")
        assert b"Proxy-Authorization: Basic " + login in proxy.requests[0]
        assert proxy.requests[0].startswith(b"GET http://a.example:")
        assert server.requests[0].startswith(b"GET /b HTTP/1.1\r\n")
        assert login not in via.request_block + server.requests[0]

    asyncio.run(scenario())


def test_a_proxy_on_the_way_to_https_sees_no_secret() -> None:
    """It is told where to connect to, and nothing of what goes through the tunnel."""

    async def scenario() -> None:
        async with (
            serving(replying(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")) as proxy,
            asking() as client,
        ):
            approach = Approach(way=Way(proxy=f"http://127.0.0.1:{proxy.port}"), hidden=SECRET.hidden)
            await client.fetch("https://a.example/", address="127.0.0.1", approach=approach)
        assert proxy.requests[0].startswith(b"CONNECT a.example:443 ")
        assert b"s3cret" not in proxy.requests[0]

    asyncio.run(scenario())


async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
    writer.close()


def socks(port: int) -> tuple[list[bytes], object]:
    """Return what a SOCKS5 proxy was told, and the proxy; all it is asked for lies behind one port."""
    told: list[bytes] = []

    async def talk(_server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _, count = await reader.readexactly(2)
        await reader.readexactly(count)
        writer.write(b"\x05\x02")  # RFC 1929: user and password
        _, length = await reader.readexactly(2)
        user = await reader.readexactly(length)
        told.append(user + b":" + await reader.readexactly((await reader.readexactly(1))[0]))
        writer.write(b"\x01\x00")
        *_, kind = await reader.readexactly(4)
        assert kind == 3, "an address, where the name was to be sent"
        told.append(await reader.readexactly((await reader.readexactly(1))[0]))
        await reader.readexactly(2)
        writer.write(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
        there, back = await asyncio.open_connection("127.0.0.1", port)
        try:
            await asyncio.gather(relay(reader, back), relay(there, writer))
        finally:
            back.close()

    return told, talk


def test_a_way_may_lead_through_socks_with_the_name_looked_up_there() -> None:
    async def scenario() -> None:
        async with serving(replying(page(b"via"))) as server:
            told, talk = socks(server.port)
            async with serving(talk) as proxy, asking() as client:  # type: ignore[arg-type]
                way = Way(proxy=f"socks5h://127.0.0.1:{proxy.port}", proxy_login="me:s3cret")
                answer = await client.fetch(server.url("/a"), address="127.0.0.1", approach=Approach(way=way))
        assert isinstance(answer, Answer)
        assert (answer.body, told) == (b"via", [b"me:s3cret", b"a.example"])
        assert server.requests == [answer.request_block]
        assert server.requests[0].startswith(b"GET /a HTTP/1.1\r\n")

    asyncio.run(scenario())


def test_requests_are_sent_from_the_address_that_the_way_names() -> None:
    peers: list[str] = []

    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peers.append(writer.get_extra_info("peername")[0])
        await replying(page(b"seen"))(server, reader, writer)

    async def scenario() -> None:
        async with serving(talk) as server, asking() as client:
            for source in ("127.0.0.2", "", "127.0.0.3"):
                approach = Approach(way=Way(source_address=source))
                url = server.url(host=f"host{source[-1:]}.example")
                assert isinstance(await client.fetch(url, address="127.0.0.1", approach=approach), Answer)

    asyncio.run(scenario())
    assert peers == ["127.0.0.2", "127.0.0.1", "127.0.0.3"]


def test_a_certificate_is_shown_to_the_server_that_asks_for_it(tmp_path: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    ours = authority.issue_cert("robot@corpus.example")
    ours.private_key_and_cert_chain_pem.write_to_path(tmp_path / "ours.pem")
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("a.example").configure_cert(tls)
    authority.configure_trust(tls)
    tls.verify_mode = ssl.CERT_REQUIRED

    async def scenario() -> tuple[Answer | Failed, Answer | Failed]:
        ca_file, certificate = str(tmp_path / "ca.pem"), str(tmp_path / "ours.pem")
        async with serving(replying(page(b"safe")), tls=tls) as server, asking(ca_file=ca_file) as client:
            url = server.url(scheme="https")
            approach = Approach(way=Way(certificate=certificate))
            shown = await client.fetch(url, address="127.0.0.1", approach=approach)
            return shown, await client.fetch(url, address="127.0.0.1")

    shown, not_shown = asyncio.run(scenario())
    assert isinstance(shown, Answer)
    assert shown.body == b"safe"
    assert isinstance(not_shown, Failed), "the connection that had shown it was used by somebody else"
    assert not_shown.failure in (Failure.TLS_FAILED, Failure.RESET)


def test_cookies_of_a_server_can_be_left_out_of_a_header_block() -> None:
    block = (
        b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1;\r\n Path=/\r\nX-A: Set-Cookie: b\r\n"
        b"set-cookie:c=3\r\nSet-Cookie2: d\r\n\r\n"
    )
    assert without_cookies(block) == b"HTTP/1.1 200 OK\r\nX-A: Set-Cookie: b\r\n\r\n"
