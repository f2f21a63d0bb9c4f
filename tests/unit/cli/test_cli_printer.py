"""Where commands print, and what happens when nobody reads on."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli_samples import make_keeper
from rich.table import Table

from tiptoe.cli.display import LiveDisplay
from tiptoe.cli.exits import Exit
from tiptoe.cli.printer import PIPED_COLUMNS, Printer
from tiptoe.observe.stops import Stop


class Deaf(io.StringIO):
    """A pipe whose reader has gone."""

    def write(self, text: str) -> int:
        raise BrokenPipeError


def run_unread(*words: str, stderr: int | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run a command whose output goes into a pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return subprocess.run(
            [sys.executable, "-m", "tiptoe", *words],
            stdout=writer,
            stderr=writer if stderr == subprocess.STDOUT else subprocess.PIPE,
            timeout=60,
            check=False,
        )
    finally:
        os.close(writer)


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["crawl", "--help"],
        ["--version"],
        ["config"],
        ["config", "--format", "json"],
        ["botpage", "--contact", "a@example.org"],
        ["simulate", "revisit", "--experiment", "server", "--pages", "10"],
    ],
)
def test_a_command_that_nobody_reads_ends_without_a_word(words: list[str]) -> None:
    """`| head` must not end in a trace; and 0 or 1 would be a verdict that nobody has reached."""
    ended = run_unread(*words)
    assert (ended.returncode, ended.stderr) == (Exit.UNREAD, b"")


def test_a_mistake_that_nobody_reads_of_is_no_trace_either() -> None:
    assert run_unread("crwal", stderr=subprocess.STDOUT).returncode == Exit.UNREAD


def test_a_crawl_that_nobody_reads_of_ends_in_good_order(tmp_path: Path) -> None:
    """It may not just fall over: harvesters are at work, and files are open."""
    keeper = make_keeper(tmp_path)
    with LiveDisplay(Printer(file=Deaf())) as display:
        display.show(keeper)
        display.show(keeper)
    assert keeper.figures.stopped_because is Stop.UNREAD


def test_in_a_pipe_no_line_ends_with_blanks() -> None:
    """Whoever compares or cuts columns would stumble over them."""
    table = Table(box=None, padding=0)
    table.add_column("name")
    table.add_row("a")
    table.add_row("long")
    written = io.StringIO()
    printer = Printer(file=written)
    printer.print(table)
    printer.print("no newline ", end="")
    assert written.getvalue() == "name\na\nlong\nno newline "
    Printer(file=written, quiet=True).print("silence")
    assert "silence" not in written.getvalue()


def test_in_a_pipe_tables_are_wide_and_help_is_not() -> None:
    """A long name folded is a name that grep misses; help is read in a pager."""
    assert Printer(file=io.StringIO()).width == PIPED_COLUMNS
    assert Printer(file=io.StringIO(), narrow=True).width < PIPED_COLUMNS
