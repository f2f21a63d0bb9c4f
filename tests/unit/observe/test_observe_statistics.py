"""What a crawl has found, from its files alone."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from observe_samples import BEGAN_AT, CrawlFiles

from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.observe import statistics
from tiptoe.observe.outcomes import Fate
from tiptoe.observe.run_figures import write_figures
from tiptoe.observe.statistics import files_bytes, gather
from tiptoe.observe.statistics_report import lead
from tiptoe.observe.statistics_values import statistics_values
from tiptoe.observe.tally import BoundedTally, Row
from tiptoe.protocol.status import Status


def counts(tally: BoundedTally) -> dict[str, int]:
    return {row.name: row.count for row in tally.top(100)}


def test_requests_are_counted_by_answer_and_pages_by_class(tmp_path: Path) -> None:
    """robots.txt that is not there says nothing about the pages of the web."""
    files = CrawlFiles(tmp_path)
    files.ask("http://a.example/robots.txt", purpose="robots", status=404)
    files.ask(status=200)
    files.ask(status=301)
    files.ask(status=404)
    files.ask(status=None, failure="refused", size=0)
    found = gather(tmp_path)
    assert found.requests.count == 5
    assert found.requests.bytes == 4000
    assert counts(found.requests.answers) == {"http_404": 2, "http_200": 1, "http_301": 1, "refused": 1}
    assert found.requests.fates == {Fate.OK: 1, Fate.REDIRECT: 1, Fate.GONE: 1, Fate.DEAD: 1}
    assert counts(found.requests.purposes) == {"page": 4, "robots": 1}
    files.close()


def test_a_request_that_a_dead_harvester_had_begun_was_made(tmp_path: Path) -> None:
    """The server has it in its log, so it must be in ours."""
    files = CrawlFiles(tmp_path)
    files.ask(at=1.0)
    files.die_over("http://b.example/", at=3.0)
    files.die_over(at=1.0, visit="1")  # its line was written, only the note not yet taken away
    found = gather(tmp_path)
    assert (found.requests.count, found.requests.cut_off) == (2, 1)
    assert counts(found.requests.answers) == {"http_200": 1, "harvester_lost": 1}
    assert found.requests.fates == {Fate.OK: 1, Fate.BROKEN: 1}
    assert found.requests.seconds.count == 1
    assert found.requests.last_at == BEGAN_AT + 3.0
    assert statistics_values(found, top=5)["requests_cut_off"] == 1
    assert "1 of the requests was under way when a harvester died" in lead(found)
    files.close()


def test_addresses_that_were_never_asked_for_count_among_the_outcomes(tmp_path: Path) -> None:
    """A web where half is forbidden or dead must not look healthy."""
    files = CrawlFiles(tmp_path)
    files.ask()
    files.leave_alone("http://a.example/x", "http://a.example/y")
    files.count(discards={"host_gone": 3, "noindex": 1})
    fates = gather(tmp_path).fates()
    assert {fate: count for fate, count in fates.items() if count} == {
        Fate.OK: 1,
        Fate.DENIED: 2,
        Fate.DEAD: 3,
    }
    files.close()


def test_text_is_measured_against_its_html(tmp_path: Path) -> None:
    files = CrawlFiles(tmp_path)
    files.keep(
        "http://a.example/", "žluťoučký", "kůň", html_bytes=100, language="cs-CZ", charset="windows-1250"
    )
    files.keep("http://a.example/2", "horse", html_bytes=0, language="EN", depth=0)  # by an older tiptoe
    documents = gather(tmp_path).documents
    assert (documents.count, documents.paragraphs, documents.text_chars) == (2, 3, 17)
    assert documents.text_bytes == len("žluťoučkýkůňhorse".encode())
    assert (documents.html_bytes, documents.measured_text_bytes) == (100, len("žluťoučkýkůň".encode()))
    assert documents.languages.top(9) == [Row("cs", 1, (12,)), Row("en", 1, (5,))]
    assert counts(documents.charsets) == {"windows-1250": 1, "utf-8": 1}
    assert documents.depths == {0: 1, 1: 1}
    files.close()


def test_the_language_of_a_text_is_that_which_was_recognised(tmp_path: Path) -> None:
    """Templates say that every page is in English."""
    files = CrawlFiles(tmp_path)
    files.keep("http://a.example/", "kůň", language="en", lang="cs")
    assert counts(gather(tmp_path).documents.languages) == {"cs": 1}
    files.close()


@pytest.mark.parametrize(
    ("tag", "language"),
    [("", "(not said)"), ("pt_BR", "pt"), ("x" * 99, "(not a language)"), ("\x1b[31m", "(not a language)")],
)
def test_languages_are_those_that_exist(tmp_path: Path, tag: str, language: str) -> None:
    """Pages say anything about themselves, also things that a terminal would obey."""
    files = CrawlFiles(tmp_path)
    files.keep("http://a.example/", "x", language=tag)
    assert counts(gather(tmp_path).documents.languages) == {language: 1}
    files.close()


def test_types_come_from_the_archive(tmp_path: Path) -> None:
    files = CrawlFiles(tmp_path)
    files.ask()
    for content_type in ("text/html; charset=utf-8", "TEXT/HTML", "", "a/\x1b[2J" + "b" * 200):
        files.archive(content_type=content_type)
    found = gather(tmp_path)
    [html, *others] = found.types.top(9)
    assert (html.name, html.count) == ("text/html", 2)
    assert html.amounts[0] > 100
    assert "(not said)" in {row.name for row in others}
    assert all(row.name.isprintable() and len(row.name) <= 60 for row in others)
    files.close()


def test_hosts_have_requests_pages_bytes_documents_and_text(tmp_path: Path) -> None:
    files = CrawlFiles(tmp_path)
    files.ask("http://a.example/robots.txt", purpose="robots", size=10)
    files.ask("http://a.example/", size=100)
    files.ask("http://b.example/", status=500, size=5)
    files.keep("http://a.example/", "text")
    hosts = {row.name: row.amounts for row in gather(tmp_path).hosts.top(9)}
    assert hosts == {"a.example": (2, 1, 110, 1, 4), "b.example": (1, 0, 5, 0, 0)}
    files.close()


def test_time_is_told_in_slots_and_answers_by_their_length(tmp_path: Path) -> None:
    files = CrawlFiles(tmp_path)
    for at in (0.0, 0.5, 3.0):
        files.ask(at=at, seconds=0.25)
    files.ask(at=3.1, seconds=60.0, status=None, failure="timed_out")
    found = gather(tmp_path)
    slots = [(at - BEGAN_AT, amounts[:2]) for at, amounts in found.timeline.rows()]
    assert slots == [(0, (2, 2)), (1, (0, 0)), (2, (0, 0)), (3, (2, 1))]
    assert found.requests.seconds.count == 3  # a failure is no answer
    assert found.requests.seconds.quantile(0.5) == pytest.approx(0.25, rel=0.1)
    assert found.requests.last_at - found.requests.first_at == pytest.approx(63.1)
    files.close()


def test_a_finished_crawl_has_the_figures_of_a_running_one(tmp_path: Path) -> None:
    """Finishing renames files and merges indexes; it must not change a count."""
    files = CrawlFiles(tmp_path)
    files.ask()
    files.keep("http://a.example/", "text")
    files.archive()
    running = gather(tmp_path)
    files.close()
    assert not list(tmp_path.rglob("*.open"))
    finished = gather(tmp_path)
    for found in (running, finished):
        assert (found.requests.count, found.documents.count, found.types.count) == (1, 1, 1)


def test_torn_tails_and_broken_lines_hide_nothing_else(tmp_path: Path) -> None:
    """After a crash the figures are there, and the loss is told."""
    files = CrawlFiles(tmp_path)
    for number in range(3):
        files.ask(f"http://a.example/{number}")
        files.keep(f"http://a.example/{number}", "text")
        files.archive(f"http://a.example/{number}")
    files.close()
    for pattern in ("log/requests-*.jsonl", "corpus/*.jsonl", "warc/*.cdxj"):
        [path] = tmp_path.glob(pattern)
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(lines[0] + b"\0\xff no line of ours {\n" + lines[1] + lines[2][:-20])
    found = gather(tmp_path)
    assert (found.requests.count, found.documents.count, found.types.count) == (2, 2, 2)
    assert found.bad_lines == 3


def test_moments_beyond_this_world_are_no_requests(tmp_path: Path) -> None:
    files = CrawlFiles(tmp_path)
    files.ask()
    files.ask(at=1e15)
    files.ask(seconds=-5.0)
    found = gather(tmp_path)
    assert (found.requests.count, found.bad_lines) == (1, 2)
    files.close()


@pytest.mark.parametrize(
    ("pattern", "size"),
    [
        ("log/requests-*.jsonl", b"bytes_received"),
        ("corpus/*.jsonl", b"html_bytes"),
        ("warc/*.cdxj", b"length"),
    ],
)
def test_a_size_beyond_this_world_costs_its_line_only(tmp_path: Path, pattern: str, size: bytes) -> None:
    """One odd line must not keep the figures of all others from being shown."""
    files = CrawlFiles(tmp_path)
    files.ask()
    files.keep("http://a.example/", "text")
    files.archive()
    files.close()
    [path] = tmp_path.glob(pattern)
    line = path.read_bytes()
    path.write_bytes(line + re.sub(rb'("%s": ?"?)' % size, rb"\g<1>1" + b"0" * 400, line))
    found = gather(tmp_path)
    assert statistics_values(found, top=5)["unreadable_lines"] == found.bad_lines == 1


def test_lines_of_other_kinds_in_the_request_log_are_no_requests(tmp_path: Path) -> None:
    files = CrawlFiles(tmp_path)
    files.ask()
    files.close()
    with (tmp_path / "log" / "requests-h1.jsonl").open("a") as log:
        log.write('{"kind":"robots","read_at":1.0,"origin":"http://a.example","state":"rules"}\n')
    found = gather(tmp_path)
    assert (found.requests.count, found.bad_lines) == (1, 0)


def test_a_corpus_in_an_older_encoding_is_read_as_it_was_written(tmp_path: Path) -> None:
    files = CrawlFiles(tmp_path, encoding="iso-8859-2")
    files.keep("http://a.example/", "žluťoučký kůň")
    run = {"started_at": BEGAN_AT, "now": BEGAN_AT, "encoding": "iso-8859-2"}
    (tmp_path / "log" / "figures-1.json").write_text(json.dumps(run))
    found = gather(tmp_path)
    assert (found.documents.text_chars, found.documents.text_bytes) == (13, len("žluťoučký kůň".encode()))
    assert found.bad_lines == 0
    files.close()


def test_a_corpus_whose_encoding_changed_is_read_as_each_run_has_written_it(tmp_path: Path) -> None:
    for number, encoding in enumerate(("iso-8859-2", "utf-8", "windows-1250"), start=1):
        files = CrawlFiles(tmp_path, f"h1-{number * 1000:x}-0001", encoding)
        write_figures(tmp_path, Status(started_at=float(number), now=number + 0.5, encoding=encoding))
        files.keep("http://a.example/", "šíp", charset="žluť")
        files.close()
    found = gather(tmp_path)
    assert (found.documents.text_chars, found.bad_lines) == (9, 0)
    assert [(one.name, one.count) for one in found.documents.charsets.top(9)] == [("žluť", 3)]


def test_memory_is_bounded_by_names_not_by_the_crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, "HOSTS_MAX", 10)
    files = CrawlFiles(tmp_path)
    for number in range(100):
        files.ask(f"http://h{number}.example/", at=float(number))
        files.ask("http://big.example/", at=float(number))
    found = gather(tmp_path)
    assert len(found.hosts) <= 20
    assert (found.hosts.top(1)[0].name, found.hosts.top(1)[0].count) == ("big.example", 100)
    assert found.hosts.count == 200
    files.close()


def test_progress_ends_with_everything_read(tmp_path: Path) -> None:
    files = CrawlFiles(tmp_path)
    files.ask()
    files.keep("http://a.example/", "text")
    files.archive()
    files.leave_alone("http://a.example/x")
    told = Counter[str]()
    gather(tmp_path, lambda count: told.update(read=count))
    assert told["read"] == files_bytes(tmp_path) > 0
    files.close()


def test_another_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="not the directory of a crawl"):
        gather(tmp_path)


def test_an_empty_crawl_has_nothing_to_count(tmp_path: Path) -> None:
    CrawlFiles(tmp_path).close()
    with pytest.raises(CrawlerError, match="nothing has been requested yet"):
        gather(tmp_path)


def test_a_crawl_of_dead_names_only_still_has_something_to_tell(tmp_path: Path) -> None:
    """No request was made, and that is the news."""
    files = CrawlFiles(tmp_path)
    files.count(outcomes={"no_such_host": 4}, discards={"host_gone": 2})
    assert gather(tmp_path).fates()[Fate.DEAD] == 2
    files.close()
