"""A word with a running crawl, without the crawl."""

import json
import re
import time
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from cli_samples import running_keeper

from tiptoe.audit.auditor import audit
from tiptoe.audit.text import report_lines
from tiptoe.cli import control_commands as control
from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.keeper.directory import CrawlDirectory, find_keeper
from tiptoe.keeper.running_crawl import ask
from tiptoe.keeper.settings_file import recall, remember
from tiptoe.observe.run_figures import write_figures
from tiptoe.observe.stops import Stop
from tiptoe.protocol.operator import Done
from tiptoe.protocol.status import Status
from tiptoe.protocol.work import Request
from tiptoe.store.rocks import RocksStore
from tiptoe.write.logentries import RequestEntry, Terms
from tiptoe.write.requestlog import RequestLog

TERMS = Terms(
    user_agent="tiptoe/0.1.0 (+https://example.org/bot)", agent="tiptoe",
    req_delay=5.0, max_hosts=2, max_reqs=3, general_pause=300.0, slow_factor=2.0, delay_max=60.0,
    retry_after_max=3600.0, backoff_first=60.0, robots_expiry=86_400.0,
)  # fmt: skip


def test_nobody_to_talk_to_is_said(tmp_path: Path) -> None:
    """A mistyped directory is the likeliest mistake of all."""
    with pytest.raises(SettingsError, match="nowhere: not the directory of a crawl; there is no such dir"):
        control.status(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("because", "expected"),
    [
        (Stop.FINISHED, "the last run ended at 2026-11-17 22:27 UTC: nothing left to request. `tiptoe stats"),
        ("", "the last run was cut short at about 2026-11-17 22:27 UTC. `tiptoe stats"),
    ],
)
def test_of_a_crawl_that_has_ended_it_is_said_when_and_why(
    tmp_path: Path, because: str, expected: str
) -> None:
    """Whoever asks for its status wants to know just that."""
    path = stopped_crawl(tmp_path / "crawl")
    ended_at = datetime(2026, 11, 17, 22, 27, tzinfo=UTC).timestamp()
    (path / "log").mkdir(exist_ok=True)
    write_figures(
        path, Status(started_at=ended_at - 9000.0, now=ended_at - 8000.0, stopped_because="operator")
    )
    write_figures(path, Status(started_at=ended_at - 60.0, now=ended_at, stopped_because=because))
    with pytest.raises(SettingsError, match=re.escape(f"no crawl is running there; {expected}")):
        control.status(path)


def test_status_as_json_has_all_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running_keeper(tmp_path / "crawl") as keeper:
        keeper.frontier.counters.totals.pages = 12
        assert control.status(tmp_path / "crawl", as_json=True) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["pages"] == 12
    assert figures["holds"] == []
    assert {"requests", "queued", "outcomes", "discards", "harvesters"} <= set(figures)


def test_status_for_people_names_every_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running_keeper(tmp_path / "crawl") as keeper:
        keeper.frontier.counters.totals.pages = 12_345
        keeper.frontier.counters.totals.outcomes["ok"] = 7
        control.status(tmp_path / "crawl")
    printed = capsys.readouterr().out
    assert "12 345" in printed
    assert "ok 7" in printed


def test_status_keeps_apart_what_was_asked_and_what_was_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with running_keeper(tmp_path / "crawl") as keeper:
        keeper.frontier.counters.totals.outcomes.update({"ok": 7, "disallowed": 2, "no_such_host": 1})
        keeper.frontier.counters.totals.discards["disallowed"] = 2
        control.status(tmp_path / "crawl")
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["what", "came", "of", "requests", "ok", "7"] in rows
    assert ["not", "requested", "no_such_host", "1"] in rows
    assert ["left", "out", "disallowed", "2"] in rows


