"""A harvester on another machine comes back by itself, whatever cut it off; seen from real processes."""

import contextlib
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import pytest
from journey_crawl import PATIENCE_SECONDS, SMALL, Crawl, Pace, Stage, simulated_web, wait_until
from journey_relay import LOOPBACK, Relay, Side

from tiptoe.cli.exits import Exit

pytestmark = pytest.mark.journey

WEB = replace(SMALL, hosts=12, hosts_per_address=1, pages_per_host=30)
PACE = Pace(req_delay=0.4, max_reqs=20, general_pause=0.5)
FLOOD = 500


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


@dataclass(slots=True)
class Helper:
    """The command that an operator starts on another machine."""

    process: "subprocess.Popen[bytes]"
    said: Path

    def lives(self) -> list[psutil.Process]:
        """Return the process that does the work, if there is one at the moment."""
        with contextlib.suppress(psutil.NoSuchProcess):
            return list(psutil.Process(self.process.pid).children())
        return []

    def wait(self) -> int:
        return self.process.wait(PATIENCE_SECONDS)


@contextlib.contextmanager
def helper_at(address: str, crawl: Crawl, out: Path, *options: str) -> Iterator[Helper]:
    """Start a harvester elsewhere, and leave no process behind."""
    said = out.parent / "helper.txt"
    command = [
        sys.executable,
        "-m",
        "tiptoe.harvest",
        "--connect",
        address,
        "--name",
        "away",
        "--out",
        str(out),
    ]
    command += ["--token-file", str(crawl.settings["harvest.token_file"]), *options]
    with said.open("ab") as errors:
        helper = Helper(subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=errors), said)
    try:
        yield helper
    finally:
        helper.process.kill()
        helper.process.wait()


def listening_crawl(stage: Stage, port: int, name: str = "crawl") -> Crawl:
    crawl = stage.crawl(pace=PACE, name=name)
    token = stage.folder / "token"
    token.write_text("a secret\n")
    crawl.settings.update({
        "harvest.listen": f"{LOOPBACK}:{port}", "harvest.token_file": token, "harvest.lease": "3s",
        "harvest.harvesters": 1, "harvest.visits": 4,  # of twelve addresses: there is work for both
    })  # fmt: skip
    return crawl


def joins(crawl: Crawl) -> int:
    """Count how often the harvester from elsewhere has joined."""
    log = crawl.out / "log" / "keeper.log"
    return log.read_text().count("harvester.joined incarnation=away-") if log.exists() else 0


def wait_for_join(crawl: Crawl, count: int) -> None:
    wait_until(lambda: joins(crawl) >= count, f"join number {count} of the harvester")


def wait_for_request(out: Path, count: int) -> None:
    """Wait until those from elsewhere have made so many requests."""
    logs = out / "log"
    wait_until(
        lambda: (
            sum(log.read_bytes().count(b'"started_at":') for log in logs.glob("requests-*.jsonl")) >= count
        ),
        f"{count} requests of the harvester",
    )


def test_a_harvester_comes_back_when_its_line_was_cut(tmp_path: Path) -> None:
    """Lines between machines are cut every day; nobody should have to notice."""
    port = free_port()
    with simulated_web(tmp_path, WEB) as stage, Relay((LOOPBACK, port)) as line:
        crawl = listening_crawl(stage, port)
        crawl.start()
        with helper_at(line.address, crawl, crawl.out) as helper:
            for cut in (1, 2):
                wait_for_join(crawl, cut)
                crawl.wait_for_lines(40 * cut)
                line.cut(after_bytes=0, side=Side.UP)
            wait_for_join(crawl, 3)
            assert helper.process.poll() is None
            assert crawl.wait() == 0
            assert helper.wait() == 0, "it leaves with the keeper"
    assert crawl.urls() == stage.truth()
    assert stage.violations(PACE) == []


def test_a_harvester_comes_back_to_a_keeper_that_was_killed(tmp_path: Path) -> None:
    """It is the same crawl that goes on; its work of before was taken back."""
    port = free_port()
    with simulated_web(tmp_path, WEB) as stage:
        crawl = listening_crawl(stage, port)
        crawl.start()
        with helper_at(f"{LOOPBACK}:{port}", crawl, crawl.out) as helper:
            wait_for_join(crawl, 1)
            crawl.wait_for_lines(40)
            crawl.kill()
            wait_until(lambda: "starts again" in helper.said.read_text(), "the harvester to miss its keeper")
            crawl.start()
            wait_for_join(crawl, 2)
            assert crawl.wait() == 0
            assert helper.wait() == 0
    assert crawl.urls() == stage.truth()
    assert stage.violations(PACE) == []


