"""What do fifty robots cost one control server, and how soon do commands reach them?

    python bench/control_robots.py --robots 50 --seconds 30

A real server (`tiptoe control serve`, a process of its own) and simulated robots, each with connections of
its own over loopback: one waits for news, one reports every five seconds, one sends a batch of 20 pages every
ten. Commands are given all the time, to one robot and to all. Measured are the time from just before a
command is given until its robot has it, and the CPU time of the server.
"""

import argparse
import asyncio
import json
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil

from tiptoe.control.access_tokens import AccessTokens
from tiptoe.control.accounts import Accounts
from tiptoe.control.control_store import ControlStore
from tiptoe.control.robot_roster import RobotRoster
from tiptoe.control.user_role import UserRole
from tiptoe.protocol.robot_messages import ROBOT_ROOT

REPORT_SECONDS = 5.0
BATCH_SECONDS = 10.0
BATCH_PAGES = 20
PARAGRAPH = "Voda je základ života a bez ní by nebylo nic z toho, co kolem sebe vidíme. " * 8


@dataclass
class Measures:
    """What was measured."""

    given: dict[int, float] = field(default_factory=dict)  # moment just before it was given, by number
    reached: list[float] = field(default_factory=list)
    early: dict[int, float] = field(default_factory=dict)  # received before its sender was answered
    batches: int = 0
    reports: int = 0
    double: int = 0


class SimulatedRobot:
    """Speaks the protocol, but does not crawl."""

    def __init__(self, name: str, secret: str, url: str, measures: Measures) -> None:
        self.name = name
        self._measures = measures
        self._incarnation = secrets.token_hex(8)
        headers = {"Authorization": f"Bearer {secret}"}
        self._client = httpx.AsyncClient(base_url=url + ROBOT_ROOT, headers=headers, timeout=60)
        self._after = self._batch = 0
        self._fates: list[dict[str, object]] = []
        self._seen: set[int] = set()
        self._has_fates = asyncio.Event()

    async def run(self) -> None:
        await self._call("hello", version="bench", machine="loopback")
        await asyncio.gather(self._poll(), self._report(), self._describe())

    async def _call(self, name: str, **message: object) -> dict[str, object]:
        answer = await self._client.post(f"/{name}", json={"incarnation": self._incarnation, **message})
        answer.raise_for_status()
        reply: dict[str, object] = answer.json()
        return reply

    async def _poll(self) -> None:
        while True:
            news = await self._call("poll", after=self._after, configuration=0, wait=25)
            now = time.monotonic()
            commands = news.get("commands", [])
            assert isinstance(commands, list)
            for command in commands:
                number = command["number"]
                self._measures.double += number in self._seen
                self._seen.add(number)
                self._after = max(self._after, number)
                if number in self._measures.given:
                    self._measures.reached.append(now - self._measures.given[number])
                else:
                    self._measures.early[number] = now
                self._fates.append({"number": number, "is_done": True, "said": "it is so"})
                self._has_fates.set()

    async def _report(self) -> None:
        await asyncio.sleep(REPORT_SECONDS * secrets.randbelow(1000) / 1000)
        while True:
            fates, self._fates = self._fates, []
            self._has_fates.clear()
            await self._call("report", fates=fates, figures={"state": "running", "pages": self._batch * 20})
            self._measures.reports += 1
            try:
                await asyncio.wait_for(self._has_fates.wait(), REPORT_SECONDS)
            except TimeoutError:
                continue

    async def _describe(self) -> None:
        await asyncio.sleep(BATCH_SECONDS * secrets.randbelow(1000) / 1000)
        while True:
            self._batch += 1
            pages = [_page(self.name, self._batch, place) for place in range(BATCH_PAGES)]
            await self._call("descriptions", number=self._batch, pages=pages)
            self._measures.batches += 1
            await asyncio.sleep(BATCH_SECONDS)


def _page(robot: str, batch: int, place: int) -> dict[str, object]:
    url = f"https://{robot}.example/{batch}/{place}"
    return {
        "id": f"urn:uuid:{url}", "url": url, "title": "Voda", "language": "cs", "charset": "utf-8",
        "fetched_at": "2026-11-17T12:00:00Z", "last_modified": "", "depth": 1, "digest": "", "warc_file": "",
        "warc_offset": 0, "paragraphs": [PARAGRAPH] * 8,
    }  # fmt: skip


