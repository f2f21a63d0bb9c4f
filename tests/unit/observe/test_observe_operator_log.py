"""A word of the operator stands in the request log, whether a harvester hears it or not."""

from pathlib import Path

from tiptoe.audit.auditor import audit
from tiptoe.audit.text import report_lines
from tiptoe.observe.operator_log import log_order
from tiptoe.write.logentries import RequestEntry, Terms
from tiptoe.write.requestlog import RequestLog

TERMS = Terms(
    user_agent="tiptoe/0.1.0 (+https://example.org/bot)", agent="tiptoe",
    req_delay=5.0, max_hosts=2, max_reqs=3, general_pause=300.0, slow_factor=2.0, delay_max=60.0,
    retry_after_max=3600.0, backoff_first=60.0, robots_expiry=86_400.0,
)  # fmt: skip


def ask_once(directory: Path, host: str = "a.example") -> None:
    """Let a harvester ask a host for its rules, and leave."""
    log = RequestLog(directory, f"h1-{host}", terms=TERMS)
    now = log.now()
    log.write_request(
        RequestEntry(
            started_at=now - 1.0, ended_at=now, host=host, address="192.0.2.1", url=f"http://{host}/robots.txt",
            purpose="robots", robots="exempt", delay=0.0, visit="1", harvester="h1", status=404,
        )
    )  # fmt: skip
    log.close()


def test_a_report_has_what_was_said_while_nobody_ran(tmp_path: Path) -> None:
    ask_once(tmp_path)
    log_order(tmp_path, "leave", "a.example")
    log_order(tmp_path, "go_on")
    found = audit(tmp_path, "a.example")
    report = list(report_lines(found))
    said = [line.partition("UTC  ")[2] for line in report[report.index("Words of the operator") + 1 :]]
    assert said[:2] == ["the host is blocked, or is to get fewer requests", "the crawl goes on"]
    assert (found.findings.count, found.findings.unjudged) == (0, 0)


def test_other_hosts_are_not_told_of_it(tmp_path: Path) -> None:
    ask_once(tmp_path)
    log_order(tmp_path, "leave", "b.example")
    assert "Words of the operator" not in list(report_lines(audit(tmp_path, "a.example")))


def test_the_rules_in_force_stay_what_they_were(tmp_path: Path) -> None:
    """A log without requests must not look like one under other rules."""
    ask_once(tmp_path)
    log_order(tmp_path, "leave", "a.example")
    assert audit(tmp_path).terms == [TERMS]


def test_where_nobody_was_asked_there_is_nobody_to_report_to(tmp_path: Path) -> None:
    log_order(tmp_path, "leave", "a.example")
    assert list(tmp_path.rglob("*")) == []
