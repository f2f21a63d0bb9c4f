"""Every page and button of the control server, in a real browser, as people use it."""

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("playwright")
from browser_stage import CHROMIUM, Theatre, faults_of, plan_of, theatre
from journey_control import PASSWORD, USER
from playwright.sync_api import Page, expect

pytestmark = [
    pytest.mark.journey,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no browser: {CHROMIUM} is missing"),
]


expect.set_options(timeout=20_000)  # others may work on this machine


def test_every_page_and_button_does_what_it_says(tmp_path: Path) -> None:
    """A play in acts: each goes on where the one before has ended."""
    with theatre(tmp_path) as play:
        for act in ACTS:
            act(play)
    # No error on any console, no request to anybody else; a wrong password and forms that were wrong on
    # purpose are noted by the browser.
    expected = ("status of 403", "status of 422")
    assert [said for said in play.problems if not any(code in said for code in expected)] == []


def the_first_account_is_made_by_the_link(play: Theatre) -> None:
    with play.page() as page:
        page.goto(play.server.link)
        page.get_by_label("Name").fill(USER)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_label("Repeat it").fill("another one")
        page.get_by_role("button", name="Create the account").click()
        expect(page.get_by_text("not the same")).to_be_visible()
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_label("Repeat it").fill(PASSWORD)
        page.get_by_role("button", name="Create the account").click()
        expect(page.get_by_role("heading", name="There are no crawls here yet")).to_be_visible()
        play.state = page.context.storage_state()


def a_crawl_is_planned_with_a_form_that_says_what_is_wrong(play: Theatre) -> None:
    wish = plan_of(play.stage)
    with play.page() as page:
        page.goto("/")
        page.get_by_role("link", name="New crawl").first.click()
        page.get_by_label("Name", exact=True).first.fill("news")
        page.get_by_label("Addresses to start from").fill("\n".join(wish["seeds"]))
        page.locator('[name="crawl.max_pages"]').fill("many")
        page.get_by_text("Settings from a file").click()
        page.get_by_label(re.compile("^TOML")).fill(_toml(wish["settings"]))
        page.get_by_role("button", name="Create the crawl").click()
        expect(page.get_by_text("expected a whole number")).to_be_visible()
        page.locator('[name="crawl.max_pages"]').fill("")
        page.get_by_role("button", name="Create the crawl").click()
        expect(page.get_by_text("news was planned; look it over, and start it")).to_be_visible()
        expect(page.locator(".head .state")).to_have_text("planned")


def it_starts_and_its_figures_and_plots_move(play: Theatre) -> None:
    with play.page() as page:
        page.goto("/crawls/news")
        page.get_by_role("button", name="Start").click()
        expect(page.get_by_text("news is crawling")).to_be_visible(timeout=60_000)
        expect(page.locator(".head .state")).to_have_text(re.compile("running|waiting"))
        expect(page.locator(".plot canvas")).to_have_count(4)
        figure = page.locator('[data-figure="pages"]')
        before = figure.inner_text()
        expect(figure).not_to_have_text(before)  # without loading the page again
        page.goto("/")
        expect(page.locator('tr[data-crawl="news"] [data-figure="pace"]')).not_to_have_text("0.0")


def every_action_says_what_it_did_and_can_be_undone(play: Theatre) -> None:
    with play.page() as page:
        page.goto("/crawls/news")
        page.get_by_role("button", name="Pause").click()
        expect(page.get_by_text("news is paused")).to_be_visible()
        expect(page.locator(".head .state")).to_have_text("paused")
        page.locator(".notice").get_by_role("button", name="Resume").click()
        expect(page.get_by_text("the crawl goes on")).to_be_visible()
        page.get_by_text("More", exact=True).click()
        page.get_by_label("Note").fill("<b>not bold</b>")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("<b>not bold</b>").first).to_be_visible()
        page.locator(".notice").get_by_role("button", name="Undo").click()
        expect(page.get_by_text("<b>not bold</b>")).to_have_count(0)


