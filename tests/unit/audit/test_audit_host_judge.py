"""Each rule for a host, kept and broken, by the log alone."""

from pathlib import Path

import msgspec
import pytest
from audit_samples import BEGIN, TERMS, LogFile, lines_of, only, run, violations, welcome


def test_a_pause_that_is_just_long_enough_is_no_violation(tmp_path: Path) -> None:
    welcome(tmp_path).ask(10.0).ask(15.25)
    assert violations(tmp_path) == []


def test_a_pause_that_is_too_short_is_found_with_its_lines(tmp_path: Path) -> None:
    """POL-1: it counts from the end of the answer, not from its beginning."""
    welcome(tmp_path).ask(10.0, "/1").ask(15.0, "/2")
    found = only(tmp_path)
    assert (found.rule, found.host, found.address, found.url) == (
        "POL-1", "a.example", "192.0.2.1", "http://a.example/2",
    )  # fmt: skip
    assert (found.at, found.since, found.shortfall) == (BEGIN + 15.0, BEGIN + 10.25, 0.25)
    assert lines_of(found) == ["requests-h1-0001.jsonl:3", "requests-h1-0001.jsonl:4"]


def test_nothing_is_forgiven_beyond_the_rounding_of_the_log(tmp_path: Path) -> None:
    """Ten microseconds are a violation: a tolerance would be a second, hidden rule."""
    welcome(tmp_path).ask(10.0).ask(15.24999)
    assert only(tmp_path).shortfall == pytest.approx(1e-5, abs=1e-6)


def test_two_requests_to_a_host_at_once_are_found_in_any_order(tmp_path: Path) -> None:
    """The line of the longer one comes later, although it began first."""
    log = welcome(tmp_path)
    log.ask(12.0, "/short", took=1.0)
    log.ask(10.0, "/long", took=20.0)
    found = violations(tmp_path)
    assert [one.rule for one in found] == ["POL-1", "POL-4"]
    assert found[0].url == "http://a.example/short"
    assert lines_of(found[0]) == ["requests-h1-0001.jsonl:4", "requests-h1-0001.jsonl:3"]


def test_pauses_count_across_harvesters(tmp_path: Path) -> None:
    """A host does not care which of our processes asks."""
    welcome(tmp_path).ask(10.0, visit="1")
    LogFile(tmp_path, "h2-0002").ask(12.0, visit="2")
    found = violations(tmp_path)
    assert [one.rule for one in found] == ["POL-1", "POL-4"]
    assert lines_of(found[0]) == ["requests-h1-0001.jsonl:3", "requests-h2-0002.jsonl:2"]


def test_a_clock_that_was_set_between_two_logs_changes_nothing(tmp_path: Path) -> None:
    """The second log began two minutes later by the machine, and an hour earlier by the wall."""
    welcome(tmp_path).ask(10.0)
    LogFile(tmp_path, "h2", opened=-3600.0, counted=120.0).ask(-3600.0 + 100.0, visit="2")
    found = only(tmp_path)
    assert (found.rule, found.at) == ("POL-4", BEGIN - 3500.0)
    assert found.shortfall == pytest.approx(300.0 - (220.0 - 10.25))


def test_milder_settings_count_for_a_pause_across_a_change(tmp_path: Path) -> None:
    """Stricter rules cannot lengthen a rest that ended before they were given."""
    mild = msgspec.structs.replace(TERMS, req_delay=1.0, general_pause=2.0)
    welcome(tmp_path, terms=mild).ask(10.0)
    LogFile(tmp_path, "h2").ask(12.5, visit="2")
    assert violations(tmp_path) == []


# -- what servers ask for --------------------------------------------------


def test_crawl_delay_counts_from_when_it_was_read(tmp_path: Path) -> None:
    log = LogFile(tmp_path).ask(0.0, "/robots.txt", purpose="robots").rules(0.3, crawl_delay=10.0)
    log.ask(10.5).ask(16.0)
    found = only(tmp_path)
    assert (found.rule, found.shortfall) == ("POL-5", 4.75)
    assert "Crawl-delay" in found.what


def test_an_absurd_crawl_delay_is_kept_up_to_the_bound(tmp_path: Path) -> None:
    LogFile(tmp_path).rules(0.0, crawl_delay=1e9).ask(10.0).ask(10.25 + 3600.0, visit="2")
    assert violations(tmp_path) == []


@pytest.mark.parametrize(
    ("wish", "later", "shortfall"),
    [(900.0, 800.0, 100.0), (None, 350.0, None), (1e9, 3000.0, 600.0), (1e9, 3600.0, None)],
    ids=["asked too early", "no wish, backed off", "absurd wish", "bound of the wish"],
)
def test_after_an_overload_the_host_is_left_in_peace(
    tmp_path: Path, wish: float | None, later: float, shortfall: float | None
) -> None:
    """POL-8: as long as it wants, or at least our own first wait."""
    log = welcome(tmp_path).ask(10.0, status=503, retry_after=wish)
    log.ask(10.25 + later, visit="2")
    found = violations(tmp_path)
    assert [(one.rule, round(one.shortfall, 6)) for one in found] == (
        [("POL-8", shortfall)] if shortfall else []
    )


def test_an_overload_without_a_wish_is_met_by_our_own_wait(tmp_path: Path) -> None:
    welcome(tmp_path).ask(10.0, status=429).ask(20.25)
    assert (only(tmp_path).rule, only(tmp_path).shortfall) == ("POL-8", 50.0)