def test_a_harvester_that_is_killed_by_a_page_is_replaced(tmp_path: Path) -> None:
    """As those of the keeper's own machine are."""
    port = free_port()
    with simulated_web(tmp_path, WEB) as stage:
        crawl = listening_crawl(stage, port)
        crawl.start()
        with helper_at(f"{LOOPBACK}:{port}", crawl, crawl.out) as helper:
            wait_for_join(crawl, 1)
            for life in helper.lives():
                life.kill()
            wait_for_join(crawl, 2)
            assert crawl.wait() == 0
            assert helper.wait() == 0
    assert crawl.urls() == stage.truth()
    assert stage.violations(PACE) == []


def test_a_harvester_that_is_asked_to_stop_leaves_in_good_order(tmp_path: Path) -> None:
    """Whoever takes a machine away must not have to wait for a lease."""
    port = free_port()
    with simulated_web(tmp_path, WEB) as stage:
        crawl = listening_crawl(stage, port)
        crawl.start()
        with helper_at(f"{LOOPBACK}:{port}", crawl, tmp_path / "away") as helper:
            wait_for_join(crawl, 1)
            wait_for_request(tmp_path / "away", 5)
            helper.process.send_signal(signal.SIGTERM)
            assert helper.wait() == 0
            figures = crawl.status_when(lambda figures: figures["harvesters"] == 1, "it to be gone")
            assert figures["lost_harvesters"] == 0
            assert not list((tmp_path / "away").glob("*/*.open"))
            crawl.interrupt()
            assert crawl.wait() == Exit.INTERRUPTED
    log = (crawl.out / "log" / "keeper.log").read_text()
    assert "harvester.left incarnation=away-" in log
    assert stage.violations(PACE) == []


def test_a_harvester_does_not_mix_two_crawls(tmp_path: Path) -> None:
    """Names of files are used once in a crawl, not in two of them."""
    port = free_port()
    with simulated_web(tmp_path, WEB) as stage:
        first = listening_crawl(stage, port, "first")
        first.start()
        with helper_at(f"{LOOPBACK}:{port}", first, tmp_path / "away") as helper:
            wait_for_join(first, 1)
            first.kill()
            second = listening_crawl(stage, port, "second")
            second.start()
            assert helper.wait() == 2
            assert "another crawl" in helper.said.read_text()
            assert joins(second) == 0
            second.interrupt()
            assert second.wait() == Exit.INTERRUPTED
    log = (second.out / "log" / "keeper.log").read_text()
    assert f"peer.refused peer={LOOPBACK} reason=crawl role=harvester name=away" in log


def test_a_harvester_gives_up_some_day(tmp_path: Path) -> None:
    """Nobody remembers what was started last year."""
    with simulated_web(tmp_path, SMALL) as stage:
        crawl = listening_crawl(stage, free_port())
        address = str(crawl.settings["harvest.listen"])
        with helper_at(address, crawl, tmp_path / "away", "--give-up-after", "100ms") as helper:
            assert helper.wait() == 1
            assert "--give-up-after" in helper.said.read_text()


def test_a_harvester_with_the_wrong_token_does_not_try_again(tmp_path: Path) -> None:
    port = free_port()
    with simulated_web(tmp_path, WEB) as stage:
        crawl = listening_crawl(stage, port)
        crawl.start()
        crawl.status_when(bool, "the keeper to be there")
        (tmp_path / "guess").write_text("a guess")
        with helper_at(
            f"{LOOPBACK}:{port}", crawl, tmp_path / "away", "--token-file", str(tmp_path / "guess")
        ) as helper:
            assert helper.wait() == 2
            assert "wrong token" in helper.said.read_text()
        crawl.interrupt()
        assert crawl.wait() == Exit.INTERRUPTED


def test_a_flood_of_callers_does_not_keep_the_operator_out(tmp_path: Path) -> None:
    """Also where the keeper may open few files: those that say nothing hold some of them only."""
    port = free_port()
    with simulated_web(tmp_path, WEB) as stage, contextlib.ExitStack() as stack:
        crawl = listening_crawl(stage, port)
        crawl.start()
        crawl.status_when(lambda figures: figures["harvesters"] == 1, "the keeper and its harvester")
        assert crawl.process is not None
        keeper = psutil.Process(crawl.process.pid)
        keeper.rlimit(psutil.RLIMIT_NOFILE, (256, 256))
        for number in range(FLOOD):
            caller = stack.enter_context(socket.socket())
            caller.settimeout(PATIENCE_SECONDS)
            with contextlib.suppress(ConnectionError):
                caller.connect((LOOPBACK, port))
                caller.send(b"\x00\x00\x10\x00half a frame"[: number % 16])
        began = time.monotonic()
        figures = crawl.status()
        assert figures, "the keeper does not answer"
        assert time.monotonic() - began < 5.0, "most of it is for the start of the command"
        assert figures["refused_peers"] > FLOOD // 2
        assert crawl.wait() == 0
    assert crawl.urls() == stage.truth()
    log = (crawl.out / "log" / "keeper.log").read_text()
    assert 0 < log.count("peer.refused") < 50
