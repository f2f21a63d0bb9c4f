"""How a crawl ends can be told from its exit code, and every way to stop it is a clean one."""

import contextlib
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from journey_crawl import PATIENCE_SECONDS, SMALL, Crawl, Pace, Stage, simulated_web, tiptoe, wait_until

from tiptoe.cli.exits import Exit
from tiptoe.keeper.directory import find_keeper

pytestmark = pytest.mark.journey

LONG = replace(SMALL, redirect_share=0.0, gone_share=0.0, pages_per_host=40)
SLOW = Pace(req_delay=0.2)


@pytest.fixture(autouse=True)
def hears_hangup() -> Iterator[None]:
    """Let what is started here hear SIGHUP, also when these tests run under `nohup` themselves."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def begun(stage: Stage) -> Crawl:
    """Return a crawl in the middle of its work."""
    crawl = stage.crawl(pace=SLOW)
    crawl.start()
    crawl.wait_for_lines(20)
    return crawl


def ended_well(crawl: Crawl) -> bool:
    """Whether the last run came to an end in good order."""
    return crawl.open_files() == [] and "crawl.ended" in (crawl.out / "log" / "keeper.log").read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_a_crawl_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    """HAR-4: nothing is lost, the exit code says why, and the directory goes on."""
    with simulated_web(tmp_path, replace(LONG, hosts=4, pages_per_host=15)) as stage:
        crawl = begun(stage)
        assert crawl.process is not None
        crawl.process.send_signal(number)
        assert crawl.wait() == Exit.INTERRUPTED
        assert "The crawl has ended: interrupted." in crawl.console
        assert ended_well(crawl)
        crawl.go_on("--req-delay", "20ms")
    assert stage.truth() == crawl.urls()
    assert stage.violations() == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_comes_while_seeds_are_queued_is_a_clean_stop_too(
    tmp_path: Path, number: signal.Signals
) -> None:
    """Nobody is asked, nothing is lost, and no trace is printed."""
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("\n".join(f"http://127.0.0.1/{number}" for number in range(20_000)))
    crawl = Crawl(tmp_path / "crawl", [str(seeds)], {"crawl.contact": "crawl@example.org"})
    try:
        crawl.start()
        wait_until((crawl.out / "state" / "frontier" / "CURRENT").exists, "the database")
        assert crawl.process is not None
        crawl.process.send_signal(number)
        assert crawl.wait() == Exit.INTERRUPTED, crawl.console
        assert "Traceback" not in crawl.console
        assert find_keeper(crawl.out) is None
        crawl.go_on(ends=Exit.NOTHING)
    finally:
        crawl.end()


def test_the_operators_stop_is_told_from_the_end_of_a_crawl(tmp_path: Path) -> None:
    with simulated_web(tmp_path, LONG) as stage:
        crawl = begun(stage)
        assert tiptoe("stop", str(crawl.out)).returncode == Exit.DONE
        assert crawl.wait() == Exit.INTERRUPTED
        assert "stopped by the operator" in crawl.console


def test_a_crawl_under_nohup_goes_on_after_the_terminal_is_gone(tmp_path: Path) -> None:
    """Whoever started it so wants just that."""
    with simulated_web(tmp_path, LONG) as stage:
        crawl = stage.crawl(pace=SLOW)
        with_nohup(crawl)
        crawl.wait_for_lines(20)
        assert crawl.process is not None
        crawl.process.send_signal(signal.SIGHUP)
        crawl.wait_for_lines(40)
        crawl.tell("stop")
        assert crawl.wait() == Exit.INTERRUPTED
        assert "stopped by the operator" in crawl.console


def with_nohup(crawl: Crawl) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        crawl.start()
    finally:
        signal.signal(signal.SIGHUP, before)


def on_terminal(command: list[str]) -> tuple["subprocess.Popen[bytes]", int]:
    """Start a command on a terminal of its own; return it and our end of the terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", TAKE_TERMINAL, *command],
        stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    return process, ours


TAKE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""


