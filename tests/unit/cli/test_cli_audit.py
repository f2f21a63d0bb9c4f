"""`tiptoe audit` as it is called."""

import json
from pathlib import Path

import msgspec
import pytest

from tiptoe.cli.audit_command import audit_command
from tiptoe.cli.main import app
from tiptoe.errors import SettingsError
from tiptoe.write.logentries import RequestEntry, Terms
from tiptoe.write.requestlog import RequestLog

TERMS = Terms(
    user_agent="tiptoe/0.1 (+https://example.org/bot)", agent="tiptoe", req_delay=5.0, max_hosts=2,
    max_reqs=9,
    general_pause=300.0, slow_factor=2.0, delay_max=60.0, retry_after_max=86400.0, backoff_first=60.0,
    robots_expiry=86400.0,
)  # fmt: skip
ENTRY = RequestEntry(
    started_at=0.0, ended_at=0.0, host="a.example", address="192.0.2.1", url="http://a.example/",
    purpose="page",
    robots="allowed", delay=5.0, visit="1", harvester="h1", status=200, bytes_received=9,
)  # fmt: skip


def write_log(directory: Path, *pauses: float, terms: Terms | None = TERMS) -> None:
    """Write a log of requests with these pauses between them."""
    log = RequestLog(directory, "h1", terms=terms)
    log.write_robots("http://a.example", "rules")
    at = log.now()
    for pause in (0.0, *pauses):
        at += pause
        log.write_request(msgspec.structs.replace(ENTRY, started_at=at, ended_at=at))
    log.close()


def test_a_polite_crawl_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_log(tmp_path, 5.1, 5.1)
    assert audit_command(tmp_path) == 0
    printed = capsys.readouterr()
    assert "0 violations in 3 requests" in printed.out
    assert printed.err == ""


def test_a_violation_is_an_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_log(tmp_path, 5.1, 1.0)
    assert audit_command(tmp_path) == 1
    assert "requests-h1.jsonl:4, requests-h1.jsonl:5" in capsys.readouterr().out


def test_json_has_the_verdict_and_every_violation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_log(tmp_path, 1.0)
    assert audit_command(tmp_path, as_json=True) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["requests"], told["violations"], told["by_rule"]) == (2, 1, {"POL-1": 1})
    (listed,) = told["listed"]
    assert listed["lines"] == [
        {"file": "requests-h1.jsonl", "line": 3},
        {"file": "requests-h1.jsonl", "line": 4},
    ]
    assert (listed["rule"], listed["host"], round(listed["shortfall"], 3)) == ("POL-1", "a.example", 4.0)
    assert told["terms"][0]["req_delay"] == 5.0


@pytest.mark.parametrize("given", ["a.example", "A.Example.", "http://a.example/x"])
def test_a_host_is_taken_as_people_write_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: str
) -> None:
    write_log(tmp_path, 5.1)
    assert audit_command(tmp_path, given) == 0
    assert "What was asked of a.example" in capsys.readouterr().out


def test_of_a_page_only_the_verdict_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_log(tmp_path, 5.1)
    assert audit_command(tmp_path, "a.example", html=tmp_path / "report.html") == 0
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 1
    assert printed[0].startswith(f"written to {tmp_path / 'report.html'}: 0 violations in ")


def test_a_page_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    write_log(tmp_path, 5.1)
    with pytest.raises(SettingsError, match=r"--html .*: cannot be written"):
        audit_command(tmp_path, html=tmp_path / "nowhere" / "report.html")


def test_what_cannot_be_judged_is_no_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2: neither passed nor broken."""
    write_log(tmp_path, 5.1)
    log = RequestLog(tmp_path, "h0")
    log.write_request(ENTRY)
    log.close()
    assert audit_command(tmp_path) == 2
    assert "1 of which could not be judged" in capsys.readouterr().out


def test_the_command_is_offered_with_examples(capsys: pytest.CaptureFixture[str]) -> None:
    app(["audit", "--help"], exit_on_error=False, result_action="return_value")
    printed = capsys.readouterr().out
    assert "www.example.cz" in printed
    assert "--html" in printed
