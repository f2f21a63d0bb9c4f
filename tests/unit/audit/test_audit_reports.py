"""What people get to read: text, pages, pictures; nothing foreign does harm there."""

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from audit_samples import BEGIN, HOST, LogFile, run, welcome

from tiptoe.audit.html_report import audit_page
from tiptoe.audit.log_figures import (
    BUCKETS_MAX,
    HOSTS_SHOWN,
    AuditFigures,
    HostFigures,
    Moments,
    Pauses,
    busiest,
)
from tiptoe.audit.report_words import moment, pause_class, plain
from tiptoe.audit.text import report_lines
from tiptoe.audit.timeline import ROWS_MAX, timeline

EVIL = '/<script>alert(1)</script>"\x1b[2J'


class Tags(HTMLParser):
    """Notes every tag and attribute of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "style", "onload")]


def evil_log(directory: Path) -> None:
    log = LogFile(directory).rules(0.0, (False, EVIL), crawl_delay=7.0)
    log.ask(10.0, EVIL).ask(12.0, EVIL, status=None, failure="reset").order(13.0, "hold")


@pytest.mark.parametrize("host", ["", HOST])
def test_a_page_needs_and_runs_nothing_from_elsewhere(tmp_path: Path, host: str) -> None:
    """Addresses and robots.txt come from strangers, and the page goes to another stranger."""
    evil_log(tmp_path)
    tags = Tags(audit_page(run(tmp_path, host)))
    assert not {"script", "iframe", "img", "link", "object"} & set(tags.tags)
    assert all(address.startswith("#") for address in tags.addresses)


@pytest.mark.parametrize("host", ["", HOST])
def test_text_cannot_move_a_cursor(tmp_path: Path, host: str) -> None:
    evil_log(tmp_path)
    text = "\n".join(report_lines(run(tmp_path, host)))
    assert "\x1b" not in text
    assert "script" in text


def test_the_report_for_a_webmaster_says_who_what_when_and_by_which_rules(tmp_path: Path) -> None:
    log = LogFile(tmp_path).ask(0.0, "/robots.txt", purpose="robots")
    log.rules(0.5, (False, "/private/"), (True, "/private/ok"), crawl_delay=7.0)
    log.ask(10.0, "/x").ask(20.0, "/y", status=404)
    found = run(tmp_path, HOST)
    text = "\n".join(report_lines(found))
    page = audit_page(found)
    for said in (
        "What was asked of a.example",
        "tiptoe/0.1.0 (+https://example.org/bot)",
        "Disallow: /private/",
        "Allow: /private/ok",
        "Crawl-delay: 7",
        "0 violations in 3 requests",
        "300 s",
        "http://a.example/y",
        "192.0.2.1",
    ):
        assert said in text, said
        assert said in page, said
    assert "200 2, 404 1" in text
    assert "page 2, robots 1" in text
    assert re.search(r"shortest 9\.750 s", text)
    assert "<svg" in page


def test_each_violation_is_told_with_its_lines(tmp_path: Path) -> None:
    welcome(tmp_path).ask(10.0, "/1").ask(12.0, "/2")
    found = run(tmp_path)
    text = "\n".join(report_lines(found))
    page = audit_page(found)
    for said in ("POL-1", "pause of 1.750000 s instead of 5 s", "3.250000 s too early"):
        assert said in text
        assert said in page
    assert "requests-h1-0001.jsonl:3, requests-h1-0001.jsonl:4" in text
    assert "requests-h1-0001.jsonl:3, 4<" in page
    assert "1 violation in 2 requests" in text
    assert "3.250000 s too early" in text


def test_requests_cut_off_and_logs_without_terms_are_mentioned(tmp_path: Path) -> None:
    log = welcome(tmp_path).ask(10.0)
    LogFile(tmp_path, "h0", terms=None).ask(0.0)
    note = f"{BEGIN + 400.0!r}\t2\t{HOST}\t192.0.2.1\tpage\thttp://{HOST}/lost\n"
    log.path.with_suffix(".underway").write_text(note)
    found = run(tmp_path)
    text = "\n".join(report_lines(found))
    assert "Under way when a harvester of ours died: 1 request;" in text
    assert "older tiptoe" in text
    assert "could not be judged" in audit_page(found)


def test_words_of_the_operator_are_in_the_report_of_a_host(tmp_path: Path) -> None:
    welcome(tmp_path).ask(10.0).order(11.0, "leave", HOST)
    found = run(tmp_path, HOST)
    assert "the host is blocked, or is to get fewer requests" in "\n".join(report_lines(found))
    assert "the host is blocked, or is to get fewer requests" in audit_page(found)


# -- figures ---------------------------------------------------------------


def test_moments_grow_coarser_instead_of_more() -> None:
    moments = Moments()
    for number in range(3 * BUCKETS_MAX):
        moments.add(float(number))
    assert moments.width > 1.0
    assert len(moments.spans()) <= BUCKETS_MAX
    assert sum(count for _, count in moments.spans()) == 3 * BUCKETS_MAX


def test_pauses_fall_into_classes() -> None:
    pauses = Pauses()
    for gap in (0.001, 4.9, 5.0, 5.1, 1e9):
        pauses.add(gap)
    rows = dict(pauses.rows())
    assert (rows[0.0], rows[2.0], rows[5.0], rows[7 * 86400.0]) == (1, 1, 2, 1)
    assert [pause_class(begin) for begin in (0.0, 5.0, 60.0, 7 * 86400.0)] == [
        "below 10 ms", "5 s – 10 s", "1 min – 2 min", "7 d or more",
    ]  # fmt: skip


def test_the_table_of_hosts_is_bounded_and_those_with_violations_come_first() -> None:
    figures = AuditFigures()
    hosts = [HostFigures(host=f"h{number}", requests=number) for number in range(2 * HOSTS_SHOWN)]
    figures.enter_hosts(hosts, Counter({"h3": 1}))
    names = {host.host for host in figures.table}
    assert len(names) == HOSTS_SHOWN
    assert {"h3", f"h{2 * HOSTS_SHOWN - 1}"} <= names
    assert "h4" not in names


def test_the_busiest_hour_is_the_first_of_equals() -> None:
    assert busiest(Counter({5: 2, 4: 2, 9: 1})) == (4 * 3600.0, 2)
    assert busiest(Counter()) is None


@pytest.mark.parametrize("seconds", [0.5, 50.0, 5e3, 5e5, 5e7, 5e9])
def test_a_timeline_fits_a_page_however_long_it_is(seconds: float) -> None:
    spans = [(BEGIN + seconds * number / 1000, 1) for number in range(1001)]
    drawn = timeline(spans)
    assert drawn.count('text-anchor="end"') <= ROWS_MAX
    assert drawn.count("<rect") <= 1001
    assert drawn.count("<rect") >= 1


def test_rows_without_requests_are_left_out_of_the_timeline() -> None:
    """A host visited once a month needs no thirty empty rows."""
    drawn = timeline([(BEGIN, 1), (BEGIN + 20 * 86400.0, 3)])
    assert drawn.count('text-anchor="end"') == 2
    assert "3 requests" in drawn


def test_an_empty_timeline_is_nothing() -> None:
    assert timeline([]) == ""


def test_moments_that_no_calendar_has_are_still_said() -> None:
    assert moment(1e300) == f"{1e300:.6f}"
    assert moment(None) == "-"
    assert moment(BEGIN + 0.25, exact=True) == "2026-09-21 14:13:20.250000 UTC"


def test_foreign_words_are_short_and_plain() -> None:
    assert plain("a\nb\u202e") == "a\ufffdb\ufffd"
    assert len(plain("x" * 10_000)) == 301
