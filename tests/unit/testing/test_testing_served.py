"""The faces say on the wire what the web says in memory, and record what came."""

import asyncio
import json
import socket
import struct
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
import uvloop

from simulated.unkind import UnkindProxy, UnkindServers, UnkindWeb
from tiptoe.errors import CorruptFile, SettingsError
from tiptoe.testing.dns import answer_query
from tiptoe.testing.recorder import Arrival, Recorder, read_arrivals
from tiptoe.testing.serve import read_shape
from tiptoe.testing.served import ServedWeb, spawn_web
from tiptoe.testing.shape import WebShape
from tiptoe.testing.web import SimulatedWeb
from tiptoe.testing.web_hosts import Life

AGENT = "test/1 (+http://bot.example/)"
TINY = UnkindWeb(WebShape.tiny())
FIRST = TINY.hosts.at(0).name


class WatchedRecorder(Recorder):
    """A record one can wait for."""

    def __init__(self) -> None:
        super().__init__()
        self.arrived = asyncio.Event()

    def add(self, arrival: Arrival) -> None:
        super().add(arrival)
        self.arrived.set()


def run(scene: Callable[[], Awaitable[None]]) -> None:
    """Play a scene on the loop that is used in earnest, but not for long."""

    async def bounded() -> None:
        async with asyncio.timeout(30):
            await scene()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(bounded())


def request(target: str, *extra: str, method: str = "GET", host: str = FIRST) -> bytes:
    lines = [f"{method} {target} HTTP/1.1", f"Host: {host}", f"User-Agent: {AGENT}", *extra, "", ""]
    return "\r\n".join(lines).encode()


