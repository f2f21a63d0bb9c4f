"""The command and its parts."""

import pytest

import tiptoe.cli.main
from tiptoe import __version__
from tiptoe.cli.main import app, main
from tiptoe.errors import CrawlerError

COMMANDS = (
    "crawl",
    "rehearse",
    "status",
    "pause",
    "resume",
    "block",
    "unblock",
    "slow",
    "stop",
    "config",
    "botpage",
)


def run(*words: str) -> object:
    """Run the command line; return its exit code."""
    with pytest.raises(SystemExit) as ended:
        app(words)
    return ended.value.code


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert not run(command, "--help")
    assert f"Usage: tiptoe {command}" in capsys.readouterr().out


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert not run("--help")
    printed = capsys.readouterr().out
    assert [command for command in COMMANDS if command not in printed] == []


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert not run("--version")
    assert capsys.readouterr().out.strip() == __version__


def test_an_unknown_command_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("crwal")
    printed = capsys.readouterr()
    assert "crwal" in printed.err + printed.out


def fails_with(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(tiptoe.cli.main, "app", fail)


def exit_code_of_main() -> object:
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code


def test_our_own_faults_are_a_line_and_not_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Brackets in a path are part of the path."""
    fails_with(monkeypatch, CrawlerError("/data/[2026]/crawl: in use"))
    assert exit_code_of_main() == 2
    assert capsys.readouterr().err == "tiptoe: /data/[2026]/crawl: in use\n"


def test_an_early_ctrl_c_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fails_with(monkeypatch, KeyboardInterrupt())
    assert exit_code_of_main() == 130
    assert capsys.readouterr().err == ""
