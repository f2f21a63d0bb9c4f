"""A word with a running crawl, without the crawl."""

import json
from pathlib import Path

import pytest
from cli_samples import running_keeper

from tiptoe.cli import control
from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.keeper.protocol import Command


def test_nobody_to_talk_to_is_said(tmp_path: Path) -> None:
    """A mistyped directory is the likeliest mistake of all."""
    with pytest.raises(SettingsError, match="no crawl is running there"):
        control.status(tmp_path / "nowhere")


def test_status_as_json_has_all_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running_keeper(tmp_path / "crawl") as keeper:
        keeper.frontier.counters.pages = 12
        assert control.status(tmp_path / "crawl", as_json=True) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["pages"] == 12
    assert figures["holds"] == []
    assert {"requests", "queued", "outcomes", "discards", "harvesters"} <= set(figures)


def test_status_for_people_names_every_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running_keeper(tmp_path / "crawl") as keeper:
        keeper.frontier.counters.pages = 12_345
        keeper.frontier.counters.outcomes["ok"] = 7
        control.status(tmp_path / "crawl")
    printed = capsys.readouterr().out
    assert "12 345" in printed
    assert "ok 7" in printed


def test_pause_and_resume_change_the_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running_keeper(tmp_path / "crawl") as keeper:
        control.pause(tmp_path / "crawl")
        assert keeper.holds == {"operator"}
        control.resume(tmp_path / "crawl")
        assert keeper.holds == set()
    assert "the crawl goes on" in capsys.readouterr().out


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


@pytest.mark.parametrize("target", ["https://a.example/", "  ", "a.example/x"])
def test_a_target_that_is_no_host_is_refused(tmp_path: Path, target: str) -> None:
    with running_keeper(tmp_path / "crawl"), pytest.raises(CrawlerError, match="no host name"):
        control.block(target, tmp_path / "crawl")


def test_an_unknown_verb_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    """An older keeper may be asked by a newer command."""
    with running_keeper(tmp_path / "crawl"), pytest.raises(CrawlerError, match="pause, resume"):
        control.ask(tmp_path / "crawl", Command("dance"))


def test_stop_returns_when_the_directory_is_free(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running_keeper(tmp_path / "crawl") as keeper:
        assert control.stop(tmp_path / "crawl") == 0
        assert keeper.figures.stopped_because == "stopped by the operator"
    assert capsys.readouterr().out.endswith("stopped\n")
