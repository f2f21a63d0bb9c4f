"""How is said what a crawl waits for, and why it brought nothing."""

import re
from datetime import UTC
from pathlib import Path

import pytest

from tiptoe.frontier.counters import Gauges
from tiptoe.frontier.patience import Trouble
from tiptoe.keeper.phrases import (
    REMEDIES,
    TROUBLES,
    WORDS,
    blocked_text,
    failure_text,
    given_up_text,
    hindrance_text,
    logins_text,
    moment_text,
    trouble_text,
    waiting_text,
)
from tiptoe.protocol.status import Cause, Status, Waiting, WaitReason
from tiptoe.settings.schema import SETTINGS

NOW = 1_800_000_000.0  # 08:00:00 UTC
HOUR = 3600.0


def said(*reasons: WaitReason, next_at: float | None = None, more_hosts: int = 0) -> str:
    waiting = Waiting(reasons=list(reasons), next_at=next_at, more_hosts=more_hosts)
    return waiting_text(waiting, NOW, zone=UTC)


@pytest.mark.parametrize(
    ("count", "trouble", "expected"),
    [
        (1, "overloaded", "a.example asked us to wait until 09:00:00Z, 1 h 00 min from now"),
        (1, "reset", "a request to a.example is to be repeated: connection broken (at 09:00:00Z)"),
        (1, "", "a request to a.example is to be repeated (at 09:00:00Z)"),
        (3, "overloaded", "3 requests are to be repeated (a.example at 09:00:00Z)"),
    ],
)
def test_a_single_request_that_is_put_off_names_its_host(count: int, trouble: str, expected: str) -> None:
    """Whoever crawls one site wants to know that it asked for an hour's peace."""
    reason = WaitReason(
        cause=Cause.DEFERRED, count=count, next_at=NOW + HOUR, host="a.example", trouble=trouble
    )
    assert said(reason).startswith(expected)


def test_what_keeps_us_from_robots_txt_is_told_once() -> None:
    told = hindrance_text(Status(outcomes={"robots_unreachable": 3, "refused": 3, "robots_rules": 1}))
    assert told == "connection refused: 3"
    assert "could not be fetched: 1" in hindrance_text(Status(outcomes={"robots_unreachable": 1}))


def test_a_private_network_is_a_hindrance_until_it_is_allowed() -> None:
    """Once the setting has changed, the count of an earlier run would be taken for the present."""
    outcomes = {"private_address": 1, "host_gone": 1, "timed_out": 2}
    told = hindrance_text(Status(outcomes=outcomes, gone_hosts={"private_address": 1}))
    assert told == (
        "no answer in time: 2, "
        "the name points into a private network, and fetch.allow_networks does not allow it: 1"
    )
    assert hindrance_text(Status(outcomes=outcomes)) == "no answer in time: 2"


def test_hosts_that_did_not_let_us_in_are_named_with_the_reason() -> None:
    faults = {f"{name}.example": "the site answered 403" for name in "abcdefg"}
    said = logins_text(faults)
    assert said.startswith("a.example: the login did not work: the site answered 403; b.example: ")
    assert said.endswith("; 2 more hosts")
    assert logins_text({}) == ""


def test_every_cause_and_every_trouble_has_its_words() -> None:
    assert set(WORDS) == set(Cause)
    assert set(TROUBLES) == {trouble.value for trouble in Trouble}


def test_every_setting_that_is_named_exists() -> None:
    """Advice that leads nowhere is worse than none."""
    words = [*REMEDIES.values(), *(said(WaitReason(cause=cause, count=1)) for cause in Cause)]
    named = {name for text in words for name in re.findall(r"\b[a-z]+\.[a-z_]+\b", text)}
    known = set(SETTINGS)
    assert named - known - {"robots.txt"} == set()
    assert named & known


@pytest.mark.parametrize("count", [1, 2, 1234])
@pytest.mark.parametrize("cause", Cause)
def test_one_is_not_said_as_many(cause: Cause, count: int) -> None:
    words = said(WaitReason(cause=cause, count=count, next_at=NOW + 60, host="a.example", trouble="refused"))
    assert not re.search(r"\b1 (hosts|names|requests|pages)\b", words)
    assert not re.search(r"\b(2|1 234) (host|name|request|page)\b", words)


def test_a_resting_crawl_says_when_it_goes_on() -> None:
    rest = WaitReason(cause=Cause.REST, count=21, next_at=NOW + 65)
    assert said(rest, next_at=NOW + 65) == (
        "21 hosts wait while their addresses rest after a visit (next at 08:01:05Z); continues in 1 min 05 s"
    )


def test_a_host_that_asked_for_peace_is_named() -> None:
    one = WaitReason(cause=Cause.PEACE, count=1, next_at=NOW + HOUR, host="example.cz")
    assert said(one, next_at=NOW + HOUR) == "example.cz asked us to wait until 09:00:00Z, 1 h 00 min from now"
    some = WaitReason(cause=Cause.PEACE, count=3, next_at=NOW + HOUR, host="example.cz")
    assert said(some).startswith("3 hosts asked us to wait (example.cz until 09:00:00Z")


