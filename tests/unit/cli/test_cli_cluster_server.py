"""Do servers that are started by the lines they print make one cluster?"""

import asyncio
import contextlib
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tiptoe.cli.cluster_server_command import server_command
from tiptoe.cli.cluster_serving import summary
from tiptoe.cluster.credentials import read_credentials
from tiptoe.cluster.engine import Engine, EngineUnavailable
from tiptoe.cluster.engine_options import open_engine
from tiptoe.cluster.nats_server_link import ServerSeen
from tiptoe.errors import SettingsError

TIPTOE = [sys.executable, "-m", "tiptoe"]
PORTS_FROM, PORTS_UNTIL = 20_000, 30_000


def free_row(count: int, start: int) -> int:
    """Return the first of some ports in a row that nobody listens on."""
    for first in range(start, PORTS_UNTIL, count):
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            for port in range(first, first + count):
                stack.enter_context(socket.create_server(("127.0.0.1", port)))
            return first
    raise AssertionError("no ports are free")


class Started:
    """A command that runs, and what it prints."""

    def __init__(self, line: str, folder: Path) -> None:
        words = shlex.split(line)
        assert words[0] == "tiptoe"
        self.directory = folder / words[words.index("--dir") + 1]
        self._process = subprocess.Popen(
            [*TIPTOE, *words[1:]], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self.printed = ""

    def wait_for(self, pattern: str) -> str:
        """Read on until a line says this."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.printed += line
            if re.search(pattern, line):
                return line.strip()
        raise AssertionError(f"it ended without {pattern!r}:\n{self.printed}")

    @property
    def server_pid(self) -> int:
        return int((self.directory / "server.pid").read_text())

    def stop(self) -> int:
        """Press Ctrl-C, and return how it ends."""
        self._process.send_signal(signal.SIGINT)
        self.printed += self._process.communicate(timeout=30)[0]
        return self._process.returncode

    def end(self) -> int:
        """Wait for its end."""
        self.printed += self._process.communicate(timeout=30)[0]
        return self._process.returncode

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.terminate()
        self._process.communicate(timeout=30)


@pytest.fixture
def started(tmp_path: Path) -> Iterator[list[Started]]:
    """Three servers, each started by the line that the last has printed."""
    port = free_row(3, PORTS_FROM + os.getpid() % 4000)
    cluster_port = free_row(3, port + 3)
    running: list[Started] = []
    try:
        line = f"tiptoe cluster server --dir nats --servers 3 --port {port} --cluster-port {cluster_port}"
        for _ in range(3):
            running.append(Started(line, tmp_path))
            line = running[-1].wait_for(r"^ +tiptoe cluster server ")
        yield running
    finally:
        for server in running:
            server.close()


async def opened(path: Path) -> Engine:
    """Open the engine as members do, when the servers have found each other."""
    credentials = read_credentials(str(path))
    for _ in range(40):
        with contextlib.suppress(EngineUnavailable):
            options = credentials.options("czech", member="test", replicas=credentials.replicas)
            return await open_engine(options)
        await asyncio.sleep(0.2)
    raise AssertionError("the servers do not find each other")


async def written(engine: Engine, count: int) -> None:
    """Append, also while a server is dying."""
    done = 0
    while done < count:
        with contextlib.suppress(EngineUnavailable):
            await engine.append("log.0", b"x")
            done += 1


async def read(engine: Engine, count: int) -> int:
    """Return how many messages the log has, at least so many."""
    found = 0
    async with engine.follow("log.0") as messages:
        async for message in messages:
            found += message is not None
            if found >= count and message is None:
                return found
    return found


def test_three_servers_started_by_printed_lines_survive_one_and_take_it_back(
    started: list[Started], tmp_path: Path
) -> None:
    """The whole life of a small cluster: begun, one killed, one stopped and started, one burnt."""
    for server in started:
        server.wait_for(r"3 of 3 servers.*ready")

    async def crawl() -> None:
        engine = await opened(tmp_path / "nats/members/member.json")
        await written(engine, 20)
        os.kill(started[2].server_pid, signal.SIGKILL)
        assert started[2].end() == 1
        assert "the NATS server has ended" in started[2].printed
        await written(engine, 20)
        started[0].wait_for(r"2 of 3 servers.*lacks a server; 1 member: test")
        # Another machine takes the place of the one that burnt: same name, empty disk, the book of another.
        shutil.rmtree(started[2].directory)
        [name] = re.findall(r"server (\S+) listens", started[2].printed)
        [port] = re.findall(r"--port (\d+)", started[1].printed)
        [cluster_port] = re.findall(r"--cluster-port (\d+)", started[1].printed)
        started.append(
            Started(
                f"tiptoe cluster server --dir new --replace --name {name} --port {port} "
                f"--cluster-port {cluster_port} --join-file nats/join.json",
                tmp_path,
            )
        )
        for server in (started[0], started[3]):
            server.wait_for(r"3 of 3 servers.*ready")
        # With the second one away it counts: what was written is on the new one, too.
        assert started[1].stop() == 0
        await written(engine, 20)
        assert await read(engine, 60) >= 60
        await engine.close()
        again = Started(f"tiptoe cluster server --dir {started[1].directory.name}", tmp_path)
        started.append(again)
        again.wait_for(r"3 of 3 servers.*ready")

    asyncio.run(crawl())


def test_a_user_is_known_to_all_servers_at_once(started: list[Started], tmp_path: Path) -> None:
    for server in started:
        server.wait_for(r"3 of 3 servers.*ready")

    def command(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*TIPTOE, "cluster", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    added = command("add-user", "petr", "--crawl", "czech", "--dir", started[1].directory.name)
    assert (added.returncode, added.stderr) == (0, "")
    assert "known to 3 servers" in added.stdout
    for server in started:
        credentials = read_credentials(str(server.directory / "members/petr.json"))
        assert (credentials.crawl, len(credentials.servers)) == ("czech", 3)
    asyncio.run(closed(started[0].directory / "members/petr.json"))
    assert "petr\tczech" in command("users", "--dir", started[2].directory.name).stdout
    started[2].stop()
    removed = command("remove-user", "petr", "--dir", started[0].directory.name)
    assert (removed.returncode, "known to 2 of 3 servers" in removed.stdout) == (1, True)
    again = Started(f"tiptoe cluster server --dir {started[2].directory.name}", tmp_path)
    started.append(again)
    again.wait_for(r"3 of 3 servers.*ready")
    while "petr" in command("users", "--dir", started[2].directory.name).stdout:
        pass  # it hears of it when it starts


async def closed(path: Path) -> None:
    await (await opened(path)).close()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--servers 2", "1, 3 or 5"),
        ("--port 70000", "--port 70000"),
        ("--port 6222", "different ports"),
        ("--host 0.0.0.0 --advertise 0.0.0.0", "nobody can connect there"),
        ("--storage-max lots", "--storage-max lots"),
        ("--join-file nothing.json", "nothing.json"),
        ("--replace", "--join-file"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_written(
    words: str, message: str, tmp_path: Path
) -> None:
    command = [*TIPTOE, "cluster", "server", "--dir", "nats", *words.split()]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert message in ended.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        ([("a", "")], "1 of 3 servers (a), waiting for more servers; 0 members; 1.0 kB stored here"),
        ([("a", "b"), ("b", "b")], "2 of 3 servers (a, b), lacks a server; "),
        ([("a", "b"), ("b", "b"), ("c", "b")], "3 of 3 servers (a, b, c), ready; "),
        ([("a", ""), ("b", ""), ("c", "")], "3 of 3 servers (a, b, c), choosing a leader; "),
    ],
)
def test_the_line_says_what_is_missing(seen: list[tuple[str, str]], said: str) -> None:
    servers = [ServerSeen(name, name, 1000, leader, ("tiptoe-server",)) for name, leader in seen]
    assert said in summary("a", 3, servers)


def test_a_machine_that_knows_no_name_of_its_own_is_asked_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others would be told to connect to themselves."""
    monkeypatch.setattr("socket.getfqdn", lambda: "localhost")
    with pytest.raises(SettingsError, match="--advertise"):
        server_command(directory=Path("unused"), host="0.0.0.0")
    assert not Path("unused").exists()


def test_a_cluster_is_ready_when_every_server_has_everything() -> None:
    """To stop another one before that would leave one copy of what the last has missed."""
    servers = [ServerSeen(name, name, 0, "a", (), is_whole=name != "b") for name in "abc"]
    assert "3 of 3 servers (a, b, c), catching up: b; " in summary("a", 3, servers)


def test_the_line_stays_short_however_many_are_connected() -> None:
    members = tuple(f"m{number}" for number in range(500))
    line = summary("a", 1, [ServerSeen("a", "a", 0, "", members)])
    assert "500 members: m0, m1" in line
    assert len(line) < 200
