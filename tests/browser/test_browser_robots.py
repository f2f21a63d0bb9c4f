"""The pages of robots in a real browser, with a robot that only speaks."""

import re
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("playwright")
from browser_stage import CHROMIUM, browsing, faults_of
from journey_robot import control_server
from playwright.sync_api import Page, expect

from tiptoe.protocol.robot_messages import ROBOT_ROOT

pytestmark = [
    pytest.mark.journey,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no browser: {CHROMIUM} is missing"),
]

expect.set_options(timeout=20_000)  # others may work on this machine


class SpeakingRobot:
    """Says what a robot says, and crawls nothing."""

    def __init__(self, url: str, secret: str) -> None:
        self._client = httpx.Client(base_url=url + ROBOT_ROOT, headers={"Authorization": f"Bearer {secret}"})
        self.call("hello", machine="lab.example.org", version="0.1.0", directory="/data/lab-1")

    def call(self, name: str, **message: object) -> Any:
        answer = self._client.post(f"/{name}", json={"incarnation": "one", **message})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def obey(self, said: str) -> None:
        """Carry out what waits."""
        commands = self.call("poll", wait=0)["commands"]
        fates = [{"number": command["number"], "is_done": True, "message": said} for command in commands]
        figures = {"state": "running", "pages": 1234, "pace": 5.5}
        self.call("report", fates=fates, figures=figures, configuration=1, runs_with=1)

    def close(self) -> None:
        self._client.close()


def test_a_robot_is_made_told_watched_and_let_go_in_the_browser(tmp_path: Path) -> None:
    problems: list[str] = []
    with control_server(tmp_path) as control:
        control.start()
        with browsing(control, problems) as page:
            page.goto("/robots")
            expect(page.get_by_text("No robot yet")).to_be_visible()
            problems += faults_of(page)
            page.get_by_label("Id").fill("lab-1")
            page.get_by_role("button", name="Create it").click()
            secret = re.search(r"tiptoerobot_[\w-]+", page.get_by_label("Commands to copy").input_value())
            assert secret is not None
            problems += faults_of(page)
            robot = SpeakingRobot(control.url, secret[0])
            page.get_by_role("link", name="configuration").click()
            page.get_by_label("Addresses to start from").fill("https://a.example/")
            page.get_by_role("button", name="Save as a new version").click()
            expect(page.get_by_text("needed: an address that webmasters")).to_be_visible()
            page.get_by_label("contact").first.fill("https://example.org/bot")
            page.get_by_role("button", name="Save as a new version").click()
            expect(page.get_by_text("configuration 1 goes out to lab-1")).to_be_visible()
            problems += faults_of(page)
            _tell(page, robot)
            _look(page, problems)
            _let_go(page)
            robot.close()
    assert problems == []


def _tell(page: Page, robot: SpeakingRobot) -> None:
    page.get_by_role("link", name="Live").click()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("start: told to lab-1, as command 1")).to_be_visible()
    robot.obey("it is crawling, with configuration 1")
    # By itself: the page looks again every two seconds.
    expect(page.get_by_text("it is crawling, with configuration 1")).to_be_visible()
    expect(page.get_by_text("1 234")).to_be_visible()
    page.get_by_label("Host or address").fill("www.example.cz")
    page.get_by_role("button", name="Block", exact=True).click()
    expect(page.get_by_text("block www.example.cz: told to lab-1")).to_be_visible()
    page.get_by_role("button", name="Withdraw").click()
    expect(page.get_by_text("command 2 was withdrawn")).to_be_visible()
    page.get_by_label("Live setting of the running crawl").fill("politeness.req_delay=20s")
    page.get_by_role("button", name="Set").click()
    page.get_by_role("button", name="Pause").click()
    page.locator(".notice").get_by_role("button", name="Undo").click()
    robot.obey("so it is")
    expect(page.locator(".state", has_text="done")).to_have_count(4)


def _look(page: Page, problems: list[str]) -> None:
    for path in ("/robots", "/robots/lab-1", "/robots/lab-1/configuration"):
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.goto(path)
            problems += faults_of(page)
            width = page.evaluate("document.documentElement.scrollWidth")
            problems += [f"{path}: {width} points wide"] if width > 380 else []
    page.goto("/robots")
    page.get_by_label("A round every").fill("10m")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("robots exchange their lists every 600 s")).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("pause: told to 1 robot")).to_be_visible()


def _let_go(page: Page) -> None:
    page.goto("/robots/lab-1")
    page.get_by_text("More", exact=True).click()
    page.get_by_role("button", name="Revoke its secret").click()
    expect(page.get_by_text("lab-1 is let in no longer")).to_be_visible()
    page.get_by_text("More", exact=True).click()
    page.get_by_role("button", name="New secret").click()
    expect(page.get_by_label("Commands to copy")).to_have_value(re.compile("tiptoerobot_"))
    page.get_by_role("link", name="Done").click()
    page.get_by_text("More", exact=True).click()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("lab-1 was removed")).to_be_visible()
