"""Which lines of its corpus does a robot send, and to whom does it talk?"""

import datetime
import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import msgspec
import pytest

from tiptoe.cli.robot_command import _tell
from tiptoe.control.server_certificate import key_pin, own_certificate
from tiptoe.errors import SettingsError
from tiptoe.protocol.robot_messages import ROBOT_ROOT, RobotHello, RobotWelcome
from tiptoe.robot import corpus_lines
from tiptoe.robot.batch_plan import BatchPlan, FileStretch, plan_batch
from tiptoe.robot.control_line import ControlAddress, ControlLine, LineCut, LineRefused
from tiptoe.robot.corpus_lines import at_line_ends, committed_sizes, read_batch
from tiptoe.write.corpus import Document

PAGE = Document(
    id="<urn:uuid:1>", url="https://a.example/", title="Voda", language="cs", charset="utf-8",
    fetched_at="2026-11-17T12:00:00Z", last_modified="", depth=1, digest="", warc_file="", warc_offset=0,
    paragraphs=["Voda teče."],
)  # fmt: skip


def line(url: str, text: str = "Voda teče.") -> bytes:
    return msgspec.json.encode(msgspec.structs.replace(PAGE, url=url, paragraphs=[text])) + b"\n"


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    (tmp_path / "corpus").mkdir()
    return tmp_path


def test_only_what_is_committed_counts(crawl: Path) -> None:
    """Bytes beyond a mark are taken back after a crash, and the pages asked for again."""
    whole = line("https://a.example/1")
    (crawl / "corpus" / "h1-1-00001.jsonl").write_bytes(whole)
    (crawl / "corpus" / "h1-1-00002.jsonl.open").write_bytes(whole * 3)
    (crawl / "corpus" / "h2-1-00001.jsonl.open").write_bytes(whole)
    sizes = committed_sizes(crawl, {"corpus/h1-1-00002.jsonl": 2 * len(whole)})
    assert sizes == {
        "corpus/h1-1-00001.jsonl": len(whole),
        "corpus/h1-1-00002.jsonl": 2 * len(whole),
        "corpus/h2-1-00001.jsonl": 0,
    }


def test_batches_end_with_lines_and_hold_all_of_them_once(crawl: Path) -> None:
    content = b"".join(line(f"https://a.example/{number}", "x" * (37 * number % 400)) for number in range(60))
    (crawl / "corpus" / "a-00001.jsonl").write_bytes(content)
    sent: dict[str, int] = {}
    urls: list[str] = []
    while plan := plan_batch(1, committed_sizes(crawl, {}), sent, bytes_max=700):
        whole = at_line_ends(crawl, plan)
        lines = read_batch(crawl, whole)
        assert lines.unreadable == 0
        urls += [json.loads(bytes(page))["url"] for page in lines.pages]
        sent[whole.stretches[0].name] = whole.stretches[0].last
    assert urls == [f"https://a.example/{number}" for number in range(60)]


def test_a_line_longer_than_a_batch_goes_alone(crawl: Path) -> None:
    long, short = line("https://a.example/long", "x" * 5000), line("https://a.example/short")
    (crawl / "corpus" / "a-00001.jsonl").write_bytes(long + short)
    plan = plan_batch(1, committed_sizes(crawl, {}), {}, bytes_max=1000)
    assert plan is not None
    assert at_line_ends(crawl, plan).stretches == [FileStretch("corpus/a-00001.jsonl", 0, len(long))]


def test_of_a_text_beyond_all_measure_the_beginning_is_sent(
    crawl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_lines, "TEXT_BYTES_MAX", 3000)
    content = line("https://a.example/", "ž" * 20_000)
    (crawl / "corpus" / "a-00001.jsonl").write_bytes(content)
    plan = BatchPlan(1, [FileStretch("corpus/a-00001.jsonl", 0, len(content))])
    (page,) = read_batch(crawl, plan).pages
    assert len(bytes(page)) < 3000
    assert json.loads(bytes(page))["truncated"] == "length"


def test_a_file_that_gets_its_final_name_meanwhile_is_found(crawl: Path) -> None:
    content = line("https://a.example/")
    (crawl / "corpus" / "a-00001.jsonl").write_bytes(content + b"{broken\n")
    plan = BatchPlan(1, [FileStretch("corpus/a-00001.jsonl", 0, len(content) + 8)])
    found = read_batch(crawl, plan)
    assert (len(found.pages), found.unreadable) == (1, 1)
    (crawl / "corpus" / "a-00001.jsonl").rename(crawl / "corpus" / "a-00001.jsonl.open")
    assert read_batch(crawl, plan).pages == found.pages


