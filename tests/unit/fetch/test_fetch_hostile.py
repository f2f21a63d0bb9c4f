"""The client against servers that do not behave."""

import asyncio
import socket
import struct

import pytest
from fetch_servers import RawServer, Talk, asking, page, replying, serving

from tiptoe.fetch.limits import ROBOTS_BYTES_MIN, FetchLimits
from tiptoe.fetch.outcome import Answer, Failed, Failure

SHORT = FetchLimits(total_seconds=0.3)


def outcome_of(talk: Talk, limits: FetchLimits | None = None, path: str = "/") -> Answer | Failed:
    """Ask a server once."""

    async def scenario() -> Answer | Failed:
        async with serving(talk) as server, asking(limits) as client:
            return await client.fetch(server.url(path), address="127.0.0.1")

    return asyncio.run(scenario())


def saying(*pieces: bytes, then_close: bool = False) -> Talk:
    """Say the pieces, then either hang up or fall silent."""

    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.read_request(reader)
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        if not then_close:
            await reader.read(1)

    return talk


def repeating(start: bytes, piece: bytes) -> Talk:
    """Say a piece again and again until the client has enough."""

    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.read_request(reader)
        writer.write(start)
        while True:
            writer.write(piece)
            await writer.drain()

    return talk


def failure_of(outcome: Answer | Failed) -> Failure:
    assert isinstance(outcome, Failed), outcome
    return outcome.failure


def test_an_endless_body_is_cut_at_the_limit() -> None:
    """Memory is ours, not the server's; what came is still worth keeping."""
    answer = outcome_of(
        repeating(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 10_000), FetchLimits(body_bytes_max=100_000)
    )
    assert isinstance(answer, Answer)
    assert (len(answer.body), answer.truncated) == (100_000, "length")


def test_a_body_of_just_the_limit_is_whole() -> None:
    answer = outcome_of(replying(page(b"x" * 1000)), FetchLimits(body_bytes_max=1000))
    assert isinstance(answer, Answer)
    assert (len(answer.body), answer.truncated) == (1000, None)


def test_rules_may_be_longer_than_pages() -> None:
    """Whoever wants only the beginnings of pages has to obey the whole robots.txt (RFC 9309, 2.5)."""
    endless, limits = repeating(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 10_000), FetchLimits(body_bytes_max=1000)
    rules, other = outcome_of(endless, limits, "/robots.txt"), outcome_of(endless, limits, "/my-robots.txt")
    assert isinstance(rules, Answer)
    assert isinstance(other, Answer)
    assert (len(rules.body), rules.truncated) == (ROBOTS_BYTES_MIN, "length")
    assert (len(other.body), other.truncated) == (1000, "length")


def test_room_made_for_rules_is_not_kept_for_pages() -> None:
    """Requests to one host share their buffers."""

    async def scenario() -> list[int]:
        body = page(b"x" * 5000)
        async with (
            serving(replying(body, body)) as server,
            asking(FetchLimits(body_bytes_max=1000)) as client,
        ):
            answers = [
                await client.fetch(server.url(path), address="127.0.0.1") for path in ("/robots.txt", "/")
            ]
        return [len(answer.body) for answer in answers if isinstance(answer, Answer)]

    assert asyncio.run(scenario()) == [5000, 1000]


def test_silence_before_the_first_byte_times_out() -> None:
    assert failure_of(outcome_of(saying(), SHORT)) == Failure.TIMED_OUT


def test_silence_within_the_headers_is_too_slow() -> None:
    assert failure_of(outcome_of(saying(b"HTTP/1.1 200 OK\r\nA: b\r\n"), SHORT)) == Failure.TOO_SLOW