def hosts_are_found_blocked_slowed_and_reported_on(play: Theatre) -> None:
    host = play.stage.web.hosts.at(0).name
    with play.page() as page:
        page.goto("/crawls/news/hosts")
        expect(page.locator("tbody tr:visible").first).to_be_visible()
        page.get_by_role("link", name="waiting").click()
        expect(page.locator("th[aria-sort]")).to_contain_text("waiting")
        page.get_by_label("Find a host").fill(host)
        page.get_by_role("button", name="Find").click()
        expect(page.get_by_role("heading", name=host, exact=True)).to_be_visible()
        expect(page.get_by_role("region", name="Requests")).to_be_visible()
        expect(page.get_by_text("# rules of a simulated host").first).to_be_visible()
        page.get_by_role("button", name="Block").click()
        expect(page.get_by_text(f"{host} gets no more requests")).to_be_visible()
        page.locator(".notice").get_by_role("button", name="Undo").click()
        expect(page.get_by_text(f"{host} may be visited again")).to_be_visible()
        page.goto(f"/crawls/news/hosts/{host}")
        page.get_by_label("one request every").fill("7s")
        page.get_by_role("button", name="Slow").click()
        expect(page.get_by_text(f"{host} gets requests at most every 7 s")).to_be_visible()
        page.get_by_placeholder("What others should know of it").fill("asked us to be careful")
        page.get_by_role("button", name="Save").last.click()
        expect(page.get_by_text("the note was saved")).to_be_visible()
        page.locator(".notice").get_by_role("button", name="Undo").click()
        expect(page.get_by_placeholder("What others should know of it")).to_have_value("")
        page.get_by_label("one request every").fill("often")
        page.get_by_role("button", name="Slow").click()
        expect(page.get_by_role("heading", name="Not accepted")).to_be_visible()
        page.get_by_role("button", name="Back").click()
        expect(page.get_by_label("one request every")).to_have_value("often")
        with page.expect_popup() as opened:
            page.get_by_role("link", name="Report for its webmaster").click()
        expect(opened.value.get_by_text(f"What was asked of {host}").first).to_be_visible(timeout=60_000)


def live_settings_change_at_once_and_faults_stand_beside_their_field(play: Theatre) -> None:
    with play.page() as page:
        page.goto("/crawls/news/settings")
        page.get_by_label("Find a setting").fill("max_reqs")
        field = page.locator('[name="politeness.max_reqs"]')
        expect(field).to_be_visible()
        expect(page.locator('[name="crawl.contact"]')).to_be_hidden()
        field.fill("none at all")
        page.get_by_role("button", name="Change now").click()
        expect(page.get_by_text("expected a whole number")).to_be_visible()
        page.locator('[name="politeness.max_reqs"]').fill("30")
        page.get_by_role("button", name="Change now").click()
        expect(page.get_by_text("changed from now on: politeness.max_reqs")).to_be_visible()
        expect(page.get_by_text("politeness.max_reqs: 20 -> 30")).to_be_visible()
        page.get_by_text("Show as TOML").click()
        expect(page.get_by_text("max_reqs = 30")).to_be_visible()


def sections_that_are_closed_keep_their_settings_with_a_script_without_and_when_it_is_lost(
    play: Theatre,
) -> None:
    """They are read after the first paint: whatever becomes of the script, nothing falls back to defaults."""
    save, unchanged = "Change now", "nothing has changed"
    with play.page() as page:
        page.goto("/crawls/news/settings")
        expect(page.locator("details.settings > noscript")).to_have_count(0)
        expect(page.locator('[name="politeness.max_reqs"]')).to_have_value("30")
        page.get_by_role("button", name=save).click()
        expect(page.get_by_text(unchanged)).to_be_visible()
    with play.page(java_script_enabled=False) as page:
        page.goto("/crawls/news/settings")
        page.locator("summary", has_text="Politeness").click()
        expect(page.locator('[name="politeness.max_reqs"]')).to_have_value("30")
        page.get_by_role("button", name=save).click()
        expect(page.get_by_text(unchanged)).to_be_visible()
    context = play.browser.new_context(base_url=play.server.url, storage_state=play.state)
    context.route("**/control.js*", lambda route: route.abort())
    page = context.new_page()
    page.goto("/crawls/news/settings")
    expect(page.locator('[name="politeness.max_reqs"]')).to_have_count(0)
    page.get_by_role("button", name=save).click()
    expect(page.get_by_text(unchanged)).to_be_visible()
    context.close()