def test_of_a_file_that_somebody_has_removed_nothing_is_sent(crawl: Path) -> None:
    """A batch that was planned must not stand in the way of all after it, and end the robot at each start."""
    plan = BatchPlan(1, [FileStretch("corpus/gone-00001.jsonl", 0, 50)])
    assert read_batch(crawl, plan).pages == []
    assert at_line_ends(crawl, plan) == BatchPlan(1, [])


# -- the line -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "pin", "fault"),
    [
        ("http://crawls.example.org:8900", "", "in the clear"),
        ("crawls.example.org", "", "expected the address"),
        ("https://crawls.example.org", "sha256//short", "expected sha256"),
        ("http://127.0.0.1:8900", "sha256//" + "A" * 43 + "=", "no TLS"),
    ],
)
def test_an_address_that_would_be_unsafe_is_refused(url: str, pin: str, fault: str) -> None:
    with pytest.raises(SettingsError, match=fault):
        ControlAddress.parse(url, pin)


class Answering(BaseHTTPRequestHandler):
    """Answers as a server might."""

    status = 200
    content = b'{"robot": "lab-1"}'
    heard: list[str] = []  # noqa: RUF012  of one test

    def do_POST(self) -> None:
        self.heard.append(self.headers["Authorization"])
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(self.content)))
        self.send_header("Retry-After", "7")
        self.end_headers()
        self.wfile.write(self.content)

    def log_message(self, format: str, *args: object) -> None: ...


@contextmanager
def answering(status: int = 200, tls: tuple[Path, Path] | None = None) -> Iterator[tuple[int, list[str]]]:
    """Serve one answer again and again; yields the port and the secrets that were shown."""
    heard: list[str] = []
    handler = type("One", (Answering,), {"status": status, "heard": heard})
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        if tls is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*tls)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_port, heard
        finally:
            server.shutdown()
            thread.join()


def say_hello(url: str, pin: str = "", closing: threading.Event | None = None) -> RobotWelcome:
    line = ControlLine(ControlAddress.parse(url, pin), "secret", closing or threading.Event(), version="0")
    try:
        return line.call(f"{ROBOT_ROOT}/hello", RobotHello(incarnation="one"), RobotWelcome)
    finally:
        line.close()


def test_a_server_with_the_pinned_key_is_trusted_and_no_other(tmp_path: Path) -> None:
    """The secret must not reach whoever has redirected us, whatever certificate they show."""
    now = datetime.datetime.now(datetime.UTC)
    files = own_certificate(tmp_path, ["127.0.0.1"], now)
    with answering(tls=files) as (port, heard):
        url = f"https://127.0.0.1:{port}"
        assert say_hello(url, key_pin(files[0])).robot == "lab-1"
        assert heard == ["Bearer secret"]
        with pytest.raises(LineCut):
            say_hello(url, "sha256//" + "A" * 43 + "=")
        with pytest.raises(LineCut):
            say_hello(url)  # nobody whom this machine trusts has signed it
        assert heard == ["Bearer secret"]


REFUSALS = [(401, LineRefused), (409, LineRefused), (503, LineCut), (302, LineRefused)]


@pytest.mark.parametrize(("status", "kind"), REFUSALS)
def test_refusals_are_told_from_a_server_that_is_busy(status: int, kind: type[Exception]) -> None:
    with answering(status) as (port, _), pytest.raises(kind) as caught:
        say_hello(f"http://127.0.0.1:{port}")
    if isinstance(caught.value, LineCut):
        assert caught.value.retry_after == 7.0


def test_a_robot_that_ends_does_not_wait_for_an_answer() -> None:
    closing = threading.Event()
    closing.set()
    with answering() as (port, _), pytest.raises(LineCut):
        say_hello(f"http://127.0.0.1:{port}", closing=closing)


def test_what_a_server_says_cannot_write_over_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever has taken it over could hide what the robot does."""
    _tell("poll: \x1b[2J\x1b[31mall is well\r")
    assert capsys.readouterr().err.rstrip("\n").isprintable()
