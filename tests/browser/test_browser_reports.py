"""Reports that go to others fit the screen they are read on."""

from pathlib import Path

import pytest

pytest.importorskip("playwright")
from audit_samples import HOST, LogFile, run
from browser_stage import CHROMIUM
from playwright.sync_api import sync_playwright

from tiptoe.audit.html_report import audit_page

pytestmark = [
    pytest.mark.journey,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no browser: {CHROMIUM} is missing"),
]


def test_a_long_rule_of_robots_txt_makes_no_report_wider_than_a_phone(tmp_path: Path) -> None:
    """A webmaster opens the mail where it arrives."""
    LogFile(tmp_path).rules(0.0, (False, "/" + "directory/" * 29)).ask(10.0)
    report = tmp_path / "report.html"
    report.write_text(audit_page(run(tmp_path, HOST)), encoding="utf-8")
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 390, "height": 800})
        page.goto(report.as_uri())
        width = page.evaluate("document.documentElement.scrollWidth")
        browser.close()
    assert width == 390