def a_start_is_rehearsed_until_somebody_has_seen_enough(play: Theatre) -> None:
    with play.page() as page:
        page.goto("/crawls/news/tasks/rehearsal")
        page.get_by_role("button", name="Run").click()
        expect(page.get_by_text("A simulated web of 60 hosts is running on this machine")).to_be_visible()
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_text("It was cancelled.")).to_be_visible(timeout=60_000)


def logs_and_reports_can_be_read(play: Theatre) -> None:
    with play.page() as page:
        page.goto("/crawls/news/left-out")
        expect(page.get_by_role("region", name="Reasons by run")).to_be_visible()
        page.goto("/crawls/news/log")
        page.get_by_label("Lines with").fill("harvester.joined")
        page.get_by_role("button", name="Show").click()
        expect(page.locator("pre.listing")).to_contain_text("harvester.joined")
        page.goto("/crawls/news/reports")
        page.get_by_role("button", name="Create it").first.click()
        opening = page.get_by_role("link", name="Open")
        expect(opening).to_be_visible(timeout=60_000)
        with page.expect_popup() as opened:
            opening.click()
        expect(opened.value.locator("h1")).to_be_visible()


PAGES = (
    "/", "/crawls/news", "/crawls/news/hosts", "/crawls/news/settings", "/crawls/news/reports",
    "/crawls/news/left-out", "/crawls/news/tasks/rehearsal", "/crawls/news/log", "/new-crawl", "/users",
    "/users/trail", "/account", "/open-crawl",
)  # fmt: skip


def axe_finds_no_serious_fault_and_nothing_is_wider_than_a_telephone(play: Theatre) -> None:
    """By keyboard and screen reader, on 380 points, in light and dark."""
    host = play.stage.web.hosts.at(0).name
    faults: list[str] = []
    for scheme in ("light", "dark"):
        with play.page(color_scheme=scheme, viewport={"width": 380, "height": 800}) as page:
            for path in (*PAGES, f"/crawls/news/hosts/{host}"):
                page.goto(path)
                _settle(page)
                faults += faults_of(page)
                width = page.evaluate("document.documentElement.scrollWidth")
                faults += [f"{path}: {width} points wide"] if width > 380 else []
    assert "\n".join(faults) == ""


def pages_work_without_scripts(play: Theatre) -> None:
    with play.page(java_script_enabled=False) as page:
        for path in PAGES:
            answer = page.goto(path)
            assert answer is not None
            assert answer.status == 200, path
        page.goto("/crawls/news")
        page.get_by_role("button", name="Pause").click()
        expect(page.get_by_text("news is paused")).to_be_visible()
        page.get_by_role("button", name="Resume").first.click()
        expect(page.get_by_text("the crawl goes on")).to_be_visible()


