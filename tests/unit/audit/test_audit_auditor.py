"""A whole log before its judges: order, size, one host, old and broken logs."""

from pathlib import Path

import pytest
from audit_samples import BEGIN, HOST, LogFile, lines_of, only, run, violations, welcome

from tiptoe.audit.auditor import audit
from tiptoe.audit.findings import OTHER_HOST
from tiptoe.audit.html_report import audit_page
from tiptoe.audit.partitions import PART_BYTES
from tiptoe.audit.text import report_lines, verdict
from tiptoe.errors import SettingsError


def test_a_clean_log_is_told_in_one_line(tmp_path: Path) -> None:
    welcome(tmp_path).ask(10.0).ask(16.0)
    found = run(tmp_path)
    assert verdict(found) == "0 violations in 2 requests"
    assert (found.findings.count, found.findings.unjudged) == (0, 0)


def test_logs_are_merged_by_time(tmp_path: Path) -> None:
    """Three harvesters take turns on one host; every pause between them is looked at."""
    welcome(tmp_path)
    logs = [LogFile(tmp_path, f"h{number}", opened=float(number)) for number in range(3)]
    for turn in range(9):
        logs[turn % 3].ask(10.0 + 310.0 * turn, visit=str(turn))
    assert violations(tmp_path) == []
    logs[0].ask(10.0 + 310.0 * 8 + 100.0, visit="late")
    assert lines_of(violations(tmp_path)[0]) == ["requests-h2.jsonl:4", "requests-h0.jsonl:5"]


def test_a_log_larger_than_memory_is_judged_the_same(tmp_path: Path) -> None:
    """In parts: each host and each address meets its own judge, with all of its lines."""
    hosts = [f"h{number}.example" for number in range(40)]
    log = welcome(tmp_path, *hosts)
    for turn in range(3):
        for number, host in enumerate(hosts):
            address = f"192.0.2.{number // 2}"
            log.ask(10.0 + 400.0 * turn + number / 2, host=host, address=address, visit=f"{address} {turn}")
    log.ask(812.0, "/again", host="h0.example", address="192.0.2.0", visit="192.0.2.0 2")
    log.ask(830.0, "/third", host="h9.example", address="192.0.2.0", visit="192.0.2.0 2")
    at_once, in_parts = audit(tmp_path), audit(tmp_path, part_bytes=2_000)
    assert {one.rule for one in at_once.findings.kept} == {"POL-1", "POL-2"}
    assert sorted(in_parts.findings.kept, key=str) == sorted(at_once.findings.kept, key=str)
    assert in_parts.figures.requests == at_once.figures.requests == 122
    assert in_parts.figures.hosts == at_once.figures.hosts == 40
    assert in_parts.figures.table == at_once.figures.table
    assert in_parts.figures.pauses == at_once.figures.pauses


def test_a_request_cut_off_by_death_counts(tmp_path: Path) -> None:
    """A killed harvester must not hide what it asked."""
    log = welcome(tmp_path).ask(10.0)
    note = f"{BEGIN + 12.0!r}\t1\t{HOST}\t192.0.2.1\tpage\thttp://{HOST}/lost\n"
    log.path.with_suffix(".underway").write_text(note)
    found = only(tmp_path)
    assert (found.rule, found.url) == ("POL-1", f"http://{HOST}/lost")
    assert lines_of(found) == ["requests-h1-0001.jsonl:3", "requests-h1-0001.underway (under way)"]
    assert run(tmp_path).figures.cut_off == 1


def test_a_note_that_outlived_its_line_is_no_second_request(tmp_path: Path) -> None:
    """Killed between the line and the end of the note."""
    log = welcome(tmp_path).ask(10.0, "/x")
    note = f"{BEGIN + 10.0!r}\t1\t{HOST}\t192.0.2.1\tpage\thttp://{HOST}/x\n"
    log.path.with_suffix(".underway").write_text(note)
    found = run(tmp_path)
    assert (found.findings.count, found.figures.requests) == (0, 1)


# -- one host --------------------------------------------------------------


def test_a_report_on_one_host_does_not_say_what_was_asked_of_its_neighbours(tmp_path: Path) -> None:
    """It goes to a webmaster: the fault at the address is his business, the pages of others are not."""
    log = welcome(tmp_path, HOST, "b.example", "c.example").ask(10.0)
    log.ask(400.0, "/b", host="b.example", visit="2").ask(401.0, "/c", host="c.example", visit="3")
    (found,) = violations(tmp_path, HOST)
    assert (found.rule, found.host, found.url) == ("POL-4", OTHER_HOST, "")
    assert only(tmp_path).url == "http://c.example/c"
    told = run(tmp_path, HOST)
    for report in ("\n".join(report_lines(told)), audit_page(told)):
        assert "c.example" not in report
        assert lines_of(found)[-1].partition(":")[0] in report


def test_of_one_host_only_its_own_requests_are_counted(tmp_path: Path) -> None:
    log = welcome(tmp_path, HOST, "b.example")
    log.ask(10.0).ask(11.0, host="b.example").ask(16.0).rules(17.0, (False, "/x"), crawl_delay=2.0)
    log.order(18.0, "leave", HOST).order(19.0, "leave", "b.example")
    found = run(tmp_path, HOST)
    figures = found.figures
    assert (figures.requests, figures.bytes_received, figures.hosts) == (2, 200, 1)
    assert figures.addresses == {"192.0.2.1": 2}
    assert [(told.origin, told.crawl_delay) for told in figures.rules_read] == [
        (f"http://{HOST}", 0.0),
        (f"http://{HOST}", 2.0),
    ]
    assert [order.host for order in figures.orders] == [HOST]
    assert [asked.url for asked in figures.latest] == [f"http://{HOST}/"] * 2


