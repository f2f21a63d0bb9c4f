"""Does a robot do what its control server says, and is nothing lost when either of them dies?"""

import contextlib
import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from journey_crawl import SMALL, Pace, Stage, simulated_web, wait_until, whole_lines
from journey_robot import ControlOnStage, RobotOnStage, control_server

from tiptoe.protocol.robot_messages import ROBOT_ROOT

pytestmark = pytest.mark.journey


SLOW = Pace(req_delay=0.25)
"""The crawl lasts some seconds, so that something can happen meanwhile."""

FEW = replace(SMALL, hosts=6, pages_per_host=8, links_per_page=6, redirect_share=0.0)


def configure(
    control: ControlOnStage, robot: RobotOnStage, web: Stage, pace: Pace = SLOW, claims: str = "false"
) -> None:
    crawl = web.crawl(pace=pace, crawl__claims=claims)
    settings = {name: str(value) for name, value in crawl.settings.items()}
    control.call(
        "POST", f"robots/{robot.name}/configurations", {"settings": settings, "seeds": "\n".join(crawl.seeds)}
    )


def state(control: ControlOnStage, robot: str = "lab-1") -> str:
    return str(control.call("GET", f"robots/{robot}")["state"])


def corpus_ids(robot: RobotOnStage) -> list[str]:
    """Return the ids of all pages in the corpus of a robot, sorted."""
    files = sorted((robot.crawl / "corpus").glob("*.jsonl*"))
    return sorted(json.loads(line)["id"] for line in whole_lines(files))


def test_a_robot_outlives_its_server_and_catches_up(tmp_path: Path) -> None:
    """kill -9 of both: the crawl goes on, every page arrives once, no command is lost."""
    with simulated_web(tmp_path, SMALL) as web, control_server(tmp_path) as control:
        control.start()
        robot = control.robot("lab-1")
        robot.start()
        configure(control, robot, web)
        start = control.fate("lab-1", control.tell("lab-1", "start"))
        assert start["state"] == "done", start
        wait_until(lambda: len(control.received("lab-1")) > 0, "descriptions")
        control.kill()
        before = len(corpus_ids(robot))
        wait_until(lambda: len(corpus_ids(robot)) > before, "pages that come without a server")
        robot.kill()
        control.start()
        blocked = control.tell("lab-1", "block", host="no-such-host.example")
        assert control.call("GET", "robots/lab-1/commands")[0]["state"] == "waiting"
        control.kill()
        robot.start()
        control.start()

        assert control.fate("lab-1", blocked)["state"] == "done"
        wait_until(lambda: state(control) == "finished", "the end of the crawl")
        wait_until(lambda: control.received("lab-1") == corpus_ids(robot), "every page")
        assert [one["state"] for one in control.call("GET", "robots/lab-1/commands")] == ["done", "done"]
        assert robot.stop() == 0
        pages = len(corpus_ids(robot))
    assert pages == len(web.truth()) > 50
    assert web.violations(SLOW) == []


def urls(robot: RobotOnStage) -> list[str]:
    files = (robot.crawl / "corpus").glob("*.jsonl*")
    return [json.loads(line)["url"] for line in whole_lines(files)]


def test_three_robots_that_begin_at_the_same_pages_download_none_of_them_twice(tmp_path: Path) -> None:
    """Rounds: each tells what it has and claims, and gets what the others have."""
    with simulated_web(tmp_path, FEW) as web, control_server(tmp_path) as control:
        control.start()
        control.call("PUT", "robot-rounds", {"every_seconds": 1.0})
        robots = [control.robot(f"lab-{number}") for number in (1, 2, 3)]
        for robot in robots:
            configure(control, robot, web, Pace(), claims="true")
            robot.start()
        control.tell("all", "start")
        wait_until(
            lambda: all(state(control, robot.name) == "finished" for robot in robots), "the end of all crawls"
        )
        found = [url for robot in robots for url in urls(robot)]
        shares = [len(urls(robot)) for robot in robots]
    assert sorted(found) == web.truth()
    assert sum(share > 0 for share in shares) > 1, shares


