"""The pages of filters and hours in a real browser, on a telephone; the crawl is planned and asks nobody."""

import re
from pathlib import Path

import pytest

pytest.importorskip("playwright")
from browser_stage import CHROMIUM, browsing, faults_of
from journey_robot import control_server
from playwright.sync_api import Page, expect

pytestmark = [
    pytest.mark.journey,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no browser: {CHROMIUM} is missing"),
]

expect.set_options(timeout=20_000)  # others may work on this machine

PLAN = {"name": "news", "seeds": ["https://a.example/"], "settings": {"crawl.contact": "me@example.org"}}
SIMULATED = "/crawls/news/filters/simulator?url=https%3A%2F%2Fa.example%2Fshop.zip&by=files"


def test_filters_are_written_checked_kept_and_tried_and_hours_are_set(tmp_path: Path) -> None:
    problems: list[str] = []
    with control_server(tmp_path) as control:
        control.start()
        control.call("POST", "crawls", PLAN)
        with browsing(control, problems) as page:
            _write(page, problems)
            _try(page)
            _set_hours(page)
            _look(page, problems)
    assert problems == []


def _write(page: Page, problems: list[str]) -> None:
    page.goto("/crawls/news/filters")
    page.get_by_role("link", name="Start from a set of filters").click()
    field = page.get_by_label("filter.conf", exact=True).and_(page.locator("textarea"))
    good = field.input_value()
    page.locator("details.edit summary", has_text="downlist.txt").click()
    page.get_by_label("downlist.txt", exact=True).fill("https://a.example/had\n")
    page.locator("details.edit summary", has_text="filter.conf").click()
    field.fill(good.replace("fn=filterrules-process", "fn=<b>nothing</b>", 1))
    page.get_by_role("button", name="Save for the next start").click()
    expect(page.get_by_text("nothing was kept: there are errors in the files")).to_be_visible()
    expect(page.locator(".finding.bad").first).to_contain_text("<b>nothing</b>")
    problems += faults_of(page)
    field.fill(good)  # open by itself: there is something wrong in it
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_text(re.compile("^0 errors, .*; nothing is kept yet"))).to_be_visible()
    page.get_by_role("button", name="Save for the next start").click()
    expect(page.get_by_text("the filters were saved; this holds from the next start on")).to_be_visible()
    expect(page.get_by_text(re.compile("tiptoe crawl --filters .*/news/filters --out"))).to_be_visible()


def _try(page: Page) -> None:
    page.get_by_label("Address").fill("https://a.example/shop.zip")
    page.get_by_role("button", name="Explain").click()
    expect(page).to_have_url(re.compile(r"simulator\?url="))  # a link for others
    region = page.get_by_role("region", name="enumeration", exact=True)
    expect(region.locator("h2 .state")).to_have_text("denied")
    expect(region.locator(".decided")).to_contain_text("filterrules.conf:")
    page.get_by_label("Address").fill("https://a.example/shop")
    page.get_by_text("With a page", exact=True).click()
    page.get_by_label("HTML that the server would send").fill("<title>Ships</title><a href=/x>x</a>")
    page.get_by_role("button", name="Explain").click()
    expect(page.get_by_text("Followed links: 1")).to_be_visible()
    expect(page.get_by_text("Ships").first).to_be_visible()
    page.goto("/crawls/news/filters/simulator")
    page.get_by_label("Address").fill("http://127.0.0.1:9/shop")
    page.get_by_label("Fetch the page").check()
    page.get_by_role("button", name="Explain").click()
    expect(page.get_by_role("alert")).to_contain_text(
        "Not fetched: 127.0.0.1: the name points into a private"
    )


def _set_hours(page: Page) -> None:
    page.goto("/crawls/news/schedule")
    expect(page.get_by_text("Requests may be made at any hour")).to_be_visible()
    page.locator('[name="crawl.schedule"]').fill("mon-fri 22:00-06:00\nsat,sun")
    page.locator('[name="crawl.time_zone"]').fill("Europe/Nowhere")
    page.get_by_role("button", name="Save", exact=True).first.click()
    expect(page.get_by_text("expected a time zone")).to_be_visible()
    page.locator('[name="crawl.time_zone"]').fill("Europe/Prague")
    page.get_by_role("button", name="Save", exact=True).first.click()
    expect(page.get_by_text(re.compile("^changed from its next start on: crawl.schedule"))).to_be_visible()
    expect(page.locator("td.said", has_text="all day")).to_have_count(2)


def _look(page: Page, problems: list[str]) -> None:
    for path in ("/crawls/news/filters", SIMULATED, "/crawls/news/schedule"):
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.goto(path)
            problems += faults_of(page)
            width = page.evaluate("document.documentElement.scrollWidth")
            problems += [f"{path}: {width} points wide"] if width > 380 else []