async def read_answer(
    reader: asyncio.StreamReader, *, body: bool = True
) -> tuple[int, dict[str, str], bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    fields = dict(line.split(": ", 1) for line in head[1:] if line)
    content = await reader.readexactly(int(fields.get("Content-Length", 0))) if body else b""
    return int(head[0].split()[1]), fields, content


async def exchange(
    served: ServedWeb, *requests: bytes, address: str = "127.0.0.1"
) -> list[tuple[int, dict[str, str], bytes]]:
    """Send requests one after the other on one connection."""
    reader, writer = await asyncio.open_connection(address, served.port)
    try:
        answers = []
        for sent in requests:
            writer.write(sent)
            answers.append(await read_answer(reader, body=not sent.startswith(b"HEAD")))
        return answers
    finally:
        writer.close()


def test_the_proxy_says_what_the_web_says_and_records_it() -> None:
    async def scene() -> None:
        recorder = Recorder()
        async with ServedWeb(TINY, recorder=recorder) as served:
            assert served.proxy_url == f"http://127.0.0.1:{served.port}"
            home, robots = await exchange(
                served, request(f"http://{FIRST}/"), request(f"http://{FIRST}:80/robots.txt")
            )
            assert served.requests == 2
        assert (home[0], home[2]) == (200, TINY.respond(FIRST, "/").body)
        assert robots[2] == TINY.respond(FIRST, "/robots.txt").body
        first, second = recorder.arrivals
        assert first[2:] == (FIRST, "198.18.0.1", "GET", "/", 200, AGENT, 1, None)
        assert second.target == "/robots.txt"
        assert first.arrived_at <= first.answered_at <= second.arrived_at

    run(scene)


def test_requests_sent_in_one_piece_are_answered_in_order() -> None:
    async def scene() -> None:
        async with ServedWeb(TINY) as served:
            reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
            writer.write(request(f"http://{FIRST}/") + request(f"http://{FIRST}/nothing"))
            assert [(await read_answer(reader))[0] for _ in range(2)] == [200, 404]
            writer.close()

    run(scene)


def test_an_unchanged_page_is_not_sent_again() -> None:
    async def scene() -> None:
        async with ServedWeb(TINY) as served:
            ((_, fields, _),) = await exchange(served, request(f"http://{FIRST}/"))
            again = await exchange(
                served,
                request(f"http://{FIRST}/", f"If-None-Match: {fields['ETag']}"),
                request(f"http://{FIRST}/", f"If-Modified-Since: {fields['Last-Modified']}"),
                request(f"http://{FIRST}/", 'If-None-Match: "another"'),
                request(f"http://{FIRST}/", method="HEAD"),
            )
            assert [(status, len(body) > 0) for status, _, body in again] == [
                (304, False), (304, False), (200, True), (200, False),
            ]  # fmt: skip

    run(scene)


def test_the_proxy_says_when_a_host_is_dead() -> None:
    web = SimulatedWeb(WebShape(hosts=40, dead_host_share=1.0))
    lives = {web.hosts.at(index).life: web.hosts.at(index).name for index in range(40)}

    async def scene() -> None:
        recorder = Recorder()
        async with ServedWeb(web, recorder=recorder) as served:
            answers = await exchange(
                served,
                request(f"http://{lives[Life.REFUSED]}/"),
                request(f"http://{lives[Life.NO_SUCH_HOST]}/"),
                request("/no-proxy-form"),
            )
        assert [answer[0] for answer in answers] == [502, 502, 502]
        assert answers[0][1]["Proxy-Status"] == "simulated; error=connection_refused"
        assert answers[1][1]["Proxy-Status"] == "simulated; error=dns_error"
        assert [arrival.host for arrival in recorder.arrivals] == [lives[Life.REFUSED]]

    run(scene)


@pytest.mark.parametrize(
    "nonsense", [b"hello\r\n\r\n", b"POST http://x/ HTTP/1.1\r\nContent-Length: 4\r\n\r\n", b"x" * 70_000]
)
def test_nonsense_ends_the_connection(nonsense: bytes) -> None:
    async def scene() -> None:
        async with ServedWeb(TINY) as served:
            reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
            writer.write(nonsense)
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                await reader.readexactly(1)
            writer.close()

    run(scene)


def test_servers_listen_on_their_own_addresses() -> None:
    """The rules for addresses can only be tried where there are several."""

    async def scene() -> None:
        recorder = Recorder()
        async with UnkindServers(TINY, recorder=recorder) as served:
            last = served.web.hosts.at(5).name
            address = served.web.address_of(last, loopback=True)
            assert address == "127.18.0.3"
            ((status, _, body),) = await exchange(
                served, request("/", host=f"{last}:{served.port}"), address=address
            )
            assert (status, body) == (200, served.web.respond(last, "/").body)
            assert served.web.shape.port == served.port
        assert [(a.host, a.address) for a in recorder.arrivals] == [(last, address)]

    run(scene)


def test_too_many_addresses_are_refused() -> None:
    async def scene() -> None:
        with pytest.raises(SettingsError):
            await UnkindServers(SimulatedWeb(WebShape.bench())).__aenter__()

    run(scene)


def test_a_client_that_leaves_is_recorded_without_a_status() -> None:
    web = SimulatedWeb(replace(WebShape.tiny(), latency_seconds=1_000.0))

    async def scene() -> None:
        recorder = WatchedRecorder()
        async with ServedWeb(web, recorder=recorder) as served:
            _, writer = await asyncio.open_connection("127.0.0.1", served.port)
            writer.write(request(f"http://{FIRST}/"))
            writer.close()
            await recorder.arrived.wait()
        assert [(arrival.target, arrival.status) for arrival in recorder.arrivals] == [("/", 0)]

    run(scene)


def test_an_answer_is_over_when_the_client_has_taken_it() -> None:
    """The pause counts from the last byte; a reader that dawdles must not seem polite."""
    web = SimulatedWeb(WebShape(hosts=1, robots_huge_share=1.0))
    name = web.hosts.at(0).name

    async def scene() -> None:
        recorder = Recorder()
        async with ServedWeb(web, recorder=recorder) as served:
            loop = asyncio.get_running_loop()
            with socket.socket() as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
                client.setblocking(False)
                await loop.sock_connect(client, ("127.0.0.1", served.port))
                await loop.sock_sendall(client, request(f"http://{name}/robots.txt"))
                received = 0
                while received < 100_000:
                    received += len(await loop.sock_recv(client, 65_536))
                middle = recorder.now()
                while not recorder.arrivals:
                    assert await loop.sock_recv(client, 65_536)
        assert recorder.arrivals[0].answered_at > middle

    run(scene)


@pytest.mark.parametrize(("name", "enough"), [("infinite-body", 1_000_000), ("slow-body", 1)])
def test_bodies_without_end_last_until_the_client_leaves(name: str, enough: int) -> None:
    async def scene() -> None:
        recorder = WatchedRecorder()
        async with UnkindProxy(TINY, recorder=recorder) as served:
            reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
            writer.write(request(f"http://{FIRST}/hostile/{name}/"))
            await read_answer(reader, body=False)
            await reader.readexactly(enough)
            assert recorder.arrivals == []
            writer.close()
            await writer.wait_closed()
            await recorder.arrived.wait()
        assert [arrival.status for arrival in recorder.arrivals] == [0]

    run(scene)


@pytest.mark.parametrize("name", ["wrong-length", "reset"])
def test_broken_answers_end_before_their_promised_length(name: str) -> None:
    async def scene() -> None:
        async with UnkindProxy(TINY) as served:
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                await exchange(served, request(f"http://{FIRST}/hostile/{name}/"))

    run(scene)


def test_a_request_to_wait_is_recorded() -> None:
    async def scene() -> None:
        recorder = Recorder()
        async with UnkindProxy(TINY, recorder=recorder) as served:
            await exchange(served, request(f"http://{FIRST}/hostile/too-many/"))
        assert [(a.status, a.retry_after) for a in recorder.arrivals] == [(429, 30.0)]

    run(scene)


def query(name: str, kind: int = 1) -> bytes:
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return struct.pack("!HHHHHH", 7, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!HH", kind, 1)


def outcome(answer: bytes | None) -> tuple[int, int, bytes]:
    """Return code, number of answers, and the last four bytes."""
    assert answer is not None
    number, flags, _, answers, _, _ = struct.unpack_from("!HHHHHH", answer)
    assert number == 7
    return flags & 15, answers, answer[-4:]


def test_dns_knows_who_lives_where() -> None:
    assert outcome(answer_query(TINY, query(FIRST.upper()), loopback=False)) == (0, 1, bytes([198, 18, 0, 1]))
    assert outcome(answer_query(TINY, query(FIRST), loopback=True)) == (0, 1, bytes([127, 18, 0, 1]))
    assert outcome(answer_query(TINY, query(FIRST, kind=28), loopback=False))[:2] == (0, 0)
    assert outcome(answer_query(TINY, query("nobody.example"), loopback=False))[:2] == (3, 0)


@pytest.mark.parametrize(
    "data", [b"", b"x" * 11, b"x" * 600, query(FIRST)[:20], query(FIRST)[:12] + b"\xc0\x0c"]
)
def test_dns_survives_broken_queries(data: bytes) -> None:
    answer = answer_query(TINY, data, loopback=False)
    assert answer is None or outcome(answer)[:2] == (1, 0)


def test_the_record_survives_a_torn_last_line(tmp_path: Path) -> None:
    """The web's process may be killed while it writes."""
    arrival = Arrival(1.0, 2.0, "a.example", "192.0.2.1", "GET", "/", 200, AGENT, 1, None)
    path = tmp_path / "arrivals.jsonl"
    recorder = Recorder(path)
    recorder.add(arrival)
    recorder.add(arrival._replace(status=503, retry_after=9.0))
    recorder.close()
    with path.open("ab") as file:
        file.write(b"[1.0, 2")
    assert read_arrivals(path) == [arrival, arrival._replace(status=503, retry_after=9.0)]


def test_a_record_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "arrivals.jsonl"
    path.write_text('{"not": "an arrival"}\n')
    with pytest.raises(CorruptFile):
        read_arrivals(path)


def test_a_web_runs_in_its_own_process(tmp_path: Path) -> None:
    record = tmp_path / "arrivals.jsonl"
    shape = replace(WebShape.tiny(seed=3), hosts=3)
    with spawn_web(shape, record=record, seconds=60.0) as spawned:
        name = spawned.web.hosts.at(0).name
        with socket.create_connection(("127.0.0.1", spawned.port), timeout=20) as client:
            client.sendall(request(f"http://{name}/", "Connection: close"))
            received = b"".join(iter(lambda: client.recv(65_536), b""))
        address, _, port = spawned.dns_address.partition(":")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
            asker.settimeout(20)
            asker.sendto(query(name), (address, int(port)))
            assert outcome(asker.recv(512))[:2] == (0, 1)
    assert received.endswith(spawned.web.respond(name, "/").body)
    assert spawned.closing is not None
    assert spawned.closing.requests == 1
    assert [(arrival.host, arrival.target) for arrival in read_arrivals(record)] == [(name, "/")]


def test_a_shape_is_named_or_written_out() -> None:
    assert read_shape("bench", seed=4) == WebShape.bench(seed=4)
    assert read_shape(json.dumps({"hosts": 7, "languages": ["cs"]})) == WebShape(hosts=7, languages=("cs",))
    with pytest.raises(SettingsError):
        read_shape("huge")