def test_status_tells_of_revisits_and_yield_when_there_are_any(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with running_keeper(tmp_path / "crawl") as keeper:
        control.status(tmp_path / "crawl")
        plain = capsys.readouterr().out
        counters = keeper.frontier.counters
        counters.gauges.unproductive_hosts, counters.gauges.unproductive, counters.totals.usable_chars = (
            2,
            700,
            12_345,
        )
        counters.totals.revisits, counters.totals.revisits_changed, counters.learned.account.pages = 9, 4, 50
        counters.totals.watched_seconds, counters.totals.fresh_seconds, counters.totals.aged_seconds = (
            100.0,
            75.0,
            500.0,
        )
        control.status(tmp_path / "crawl")
        told = capsys.readouterr().out
        control.status(tmp_path / "crawl", as_json=True)
        figures = json.loads(capsys.readouterr().out)
    for label in ("left alone for too little text", "usable", "visited again", "copies", "fresh_seconds"):
        assert label not in plain
    rows = dict(re.split(r"\s{2,}", line.strip(), maxsplit=1) for line in told.splitlines())
    assert rows["hosts left alone for too little text"] == "2"
    assert rows["addresses waiting there"] == "700"
    assert rows["usable ones of them"] == "12 345"
    assert rows["pages visited again so far"] == "9"
    assert rows["addresses to visit again"] == "50"
    assert rows["copies of these pages"] == "75.0 % up to date, 5.0 s behind, mean"
    assert (figures["fresh_seconds"], figures["unproductive"], figures["watched"]) == (75.0, 700, 50)


def test_pause_and_resume_change_the_holds(tmp_path: Path) -> None:
    with running_keeper(tmp_path / "crawl") as keeper:
        control.pause(tmp_path / "crawl")
        assert keeper.holds == {"operator"}
        control.resume(tmp_path / "crawl")
        assert keeper.holds == set()


def test_a_hold_of_another_kind_outlives_resume(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The operator cannot talk a full disk away."""
    with running_keeper(tmp_path / "crawl") as keeper:
        keeper.hold("disk")
        control.resume(tmp_path / "crawl")
        assert keeper.holds == {"disk"}
    assert "still held: disk" in capsys.readouterr().out


def test_a_host_is_blocked_under_any_spelling(tmp_path: Path) -> None:
    with running_keeper(tmp_path / "crawl") as keeper:
        control.block("A.Example.", tmp_path / "crawl")
        record = keeper.frontier.host("a.example")
        assert record is not None
        assert record.is_blocked
        control.unblock("a.example", tmp_path / "crawl")
        assert not record.is_blocked


def test_a_slowed_host_remembers_its_delay(tmp_path: Path) -> None:
    with running_keeper(tmp_path / "crawl") as keeper:
        control.slow("a.example", tmp_path / "crawl", delay="2m")
        record = keeper.frontier.host("a.example")
        assert record is not None
        assert record.slowed_to == 120.0


@pytest.mark.parametrize("delay", ["soon", "-1s", ""])
def test_a_delay_that_is_none_is_refused(tmp_path: Path, delay: str) -> None:
    with running_keeper(tmp_path / "crawl"), pytest.raises(CrawlerError):
        control.slow("a.example", tmp_path / "crawl", delay=delay)


def test_the_host_of_a_page_is_named_where_a_host_is_wanted(tmp_path: Path) -> None:
    """Copied from the browser, as the webmaster wrote it."""
    with running_keeper(tmp_path / "crawl"), pytest.raises(CrawlerError, match=r"its host is a\.example$"):
        control.block("https://a.example:8000/x", tmp_path / "crawl")


@pytest.mark.parametrize("target", ["https://a.example/", "  ", "a.example/x"])
def test_a_target_that_is_no_host_is_refused(tmp_path: Path, target: str) -> None:
    with running_keeper(tmp_path / "crawl"), pytest.raises(CrawlerError, match="no host name"):
        control.block(target, tmp_path / "crawl")


class Dance(msgspec.Struct, tag="dance", array_like=True):
    """A command that this keeper does not know."""


def test_an_unknown_command_is_refused_with_a_reason(tmp_path: Path) -> None:
    """An older keeper may be asked by a newer command."""
    with running_keeper(tmp_path / "crawl"), pytest.raises(CrawlerError, match=r"'dance'.*same version"):
        ask(tmp_path / "crawl", Dance(), Done)  # type: ignore[arg-type]


def test_stop_returns_when_the_directory_is_free(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running_keeper(tmp_path / "crawl") as keeper:
        assert control.stop(tmp_path / "crawl") == 0
        assert keeper.figures.stopped_because is Stop.OPERATOR
    assert capsys.readouterr().out.endswith("stopped\n")


def stopped_crawl(path: Path) -> Path:
    """Make a crawl that does not run; it wants two pages of a.example."""
    directory = CrawlDirectory(path)
    directory.claim(["http://a.example/"], before_first=lambda: remember(path, {}))
    store = RocksStore(path / "state" / "frontier", block_cache_bytes=1 << 20, write_buffer_bytes=1 << 20)
    frontier = Frontier(store, FrontierPolicy())
    frontier.add([Request("http://a.example/"), Request("http://a.example/b")], time.time())
    frontier.new_hosts(1)
    frontier.resolved_all([("a.example", "192.0.2.1", "")], time.time())
    store.close()
    directory.release()
    return path


def handed_out(path: Path) -> list[str]:
    """Return the hosts that the next run visits, and with which pause."""
    store = RocksStore(path / "state" / "frontier", block_cache_bytes=1 << 20, write_buffer_bytes=1 << 20)
    frontier = Frontier(store, FrontierPolicy())
    frontier.tick(time.time() + 1.0)
    visits = frontier.visits(10, "h1", time.time() + 1.0)
    frontier.check()
    store.close()
    return [f"{work.host} {work.delay:g}" for visit in visits for work in visit.hosts]


@pytest.mark.parametrize("target", ["a.example", "192.0.2.1"])
def test_a_crawl_that_does_not_run_remembers_what_it_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], target: str
) -> None:
    """A complaint comes on Sunday, when nothing runs; nobody must be asked on Monday."""
    path = stopped_crawl(tmp_path / "crawl")
    assert control.block(target, path) == 0
    assert target in capsys.readouterr().out
    assert handed_out(path) == []
    control.unblock(target, path)
    control.slow(target, path, delay="2m")
    assert handed_out(path) == ["a.example 120"]
    assert find_keeper(path) is None


@pytest.mark.parametrize(
    ("delay", "expected"),
    [
        ("10s", "gets requests as often as the settings say, at most every 20 s"),
        ("30s", "gets requests at most every 30 s"),
    ],
)
def test_whether_a_host_is_slowed_is_judged_by_what_the_crawl_remembers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], delay: str, expected: str
) -> None:
    path = stopped_crawl(tmp_path / "crawl")
    remember(path, {"politeness.req_delay": "20s"})
    control.slow("a.example", path, delay=delay)
    assert capsys.readouterr().out == f"a.example {expected}, from the next start of the crawl on\n"


@pytest.mark.parametrize(("wish", "is_told"), [("block", True), ("slow", True), ("unblock", False)])
def test_a_word_to_a_crawl_that_does_not_run_stands_in_the_report(
    tmp_path: Path, wish: str, is_told: bool
) -> None:
    """The webmaster who complained on Sunday is answered on Sunday."""
    path = stopped_crawl(tmp_path / "crawl")
    log = RequestLog(path, "h1-0001", terms=TERMS)
    log.write_request(
        RequestEntry(
            started_at=1.0, ended_at=2.0, host="a.example", address="192.0.2.1",
            url="http://a.example/robots.txt", purpose="robots", robots="exempt", delay=0.0, visit="1",
            harvester="h1", status=404,
        )
    )  # fmt: skip
    log.close()
    getattr(control, wish)("A.example", path)
    report = "\n".join(report_lines(audit(path, "a.example")))
    assert ("the host is blocked, or is to get fewer requests" in report) is is_told


def test_a_wish_where_no_crawl_lives_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="not the directory of a crawl; there is no such directory"):
        control.block("a.example", tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()
    with pytest.raises(CrawlerError, match="no host name"):
        control.unblock("http://a.example/", stopped_crawl(tmp_path / "crawl"))


@pytest.mark.parametrize("typed", ["Häuser.example", "HÄUSER.EXAMPLE.", "xn--huser-gra.example"])
def test_a_host_is_blocked_however_its_name_is_typed(tmp_path: Path, typed: str) -> None:
    """A block under a name that the crawl does not use would be a promise that nobody keeps."""
    with running_keeper(tmp_path / "crawl") as keeper:
        control.block(typed, tmp_path / "crawl")
        record = keeper.frontier.host("xn--huser-gra.example")
    assert record is not None
    assert record.is_blocked


@pytest.mark.parametrize("typed", ["not a host", "a..example", ".example", f"{'a' * 64}.example", "a." * 130])
def test_what_cannot_be_a_host_is_not_said_to_be_blocked(typed: str, tmp_path: Path) -> None:
    with running_keeper(tmp_path / "crawl"), pytest.raises(SettingsError, match="no host name"):
        control.block(typed, tmp_path / "crawl")


def test_of_a_crawl_that_has_stopped_the_way_to_its_figures_is_told(tmp_path: Path) -> None:
    crawl = tmp_path / "my crawl"
    crawl.mkdir()
    (crawl / "crawl.json").write_text("{}")
    with pytest.raises(SettingsError, match=f"`tiptoe stats '{crawl}'`"):
        control.status(crawl)


def test_what_holds_a_crawl_up_is_said_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running_keeper(tmp_path / "crawl") as keeper:
        control.pause(tmp_path / "crawl")
        keeper.frontier.counters.totals.outcomes = {"http_404": 3, "ok": 70}
        capsys.readouterr()
        control.status(tmp_path / "crawl")
    printed = capsys.readouterr().out
    assert printed.split()[:3] == ["PAUSED", "by", "operator"]
    assert "ok 70, http_404 3" in printed


def test_status_says_what_came_instead_of_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And which setting can change it."""
    with running_keeper(tmp_path / "crawl") as keeper:
        keeper.frontier.counters.totals.outcomes["private_address"] = 3
        keeper.frontier.counters.gauges.gone_hosts["private_address"] = 3
        control.status(tmp_path / "crawl")
        assert "fetch.allow_networks" in capsys.readouterr().out
        keeper.frontier.counters.totals.pages = 1
        control.status(tmp_path / "crawl")
    assert "fetch.allow_networks" not in capsys.readouterr().out


def test_settings_are_changed_remembered_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crawl = tmp_path / "crawl"
    with running_keeper(crawl) as keeper:
        control.set_(crawl, "politeness.req_delay=12s", "crawl.max_pages = 70")
        assert keeper.frontier.policy.politeness.req_delay == 12.0
        assert (keeper.frontier.policy.pages_max, keeper.plan.harvesters) == (70, 1)
        control.set_(crawl, "harvest.harvesters=4", "politeness.req_delay=default")
        assert keeper.plan.harvesters == 4
        control.set_(crawl, "harvest.harvesters=4")
    assert capsys.readouterr().out.splitlines() == [
        "crawl.max_pages unlimited -> 70",
        "politeness.req_delay 5s -> 12s",
        "politeness.req_delay 12s -> 5s",
        "harvest.harvesters 1 -> 4",
        "nothing has changed: so it was before",
    ]
    remembered = recall(crawl) or {}
    assert remembered == remembered | {"crawl.max_pages": 70, "harvest.harvesters": 4}
    assert "politeness.req_delay" not in remembered


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["politeness.req_delay=10ms"], "at least 1s"),
        (["politeness.req_delya=10s"], "did you mean politeness.req_delay"),
        (["fetch.body_max=1MiB"], "cannot be changed while the crawl runs"),
        (["politeness.req_delay"], "expected section.key=value"),
        (["crawl.max_pages=1", "crawl.max_pages=2"], "expected section.key=value once"),
        ([], "no setting is named"),
    ],
)
def test_a_setting_that_cannot_be_changed_is_refused_and_nothing_changes(
    tmp_path: Path, words: list[str], said: str
) -> None:
    crawl = tmp_path / "crawl"
    with running_keeper(crawl) as keeper:
        before = recall(crawl)
        with pytest.raises(CrawlerError, match=said):
            control.set_(crawl, *words)
        assert recall(crawl) == before
        assert keeper.frontier.policy.pages_max == 0


def test_settings_of_a_crawl_that_does_not_run_are_for_its_next_start(tmp_path: Path) -> None:
    """There what has changed is compared, and hosts that were given up are judged anew."""
    with pytest.raises(SettingsError, match=r"--set crawl\.max_pages=9"):
        control.set_(stopped_crawl(tmp_path / "crawl"), "crawl.max_pages=9")


@pytest.mark.parametrize(
    ("assignment", "said"),
    [
        ("politeness.req_delay=-1", "set politeness.req_delay=-1: "),
        ("politeness.req_dealy=9s", "no such setting; did you mean politeness.req_delay"),
        ("crawl.name=other", "has crawl.name = tiptoe, which stays as it is"),
    ],
)
def test_settings_that_the_next_start_would_refuse_are_refused_at_once(
    tmp_path: Path, assignment: str, said: str
) -> None:
    """A line that is offered must work."""
    with pytest.raises(SettingsError) as caught:
        control.set_(stopped_crawl(tmp_path / "crawl"), assignment)
    assert said in str(caught.value)
    assert "continues it with that" not in str(caught.value)
