"""How a crawl shows itself: sections, one page, values for programs."""

import json
import re
from pathlib import Path

import pytest
from observe_samples import BEGAN_AT, CrawlFiles

from tiptoe.observe.amounts import cell_text
from tiptoe.observe.statistics import Statistics, gather
from tiptoe.observe.statistics_report import lead, statistics_page
from tiptoe.observe.statistics_sections import sections
from tiptoe.observe.statistics_values import statistics_values


@pytest.fixture
def found(tmp_path: Path) -> Statistics:
    """A small crawl with a bit of everything."""
    files = CrawlFiles(tmp_path)
    files.ask("http://a.example/robots.txt", purpose="robots")
    for number in range(4):
        files.ask(f"http://a.example/{number}", at=number, status=200 if number else 404)
        files.archive(f"http://a.example/{number}")
    files.keep("http://a.example/1", "x" * 100, html_bytes=400)
    files.keep("http://b.example/2", "y" * 100, html_bytes=600, language="<b>", depth=3)
    files.leave_alone("http://a.example/private")
    files.count(activities={"read": 3.0, "write": 1.0, "fetch": 60.0}, discards={"noindex": 2}, hosts=7)
    files.close()
    return gather(tmp_path)


def table_of(found: Statistics, heading: str) -> list[list[str]]:
    made = {
        section.heading: section for section in sections(found, top=5, explain=lambda name: f"means {name}")
    }
    return [[cell_text(cell) for cell in row] for row in made[heading].rows]


def test_every_subject_of_the_specification_has_its_section(found: Statistics) -> None:
    """TXT-9."""
    assert [section.heading for section in sections(found, top=5, explain=str)] == [
        "Outcomes", "Answers", "HTML against text", "Content types", "Charsets", "Languages", "Biggest hosts",
        "What was left out, and why", "Time per activity", "Over time", "Response times",
        "Length of documents", "Depth",
    ]  # fmt: skip


def test_outcomes_have_shares_of_everything_that_was_wanted(found: Statistics) -> None:
    assert [row[:3] for row in table_of(found, "Outcomes")] == [
        ["ok", "3", "60.0 %"],
        ["gone", "1", "20.0 %"],
        ["denied by robots", "1", "20.0 %"],
    ]


def test_waiting_is_no_share_of_the_work(found: Statistics) -> None:
    """Hundreds of requests wait at the same time; their sum would dwarf everything."""
    rows = {row[0]: row[1:3] for row in table_of(found, "Time per activity")}
    assert rows == {"fetch": ["1 min 00 s", "-"], "read": ["3.0 s", "75.0 %"], "write": ["1.0 s", "25.0 %"]}


def test_what_is_not_listed_is_summed_up(found: Statistics) -> None:
    [section] = [part for part in sections(found, top=1, explain=str) if part.heading == "Biggest hosts"]
    assert [row[:3] for row in section.rows] == [("a.example", 1, 5), ("other", 1, 0)]


def test_reasons_are_explained(found: Statistics) -> None:
    assert table_of(found, "What was left out, and why") == [["noindex", "2", "100.0 %", "means noindex"]]


def test_sections_without_figures_are_left_out(tmp_path: Path) -> None:
    """A crawl of an older tiptoe has no figures of its keeper."""
    files = CrawlFiles(tmp_path)
    files.ask()
    headings = {section.heading for section in sections(gather(tmp_path), top=5, explain=str)}
    assert headings == {"Outcomes", "Answers", "Biggest hosts", "Over time", "Response times"}
    files.close()


def test_the_share_of_text_is_that_of_the_sizes_beside_it(tmp_path: Path) -> None:
    """Documents that are no HTML have text, too, but nothing to measure it against."""
    files = CrawlFiles(tmp_path)
    files.keep("http://a.example/1", "x" * 100, html_bytes=400)
    files.keep("http://a.example/2.pdf", "y" * 900, html_bytes=0)
    files.close()
    assert table_of(gather(tmp_path), "HTML against text")[:4] == [
        ["HTML of the documents", "400 B"], ["their text", "100 B"], ["text of other documents", "900 B"],
        ["text in HTML", "25.0 %"],
    ]  # fmt: skip


def test_what_was_read_from_disk_has_no_host_and_no_requests(tmp_path: Path) -> None:
    files = CrawlFiles(tmp_path)
    files.keep("file:///pages/1.html", "x" * 100, html_bytes=400)
    files.close()
    found = gather(tmp_path)
    assert lead(found) == (
        "1 document with 100 characters of text, boilerplate included; no request was made."
    )
    assert [row[:2] for row in table_of(found, "Biggest hosts")] == [["(files)", "1"]]


