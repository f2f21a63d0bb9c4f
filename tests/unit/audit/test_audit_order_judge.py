"""The operator's word, and the name that a harvester gives itself."""

from pathlib import Path

import msgspec
import pytest
from audit_samples import TERMS, LogFile, only, violations, welcome


def test_no_request_begins_while_everything_is_held(tmp_path: Path) -> None:
    log = welcome(tmp_path).order(9.0, "hold").ask(10.0).order(11.0, "go_on").ask(16.0)
    found = only(tmp_path)
    assert (found.rule, found.url) == ("POL-10", "http://a.example/")
    assert found.since == pytest.approx(found.at - 1.0)
    assert log.path.name in str(found.lines[0])


def test_a_request_that_had_begun_may_end_while_all_is_held(tmp_path: Path) -> None:
    welcome(tmp_path).order(11.0, "hold").ask(10.0, took=2.0)
    assert violations(tmp_path) == []


def test_a_word_counts_for_the_harvester_that_heard_it(tmp_path: Path) -> None:
    """Another one may hear it a moment later; its own log says when."""
    welcome(tmp_path).order(9.0, "hold")
    LogFile(tmp_path, "h2").ask(10.0)
    assert violations(tmp_path) == []


def test_a_user_agent_without_a_contact_is_found_once_a_log(tmp_path: Path) -> None:
    """POL-7."""
    terms = msgspec.structs.replace(TERMS, user_agent="tiptoe/0.1.0")
    welcome(tmp_path, terms=terms).ask(10.0).ask(16.0)
    assert only(tmp_path).rule == "POL-7"
