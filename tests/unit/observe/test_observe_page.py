"""One HTML page that needs no other file."""

import re

from tiptoe.observe.page import html_page


def test_title_and_lead_are_escaped() -> None:
    page = html_page("<b>", "a & b", [("<i>", "<p>trusted</p>")], footer="<u>")
    assert "<title>&lt;b&gt;</title>" in page
    assert "a &amp; b" in page
    assert "<h2>&lt;i&gt;</h2>\n<p>trusted</p>" in page
    assert "&lt;u&gt;" in page


def test_a_dollar_in_a_section_is_a_dollar() -> None:
    assert "<p>$title</p>" in html_page("t", "l", [("h", "<p>$title</p>")])


def test_the_page_loads_nothing_and_runs_nothing() -> None:
    """It can be mailed, printed, kept for years, and opened without a thought."""
    page = html_page("t", "l", [("h", "")])
    assert "default-src 'none'" in page
    assert re.findall(r"<script|<link|<img|@import|url\(|https?://", page) == []


def test_it_fits_a_phone_the_dark_and_paper() -> None:
    page = html_page("t", "l", [("h", "")])
    for condition in ("prefers-color-scheme: dark", "max-width: 40rem", "@media print", "width=device-width"):
        assert condition in page


def test_a_long_page_begins_with_its_contents() -> None:
    sections = [(f"part {number}", "") for number in range(1, 5)]
    assert '<a href="#s4">part 4</a>' in html_page("t", "l", sections)
    assert "<nav" not in html_page("t", "l", sections[:3])
