"""Files and directories from an FTP server."""

import asyncio

import pytest
from fetch_servers import RawServer, asking, serving

from tiptoe.fetch.outcome import Answer, Failed, Failure

LISTING = (
    b"total 3\r\n"
    b"drwxr-xr-x   2 ftp ftp      4096 Jan 02  2024 sub dir\r\n"
    b"-rw-r--r--   1 ftp ftp         5 Jan 02 10:00 a<b>.txt\r\n"
    b"lrwxrwxrwx   1 ftp ftp         5 Jan 02 10:00 link -> a.txt\r\n"
)
FILES = {b"/pub/a.txt": b"hello", b"/pub/": LISTING}


async def speak_ftp(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Just enough of RFC 959: login, passive mode, RETR and LIST."""
    data: asyncio.Queue[asyncio.StreamWriter] = asyncio.Queue()
    listener = await asyncio.start_server(lambda _reader, peer: data.put(peer), "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    folder = b"/"

    async def transfer(content: bytes | None) -> None:
        peer = await data.get()
        if content is None:
            writer.write(b"550 No such file\r\n")
        else:
            writer.write(b"150 Here it comes\r\n")
            peer.write(content)
            await peer.drain()
        peer.close()
        if content is not None:
            writer.write(b"226 Done\r\n")

    plain = {
        b"USER": b"331 Password\r\n",
        b"PASS": b"230 Welcome\r\n",
        b"PWD": b'257 "/"\r\n',
        b"TYPE": b"200 Fine\r\n",
        b"EPSV": b"229 Passive (|||%d|)\r\n" % port,
        b"MDTM": b"213 20240102030405\r\n",
        b"SIZE": b"213 5\r\n",
        b"QUIT": b"221 Bye\r\n",
    }
    try:
        writer.write(b"220 Hello\r\n")
        while line := await reader.readline():
            server.requests.append(line.strip())
            verb, _, argument = line.strip().partition(b" ")
            if verb == b"CWD":
                folder = (folder + argument).replace(b"//", b"/").rstrip(b"/") + b"/"
                writer.write(b"250 Entered\r\n")
            elif verb == b"RETR":
                await transfer(FILES.get(folder + argument))
            elif verb == b"LIST":
                await transfer(FILES[folder])
            else:
                writer.write(plain.get(verb, b"502 What?\r\n"))
    finally:
        listener.close()


def fetch(path: str) -> tuple[Answer | Failed, list[bytes]]:
    async def scenario() -> tuple[Answer | Failed, list[bytes]]:
        async with serving(speak_ftp) as server, asking() as client:
            outcome = await client.fetch(server.url(path, scheme="ftp"), address="127.0.0.1")
            return outcome, server.requests

    return asyncio.run(scenario())


def test_a_file_comes_with_the_fields_a_web_server_would_send() -> None:
    """FRO-8: what follows the client need not know which protocol it was."""
    answer, commands = fetch("/pub/a.txt")
    assert isinstance(answer, Answer)
    assert (answer.status, answer.body, answer.protocol) == (200, b"hello", "ftp")
    assert answer.header_block == (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n"
        b"Last-Modified: Tue, 02 Jan 2024 03:04:05 GMT\r\n\r\n"
    )
    assert answer.request_block == b""
    assert commands[:2] == [b"USER anonymous", b"PASS bot@a.example"]


def test_a_directory_becomes_a_page_of_links() -> None:
    answer, _ = fetch("/pub/")
    assert isinstance(answer, Answer)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert b'<a href="sub%20dir/">sub dir/</a>' in answer.body
    assert b'<a href="a%3Cb%3E.txt">a&lt;b&gt;.txt</a>' in answer.body
    assert b'<a href="link">link</a>' in answer.body


def test_a_missing_file_is_an_answer_and_not_a_failure() -> None:
    """A 550 is the server's word on this path; retrying would not change it."""
    answer, _ = fetch("/pub/missing")
    assert isinstance(answer, Answer)
    assert (answer.status, answer.protocol) == (404, "ftp")


def test_a_path_cannot_smuggle_a_command() -> None:
    outcome, commands = fetch("/pub/a%0d%0aDELE%20b")
    assert isinstance(outcome, Failed)
    assert outcome.failure == Failure.BAD_URL
    assert not any(b"DELE" in command for command in commands)


@pytest.mark.parametrize(
    ("greeting", "login", "status"),
    [(b"220 Hi", b"530 Members only", 403), (b"220 Hi", b"421 Too many", 503)],
)
def test_a_server_that_lets_nobody_in_says_so(greeting: bytes, login: bytes, status: int) -> None:
    """Too many visitors passes; members only does not."""

    async def talk(_server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(greeting + b"\r\n")
        await reader.readline()
        writer.write(login + b"\r\n")

    async def scenario() -> Answer | Failed:
        async with serving(talk) as server, asking() as client:
            return await client.fetch(server.url("/a", scheme="ftp"), address="127.0.0.1")

    answer = asyncio.run(scenario())
    assert isinstance(answer, Answer)
    assert answer.status == status
