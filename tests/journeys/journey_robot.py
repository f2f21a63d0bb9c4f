"""A control server and robots as processes of their own, which can be killed.

with control_server(tmp_path) as control:
    control.start()
    robot = control.robot("lab-1")
    robot.start()
"""

import contextlib
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from journey_crawl import PATIENCE_SECONDS, wait_until

from tiptoe.control.access_tokens import AccessTokens
from tiptoe.control.accounts import Accounts
from tiptoe.control.control_store import ControlStore
from tiptoe.control.robot_roster import RobotRoster
from tiptoe.control.user_role import UserRole
from tiptoe.keeper.directory import find_keeper

NOW = 1_800_000_000.0
TIPTOE = [sys.executable, "-m", "tiptoe"]


@dataclass(slots=True)
class RobotOnStage:
    """A robot of one control server."""

    name: str
    folder: Path
    words: list[str]
    process: subprocess.Popen[bytes] | None = None

    @property
    def crawl(self) -> Path:
        return self.folder / self.name / "crawl"

    @property
    def console(self) -> str:
        return (self.folder / f"{self.name}.txt").read_text()

    def start(self) -> None:
        with (self.folder / f"{self.name}.txt").open("ab") as console:
            self.process = subprocess.Popen(
                [*TIPTOE, "robot", *self.words], stdin=subprocess.DEVNULL, stdout=console, stderr=console
            )

    def kill(self) -> None:
        """Kill the robot with -9; its crawl goes on."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """Have the robot end in good order, and its crawl with it."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_SECONDS)

    def end(self) -> None:
        """Leave no process behind."""
        if self.process is not None and self.process.poll() is None:
            self.kill()
        keeper = find_keeper(self.crawl)
        if keeper is not None:
            subprocess.run([*TIPTOE, "stop", str(self.crawl)], capture_output=True, check=False)
            wait_until(lambda: find_keeper(self.crawl) is None, "the end of the crawl")


@dataclass(slots=True)
class ControlOnStage:
    """A control server on a port of its own, which stays the same when it is started again."""

    folder: Path
    port: int
    token: str = ""
    process: subprocess.Popen[bytes] | None = None
    robots: list[RobotOnStage] = field(default_factory=list)

    @property
    def directory(self) -> Path:
        return self.folder / "control"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        words = ["control", "serve", "--dir", str(self.directory), "--listen", f"127.0.0.1:{self.port}"]
        with (self.folder / "server.txt").open("ab") as console:
            self.process = subprocess.Popen(
                [*TIPTOE, *words],
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
            )
        wait_until(self.is_there, "a server that answers")

    def is_there(self) -> bool:
        try:
            return httpx.get(f"{self.url}/healthz").status_code == 200
        except httpx.TransportError:
            return False

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Call the API as an administrator."""
        headers = {"Authorization": f"Bearer {self.token}"}
        answer = httpx.request(method, f"{self.url}/api/v1/{path}", json=body, headers=headers, timeout=30)
        assert answer.status_code < 300, answer.text
        return answer.json()

    def tell(self, robot: str, verb: str, **more: object) -> int:
        """Give a command to a robot; return its number."""
        told = self.call("POST", f"robots/{robot}/commands", {"verb": verb, **more})
        return int(told[0]["command"]["number"])

    def fate(self, robot: str, number: int) -> dict[str, Any]:
        """Wait for what comes of a command."""
        found: dict[str, Any] = {}

        def is_settled() -> bool:
            commands = self.call("GET", f"robots/{robot}/commands")
            found.update(next(one for one in commands if one["command"]["number"] == number))
            return found["state"] in ("done", "failed")

        wait_until(is_settled, f"the fate of command {number}")
        return found

    def robot(self, name: str) -> RobotOnStage:
        """Return a new robot that is yet to start."""
        made = self.call("POST", "robots", {"name": name})
        secret = self.folder / f"{name}.secret"
        secret.touch(mode=0o600)
        secret.write_text(made["secret"])
        words = ["--control", self.url, "--id", name, "--secret-file", str(secret)]
        robot = RobotOnStage(name, self.folder, [*words, "--dir", str(self.folder / name)])
        self.robots.append(robot)
        return robot

    def received(self, robot: str) -> list[str]:
        """Return the ids of the descriptions that lie on the server, sorted; only what is committed."""
        store = ControlStore(self.directory)
        rows = store.rows("SELECT * FROM robot_file WHERE robot = ? AND folder = 'corpus'", [robot])
        store.close()
        sizes = {f"robot-{row['number']:05}.jsonl.open": row["size"] for row in rows}
        found = []
        for path in (self.directory / "robots" / robot / "corpus").glob("*"):
            content = path.read_bytes()[: sizes.get(path.name)]
            found += [json.loads(line)["id"] for line in content.splitlines()]
        return sorted(found)


@contextlib.contextmanager
def control_server(folder: Path) -> Iterator[ControlOnStage]:
    """Prepare a control server with an administrator; whatever was started is gone when the `with` ends."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    control = ControlOnStage(folder, port)
    store = ControlStore(control.directory)
    RobotRoster(store)
    Accounts(store).add("anna", "a long password", UserRole.ADMINISTRATOR, NOW)
    made = AccessTokens(store).make("anna", "journey", UserRole.ADMINISTRATOR, NOW)
    assert made is not None
    control.token = made[0]
    store.close()
    try:
        yield control
    finally:
        for robot in control.robots:
            robot.end()
        if control.process is not None and control.process.poll() is None:
            control.kill()
