"""`tiptoe segmenter` and `tiptoe check segmenter`."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tiptoe.cli.main import app
from tiptoe.cli.segmenter_command import catch_up_command, check_segmenter_command, serve_command
from tiptoe.errors import ProtocolError, SettingsError
from tiptoe.segment.conformance import CHECKS

TEXT = "Zastupitelé města na svém úterním zasedání schválili opravu budovy staré školy na náměstí. " * 2


class Rude(BaseHTTPRequestHandler):
    """A segmenter whose every answer wants to paint the terminal."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(500, b"\x1b[31m[bold]red[/bold]\x1b[0m\x07")

    def do_GET(self) -> None:
        self.answer(200, b'{"name":"\\u001b[2J[red]x","version":"1","protocol":1}')

    def do_HEAD(self) -> None:
        self.do_GET()

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def rude() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Rude)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "crawl.json").write_text("{}")
    documents = [{"id": "a", "paragraphs": [TEXT]}, {"id": "b", "paragraphs": ["Menu"], "usability": 0.0}]
    lines = [json.dumps(document) + "\n" for document in documents]
    (tmp_path / "corpus" / "h1-00001.jsonl").write_text("".join(lines))
    return tmp_path


@pytest.mark.parametrize("words", [("segmenter", "serve"), ("segmenter", "catch-up"), ("check", "segmenter")])
def test_every_command_explains_itself(words: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        app([*words, "--help"])
    assert not ended.value.code
    printed = capsys.readouterr().out
    assert f"Usage: tiptoe {' '.join(words)}" in printed
    assert f"tiptoe {' '.join(words)}" in printed.partition("For example")[2]


# -- check ---------------------------------------------------------------


def test_what_is_broken_is_shown_beside_what_is_expected(
    rude: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What came is a stranger's text, and must not act on the terminal."""
    assert check_segmenter_command(rude) == 1
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "\x07" not in printed
    assert "[bold]red[/bold]" in printed
    assert "broken  empty batch" in printed
    assert f"{rude}: 2 of {len(CHECKS)} checks kept" in printed


def test_the_outcome_is_json_on_request(rude: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_segmenter_command(rude, as_json=True) == 1
    values = json.loads(capsys.readouterr().out)
    assert (values["url"], values["kept"]) == (rude, 2)
    assert [check["name"] for check in values["checks"]] == list(CHECKS)
    assert {"expected", "came", "seconds", "is_kept"} <= values["checks"][0].keys()


@pytest.mark.parametrize("url", ["foo", "ftp://a.example", "http://", "http://a.example/?q"])
def test_what_is_no_address_is_a_message(url: str) -> None:
    with pytest.raises(SettingsError, match="expected an address such as"):
        check_segmenter_command(url)


@pytest.mark.parametrize("timeout", [0.0, -1.0, float("nan"), 1e9])
def test_a_time_limit_is_a_reasonable_time(timeout: float, crawl: Path) -> None:
    with pytest.raises(SettingsError, match="--timeout"):
        check_segmenter_command("http://127.0.0.1:1", timeout=timeout)
    with pytest.raises(SettingsError, match="--timeout"):
        catch_up_command(crawl, timeout=timeout)


# -- serve ---------------------------------------------------------------


@pytest.mark.parametrize("listen", ["8750", ":8750", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:99999", ""])
def test_where_to_listen_is_a_host_and_a_port(listen: str) -> None:
    with pytest.raises(SettingsError, match="expected host:port"):
        serve_command(listen=listen)


def test_an_address_that_is_taken_is_a_message(rude: str) -> None:
    with pytest.raises(SettingsError, match=r"--listen 127\.0\.0\.1:\d+: .*in use"):
        serve_command(listen=rude.removeprefix("http://"))


def test_a_language_that_nobody_knows_is_a_message() -> None:
    with pytest.raises(SettingsError, match="'xx' is no language we know"):
        serve_command(languages="cs, xx")


# -- catch up ------------------------------------------------------------


def test_what_is_unknown_is_rated(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert catch_up_command(crawl) == 0
    assert capsys.readouterr().out == "1 document rated; rated before: 1, still unknown: 0\n"
    (line,) = (crawl / "usability" / "h1-00001.jsonl").read_text().splitlines()
    assert json.loads(line)["usability"] > 0.1


def test_a_segmenter_that_is_down_is_a_message(crawl: Path, rude: str) -> None:
    with (crawl / "corpus" / "h1-00001.jsonl").open("a") as corpus:
        corpus.write(json.dumps({"id": "c", "paragraphs": [TEXT]}) + "\n")
        corpus.writelines(json.dumps({"id": str(number)}) + "\n" for number in range(30))
    with pytest.raises(ProtocolError, match=r"status 500; given up .*; what is rated so far is kept"):
        catch_up_command(crawl, url=rude)


def test_files_that_are_still_written_are_told_of(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (crawl / "corpus" / "h2-00001.jsonl.open").write_text("")
    catch_up_command(crawl)
    assert "still being written: 1 file" in capsys.readouterr().out


@pytest.mark.parametrize("batch", [0, 1001])
def test_a_batch_has_a_bound(crawl: Path, batch: int) -> None:
    with pytest.raises(SettingsError, match="--batch"):
        catch_up_command(crawl, batch=batch)


def test_a_directory_that_is_no_crawl_is_a_message(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="not the directory of a crawl"):
        catch_up_command(tmp_path)


def test_where_nobody_answers_one_line_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert check_segmenter_command("http://127.0.0.1:1", timeout=1) == 1
    printed = capsys.readouterr().out
    assert printed.count("no answer") == 1
    assert f"0 of {len(CHECKS)} checks kept" in printed


def test_a_port_that_is_taken_is_said_in_a_few_words(rude: str) -> None:
    listen = rude.removeprefix("http://")
    with pytest.raises(SettingsError) as refused:
        serve_command(listen=listen)
    host, _, port = listen.rpartition(":")
    hint = f"choose another port, as in --listen {host}:{int(port) + 1}"
    assert str(refused.value) == f"--listen {listen}: Address already in use; {hint}"
