"""Settings that changed while a harvester ran: each request is judged by those it began under."""

from pathlib import Path

import msgspec
import pytest
from audit_samples import TERMS, only, run, violations, welcome

SLOWER = msgspec.structs.replace(TERMS, req_delay=20.0, general_pause=900.0, max_reqs=1)
FASTER = msgspec.structs.replace(TERMS, req_delay=1.0, general_pause=30.0, max_reqs=9)


def test_a_slower_pace_is_demanded_of_requests_that_begin_after_it_was_heard(tmp_path: Path) -> None:
    """Else a command that did nothing would pass."""
    log = welcome(tmp_path).ask(10.0).amend(11.0, SLOWER)
    log.ask(1000.0, visit="2", delay=5.0).ask(1006.0, visit="2", delay=5.0)
    assert {found.rule for found in violations(tmp_path)} == {"POL-1", "POL-3"}


def test_the_rest_of_an_address_is_the_one_in_force(tmp_path: Path) -> None:
    rested = msgspec.structs.replace(TERMS, general_pause=900.0)
    welcome(tmp_path).amend(1.0, rested).ask(10.0).ask(400.0, visit="2")
    found = only(tmp_path)
    assert found.rule == "POL-4"
    assert found.shortfall == pytest.approx(900.0 - 389.75)


def test_a_faster_pace_excuses_nothing_that_began_before_it(tmp_path: Path) -> None:
    log = welcome(tmp_path).ask(10.0, delay=1.0).ask(12.0, delay=1.0).amend(13.0, FASTER)
    log.ask(15.0, delay=1.0)
    found = only(tmp_path)
    assert found.rule == "POL-1"
    assert found.shortfall == pytest.approx(5.0 - 1.75)


def test_a_request_under_way_is_judged_by_the_terms_it_began_under(tmp_path: Path) -> None:
    """Its line comes after the change, as lines are written when a request ends."""
    log = welcome(tmp_path).ask(10.0, took=1.0).amend(17.5, SLOWER).ask(16.5, took=2.0)
    log.ask(1000.0, visit="2", delay=20.0)
    assert violations(tmp_path) == []


def test_between_two_terms_the_milder_counts(tmp_path: Path) -> None:
    welcome(tmp_path).ask(10.0).amend(11.0, SLOWER).ask(315.0, visit="2", delay=20.0)
    assert violations(tmp_path) == []


def test_a_report_names_all_terms_in_their_order(tmp_path: Path) -> None:
    welcome(tmp_path).ask(10.0).amend(11.0, SLOWER).amend(12.0, TERMS)
    assert run(tmp_path).terms == [TERMS, SLOWER]
    assert run(tmp_path, "a.example").terms == [TERMS, SLOWER]