def test_a_crawl_ends_in_good_order_when_its_window_is_closed(tmp_path: Path) -> None:
    """There is nobody left to print to: that must not spoil the end."""
    with simulated_web(tmp_path, LONG) as stage:
        crawl = stage.crawl(pace=SLOW)
        crawl.process, terminal = on_terminal(crawl.command())
        wait_until_drained(lambda: crawl.request_lines() >= 20, terminal)
        os.close(terminal)
        assert crawl.process.wait(PATIENCE_SECONDS) == Exit.INTERRUPTED
        assert ended_well(crawl)
    assert stage.violations(SLOW) == []


def wait_until_drained(holds: Callable[[], bool], terminal: int) -> None:
    """Wait, and read what is printed meanwhile: a terminal that nobody reads fills up."""
    os.set_blocking(terminal, False)

    def is_so() -> bool:
        with contextlib.suppress(OSError):  # nothing to read, or the one who printed has gone
            os.read(terminal, 65536)
        return holds()

    wait_until(is_so, "requests")


def test_a_crawl_in_the_background_goes_on_after_logout(tmp_path: Path) -> None:
    """It has no terminal that could hang up."""
    with simulated_web(tmp_path, LONG) as stage:
        crawl = stage.crawl(pace=SLOW)
        shell, terminal = on_terminal(crawl.command("--background"))
        wait_until_drained(lambda: shell.poll() is not None, terminal)
        assert shell.wait() == Exit.DONE
        os.close(terminal)
        seen = crawl.request_lines()
        wait_until(lambda: crawl.request_lines() >= seen + 20, "more requests")
        assert find_keeper(crawl.out) is not None
        crawl.tell("stop")
    assert "stopped by the operator" in (crawl.out / "log" / "console.log").read_text()


def test_a_crawl_that_finds_nobody_says_so_and_why(tmp_path: Path) -> None:
    with simulated_web(tmp_path, replace(LONG, hosts=1, pages_per_host=2)) as stage:
        crawl = stage.crawl(["http://nobody.example/"])
        printed = crawl.run(ends=Exit.NOTHING)
        assert "No page was fetched" in printed
        assert "the names of the seeds do not exist (check the spelling, and fetch.nameservers)" in printed
        out_of_bounds = stage.crawl(name="bounds")
        printed = out_of_bounds.run("--include", r"\.invalid$", ends=Exit.NOTHING)
        assert "the bounds of the crawl leave out the seeds (`tiptoe scope explain` names the" in printed
        assert "1 time: out of scope" not in printed  # which would say the same once more


def test_a_crawl_without_text_says_why_and_how_it_becomes_a_corpus(tmp_path: Path) -> None:
    """Whoever asked too much of a text need not ask the sites once more."""
    with simulated_web(tmp_path, replace(LONG, hosts=1, pages_per_host=2)) as stage:
        crawl = stage.crawl(text__min_chars=1_000_000)
        printed = crawl.run(ends=Exit.TEXTLESS)
        archive = stage.crawl(name="archive", text__min_chars=1_000_000)
        archive.run("--profile", "archive")  # which has what it wants
    assert "The likely reason: the texts are too short (see text.min_chars)." in printed
    (line,) = re.findall(
        "`tiptoe (read .*)` makes a corpus from what was received, without new requests", printed
    )
    done = tiptoe(*shlex.split(line))
    assert done.returncode == Exit.DONE, done.stderr
    assert len(Crawl(tmp_path / "crawl-anew", [], {}).documents()) == 2


def test_an_exhausted_limit_is_named_with_what_to_raise(tmp_path: Path) -> None:
    with simulated_web(tmp_path, replace(LONG, hosts=2)) as stage:
        crawl = stage.crawl()
        crawl.run("--max-pages", "4", ends=Exit.LIMIT)
        asked = crawl.request_lines()
        for _ in range(2):
            printed = crawl.go_on(ends=Exit.LIMIT)
            assert "page limit reached" in printed
            assert "crawl.max_pages = 4" in printed
            assert "--max-pages MORE" in printed
        assert crawl.request_lines() == asked


def test_usage_errors_keep_their_code(tmp_path: Path) -> None:
    for words in (("crawl",), ("crawl", "--no-such-option"), ("crwal",), ("status", str(tmp_path))):
        assert tiptoe(*words).returncode == Exit.MISTAKEN
