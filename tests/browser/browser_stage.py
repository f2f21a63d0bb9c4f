"""A browser before a control server with a crawl of the simulated web: what the tests here share."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from journey_control import ControlServer, control_server, no_crawl_left, plan
from journey_crawl import SMALL, Stage, simulated_web
from journey_robot import ControlOnStage
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tiptoe.control.control_store import ControlStore
from tiptoe.control.login_sessions import LoginSessions
from tiptoe.control.user_role import UserRole

__all__ = ["CHROMIUM", "Theatre", "browsing", "faults_of", "plan_of", "theatre"]

CHROMIUM = Path("/usr/bin/chromium")
AXE = Path(__file__).parent / "vendor" / "axe" / "axe.min.js"
WEB = replace(SMALL, hosts=8, hosts_per_address=1, pages_per_host=200, redirect_share=0.0, gone_share=0.05)


@dataclass(slots=True)
class Theatre:
    """A server, a crawl that runs, and a browser."""

    stage: Stage
    server: ControlServer
    browser: Browser
    state: Any = None  # cookies of somebody who is logged in
    problems: list[str] = field(default_factory=list)  # what pages complained of

    @contextmanager
    def page(self, **options: Any) -> Iterator[Page]:
        """Open a page for somebody who is logged in; what it complains of is gathered."""
        context = self.browser.new_context(base_url=self.server.url, storage_state=self.state, **options)
        context.set_default_timeout(20_000)
        try:
            page = context.new_page()
            self._watch(context, page)
            yield page
        finally:
            context.close()

    def _watch(self, context: BrowserContext, page: Page) -> None:
        page.on("pageerror", lambda error: self.problems.append(f"{page.url}: {error}"))
        page.on(
            "console",
            lambda line: self.problems.append(f"{page.url}: {line.text}") if line.type == "error" else None,
        )
        context.on(
            "request",
            lambda request: (
                None if request.url.startswith(self.server.url) else self.problems.append(request.url)
            ),
        )


@contextmanager
def theatre(folder: Path) -> Iterator[Theatre]:
    """Start all of it; the crawl is planned, and not yet started."""
    with (
        simulated_web(folder, WEB) as stage,
        no_crawl_left(folder),
        control_server(folder, "--dir", "control") as server,
        sync_playwright() as player,
    ):
        browser = player.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        try:
            yield Theatre(stage, server, browser)
        finally:
            browser.close()


@contextmanager
def browsing(control: ControlOnStage, problems: list[str]) -> Iterator[Page]:
    """Open a browser for an administrator; what pages complain of is gathered."""
    store = ControlStore(control.directory)
    key = LoginSessions(store).begin("anna", UserRole.ADMINISTRATOR, time.time())
    store.close()
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        context = browser.new_context(base_url=control.url, viewport={"width": 380, "height": 800})
        context.add_cookies([{"name": "tiptoe_session", "value": key, "url": control.url}])
        context.set_default_timeout(20_000)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(f"{page.url}: {error}"))
        page.on("dialog", lambda dialog: dialog.accept())
        try:
            yield page
        finally:
            browser.close()


def plan_of(stage: Stage) -> dict[str, Any]:
    """Return a crawl that takes some time."""
    return plan(stage, "news", politeness__req_delay="300ms")


def faults_of(page: Page) -> list[str]:
    """Return what axe-core finds serious or worse on a page."""
    # Through the debugger: the page itself lets no foreign script in.
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{page.url}: {one['id']} ({one['impact']}): {one['nodes'][0]['html'][:200]}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]
