"""Series, rests and the one request at a time, by the log alone."""

from pathlib import Path

import msgspec
from audit_samples import TERMS, LogFile, lines_of, only, violations, welcome

HOSTS = ("a.example", "b.example", "c.example")


def test_hosts_beyond_the_series_are_found(tmp_path: Path) -> None:
    """POL-2: each name alone is polite, the machine behind them pays."""
    log = welcome(tmp_path, *HOSTS)
    for number, host in enumerate(HOSTS):
        log.ask(10.0 + number, host=host)
    found = only(tmp_path)
    assert (found.rule, found.host) == ("POL-2", "c.example")
    assert lines_of(found) == ["requests-h1-0001.jsonl:7"]


def test_requests_beyond_the_series_are_found(tmp_path: Path) -> None:
    """POL-3: three are allowed."""
    log = welcome(tmp_path)
    for number in range(4):
        log.ask(10.0 + 6 * number)
    found = only(tmp_path)
    assert (found.rule, found.what) == ("POL-3", "request number 4 to the host in a series, 3 allowed")


def test_a_rest_begins_a_new_series(tmp_path: Path) -> None:
    log = welcome(tmp_path, *HOSTS)
    for number in range(3):
        log.ask(10.0 + 6 * number)
    log.ask(22.25 + 300.0, host="b.example", visit="2").ask(323.0, host="c.example", visit="2")
    assert violations(tmp_path) == []


def test_two_requests_to_an_address_at_once_are_found(tmp_path: Path) -> None:
    """POL-4, also when they go to two hosts."""
    welcome(tmp_path, *HOSTS).ask(10.0, took=2.0).ask(11.0, host="b.example", took=2.0)
    found = only(tmp_path)
    assert (found.rule, found.shortfall) == ("POL-4", 1.0)


def test_an_address_rests_after_each_visit_also_a_short_one(tmp_path: Path) -> None:
    welcome(tmp_path, *HOSTS).ask(10.0).ask(210.25, host="b.example", visit="2")
    found = only(tmp_path)
    assert (found.rule, found.shortfall) == ("POL-4", 100.0)
    assert lines_of(found) == ["requests-h1-0001.jsonl:5", "requests-h1-0001.jsonl:6"]


def test_visits_of_two_logs_are_two_also_under_one_number(tmp_path: Path) -> None:
    """A crawl that was begun anew in its directory, or restored, counts its visits from where it was."""
    welcome(tmp_path, *HOSTS).ask(10.0, visit="7")
    LogFile(tmp_path, "h2-0001", opened=100.0).ask(210.25, host="b.example", visit="7")
    found = only(tmp_path)
    assert (found.rule, found.shortfall) == ("POL-4", 100.0)


def test_hosts_of_a_named_delivery_network_count_each_for_themselves(tmp_path: Path) -> None:
    """POL-11, and only there."""
    terms = msgspec.structs.replace(TERMS, cdn_ranges=("192.0.2.0/24",))
    log = welcome(tmp_path, *HOSTS, terms=terms)
    for host in HOSTS:
        log.ask(10.0, host=host, visit=host)
    assert violations(tmp_path) == []
    for host in HOSTS[:2]:
        log.ask(500.0, host=host, visit=f"{host}-2", address="198.51.100.1")
    assert {one.rule for one in violations(tmp_path)} == {"POL-4"}


def test_an_address_that_is_none_is_compared_as_it_stands(tmp_path: Path) -> None:
    """Files of this machine live at `local`."""
    terms = msgspec.structs.replace(TERMS, cdn_ranges=("192.0.2.0/24",))
    LogFile(tmp_path, terms=terms).rules(0.0).ask(10.0, address="local").ask(16.0, address="local")
    assert violations(tmp_path) == []