def test_a_slow_answer_lengthens_the_next_pause(tmp_path: Path) -> None:
    """POL-8: twice the time it took, within a visit."""
    welcome(tmp_path).ask(10.0, took=4.0).ask(20.0)
    found = only(tmp_path)
    assert found.rule == "POL-8"
    assert found.shortfall == pytest.approx(2.0, abs=1e-5)


def test_the_pause_that_was_due_by_its_own_line_is_kept(tmp_path: Path) -> None:
    """POL-10: an operator who slows a host down shows in the line."""
    welcome(tmp_path).ask(10.0).ask(20.25, delay=60.0)
    assert (only(tmp_path).rule, only(tmp_path).shortfall) == ("POL-10", 50.0)


# -- robots.txt ------------------------------------------------------------


def test_robots_txt_comes_first(tmp_path: Path) -> None:
    LogFile(tmp_path).ask(10.0)
    assert (only(tmp_path).rule, only(tmp_path).what) == ("POL-5", "asked before robots.txt was read")


def test_rules_that_came_after_a_request_are_no_leave_for_it(tmp_path: Path) -> None:
    LogFile(tmp_path).ask(10.0, took=5.0)
    LogFile(tmp_path, "h2").rules(12.0)
    assert only(tmp_path).what == "asked before robots.txt was read"


def test_rules_are_obeyed_as_they_were_at_the_time(tmp_path: Path) -> None:
    """What was allowed yesterday is no violation today, and the other way round."""
    log = LogFile(tmp_path).rules(0.0).ask(10.0, "/x").rules(20.0, (False, "/x"))
    log.ask(30.0, "/y").ask(40.0, "/x").rules(50.0)
    log.ask(400.0, "/x", visit="2")
    found = only(tmp_path)
    assert found.what == "robots.txt forbids http://a.example/x"
    assert lines_of(found) == ["requests-h1-0001.jsonl:4", "requests-h1-0001.jsonl:6"]


def test_rules_read_by_another_harvester_count(tmp_path: Path) -> None:
    LogFile(tmp_path, "h2").rules(0.0, (False, "/x"))
    LogFile(tmp_path).ask(10.0, "/x")
    assert only(tmp_path).rule == "POL-5"


@pytest.mark.parametrize("state", ["unreachable", "moved"])
def test_a_host_whose_rules_cannot_be_had_is_left_alone(tmp_path: Path, state: str) -> None:
    LogFile(tmp_path).rules(0.0, state=state).ask(10.0)
    assert only(tmp_path).what == f"requested although robots.txt could not be fetched ({state})"


def test_rules_that_were_had_from_elsewhere_hold_while_they_are_asked_for_again(tmp_path: Path) -> None:
    """The host says once more where they are, and they are already here; what they forbid stays forbidden."""
    log = LogFile(tmp_path).rules(0.0, state="moved").rules(5.0, (False, "/x")).rules(8.0, state="moved")
    log.ask(20.0, "/y")
    assert violations(tmp_path) == []
    log.ask(400.0, "/x", visit="2")
    assert only(tmp_path).what == "robots.txt forbids http://a.example/x"


def test_robots_txt_itself_may_always_be_asked_for(tmp_path: Path) -> None:
    LogFile(tmp_path).rules(0.0, state="unreachable").ask(10.0, "/robots.txt", purpose="robots")
    assert violations(tmp_path) == []


@pytest.mark.parametrize("answer", [{"status": 503}, {"status": None, "failure": "refused"}])
def test_an_error_is_not_taken_for_leave(tmp_path: Path, answer: dict[str, object]) -> None:
    """5xx or no answer means keep away, whatever we made of it."""
    log = LogFile(tmp_path).ask(0.0, "/robots.txt", purpose="robots", **answer)  # type: ignore[arg-type]
    log.rules(1.0)
    assert only(tmp_path).what == "robots.txt could not be fetched, and that was taken as permission"


def test_old_rules_are_read_again(tmp_path: Path) -> None:
    """A day by default, with a little grace for visits that were planned before."""
    log = welcome(tmp_path).ask(86_000.0, "/1")
    log.ask(87_100.0, "/2", visit="2")
    found = only(tmp_path)
    assert found.rule == "POL-5"
    assert "holds for 86400 s" in found.what


def test_files_of_this_machine_have_no_robots_txt(tmp_path: Path) -> None:
    log = LogFile(tmp_path)
    log.ask(10.0)
    text = log.path.read_text().replace("http://a.example/", "file:///x")
    log.path.write_text(text)
    assert violations(tmp_path) == []


def test_rules_too_long_for_the_log_are_not_judged_and_said_so(tmp_path: Path) -> None:
    """Neither accused nor acquitted."""
    log = LogFile(tmp_path).rules(0.0, (False, "/x"))
    log.path.write_bytes(log.path.read_bytes().replace(b'"/x"]]', b'"/x"]],"is_cut":true'))
    log.ask(10.0, "/x")
    found = run(tmp_path)
    assert (found.findings.count, found.findings.unjudged) == (0, 1)


def test_rules_that_come_from_elsewhere_are_not_taken_from_a_failure(tmp_path: Path) -> None:
    """robots.txt had moved, could not be had when asked for again, and then its new host answered."""
    log = LogFile(tmp_path)
    log.ask(0.0, "/robots.txt", purpose="robots", status=301).rules(0.3, state="moved")
    log.ask(400.0, "/robots.txt", purpose="robots", status=500, visit="2").rules(400.3, state="unreachable")
    log.ask(401.0, "/robots.txt", host="b.example", address="192.0.2.2", purpose="robots", visit="3")
    log.rules(401.3).ask(1000.0, visit="4")
    assert violations(tmp_path) == []