def test_a_body_that_the_clock_cuts_is_kept() -> None:
    """One byte, then silence."""
    answer = outcome_of(saying(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx"), SHORT)
    assert isinstance(answer, Answer)
    assert (answer.body, answer.truncated) == (b"x", "time")


def test_a_trickle_is_ended_by_the_lowest_speed() -> None:
    """A tar pit that sends a byte now and then would hold a connection for the whole two minutes."""
    limits = FetchLimits(slow_bytes_per_second=1000, slow_seconds=1)
    answer = outcome_of(saying(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx"), limits)
    assert isinstance(answer, Answer)
    assert (answer.truncated, answer.seconds < 10) == ("time", True)


@pytest.mark.parametrize(
    "talk",
    [
        repeating(b"HTTP/1.1 200 OK\r\n", b"A: b\r\n" * 100),
        repeating(b"HTTP/1.1 200 OK\r\nA: ", b"x" * 10_000),
        repeating(b"", b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"),
        repeating(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n", b"A: b\r\n" * 100),
    ],
    ids=["many fields", "one long field", "interim answers", "trailers"],
)
def test_endless_headers_are_refused(talk: Talk) -> None:
    assert failure_of(outcome_of(talk)) == Failure.HEADERS_TOO_BIG


def test_headers_over_our_own_limit_are_refused() -> None:
    limits = FetchLimits(header_bytes_max=1000)
    assert (
        failure_of(outcome_of(replying(page(b"", b"A: " + b"x" * 1000)), limits)) == Failure.HEADERS_TOO_BIG
    )
    assert isinstance(outcome_of(replying(page(b"", b"A: " + b"x" * 900)), limits), Answer)


@pytest.mark.parametrize(
    "noise",
    [
        b"<html>HTTP/0.9</html>",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"\x00" * 1000,
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_noise_is_a_bad_answer(noise: bytes) -> None:
    assert failure_of(outcome_of(saying(noise, then_close=True))) in (Failure.BAD_ANSWER, Failure.RESET)


def test_what_is_not_http_is_not_taken_for_a_page() -> None:
    """Port scanners live from clients that accept HTTP/0.9."""
    assert (
        failure_of(outcome_of(saying(b"220 mail.example ESMTP\r\n", then_close=True))) == Failure.BAD_ANSWER
    )


@pytest.mark.parametrize(
    "talk",
    [
        saying(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", then_close=True),
        saying(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf", then_close=True),
        saying(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", then_close=True),
    ],
    ids=["length", "within a chunk", "without the last chunk"],
)
def test_a_body_shorter_than_promised_is_kept_and_marked(talk: Talk) -> None:
    """Many servers announce a wrong length; what they sent is a page all the same."""
    answer = outcome_of(talk)
    assert isinstance(answer, Answer)
    assert (answer.status, answer.body, answer.truncated) == (200, b"half", "disconnect")


def test_a_status_counts_whatever_became_of_the_body() -> None:
    """A 404 that promises a body and sends none is still a 404."""
    answer = outcome_of(saying(b"HTTP/1.1 404 No\r\nContent-Length: 100\r\n\r\n", then_close=True))
    assert isinstance(answer, Answer)
    assert (answer.status, answer.body, answer.truncated) == (404, b"", "disconnect")


def test_the_announced_length_ends_a_body_that_goes_on() -> None:
    """What follows belongs to no answer (RFC 9112, 6.3), least of all to the next one."""

    async def scenario() -> list[bytes]:
        excess = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage and more of it"
        async with serving(replying(excess, page(b"the next"))) as server, asking() as client:
            answers = [await client.fetch(server.url("/"), address="127.0.0.1") for _ in range(2)]
        return [answer.body for answer in answers if isinstance(answer, Answer) and not answer.truncated]

    assert asyncio.run(scenario())[0] == b"page"
    assert b"and more" not in b"".join(asyncio.run(scenario()))


def test_a_server_that_hangs_up_without_a_word_is_a_reset() -> None:
    assert failure_of(outcome_of(saying(then_close=True))) == Failure.RESET


@pytest.mark.parametrize("start", [b"", b"half"], ids=["before the body", "in the body"])
def test_what_came_before_a_reset_is_kept_and_marked(start: bytes) -> None:
    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + start)
        await writer.drain()
        lingering = struct.pack("ii", 1, 0)  # closing at once sends RST
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, lingering)

    outcome = outcome_of(talk)
    if start:
        assert isinstance(outcome, Answer)
        assert (outcome.body, outcome.truncated) == (start, "disconnect")
    else:
        assert failure_of(outcome) == Failure.RESET


def test_a_closed_port_is_a_refusal() -> None:
    async def scenario() -> Answer | Failed:
        with socket.socket() as reserved:  # bound, not listening
            reserved.bind(("127.0.0.1", 0))
            async with asking() as client:
                return await client.fetch(
                    f"http://a.example:{reserved.getsockname()[1]}/", address="127.0.0.1"
                )

    outcome = asyncio.run(scenario())
    assert failure_of(outcome) == Failure.REFUSED
    assert outcome.address == "127.0.0.1"


def test_a_dead_connection_in_the_pool_is_replaced() -> None:
    """Servers close idle connections at will; that is no failure of the page."""

    async def scenario() -> list[Answer | Failed]:
        reply = page(b"x")

        async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await server.read_request(reader)
            writer.write(reply)

        async with serving(talk) as server, asking() as client:
            return [await client.fetch(server.url(), address="127.0.0.1") for _ in range(3)]

    assert [isinstance(outcome, Answer) for outcome in asyncio.run(scenario())] == [True] * 3


def test_bare_line_feeds_are_read_and_kept() -> None:
    answer = outcome_of(saying(b"HTTP/1.0 200 OK\nA: b\n\nbody", then_close=True))
    assert isinstance(answer, Answer)
    assert (answer.body, answer.headers["a"], answer.protocol) == (b"body", "b", "http/1.0")
    assert answer.header_block.startswith(b"HTTP/1.0 200 OK\nA: b\n")
