"""The pages of a search in a real browser, over a small catalog in several scripts."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

pytest.importorskip("playwright")
from browser_stage import CHROMIUM, faults_of
from control_rig import make_crawl
from journey_control import control_server
from playwright.sync_api import Page, expect, sync_playwright

from tiptoe.keeper.settings_file import remember
from tiptoe.write.corpus import Document

pytestmark = [
    pytest.mark.journey,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no browser: {CHROMIUM} is missing"),
]

expect.set_options(timeout=20_000)  # others may work on this machine

NARROW = 380
SENTENCES = (
    ("cs", "Pitná voda z městského vodovodu je podle hygieniků v pořádku a voda v řece opadá."),
    ("cs", "Když voda v Labi stoupne nad třetí stupeň, uzavře město nábřeží a voda zaplaví louky."),
    ("de", "Das Wasser der Elbe heißt auf Tschechisch voda, und niemand wundert sich darüber."),
    ("ar", "كلمة voda تعني الماء في اللغة التشيكية وهي كلمة قديمة جدا"),
    ("ja", "チェコ語で水は voda と言います。とても古い言葉です。"),
)


def corpus() -> Iterator[bytes]:
    """Yield documents; one has a title that would like to be more than text."""
    for number in range(60):
        language, sentence = SENTENCES[number % len(SENTENCES)]
        title = f"Zpráva {number}: voda" if number else "<img src=x onerror=alert(1)>"
        yield msgspec.json.encode(Document(
            id=f"<urn:{number}>", url=f"https://www.{'abc'[number % 3]}.example/zpravy/{number}", title=title,
            language=language, charset="utf-8", fetched_at=f"2026-{1 + number % 4:02d}-05T10:00:00Z",
            last_modified="", depth=number % 5, digest="", warc_file="crawl-00001.warc.gz",
            warc_offset=number * 1000, usability=number / 60,
            paragraphs=[f"{sentence} ({number})", "<b>Druhý</b> odstavec.", sentence],
            type="application/pdf" if number % 7 == 3 else "text/html",
        )) + b"\n"  # fmt: skip


@contextmanager
def browsing(link: str, url: str, problems: list[str]) -> Iterator[Page]:
    """Open a browser for somebody who has the link; what pages complain of is gathered."""
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        context = browser.new_context(base_url=url, viewport={"width": 1280, "height": 900})
        context.set_default_timeout(20_000)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(f"{page.url}: {error}"))
        page.on("dialog", lambda dialog: problems.append(f"{page.url}: {dialog.message}"))
        try:
            page.goto(link)
            yield page
        finally:
            browser.close()


def test_a_word_is_found_narrowed_shown_in_context_and_read(tmp_path: Path) -> None:
    problems: list[str] = []
    directory = make_crawl(tmp_path / "czech")
    remember(directory, {"crawl.contact": "me@example.org"})
    with (
        control_server(tmp_path, "--crawl", "czech") as server,
        browsing(server.link, server.url, problems) as page,
    ):
        page.goto("/crawls/czech")
        page.get_by_role("link", name="Search").click()
        expect(page.get_by_label("Command to copy")).to_have_value(f"tiptoe catalog build {directory}")
        problems += faults_of(page)
        (directory / "corpus").mkdir()
        (directory / "corpus" / "h1-00001.jsonl").write_bytes(b"".join(corpus()))
        page.get_by_role("button", name="Build it").click()
        expect(page.get_by_text("60 texts and 0 pages gone read into the catalog")).to_be_visible()
        problems += faults_of(page)
        page.get_by_role("link", name="Search in it").click()
        _search(page, problems)
        _look_in_context(page, problems)
        _look(page, problems)
    assert problems == []


def _search(page: Page, problems: list[str]) -> None:
    box = page.get_by_role("searchbox")
    box.fill("title:voda AND")
    box.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("it ends too early, at character 15")
    expect(box).to_be_focused()
    problems += faults_of(page)
    box.fill("voda OR nikde")
    page.get_by_label("Sort").select_option("newest")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("status")).to_contain_text("60 pages")
    page.locator("#facets").get_by_role("link", name="cs", exact=True).click()
    expect(box).to_have_value("(voda OR nikde) lang:cs")
    expect(page.get_by_role("status")).to_contain_text("24 pages")
    expect(page.get_by_label("Sort")).to_have_value("newest")
    page.get_by_role("link", name="cs: ask for it no longer").click()
    expect(box).to_have_value("(voda OR nikde)")
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_role("status")).to_contain_text("21 to 40 here")


def _look_in_context(page: Page, problems: list[str]) -> None:
    page.get_by_role("link", name="Concordance").click()
    page.get_by_label("Sort").select_option("right")
    page.get_by_label("Context", exact=True).select_option("80")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".kwic tbody tr")).to_have_count(50)
    middles = page.locator(".kwic .match").evaluate_all("all => all.map(it => it.getBoundingClientRect().x)")
    assert len(set(middles)) == 1, "the words do not stand below each other"
    with page.expect_download() as saving:
        page.get_by_role("link", name="Download").click()
    assert saving.value.suggested_filename == "czech-concordance.tsv"
    assert len(Path(saving.value.path()).read_text().splitlines()) > 50
    page.locator(".kwic .match a").first.click()
    expect(page.locator("article mark").first).to_have_text("voda")
    page.goto("/crawls/czech/documents?url=https://www.a.example/zpravy/0")
    expect(page.get_by_role("heading", name="<img src=x onerror=alert(1)>")).to_be_visible()
    expect(page.get_by_text("<b>Druhý</b> odstavec.")).to_be_visible()
    page.get_by_role("link", name="Show all visits").click()
    expect(page.get_by_role("region", name="Visits").locator("tbody tr")).to_have_count(1, timeout=60_000)
    problems += faults_of(page)
    page.get_by_role("link", name="What the server sent").click()
    expect(page.get_by_text("not in the archive; versions there: none")).to_be_visible(timeout=60_000)


def _look(page: Page, problems: list[str]) -> None:
    page.set_viewport_size({"width": NARROW, "height": 800})
    document = "documents?url=https://www.b.example/zpravy/1"
    for path in ("search?q=voda", "search?q=voda+(", "concordance?q=voda&width=120", document):
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.goto(f"/crawls/czech/{path}")
            problems += faults_of(page)
        width = page.evaluate("document.documentElement.scrollWidth")
        problems += [f"{path}: {width} points wide"] if width > NARROW else []