async def give_commands(url: str, token: str, names: list[str], until: float, measures: Measures) -> None:
    """Give a command to one robot ten times a second, and now and then one to all."""
    async with httpx.AsyncClient(
        base_url=f"{url}/api/v1", headers={"Authorization": f"Bearer {token}"}
    ) as client:
        turn = 0
        while time.monotonic() < until:
            turn += 1
            name = "all" if turn % 20 == 0 else names[turn % len(names)]
            began = time.monotonic()
            answer = await client.post(f"/robots/{name}/commands", json={"verb": "pause"}, timeout=30)
            answer.raise_for_status()
            for one in answer.json():
                number = one["command"]["number"]
                measures.given[number] = began
                if number in measures.early:
                    measures.reached.append(measures.early.pop(number) - began)
            await asyncio.sleep(0.1)


async def measure(url: str, token: str, robots: dict[str, str], pid: int, seconds: float) -> Measures:
    measures = Measures()
    tasks = [asyncio.create_task(SimulatedRobot(*pair, url, measures).run()) for pair in robots.items()]
    await asyncio.sleep(3)
    server = psutil.Process(pid)
    quiet = await _cpu_share(server, 10.0)
    print(f"{len(robots)} robots that report and send: {quiet:.1%} of a core")
    began, before = time.monotonic(), sum(server.cpu_times()[:2])
    await give_commands(url, token, list(robots), began + seconds, measures)
    spent = sum(server.cpu_times()[:2]) - before
    share = spent / (time.monotonic() - began)
    print(f"with {len(measures.given)} commands in {seconds:g} s as well: {share:.1%} of a core")
    await asyncio.sleep(2)
    for task in tasks:
        if task.done():
            task.result()
        task.cancel()
    print(f"memory of the server: {server.memory_info().rss / 1e6:.0f} MB")
    return measures


async def _cpu_share(server: psutil.Process, seconds: float) -> float:
    before = sum(server.cpu_times()[:2])
    await asyncio.sleep(seconds)
    return float(sum(server.cpu_times()[:2]) - before) / seconds


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--robots", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=30.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder) / "control"
        store = ControlStore(directory)
        Accounts(store).add("bench", "a long password", UserRole.ADMINISTRATOR, time.time())
        made = AccessTokens(store).make("bench", "bench", UserRole.ADMINISTRATOR, time.time())
        assert made is not None
        roster = RobotRoster(store)
        robots = {
            f"r{number:03}": roster.add(f"r{number:03}", time.time()) for number in range(options.robots)
        }
        store.close()
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        url = f"http://127.0.0.1:{port}"
        words = ["control", "serve", "--dir", str(directory), "--listen", f"127.0.0.1:{port}"]
        process = subprocess.Popen([sys.executable, "-m", "tiptoe", *words], stdout=subprocess.DEVNULL)
        try:
            _await_server(url)
            measures = asyncio.run(measure(url, made[0], robots, process.pid, options.seconds))
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(20)
    _print(measures)


def _await_server(url: str) -> None:
    until = time.monotonic() + 30
    while True:
        try:
            httpx.get(f"{url}/healthz").raise_for_status()
        except httpx.TransportError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
        else:
            return


def _print(measures: Measures) -> None:
    waits = sorted(measures.reached)
    assert waits
    count = len(measures.given)
    print(f"commands that reached their robot: {len(waits)} of {count}, {measures.double} of them twice")
    shown = {share: waits[min(int(share * len(waits)), len(waits) - 1)] for share in (0.5, 0.95, 0.99)}
    print(
        "within: "
        + json.dumps({f"{share:.0%}": f"{1000 * wait:.0f} ms" for share, wait in shown.items()})
        + f", the slowest {1000 * waits[-1]:.0f} ms"
    )
    print(f"reports: {measures.reports}, batches of descriptions: {measures.batches}")


if __name__ == "__main__":
    main()
