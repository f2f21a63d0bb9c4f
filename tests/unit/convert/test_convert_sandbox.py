"""Can a document do harm?"""

import os
import resource
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from made_documents import pdf

from tiptoe.convert import reader_process
from tiptoe.convert.confinement import DocumentBounds
from tiptoe.convert.frames import ReaderAnswer, Task
from tiptoe.convert.kinds import DocumentKind
from tiptoe.convert.reading import Reason, TextDocument
from tiptoe.convert.sandbox import Sandbox
from tiptoe.errors import CrawlerError

BOUNDS = DocumentBounds(seconds=20.0, memory_bytes=256 << 20, output_bytes=1 << 20)
TEXT = b"Some text."


def outcome(
    monkeypatch: pytest.MonkeyPatch, reader: Callable[[], object], bounds: DocumentBounds = BOUNDS
) -> TextDocument | Reason:
    """Return what comes of a document whose reader does this."""

    def read(kind: DocumentKind, data: bytes, charset: str) -> TextDocument | Reason:
        found = reader()
        return found if isinstance(found, TextDocument | Reason) else TextDocument(str(found), "", "", [], [])

    monkeypatch.setattr(reader_process, "read", read)
    said = reader_process.run_confined(Task(DocumentKind.TXT.value, "", TEXT, bounds))
    answer = msgspec.msgpack.decode(said, type=ReaderAnswer)
    return answer.text or Reason(answer.reason)


def loop() -> None:
    while True:
        pass


def eat() -> int:
    return len(bytearray(1 << 30))


def eat_slowly() -> int:
    return len([bytes(1 << 20) for _ in range(1 << 12)])


def die(number: int) -> Callable[[], None]:
    return lambda: os.kill(os.getpid(), number)


def fail() -> None:
    raise RuntimeError("a fault of ours")


def leave() -> None:
    os._exit(0)


def answer_at_length() -> TextDocument:
    return TextDocument("", "", "", ["x" * (2 << 20)], [])


def test_what_is_read_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    text = TextDocument("Titul", "cs", "utf-8", ["Odstavec."], ["http://a.example/"])
    assert outcome(monkeypatch, lambda: text) == text
    assert outcome(monkeypatch, lambda: Reason.NO_TEXT) is Reason.NO_TEXT


def test_a_reader_that_never_ends_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert outcome(monkeypatch, loop, DocumentBounds(seconds=0.3)) is Reason.TIMEOUT
    assert outcome(monkeypatch, lambda: time.sleep(60), DocumentBounds(seconds=0.3)) is Reason.TIMEOUT


@pytest.mark.parametrize("reader", [eat, eat_slowly])
def test_a_reader_that_eats_memory_gets_none(
    monkeypatch: pytest.MonkeyPatch, reader: Callable[[], int]
) -> None:
    assert outcome(monkeypatch, reader) is Reason.MEMORY


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL, signal.SIGILL])
def test_a_reader_that_crashes_costs_one_document(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    assert outcome(monkeypatch, die(number)) is Reason.CRASHED
    assert outcome(monkeypatch, lambda: Reason.NO_TEXT) is Reason.NO_TEXT


def test_a_fault_of_ours_is_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    assert outcome(monkeypatch, fail) is Reason.CRASHED


def test_a_reader_that_says_too_much_is_not_listened_to(monkeypatch: pytest.MonkeyPatch) -> None:
    assert outcome(monkeypatch, answer_at_length) is Reason.TOO_BIG


def test_no_file_can_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whoever breaks out of a reader finds nothing to write to."""

    def write() -> str:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        try:
            (tmp_path / "written").write_bytes(b"x")
        except OSError as error:
            return str(error.errno)
        return "written"

    found = outcome(monkeypatch, write)
    assert isinstance(found, TextDocument)
    assert found.title != "written"
    assert not (tmp_path / "written").exists() or (tmp_path / "written").read_bytes() == b""


def test_nothing_of_ours_is_open_to_a_reader(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Files and sockets of the process that started it are closed."""
    with (tmp_path / "ours").open("wb") as ours:
        number = ours.fileno()

        def is_open() -> str:
            try:
                os.fstat(number)
            except OSError:
                return "closed"
            return "open"

        found = outcome(monkeypatch, is_open)
    assert isinstance(found, TextDocument)
    assert found.title == "closed"


def test_limits_cannot_be_raised_again(monkeypatch: pytest.MonkeyPatch) -> None:
    found = outcome(monkeypatch, lambda: resource.getrlimit(resource.RLIMIT_AS))
    assert isinstance(found, TextDocument)
    soft, hard = eval(found.title)
    assert soft == hard != resource.RLIM_INFINITY


def test_documents_are_read_in_a_process_that_lasts() -> None:
    """The readers are loaded once."""
    with Sandbox(BOUNDS) as sandbox:
        first = sandbox.read(DocumentKind.TXT, TEXT)
        second = sandbox.read(DocumentKind.PDF, pdf([[(50, 800, 10, "Printed text.")]]))
        third = sandbox.read(DocumentKind.PDF, b"%PDF-1.4")
    assert isinstance(first, TextDocument)
    assert isinstance(second, TextDocument)
    assert (first.paragraphs, second.paragraphs) == (["Some text."], ["Printed text."])
    assert third is Reason.BROKEN


def test_a_reader_process_that_dies_is_replaced(tmp_path: Path) -> None:
    """It dies over the first document of its first life only."""
    script = tmp_path / "reader.py"
    script.write_text(
        textwrap.dedent(
            f"""
            import os, pathlib, sys
            from tiptoe.convert import reader_process
            mark = pathlib.Path({str(tmp_path / "died")!r})
            if not mark.exists():
                mark.touch()
                reader_process.run_confined = lambda task: os._exit(1)
            sys.exit(reader_process.serve(sys.stdin.buffer, sys.stdout.buffer))
            """
        )
    )
    with Sandbox(BOUNDS, command=[sys.executable, str(script)]) as sandbox:
        assert sandbox.read(DocumentKind.TXT, TEXT) is Reason.CRASHED
        assert isinstance(sandbox.read(DocumentKind.TXT, TEXT), TextDocument)


def test_a_reader_process_that_cannot_start_is_an_error() -> None:
    """Else every document would be counted as one that crashes."""
    with Sandbox(BOUNDS, command=[sys.executable, "-c", "pass"]) as sandbox, pytest.raises(CrawlerError):
        sandbox.read(DocumentKind.TXT, TEXT)


def test_a_reader_process_has_no_network() -> None:
    """Where the kernel allows it, see `leave_network`."""
    code = (
        "import socket\nfrom tiptoe.convert.confinement import leave_network\n"
        "left = leave_network()\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "try:\n    s.connect(('192.0.2.1', 9)); print(left, 'reached')\n"
        "except OSError:\n    print(left, 'no way')\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "True reached" not in said