def test_several_reasons_end_with_the_first_moment() -> None:
    words = said(
        WaitReason(cause=Cause.TROUBLE, count=2, next_at=NOW + 90, host="a.example", trouble="timed_out"),
        WaitReason(
            cause=Cause.LOOKUP_AGAIN, count=1, next_at=NOW + 30, host="b.example", trouble="dns_failed"
        ),
        next_at=NOW + 30,
    )
    assert words == (
        "2 hosts are tried again later: no answer in time (a.example at 08:01:30Z); "
        "b.example is looked up again: name could not be looked up (at 08:00:30Z); "
        "next at 08:00:30Z, in 30.0 s"
    )


def test_a_pause_promises_no_moment() -> None:
    """It ends when the operator says so, not when a host has rested."""
    words = said(WaitReason(cause=Cause.OPERATOR), WaitReason(cause=Cause.REST, count=2), next_at=NOW + 100)
    assert words.startswith("paused by the operator, until `tiptoe resume`")
    assert "next at" not in words


def test_nothing_is_said_when_nothing_is_waited_for() -> None:
    assert said() == ""


def test_a_small_display_names_some_and_counts_the_others() -> None:
    reasons = [WaitReason(cause=Cause.REST, count=9), *([WaitReason(cause=Cause.BLOCKED, count=1)] * 3)]
    assert waiting_text(Waiting(reasons=reasons), NOW, reasons_max=2).endswith(
        "; 2 more reasons (tiptoe status)"
    )


def test_hosts_beyond_memory_are_not_left_out() -> None:
    assert said(WaitReason(cause=Cause.REST, count=2), more_hosts=1).endswith(
        "; 1 more host on disk behind them"
    )


def test_a_moment_far_away_has_its_date() -> None:
    assert moment_text(NOW + 59, NOW, UTC) == "08:00:59Z"
    assert moment_text(NOW + 3 * 86400, NOW, UTC) == "2027-01-18 08:00Z"


def test_a_crawl_that_brought_nothing_says_why_and_what_to_do() -> None:
    lines = failure_text(
        {"no_such_host": 4, "host_gone": 2, "robots_unreachable": 3, "http_404": 1, "ok": 1},
        {"no_such_host": 2, "refused": 1},
    )
    assert lines == [
        "2 hosts given up: name not found (check the spelling, and fetch.nameservers)",
        "1 host given up: connection refused (check the port, and fetch.proxy)",
        "1 time: not found (check the spelling of the seeds)",
    ]
    assert failure_text({}, {}) == ["there was nothing to request"]
    assert failure_text({}, {}, waiting=2) == ["2 addresses were not requested yet"]


def test_a_crawl_that_ends_before_blocked_hosts_says_so() -> None:
    """Else it is called finished while addresses wait."""
    left = blocked_text(Gauges(queued=3, unproductive=2, barred_hosts=1), Path("czech"))
    assert left.startswith("What is left, 1 address, is on hosts or at IP addresses that are blocked")
    assert "`tiptoe unblock HOST czech` allows requests to them again" in left
    assert blocked_text(Gauges(queued=3), Path("czech")) == ""
    assert blocked_text(Gauges(queued=2, unproductive=2, blocked_hosts=1), Path("czech")) == ""


def test_hosts_given_up_are_named_as_far_as_one_can_read_them() -> None:
    hosts = {f"h{number}.example": "refused" for number in range(9)}
    words = given_up_text(hosts, {"refused": 1000})
    assert words.startswith("h0.example (connection refused), h1.example")
    assert words.endswith("995 more hosts")
    assert given_up_text({}, {}) == ""


def test_hosts_that_only_earlier_runs_gave_up_are_told_by_reason() -> None:
    """Their names are not at hand, and there are no others that they could be added to."""
    assert given_up_text({}, {"no_such_host": 1}) == "1 host in earlier runs (name not found)"
    words = given_up_text({}, {"no_such_host": 2, "refused": 1, "reset": 0})
    assert words == "3 hosts in earlier runs (name not found: 2, connection refused: 1)"
    assert given_up_text({}, {"reset": 0}) == ""


def test_what_nobody_has_words_for_is_said_as_it_is() -> None:
    assert trouble_text("crawl_delay") == "crawl delay"


def test_what_was_heard_of_the_servers_of_a_cluster_is_told() -> None:
    """That their disk is full is nothing that one would look for in a crawl."""
    full = WaitReason(cause=Cause.SERVERS, trouble="insufficient storage resources available (10047)")
    assert said(full, next_at=NOW + HOUR) == (
        "the servers of the cluster do not confirm what this machine holds (insufficient storage resources "
        "available (10047)); it requests nothing"
    )