def test_kill_9_of_the_server_at_any_moment_loses_nothing_that_was_answered(tmp_path: Path) -> None:
    """Descriptions, configurations and commands come all the time, and the server is killed in it."""
    with control_server(tmp_path) as control:
        control.start()
        calls = AnsweredCalls(control, control.call("POST", "robots", {"name": "lab-1"})["secret"])
        for count in (9, 25, 14):
            calls.call_until_killed(count)
            control.start()
        calls.describe()  # the batch that was not answered goes out again, as a robot does it

        assert control.received("lab-1") == sorted(
            f"<urn:uuid:{number}>" for number in range(1, calls.batch + 1)
        )
        commands = control.call("GET", "robots/lab-1/commands?count=500")
        assert calls.commands <= {one["command"]["number"] for one in commands}
        history = control.call("GET", "robots/lab-1/configurations")
        assert calls.versions <= {one["configuration"]["version"] for one in history}
        assert min(calls.batch, len(calls.commands), len(calls.versions)) > 3
        calls.close()


class AnsweredCalls:
    """Three threads that send descriptions, commands and configurations, and note what was answered."""

    def __init__(self, control: ControlOnStage, secret: str) -> None:
        self._control = control
        self._robot = httpx.Client(headers={"Authorization": f"Bearer {secret}"}, timeout=30)
        self._program = httpx.Client(headers={"Authorization": f"Bearer {control.token}"}, timeout=30)
        self.batch = 0  # the last that was answered
        self.commands: set[int] = set()
        self.versions: set[int] = set()

    def close(self) -> None:
        self._robot.close()
        self._program.close()

    def call_until_killed(self, count: int) -> None:
        """Call all the time; the server is killed when so many more calls were answered."""
        self._post(self._robot, f"{ROBOT_ROOT}/hello", {"incarnation": "one"})
        goal = self._answered() + count
        calls = (self.describe, self._command, self._configure)
        threads = [threading.Thread(target=_again_and_again, args=[call]) for call in calls]
        for thread in threads:
            thread.start()
        wait_until(lambda: self._answered() >= goal, "answers")
        self._control.kill()
        for thread in threads:
            thread.join()

    def describe(self) -> None:
        """Send the batch after the last that was answered; it may be there already."""
        number = self.batch + 1
        page = {
            "id": f"<urn:uuid:{number}>", "url": f"https://a.example/{number}", "title": "", "language": "",
            "charset": "utf-8", "fetched_at": "2026-11-17T12:00:00Z", "last_modified": "", "depth": 0,
            "digest": "", "warc_file": "", "warc_offset": 0, "paragraphs": ["Voda. " * 500],
        }  # fmt: skip
        wish = {"incarnation": "one", "number": number, "pages": [page]}
        assert self._post(self._robot, f"{ROBOT_ROOT}/descriptions", wish) == {"number": number}
        self.batch = number

    def _command(self) -> None:
        told = self._post(self._program, "/api/v1/robots/lab-1/commands", {"verb": "pause"})
        self.commands.add(told[0]["command"]["number"])

    def _configure(self) -> None:
        wish = {"settings": {"crawl.contact": "https://example.org/bot"}, "seeds": "https://a.example/"}
        made = self._post(self._program, "/api/v1/robots/lab-1/configurations", wish)
        self.versions.add(made["version"])

    def _post(self, client: httpx.Client, path: str, body: object) -> Any:
        answer = client.post(self._control.url + path, json=body)
        assert answer.status_code < 300, answer.text
        return answer.json()

    def _answered(self) -> int:
        return self.batch + len(self.commands) + len(self.versions)


def _again_and_again(call: Callable[[], None]) -> None:
    with contextlib.suppress(httpx.TransportError):
        while True:
            call()
