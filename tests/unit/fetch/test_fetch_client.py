"""The client against servers that behave."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
import uvloop
from fetch_servers import AGENT, RawServer, asking, page, replying, serving

from tiptoe.fetch.limits import FetchLimits
from tiptoe.fetch.outcome import Answer, Failed, Failure

LOOPS = [asyncio.run, uvloop.run]


@pytest.fixture(params=LOOPS, ids=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Callable[[Any], Any]:
    runner: Callable[[Any], Any] = request.param
    return runner


def test_an_answer_is_kept_byte_for_byte(run: Callable[[Any], Any]) -> None:
    """The archive must show what the server said, not what a library made of it."""

    async def scenario() -> None:
        async with serving(replying(page(b"hello", b"X-Odd:  two  words "))) as server, asking() as client:
            answer = await client.fetch(server.url("/a?b"), address="127.0.0.1")
        assert isinstance(answer, Answer)
        assert answer.status == 200
        assert answer.body == b"hello"
        assert answer.header_block == b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Odd:  two  words \r\n\r\n"
        assert answer.headers["x-odd"] == "two  words"
        assert (answer.address, answer.protocol, answer.truncated) == ("127.0.0.1", "http/1.1", None)
        assert answer.started_at > 0
        assert answer.seconds > 0

    run(scenario())


class HurriedLoop(uvloop.Loop):
    """Between two looks at its clock a minute passes, as if the machine had others to serve."""

    looks = 0

    def time(self) -> float:
        self.looks += 1
        return super().time() + 60 * self.looks


def test_a_timer_may_be_due_before_it_is_set() -> None:
    """On a busy machine a millisecond is over at once; a timer is then no timer any more."""

    async def scenario() -> None:
        async with serving(replying(page(b"hello"))) as server, asking() as client:
            asked = [client.fetch(server.url(), address="127.0.0.1") for _ in range(20)]
            answers = await asyncio.gather(*asked)
        assert [isinstance(answer, Answer) and answer.body for answer in answers] == [b"hello"] * 20

    with asyncio.Runner(loop_factory=HurriedLoop) as runner:
        runner.run(scenario())


@pytest.mark.parametrize(
    "path", ["", "/", "?x=1", "/a/../b/./c", "/%7Ea/%c3%a9?q={}|^`[]\\", "/a;b=c/@:!$&'()*+,="]
)
@pytest.mark.parametrize(
    "headers", [(), (("Accept", "text/html"), ("If-None-Match", '"\xe9"'), ("Accept-Language", "cs"))]
)
def test_the_request_block_is_what_was_sent(path: str, headers: tuple[tuple[str, str], ...]) -> None:
    """It is built, not recorded; so it must be compared with what a server received."""

    async def scenario() -> None:
        async with serving(replying(page(b""))) as server, asking() as client:
            answer = await client.fetch(server.url(path), address="127.0.0.1", headers=headers)
        assert isinstance(answer, Answer)
        assert server.requests == [answer.request_block]
        assert f"\r\nUser-Agent: {AGENT}\r\nFrom: bot@a.example\r\n".encode() in answer.request_block
        assert b"\r\nAccept-Encoding: gzip, br, zstd\r\n" in answer.request_block
        assert answer.request_block.count(b"\r\nAccept:") == 1

    asyncio.run(scenario())


def test_the_fragment_stays_at_home() -> None:
    async def scenario() -> None:
        async with serving(replying(page(b""))) as server, asking() as client:
            await client.fetch(server.url("/a#b"), address="127.0.0.1")
        assert server.requests[0].startswith(b"GET /a HTTP/1.1\r\n")

    asyncio.run(scenario())


def test_through_a_proxy_the_request_block_is_what_the_proxy_saw() -> None:
    """No address is pinned then; the proxy resolves."""

    async def scenario() -> None:
        async with (
            serving(replying(page(b"via"))) as proxy,
            asking(proxy=f"http://127.0.0.1:{proxy.port}") as client,
        ):
            first = await client.fetch("http://b.example/x?y", address=None)
            second = await client.fetch("http://c.example:8080/", address="192.0.2.1")
        assert isinstance(first, Answer)
        assert isinstance(second, Answer)
        assert proxy.requests == [first.request_block, second.request_block]
        assert first.request_block.startswith(b"GET http://b.example/x?y HTTP/1.1\r\nHost: b.example\r\n")
        assert (first.address, proxy.connections) == ("127.0.0.1", 1)

    asyncio.run(scenario())


def test_requests_of_one_visit_share_a_connection(run: Callable[[Any], Any]) -> None:
    """HAR-8: a new connection per request would cost the server more than the page."""

    async def scenario() -> None:
        async with serving(replying(page(b"x"))) as server, asking() as client:
            for number in range(5):
                await client.fetch(server.url(f"/{number}"), address="127.0.0.1")
            assert server.connections == 1

    run(scenario())


def test_the_last_request_of_a_visit_closes_its_connection() -> None:
    """Idle connections cost the server memory; who is done hangs up."""

    async def scenario() -> None:
        async with serving(replying(page(b"x"))) as server, asking() as client:
            for keep in (True, False, True):
                answer = await client.fetch(server.url(), address="127.0.0.1", keep=keep)
                assert isinstance(answer, Answer)
            assert server.connections == 2

    asyncio.run(scenario())


def test_a_request_that_an_old_connection_swallowed_is_not_repeated_by_the_library() -> None:
    """The server has read it; a retry is a request like any other and has to wait for its moment."""

    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.read_request(reader)
        writer.write(page(b"x"))
        await server.read_request(reader)

    async def scenario() -> None:
        async with serving(talk) as server, asking() as client:
            for path, outcome in (("/1", Answer), ("/2", Failed), ("/3", Answer)):
                came = await client.fetch(server.url(path), address="127.0.0.1")
                assert isinstance(came, outcome)
                assert isinstance(came, Answer) or came.failure is Failure.RESET
            assert [request.split()[1] for request in server.requests] == [b"/1", b"/2", b"/3"]

    for _ in range(3):
        asyncio.run(scenario())


def test_another_address_of_the_same_host_gets_its_own_connection() -> None:
    """The address that was checked is the one connected to, also with an old connection in the pool."""

    async def scenario() -> None:
        async with (
            serving(replying(page(b"one")), address="127.0.0.1") as one,
            serving(replying(page(b"two")), address="127.0.0.2", port=one.port),
            asking() as client,
        ):
            bodies = []
            for address in ("127.0.0.1", "127.0.0.2", "127.0.0.1"):
                answer = await client.fetch(one.url(), address=address)
                assert isinstance(answer, Answer)
                assert answer.address == address
                bodies.append(answer.body)
        assert bodies == [b"one", b"two", b"one"]

    asyncio.run(scenario())


def test_two_hosts_on_one_address_do_not_share_a_connection() -> None:
    """A connection belongs to the name it was opened for."""

    async def scenario() -> None:
        async with serving(replying(page(b"x"))) as server, asking() as client:
            await client.fetch(server.url(host="a.example"), address="127.0.0.1")
            await client.fetch(server.url(host="b.example"), address="127.0.0.1")
            assert server.connections == 2

    asyncio.run(scenario())


def test_an_ipv6_address_is_pinned_too() -> None:
    async def scenario() -> None:
        async with serving(replying(page(b"six")), address="::1") as server, asking() as client:
            by_name = await client.fetch(server.url(), address="::1")
            by_literal = await client.fetch(server.url(host="[::1]"), address="::1")
        assert isinstance(by_name, Answer)
        assert isinstance(by_literal, Answer)
        assert (by_name.body, by_name.address) == (b"six", "::1")
        assert server.requests == [by_name.request_block, by_literal.request_block]

    asyncio.run(scenario())


def test_redirects_and_cookies_are_left_to_others() -> None:
    """A redirect is a new URL: scope, robots and delay must see it first."""

    async def scenario() -> None:
        moved = b"HTTP/1.1 302 Found\r\nLocation: /b\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n"
        async with serving(replying(moved)) as server, asking() as client:
            answer = await client.fetch(server.url("/a"), address="127.0.0.1")
            await client.fetch(server.url("/c"), address="127.0.0.1")
        assert isinstance(answer, Answer)
        assert (answer.status, answer.headers["location"]) == (302, "/b")
        assert [request.split()[1] for request in server.requests] == [b"/a", b"/c"]
        assert b"ookie" not in server.requests[1]

    asyncio.run(scenario())


def test_a_compressed_body_is_kept_as_it_came() -> None:
    async def scenario() -> None:
        reply = page(b"\x1f\x8bjunk", b"Content-Encoding: gzip")
        async with serving(replying(reply)) as server, asking() as client:
            answer = await client.fetch(server.url(), address="127.0.0.1")
        assert isinstance(answer, Answer)
        assert answer.body == b"\x1f\x8bjunk"

    asyncio.run(scenario())


def test_chunks_are_joined_and_the_field_is_renamed() -> None:
    """A WARC reader that saw Transfer-Encoding would look for chunks in the stored body."""

    async def scenario() -> None:
        reply = (
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nX: y\r\n\r\n"
            b"3\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: late\r\n\r\n"
        )
        async with serving(replying(reply)) as server, asking() as client:
            answer = await client.fetch(server.url(), address="127.0.0.1")
        assert isinstance(answer, Answer)
        assert answer.body == b"abcde"
        assert answer.header_block == (
            b"HTTP/1.1 200 OK\r\nX-Archive-Orig-Transfer-Encoding: chunked\r\nX: y\r\n\r\n"
        )
        assert "transfer-encoding" not in answer.headers

    asyncio.run(scenario())


def test_interim_answers_are_dropped() -> None:
    async def scenario() -> None:
        hints = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
        async with serving(replying(hints + page(b"final"))) as server, asking() as client:
            answer = await client.fetch(server.url(), address="127.0.0.1")
        assert isinstance(answer, Answer)
        assert answer.header_block == b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"

    asyncio.run(scenario())


def test_a_validator_of_the_web_cannot_smuggle_a_header() -> None:
    """An ETag is hostile input; one that cannot be sent costs only the condition."""

    async def scenario() -> None:
        async with serving(replying(page(b""))) as server, asking() as client:
            for etag in ("a\r\nX-Evil: 1", "\u4e2d", "\x00", ""):
                await client.fetch(server.url(), address="127.0.0.1", headers=[("If-None-Match", etag)])
        assert all(b"Evil" not in request and b"If-None" not in request for request in server.requests)
        assert len(server.requests) == 4

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "url",
    [
        "gopher://a.example/",
        "http://user:pass@a.example/",
        "http://a.example/a b",
        "http://a.example/\r\nX: y",
        "http://a.exämple/",
        "http:///",
        "a.example",
        "http://a.example:99999/",
        "file:///etc/hostname",
    ],
)
def test_a_url_we_do_not_ask_for_is_refused(url: str) -> None:
    async def scenario() -> None:
        async with asking() as client:
            outcome = await client.fetch(url, address="127.0.0.1")
        assert isinstance(outcome, Failed)
        assert outcome.failure == Failure.BAD_URL

    asyncio.run(scenario())


def test_without_a_checked_address_nothing_is_asked() -> None:
    """libcurl would look the name up by itself, past the guard."""

    async def scenario() -> None:
        async with asking() as client:
            with pytest.raises(ValueError, match="checked address"):
                await client.fetch("http://a.example/", address=None)
            with pytest.raises(ValueError, match="User-Agent"):
                await client.fetch("http://a.example/", address="127.0.0.1", headers=[("User-Agent", "x")])

    asyncio.run(scenario())


def silent(asked: asyncio.Event) -> Any:
    """A server that reads a request and says nothing."""

    async def talk(server: RawServer, reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await server.read_request(reader)
        asked.set()
        if await reader.read(1) == b"":
            server.hung_up.set()

    return talk


def test_cancelling_the_caller_aborts_the_transfer(run: Callable[[Any], Any]) -> None:
    """An abandoned request must not go on loading the server."""

    async def scenario() -> None:
        asked = asyncio.Event()
        async with serving(silent(asked)) as server, asking() as client:
            task = asyncio.create_task(client.fetch(server.url(), address="127.0.0.1"))
            await asked.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.wait_for(server.hung_up.wait(), 5)
            # The handle is free again and clean.
            async with serving(replying(page(b"next"))) as other:
                answer = await client.fetch(other.url(), address="127.0.0.1")
            assert isinstance(answer, Answer)
            assert answer.body == b"next"

    run(scenario())


def test_closing_the_client_ends_every_request(run: Callable[[Any], Any]) -> None:
    async def scenario() -> None:
        asked = asyncio.Event()
        async with serving(silent(asked)) as server, asking() as client:
            task = asyncio.create_task(client.fetch(server.url(), address="127.0.0.1"))
            await asked.wait()
            await client.close()
            outcomes = [await task, await client.fetch(server.url(), address="127.0.0.1")]
            await asyncio.wait_for(server.hung_up.wait(), 5)
        for outcome in outcomes:
            assert isinstance(outcome, Failed)
            assert outcome.failure == Failure.HARVESTER_LOST

    run(scenario())


def test_many_requests_run_at_once(run: Callable[[Any], Any]) -> None:
    async def scenario() -> None:
        async with serving(replying(page(b"x" * 20_000))) as server, asking() as client:
            outcomes = await asyncio.gather(
                *(
                    client.fetch(server.url(f"/{n}", host=f"h{n}.example"), address="127.0.0.1")
                    for n in range(100)
                )
            )
        assert [len(answer.body) for answer in outcomes if isinstance(answer, Answer)] == [20_000] * 100

    run(scenario())


def test_requests_beyond_the_connection_limit_wait_their_turn() -> None:
    """Every queue has a bound: open sockets are ours to count."""

    async def scenario() -> None:
        limits = FetchLimits(connections_max=3)
        async with serving(replying(page(b"x"))) as server, asking(limits) as client:
            outcomes = await asyncio.gather(
                *(client.fetch(server.url(host=f"h{n}.example"), address="127.0.0.1") for n in range(20))
            )
        assert [type(outcome) for outcome in outcomes] == [Answer] * 20

    asyncio.run(scenario())