def test_one_host_is_judged_with_what_its_address_saw(tmp_path: Path) -> None:
    """The machine of a webmaster is asked under other names too."""
    log = welcome(tmp_path, HOST, "b.example").ask(10.0, took=5.0)
    log.ask(12.0, host="b.example", took=4.0, address="192.0.2.9")
    assert violations(tmp_path, HOST) == []
    log.ask(24.0, took=5.0).ask(26.0, host="b.example", took=5.0)
    assert [one.rule for one in violations(tmp_path, HOST)] == ["POL-8", "POL-4"]


def test_a_host_that_was_never_asked_is_named(tmp_path: Path) -> None:
    welcome(tmp_path).ask(10.0)
    with pytest.raises(SettingsError, match=r"www\.a\.example: no request to this host"):
        run(tmp_path, "www.a.example")


# -- logs that cannot be judged --------------------------------------------


def test_a_directory_without_a_log_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="not the directory of a crawl; there is no"):
        run(tmp_path)


def test_an_old_log_gets_a_clear_word(tmp_path: Path) -> None:
    LogFile(tmp_path, terms=None).ask(10.0)
    with pytest.raises(SettingsError, match="older tiptoe and cannot be audited"):
        run(tmp_path)


def test_old_logs_beside_new_ones_are_counted_and_not_judged(tmp_path: Path) -> None:
    """A crawl that went on after an update: its first half is neither accused nor acquitted."""
    old = LogFile(tmp_path, "h0", terms=None)
    old.ask(1.0, "/robots.txt", purpose="robots").ask(2.0)
    LogFile(tmp_path).ask(400.0, visit="2").ask(410.0, visit="2")
    found = run(tmp_path)
    assert (found.findings.count, found.findings.unjudged) == (0, 4)
    assert [log.name for log in found.mute_logs] == ["requests-h0.jsonl"]


def test_a_torn_last_line_is_passed_over(tmp_path: Path) -> None:
    log = welcome(tmp_path).ask(10.0)
    log.path.write_bytes(log.path.read_bytes() + b'{"started_at":17900')
    found = run(tmp_path)
    assert (found.findings.count, found.figures.requests) == (0, 1)


def test_a_log_that_was_just_opened_holds_nothing_yet(tmp_path: Path) -> None:
    welcome(tmp_path).ask(10.0)
    (tmp_path / "log" / "requests-h9.jsonl").write_bytes(b"")
    assert verdict(run(tmp_path)) == "0 violations in 1 request"


ZEROS = b'{"started_at":1,"host":"' + bytes(600) + b'"}\n'


@pytest.mark.parametrize(
    "line", [b"nonsense\n", b"{}\n", b'{"kind":"unheard-of"}\n', b'{"host":1}\n', b"\xff\n", ZEROS]
)
def test_a_damaged_line_is_named_and_keeps_an_audit_from_passing(tmp_path: Path, line: bytes) -> None:
    """A complaint has to be answered after a power cut too; what cannot be read is no proof of anything."""
    log = welcome(tmp_path).ask(10.0)
    whole = log.path.read_bytes()
    log.path.write_bytes(whole + line)
    log.ask(16.0)
    for part_bytes in (1, PART_BYTES):
        found = audit(tmp_path, part_bytes=part_bytes)
        assert verdict(found) == "0 violations in 2 requests; 1 line of the log cannot be read"
        assert not found.is_whole
    for report in ("\n".join(report_lines(found)), audit_page(found)):
        assert "the first requests-h1-0001.jsonl:4." in report


def test_zeros_at_the_end_of_a_log_are_no_torn_line(tmp_path: Path) -> None:
    """A power cut may leave them of many lines; nobody knows which requests they were."""
    log = welcome(tmp_path).ask(10.0)
    log.path.write_bytes(log.path.read_bytes() + bytes(4096))
    found = run(tmp_path)
    assert (found.damaged_lines, found.is_whole) == (1, False)


@pytest.mark.parametrize("line", [b"nonsense\n", ZEROS])
def test_a_damaged_line_may_be_a_request_to_any_host(tmp_path: Path, line: bytes) -> None:
    """The report on one host passes over the lines of others, but not over what is nobody's."""
    log = welcome(tmp_path).ask(10.0)
    log.path.write_bytes(log.path.read_bytes() + line)
    found = run(tmp_path, HOST)
    assert (found.damaged_lines, found.is_whole) == (1, False)


def test_rules_may_have_stood_in_a_damaged_line(tmp_path: Path) -> None:
    """What the log has lost is no fault of the crawl."""
    log = LogFile(tmp_path)
    log.path.write_bytes(log.path.read_bytes() + ZEROS)
    log.ask(10.0)
    found = run(tmp_path)
    assert (found.findings.count, found.findings.unjudged) == (0, 1)


def test_whoever_waits_hears_how_far_it_is(tmp_path: Path) -> None:
    log = welcome(tmp_path).ask(10.0)
    totals: list[int] = []
    reads: list[int] = []
    audit(tmp_path, total=totals.append, read=reads.append)
    assert totals == [log.path.stat().st_size] == [sum(reads)]