def test_a_page_that_was_asked_for_three_times_is_not_three_addresses(tmp_path: Path) -> None:
    files = CrawlFiles(tmp_path)
    for at in range(3):
        files.ask("http://a.example/1", at=at, status=500)
    files.close()
    outcomes = sections(gather(tmp_path), top=5, explain=str)[0]
    assert (outcomes.head[1], outcomes.rows[0][1]) == ("times", 3)


def test_the_lead_says_it_in_a_sentence(found: Statistics) -> None:
    assert lead(found) == (
        "2 documents with 200 characters of text, boilerplate included, from 5 requests to 2 hosts (5.0 kB "
        "received), 2026-09-21 14:13 to 2026-09-21 14:13 UTC."
    )


def test_the_page_has_plots_and_is_free_of_foreign_markup(found: Statistics) -> None:
    page = statistics_page(found, top=5, explain=str)
    assert page.count("<svg") > 20
    assert "<b>" not in page
    assert "<script" not in page
    assert re.findall(r'(?:src|href)="(?!#)', page) == []
    assert page.count("<section") == 14


def test_figures_of_a_run_that_did_not_end_have_a_moment(found: Statistics) -> None:
    """The keeper writes them now and then: who reads them should know from when they are."""
    notes = " ".join(section.note for section in sections(found, top=5, explain=str))
    assert "as of 2026-09-21 14:13:30 UTC" in notes


def test_programs_get_plain_numbers(found: Statistics) -> None:
    values = json.loads(json.dumps(statistics_values(found, top=1)))
    assert values["outcomes"] == {"ok": 3, "gone": 1, "denied_by_robots": 1}
    assert values["outcome_shares"]["ok"] == 0.6
    assert values["text"]["share_of_html"] == 0.2
    assert values["languages"][0] == {"name": "(not a language)", "count": 1, "characters": 100}
    assert values["languages"][1] == {"name": None, "count": 1, "characters": 100}
    assert (values["hosts"]["count"], values["hosts"]["known"]) == (2, 7)  # asked; heard of
    assert values["hosts"]["biggest"][0]["bytes_received"] == 5000
    assert values["discards"] == {"noindex": 2}
    assert values["activities_seconds"]["read"] == 3.0
    assert [slot["requests"] for slot in values["timeline"]["slots"]] == [2, 1, 1, 1]
    assert values["first_request_at"] == BEGAN_AT
    assert values["depths"] == {"1": 1, "3": 1}


def test_programs_see_what_nobody_has_counted(tmp_path: Path) -> None:
    """Unknown is not zero."""
    files = CrawlFiles(tmp_path)
    files.ask()
    values = statistics_values(gather(tmp_path), top=1)
    assert (values["discards"], values["activities_seconds"], values["runs"]) == (None, None, None)
    assert values["text"]["share_of_html"] is None
    files.close()


def test_revisits_are_told_with_what_they_saved(tmp_path: Path) -> None:
    """A 304 costs next to nothing, and a page that did not change is not stored again."""
    files = CrawlFiles(tmp_path)
    for number in range(3):
        files.ask(at=number, size=1000)
        files.archive()
    files.ask(at=5, status=304, size=200)
    files.archive_unchanged()
    files.keep("http://a.example/", "old")
    files.keep("http://a.example/", "new", version=2)
    files.count(revisits=4, revisits_changed=1, revisits_unchanged=2, revisits_gone=1)
    files.close()
    found = gather(tmp_path)
    told = statistics_values(found, top=5)["revisits"]
    assert told.pop("bytes_not_stored") == found.stored_bytes // 3
    assert told == {
        "revisits": 4, "changed": 1, "unchanged": 2, "gone": 1, "later_versions": 1, "not_modified": 1,
        "bytes_not_sent": 1000, "revisit_records": 1,
    }  # fmt: skip
    rows = dict(table_of(found, "Revisits"))
    assert rows["found a change"] == "33.3 %"
    assert rows["not sent again, about"] == "1.0 kB"
    assert [row[0] for row in table_of(found, "Content types")] == ["text/html"]  # not warc/revisit


def test_usable_text_is_told_once_it_was_judged(tmp_path: Path, found: Statistics) -> None:
    assert statistics_values(found, top=5)["usable_characters"] == 0
    files = CrawlFiles(tmp_path / "judged")
    files.ask()
    files.count(usable_chars=1234, unproductive_hosts=2, unproductive=99)
    files.close()
    assert table_of(gather(tmp_path / "judged"), "Usable text") == [
        ["usable characters, of pages that were judged", "1 234"],
        ["hosts left for a long while because of their yield", "2"],
        ["addresses that wait there", "99"],
    ]
