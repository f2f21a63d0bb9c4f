"""Does the server hold out against slow, greedy and sudden ends? With real connections."""

import asyncio
import os
import re
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx
import msgspec
import pytest
import uvicorn
from control_rig import NOW, Rig, make_crawl, rig
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.server import ServerState

from tiptoe.cli.control_serve_command import serve_control_command
from tiptoe.cluster.member_file import MEMBER_FILE, MemberNote, write_member
from tiptoe.control import web_server
from tiptoe.control.control_store import ControlStore
from tiptoe.control.crawl_actions import CrawlActions
from tiptoe.control.event_streams import EventStreams
from tiptoe.control.host_facts import WINDOW_BYTES, HostRestraint, read_requests, read_restraint
from tiptoe.control.host_index import QueueRank, build_index, copy_hosts, read_index, read_ranks
from tiptoe.control.host_timeline import host_timeline
from tiptoe.control.left_out import read_left_out
from tiptoe.control.notices import Undo
from tiptoe.control.user_role import UserRole
from tiptoe.control.visitor import Visitor
from tiptoe.control.web_problem import WebProblem
from tiptoe.errors import SettingsError
from tiptoe.frontier.host import HostRecord, HostState
from tiptoe.frontier.page_record import PageRecord
from tiptoe.keeper.database import DATABASE
from tiptoe.observe.run_figures import write_figures
from tiptoe.protocol.status import Status
from tiptoe.store.rocks import RocksStore
from tiptoe.store.tables import Table, Writes
from tiptoe.url.address import host_key
from tiptoe.write.logentries import RequestEntry


@contextmanager
def listening(server: Rig) -> Iterator[int]:
    """Serve on a port of this machine, as `tiptoe control serve` does, in a thread."""
    bound: list[int] = []
    ready = threading.Event()
    config = uvicorn.Config(server.app, port=0, http=web_server.PromptProtocol, log_level="error", ws="none")

    class Quiet(uvicorn.Server):
        def install_signal_handlers(self) -> None: ...

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            bound.append(self.servers[0].sockets[0].getsockname()[1])
            ready.set()

    running = Quiet(config)
    thread = threading.Thread(target=running.run)
    thread.start()
    assert ready.wait(60)
    try:
        yield bound[0]
    finally:
        running.should_exit = running.force_exit = True
        thread.join(60)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Rig]:
    with rig(tmp_path / "control") as made:
        yield made


