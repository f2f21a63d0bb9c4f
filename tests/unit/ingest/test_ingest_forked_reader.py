"""Readers that are forked from the process of the command."""

import os
import sys
from typing import BinaryIO

import psutil
import pytest

from tiptoe.ingest.crew import Crew
from tiptoe.ingest.forked_reader import ForkedReader

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere readers are not forked")


def shout(units: BinaryIO, answers: BinaryIO) -> None:
    """Answer in capitals."""
    answers.write(units.readline().upper())
    answers.flush()
    units.read()


def list_open_files(units: BinaryIO, answers: BinaryIO) -> None:
    answers.write(" ".join(sorted(os.listdir("/dev/fd"))).encode())
    answers.flush()


def fail(units: BinaryIO, answers: BinaryIO) -> None:
    raise OSError


def end(reader: ForkedReader) -> None:
    for pipe in (reader.stdin, reader.stdout):
        pipe.close()
    reader.wait()


def test_a_forked_reader_answers_until_its_pipe_is_closed() -> None:
    reader = ForkedReader(shout)
    reader.stdin.write(b"quiet\n")
    reader.stdin.close()

    assert reader.stdout.read() == b"QUIET\n"
    end(reader)


def test_nothing_of_the_parent_is_open_in_a_reader() -> None:
    """A page that takes a reader over must not find the database or the lock there."""
    with open(os.devnull, "rb"):
        reader = ForkedReader(list_open_files)

    assert reader.stdout.read() == b"0 1 2 3"  # the last one is the list itself
    end(reader)


def test_a_reader_that_fails_ends_and_can_be_killed_again(capfd: pytest.CaptureFixture[str]) -> None:
    reader = ForkedReader(fail)

    assert reader.stdout.read() == b""
    reader.kill()
    end(reader)
    reader.kill()
    reader.wait()
    assert "OSError" in capfd.readouterr().err


def test_readers_that_got_no_unit_end_with_their_crew(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small source is read by one of them."""
    monkeypatch.setattr("tiptoe.ingest.crew.may_fork", lambda: True)
    before = psutil.Process().children()
    with Crew(2, b"greeting", read_units=shout) as crew:
        assert len(psutil.Process().children()) == len(before) + 2
        assert all(reader.is_idle for reader in crew.readers)

    assert psutil.Process().children() == before