def users_are_invited_and_tokens_made_and_revoked(play: Theatre) -> None:
    with play.page() as page:
        page.goto("/users")
        page.get_by_label("Name").fill("jan")
        page.get_by_role("button", name="Create a link").click()
        link = page.get_by_label("Link").input_value()
        page.get_by_role("link", name="Done").click()
        page.get_by_role("link", name=USER).click()
        page.get_by_label("Program that will use it").fill("cron")
        page.get_by_role("button", name="Create a token").click()
        expect(page.get_by_label("Token")).to_have_value(re.compile("tiptoe_.+"))
        page.get_by_role("link", name="Done").click()
        page.on("dialog", lambda dialog: dialog.accept())
        page.get_by_role("button", name="Revoke").click()
        expect(page.get_by_text("the token was revoked")).to_be_visible()
    context = play.browser.new_context(base_url=play.server.url)
    page = context.new_page()
    page.goto(link)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_label("Repeat it").fill(PASSWORD)
    page.get_by_role("button", name="Create the account").click()
    page.goto("/crawls/news")
    expect(page.get_by_role("button", name="Pause")).to_have_count(0)  # a reader looks
    context.close()
    with play.page() as page:
        page.goto("/users")
        page.get_by_label("Role of jan").select_option("operator")
        page.locator("tr", has_text="jan").get_by_role("button", name="Change").click()
        expect(page.get_by_text("jan is now operator; sessions were ended")).to_be_visible()
        page.locator("tr", has_text="jan").get_by_role("button", name="Lock").click()
        expect(page.get_by_text("jan is let in no longer")).to_be_visible()
        page.locator(".notice").get_by_role("button", name="Undo").click()
        page.on("dialog", lambda dialog: dialog.accept())
        page.locator("tr", has_text="jan").get_by_role("button", name="Remove").click()
        expect(page.get_by_text("jan was removed")).to_be_visible()
        page.get_by_role("link", name="Activity log").click()
        page.get_by_label("With these words").fill("user.remove")
        page.get_by_role("button", name="Find").click()
        expect(page.locator("tbody tr")).to_have_count(1)


def it_is_cloned_stopped_and_goes_on(play: Theatre) -> None:
    with play.page() as page:
        page.goto("/crawls/news")
        page.get_by_role("button", name="Stop").click()
        expect(page.locator(".head .state")).to_have_text("stopped", timeout=60_000)
        expect(page.get_by_role("button", name="Continue")).to_be_visible()
        page.get_by_text("More", exact=True).click()
        page.get_by_label("Clone as").fill("news-2")
        page.get_by_role("button", name="Clone").click()
        expect(page.get_by_text("news-2 was planned with the seeds and settings of news")).to_be_visible()
        page.on("dialog", lambda dialog: dialog.accept())
        page.get_by_text("More", exact=True).click()
        page.get_by_role("button", name="Remove from this list").click()
        expect(page.get_by_text("news-2 is looked after here no longer")).to_be_visible()
        page.get_by_role("button", name="Log out").click()
        page.get_by_label("Name").fill(USER)
        page.get_by_label("Password").fill("wrong")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_text("name or password is wrong")).to_be_visible()


def _settle(page: Page) -> None:
    page.wait_for_load_state("domcontentloaded")
    page.wait_for_timeout(150)  # what is loaded after the page itself


def _toml(settings: dict[str, str]) -> str:
    sections: dict[str, list[str]] = {}
    for name, value in settings.items():
        section, _, key = name.partition(".")
        sections.setdefault(section, []).append(f"{key} = {json.dumps(value)}")
    return "\n".join(f"[{section}]\n" + "\n".join(lines) for section, lines in sections.items())


ACTS = (
    the_first_account_is_made_by_the_link,
    a_crawl_is_planned_with_a_form_that_says_what_is_wrong,
    it_starts_and_its_figures_and_plots_move,
    every_action_says_what_it_did_and_can_be_undone,
    hosts_are_found_blocked_slowed_and_reported_on,
    live_settings_change_at_once_and_faults_stand_beside_their_field,
    sections_that_are_closed_keep_their_settings_with_a_script_without_and_when_it_is_lost,
    a_start_is_rehearsed_until_somebody_has_seen_enough,
    logs_and_reports_can_be_read,
    axe_finds_no_serious_fault_and_nothing_is_wider_than_a_telephone,
    pages_work_without_scripts,
    users_are_invited_and_tokens_made_and_revoked,
    it_is_cloned_stopped_and_goes_on,
)