def test_a_client_that_drips_its_request_is_cut_off(server: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand of these would be the end of a server that waits."""
    monkeypatch.setattr(web_server, "HEAD_SECONDS", 0.2)
    with listening(server) as port, socket.create_connection(("127.0.0.1", port)) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        slow.settimeout(10)
        assert slow.recv(100) == b""


def test_a_client_that_takes_no_answer_is_cut_off(server: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand of these would take all connections there are, and files of ours are for everybody."""
    monkeypatch.setattr(web_server, "STALL_SECONDS", 0.2)
    request = b"GET /static/vendor/htmx/htmx.min.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with listening(server) as port, socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        before = open_sockets()
        slow.connect(("127.0.0.1", port))
        slow.sendall(100 * request)
        deadline = time.monotonic() + 60
        while open_sockets() == before:
            assert time.monotonic() < deadline, "nobody was let in"
        while open_sockets() > before:
            assert time.monotonic() < deadline, "the server still holds the connection"
            time.sleep(0.02)


class SetTimers:
    """A loop whose time goes by when the test says so."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], object]] = []

    def call_later(self, seconds: float, call: Callable[..., object], *given: object) -> SimpleNamespace:
        self.waiting.append(partial(call, *given))
        return SimpleNamespace(cancel=lambda: None)

    def go_off(self) -> None:
        due, self.waiting = self.waiting, []
        for call in due:
            call()


class FilledTransport:
    """A connection with so much that the client has not taken yet."""

    def __init__(self) -> None:
        self.size = 0
        self.is_aborted = False

    def get_write_buffer_size(self) -> int:
        return self.size

    def abort(self) -> None:
        self.is_aborted = True


def test_a_slow_client_that_takes_its_answer_is_left_alone(server: Rig) -> None:
    """As much may wait for it as half a minute ago: what it took was followed by more."""
    timers, transport = SetTimers(), FilledTransport()
    config = uvicorn.Config(server.app)
    slow = web_server.PromptProtocol(config, ServerState(), {}, _loop=cast(Any, timers))
    slow.transport = cast(Any, transport)
    slow.flow = FlowControl(cast(Any, SimpleNamespace(pause_reading=None, resume_reading=None)))

    transport.size = 70_000
    slow.pause_writing()
    slow.resume_writing()  # all of it is gone
    transport.size = 80_000
    slow.pause_writing()
    timers.go_off()
    assert not transport.is_aborted

    timers.go_off()
    assert transport.is_aborted


def open_sockets() -> int:
    """Return how many sockets this process has, those of the server in its thread among them."""
    found = 0
    for descriptor in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            found += os.readlink(f"/proc/self/fd/{descriptor}").startswith("socket:")
    return found


def test_a_body_beyond_the_bound_is_refused_before_it_is_read(server: Rig) -> None:
    answer = server.browser().post("/logout", content=b"x", headers={"Content-Length": str(1 << 40)})
    assert answer.status_code == 413


def test_event_streams_have_a_bound_by_visitor_and_in_all() -> None:
    streams = EventStreams(streams_max=3, per_visitor_max=2)
    with streams.one_more("a"), streams.one_more("a"):
        with pytest.raises(WebProblem, match="too many event streams"), streams.one_more("a"):
            pass
        with streams.one_more("b"), pytest.raises(WebProblem), streams.one_more("c"):
            pass
        assert streams.open == 2
    assert streams.open == 0


def test_a_flood_of_event_streams_leaves_pages_alone(server: Rig, tmp_path: Path) -> None:
    """Streams beyond the bound are told to come later; a page is answered all the while."""
    server.parts.crawls.open(make_crawl(tmp_path / "old"), NOW)
    headers = dict(server.program(UserRole.READER).headers)

    async def flood(port: int) -> tuple[list[int], int, str]:
        url = f"http://127.0.0.1:{port}"
        async with httpx.AsyncClient(base_url=url, headers=headers, timeout=60) as client:
            opened = [await client.send(_request(client), stream=True) for _ in range(20)]
            page = await client.get("/api/v1/crawls")
            first = await anext(opened[0].aiter_lines())
            for answer in opened:
                await answer.aclose()
            return [answer.status_code for answer in opened], page.status_code, first

    def _request(client: httpx.AsyncClient) -> httpx.Request:
        return client.build_request("GET", "/api/v1/crawls/old/events")

    with listening(server) as port:
        codes, page, first = asyncio.run(flood(port))
        assert codes == [200] * 12 + [429] * 8
        assert (page, first) == (200, "retry: 3000")
        deadline = time.monotonic() + 60
        while server.parts.streams.open and time.monotonic() < deadline:
            time.sleep(0.02)
        assert server.parts.streams.open == 0


def test_a_client_that_is_gone_before_its_first_event_leaves_no_stream_open(
    server: Rig, tmp_path: Path
) -> None:
    """A dozen of them would be all streams that somebody may have, until the server is started again."""
    crawl = server.parts.crawls.open(make_crawl(tmp_path / "old"), NOW)
    client = server.browser(UserRole.READER)
    request = client.build_request("GET", f"/crawls/{crawl.name}/events")
    scope = {
        "type": "http", "method": "GET", "path": request.url.path, "query_string": b"", "client": None,
        "headers": [(name.lower(), value) for name, value in request.headers.raw], "root_path": "",
    }  # fmt: skip

    async def stay() -> dict[str, object]:
        await asyncio.Event().wait()
        return {}

    async def gone(message: object) -> None:
        raise OSError("the client has gone")

    async def come_and_go() -> None:
        with suppress(OSError):
            await server.app(scope, stay, gone)

    asyncio.run(come_and_go())
    assert server.parts.streams.open == 0


def serve(*words: str, cwd: Path) -> "tuple[subprocess.Popen[str], str]":
    """Start the real server; return it with what it printed."""
    command = [sys.executable, "-m", "tiptoe", "control", "serve", "--listen", "127.0.0.1:0", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=cwd)
    assert process.stdout is not None
    said = ""
    while "this link" not in said:
        line = process.stdout.readline()
        assert line, said
        said += line
    return process, said


def test_kill_9_loses_nothing_that_was_answered(tmp_path: Path) -> None:
    """The account is there after the hardest of ends; TLS is spoken on the way."""
    process, said = serve("--dir", "control", "--tls", cwd=tmp_path)
    try:
        link = re.search(r"https://\S+key=(\S+)", said)
        assert link is not None
        trusted = ssl.create_default_context(cafile=str(tmp_path / "control" / "tls" / "certificate.pem"))
        with httpx.Client(verify=trusted, base_url=link[0].partition("/welcome")[0]) as client:
            form = {"key": link[1], "name": "eva", "password": "a long password", "again": "a long password"}
            assert client.post("/welcome", data=form).status_code == 303
            os.kill(process.pid, signal.SIGKILL)
    finally:
        process.kill()
        process.communicate()
    store = ControlStore(tmp_path / "control")
    assert [row["name"] for row in store.rows("SELECT name FROM user")] == ["eva"]
    assert [row["action"] for row in store.rows("SELECT action FROM trail")] == ["user.made"]
    store.close()


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        ({"listen": "0.0.0.0:0"}, "in the clear"),
        ({"listen": "nonsense"}, "expected host:port"),
        ({"crawl": [Path("nowhere")]}, "not the directory of a crawl"),
        ({"certificate": Path("x.pem")}, "give both"),
        ({"root": [Path("nowhere")]}, "no such directory"),
    ],
)
def test_a_server_that_cannot_start_says_what_to_change(
    tmp_path: Path, wishes: dict[str, Any], said: str
) -> None:
    free = {"listen": "127.0.0.1:0"}  # somebody may be at the usual port
    with pytest.raises(SettingsError, match=said):
        serve_control_command(directory=tmp_path / "control", **free | wishes)


def test_two_servers_cannot_share_a_directory(tmp_path: Path) -> None:
    process, _ = serve("--dir", "control", cwd=tmp_path)
    try:
        with pytest.raises(SettingsError, match="a control server is at work there already"):
            serve_control_command(directory=tmp_path / "control", listen="127.0.0.1:0")
    finally:
        process.kill()
        process.communicate()


# -- hosts -------------------------------------------------------------------


@pytest.fixture
def hosts(tmp_path: Path) -> Path:
    """The list of hosts of a crawl with three of them, one with a hostile name."""
    directory = make_crawl(tmp_path / "crawl")
    store = RocksStore(directory / DATABASE, block_cache_bytes=1 << 20, write_buffer_bytes=1 << 20)
    batch = Writes()
    for record in (
        HostRecord(
            "b.example", HostState.IDLE, pages=3, requests=9, waiting=[3, 4, 0, 0, 0], parked_key=b"\x01x"
        ),
        HostRecord("a.example", HostState.GONE, pages=10, gone_because="no_such_host"),
        HostRecord("<script>.example", HostState.GONE, is_blocked=True),
    ):
        batch.put(Table.HOST, host_key(record.host), msgspec.msgpack.encode(record))
    store.write(batch)
    store.close()
    return directory


def test_hosts_are_sorted_searched_and_paged_by_the_index(hosts: Path, tmp_path: Path) -> None:
    path = tmp_path / "hosts.sqlite"
    assert build_index(hosts, path) == 3

    def names(**wish: object) -> list[str]:
        given = {"sort": "pages", "is_rising": False, "words": "", "state": "", "page": 1, "size": 10, **wish}
        return [row.host for row in read_index(path, **given).rows]  # type: ignore[arg-type]

    assert names() == ["a.example", "b.example", "<script>.example"]
    assert names(sort="host", is_rising=True)[0] == "<script>.example"
    assert names(words="b.ex") == ["b.example"]
    assert names(words="%") == []
    assert names(state="blocked") == ["<script>.example"]
    assert names(page=2, size=2) == ["<script>.example"]
    assert names(page=99, size=2) == ["<script>.example"]  # the last one there is
    assert names(page=3, size=1) == ["<script>.example"]  # counted from the end
    assert names(words="example") == names()
    assert names(words='"x" OR host') == []
    assert names(words="script>.exam") == ["<script>.example"]
    assert (names(words="b."), names(words="t>"), names(words="zz")) == (
        ["b.example"],
        ["<script>.example"],
        [],
    )
    assert names(words="x") == names()
    assert names(words="ampleexam") == []  # in every name, but not in a row
    assert names(words="exampl.example") == []
    with closing(sqlite3.connect(path)) as earlier:
        earlier.execute("DROP TABLE three")
    assert names(words="b.ex") == ["b.example"]
    assert names(words="a.ex", state="gone") == ["a.example"]


def test_of_many_hosts_the_first_are_listed_soon_and_the_page_says_so(server: Rig, hosts: Path) -> None:
    """Nobody wants to wait for a million names, or take some for all."""
    server.parts.crawls.open(hosts, NOW)
    path = server.parts.hosts.folder / "hosts-crawl.sqlite"
    path.parent.mkdir(parents=True, exist_ok=True)
    assert copy_hosts(hosts, path, 2) == 2
    some = read_index(path, sort="host", is_rising=True, words="", state="", page=1, size=10)
    assert (some.hosts, some.is_whole, read_ranks(path)) == (2, False, None)
    assert "only the first 2 hosts" in server.browser().get("/crawls/crawl/hosts").text
    assert build_index(hosts, path, first_hosts=2) == 3
    assert read_index(path, sort="host", is_rising=True, words="", state="", page=1, size=10).is_whole


def test_the_queue_is_told_by_rank(server: Rig, hosts: Path, tmp_path: Path) -> None:
    build_index(hosts, tmp_path / "hosts.sqlite")
    both = QueueRank(level=1, side="new pages and revisits", hosts=1, queued=7)
    assert read_ranks(tmp_path / "hosts.sqlite") == [both]
    server.parts.crawls.open(hosts, NOW)
    server.parts.hosts.folder.mkdir(parents=True, exist_ok=True)
    (tmp_path / "hosts.sqlite").rename(server.parts.hosts.folder / "hosts-crawl.sqlite")
    queue = server.program(UserRole.READER).get("/api/v1/crawls/crawl/queue").json()
    assert queue == [{"level": 1, "side": "new pages and revisits", "hosts": 1, "queued": 7}]
    assert "Queue by rank" in server.browser().get("/crawls/crawl/hosts").text


def test_what_was_left_out_is_told_by_reason_and_run_with_samples(server: Rig, hosts: Path) -> None:
    """Whoever misses a page wants to know why, and whether that was so from the beginning."""
    store = RocksStore(hosts / DATABASE, block_cache_bytes=1 << 20, write_buffer_bytes=1 << 20)
    batch = Writes()
    for place, outcome in enumerate(["ok", "noindex", "noindex", "http_404", ""]):
        page = PageRecord(f"https://b.example/<i>{place}", status=200, outcome=outcome)
        batch.put(Table.PAGE, bytes([place]), msgspec.msgpack.encode(page))
    batch.put(Table.PAGE, b"waits", b"")
    store.write(batch)
    store.close()
    first = Status(discards={"noindex": 2, "too_deep": 5}, outcomes={"ok": 9}, started_at=NOW, now=NOW + 9)
    second = Status(discards={"noindex": 3, "too_deep": 5}, outcomes={"ok": 9, "http_404": 1},
                    started_at=NOW + 50, now=NOW + 60)  # fmt: skip
    write_figures(hosts, second)
    write_figures(hosts, first)
    server.parts.crawls.open(hosts, NOW)
    told = server.program(UserRole.READER).get("/api/v1/crawls/crawl/left-out?samples=1").json()
    counts = {one["reason"]: (one["count"], one["by_run"]) for one in told["reasons"]}
    assert counts == {"too_deep": (5, [5, 0]), "noindex": (3, [2, 1]), "http_404": (1, [0, 1])}
    samples = {one["reason"]: [found["url"][-1] for found in one["samples"]] for one in told["reasons"]}
    assert samples == {"too_deep": [], "noindex": ["1"], "http_404": ["3"]}
    assert (told["is_whole"], told["pages_looked_at"]) == (True, 5)
    page = server.browser().get("/crawls/crawl/left-out").text
    assert "https://b.example/&lt;i&gt;2" in page
    assert "the page asks not to be indexed" in page
    assert read_left_out(hosts, 5, seconds=-1).reasons[1].reason == "noindex"


def test_a_host_is_shown_with_what_was_asked_of_it(server: Rig, hosts: Path) -> None:
    line = (
        '{"started_at":1800000000.0,"ended_at":1800000001.0,"host":"b.example","address":"192.0.2.1","url":'
        '"https://b.example/<img src=x onerror=alert(1)>","purpose":"page","robots":"allowed","delay":1.0,'
        '"visit":"v","harvester":"h","status":200}\n'
    )
    (hosts / "log" / "requests-h1-1-0001.jsonl").write_text(
        line * 2 + line.replace("b.example", "ab.example")
    )
    server.parts.crawls.open(hosts, NOW)
    browser = server.browser(UserRole.OPERATOR)
    page = browser.get("/crawls/crawl/hosts/b.example")
    assert page.status_code == 200
    evidence = browser.get("/crawls/crawl/hosts/b.example/evidence").text
    assert evidence.count("&lt;img src=x onerror=alert(1)&gt;") == 2
    assert "<img" not in evidence
    assert browser.get("/crawls/crawl/hosts/c.example").status_code == 404
    assert browser.get("/crawls/crawl/hosts/..%2f..%2fetc").status_code in (404, 422)
    found = server.program(UserRole.READER).get("/api/v1/crawls/crawl/hosts/b.example/requests").json()
    assert (len(found["requests"]), found["is_whole"]) == (2, True)


def test_a_long_log_is_searched_piece_by_piece_and_no_longer_than_allowed(tmp_path: Path) -> None:
    """Gigabytes searched at once would stop every other page, for a host that was never asked."""
    entry = RequestEntry(
        started_at=1.0, ended_at=2.0, host="a.example", address="192.0.2.1", url="https://a.example/",
        purpose="page", robots="allowed", delay=1.0, visit="v", harvester="h", status=200,
    )  # fmt: skip
    other = msgspec.json.encode(entry) + b"\n"
    mine = msgspec.json.encode(msgspec.structs.replace(entry, host="b.example")) + b"\n"
    (tmp_path / "log").mkdir()
    log = tmp_path / "log" / "requests-h1-1-0001.jsonl"
    edge = WINDOW_BYTES // len(other)
    for before in (edge, edge + 1, 3 * edge):  # across the edge of a piece, and beyond some
        log.write_bytes(mine + before * other + mine + edge * other)
        found = read_requests(tmp_path, "b.example", seconds=60)
        assert (len(found.requests), found.is_whole) == (2, True)
        assert not read_requests(tmp_path, "never.example", seconds=-1).is_whole


def test_blocking_a_host_of_a_stopped_crawl_can_be_undone(server: Rig, hosts: Path) -> None:
    server.parts.crawls.open(hosts, NOW)
    browser = server.browser(UserRole.OPERATOR)
    form = {"host": "b.example", "back": "/crawls/crawl/hosts/b.example"}
    assert browser.post("/crawls/crawl/block", data=form).headers["location"] == form["back"]
    page = browser.get("/crawls/crawl/hosts/b.example").text
    assert "b.example gets no more requests, from the next start of the crawl on" in page
    assert 'action="/crawls/crawl/unblock"' in page
    assert browser.post("/crawls/crawl/unblock", data=form).status_code == 303
    assert "b.example may be visited again" in browser.get("/crawls/crawl/hosts/b.example").text


@pytest.mark.parametrize("target", ["b.example", "192.0.2.7"])
def test_an_undo_never_makes_faster_than_before(server: Rig, hosts: Path, target: str) -> None:
    """A webmaster may have asked for a pause: a second thought of an operator must not take it away."""
    server.parts.crawls.open(hosts, NOW)
    actions = CrawlActions(server.parts, Visitor(user="eva", role=UserRole.OPERATOR), NOW, "crawl")
    assert actions.slow(target, 60.0).undo == Undo("/crawls/crawl/slow", {"host": target, "delay": "0s"})
    assert actions.slow(target, 90.0).undo == Undo("/crawls/crawl/slow", {"host": target, "delay": "60s"})
    assert actions.slow(target, 90.0).undo is None
    assert actions.block(target).undo == Undo("/crawls/crawl/unblock", {"host": target})
    assert actions.block(target).undo is None  # it was blocked before


def test_where_nobody_knows_how_a_host_was_held_back_an_order_has_no_undo(hosts: Path) -> None:
    """It is given all the same; and in a database of many machines hosts are not found under their names."""
    assert read_restraint(hosts, "b.example") == HostRestraint()
    note = MemberNote(servers="nats://127.0.0.1:1", crawl="crawl", agent="m0", identity="x")
    write_member(hosts, note)
    assert read_restraint(hosts, "b.example") is None

    (hosts / MEMBER_FILE).unlink()
    (hosts / DATABASE / "CURRENT").write_text("MANIFEST-nonsense\n")
    assert read_restraint(hosts, "b.example") is None


def test_bars_of_a_timeline_hold_all_requests() -> None:
    moments = [NOW, NOW + 1, NOW + 5000]
    bars = host_timeline(moments)
    assert sum(bar.count for bar in bars) == 3
    assert all(0 <= bar.x < 1 and 0 < bar.height <= 1 for bar in bars)
    assert bars[0].x == 0
    assert bars[-1].x + bars[-1].width == pytest.approx(1), "from the first to the last, across the page"
    assert host_timeline([]) == []


def test_a_port_that_is_taken_is_told_with_what_to_do(tmp_path: Path) -> None:
    """Most often another control server has it."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = f"127.0.0.1:{other.getsockname()[1]}"
        with pytest.raises(SettingsError, match="already in use; choose another port, as in --listen 127"):
            serve_control_command(directory=tmp_path / "control", listen=taken)
