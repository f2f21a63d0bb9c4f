"""The command and its parts."""

import errno
import os
import re
import subprocess
import sys

import pytest

import tiptoe.cli.main
from tiptoe import __version__
from tiptoe.cli.exits import Exit
from tiptoe.cli.main import app, main
from tiptoe.errors import CrawlerError

COMMANDS = (
    "crawl",
    "repair",
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


@pytest.mark.parametrize("words", [["help"], ["help", "crawl"], ["help", "cluster", "try"]])
def test_help_may_be_a_word(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first thing that many try."""
    monkeypatch.setattr(sys, "argv", ["tiptoe", *words])
    assert exit_code_of_main() == 0
    assert capsys.readouterr().out.startswith(f"Usage: {' '.join(['tiptoe', *words[1:]])} ")


def test_help_that_lists_commands_imports_none_of_them() -> None:
    """All of them together are a thousand modules, for a page that names them."""
    told = "import atexit, sys; atexit.register(lambda: sys.stderr.write(' '.join(sys.modules)));"
    start = f"{told} from tiptoe.cli.main import main; sys.argv = ['tiptoe', '--help']; main()"
    run = subprocess.run([sys.executable, "-c", start], check=True, capture_output=True, text=True)
    assert run.stdout.startswith("Usage: tiptoe COMMAND\n")
    assert [name for name in run.stderr.split() if name.startswith("tiptoe.cli.") and "command" in name] == [
        "tiptoe.cli.command_tree"
    ]


def test_commands_are_listed_as_they_are_needed(capsys: pytest.CaptureFixture[str]) -> None:
    """What comes first by the alphabet is not what a newcomer looks for."""
    run("--help")
    listed = re.findall(r"^│ ([a-z]+) ", capsys.readouterr().out, re.MULTILINE)
    assert listed[:7] == ["crawl", "convert", "read", "repair", "forget", "rehearse", "status"]


def test_help_tells_defaults_that_say_something(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    for command in (["audit"], ["history"], ["rehearse"], ["segmenter", "catch-up"]):
        run(*command, "--help")
        printed = capsys.readouterr().out
        assert not re.search(r"default: (None|False|\"\")", printed)
        assert "default: " in printed or command == ["history"]


def test_help_of_a_rehearsal_tells_its_own_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever reads that it pauses for five seconds will not try it."""
    run("rehearse", "--help")
    printed = re.sub(r"[│\s]+", " ", capsys.readouterr().out)  # on a narrow terminal it is folded
    for option, default in (("--req-delay", "100ms"), ("--out", "rehearsal")):
        told = re.search(rf"{option} .*?\[default: ([^]]*)\]", printed)
        assert told is not None
        assert told[1] == default


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert not run("--version")
    assert capsys.readouterr().out.strip() == __version__


def test_an_unknown_command_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("crwal")
    printed = capsys.readouterr()
    assert "crwal" in printed.err + printed.out


def fails_with(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail(*_: object, **__: object) -> None:
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


def test_a_file_that_may_not_be_read_is_a_line_and_not_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Crawls of colleagues, disks of others: the likeliest fault that is nobody's bug."""
    fails_with(monkeypatch, PermissionError(errno.EACCES, "Permission denied", "czech/log"))
    assert exit_code_of_main() == 2
    assert capsys.readouterr().err == "tiptoe: czech/log: Permission denied\n"


def test_a_full_disk_is_a_line_and_not_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fails_with(monkeypatch, OSError(errno.ENOSPC, "No space left on device"))
    assert exit_code_of_main() == 2
    said = "the disk is full (or a quota is used up); make room, then repeat the command"
    assert capsys.readouterr().err == f"tiptoe: {said}\n"


def test_what_the_operator_cannot_help_is_not_hushed_up(monkeypatch: pytest.MonkeyPatch) -> None:
    fails_with(monkeypatch, OSError(errno.EBADF, "Bad file descriptor"))
    with pytest.raises(OSError, match="Bad file descriptor"):
        main()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["export", "czech"],
            "tiptoe: --format is missing: one of jsonl, parquet, duckdb, vertical, txt, wacz, site; "
            "`tiptoe export --help` explains\n",
        ),
        (["crawl", "--contct", "x"], "Did you mean --contact? `tiptoe crawl --help` explains\n"),
        (["crwal"], 'Did you mean "crawl"? `tiptoe --help` explains\n'),
        (
            ["audit", "czech", "--html"],
            "tiptoe: --html: its value is missing; `tiptoe audit --help` explains\n",
        ),
        (
            ["search", "czech", "-voda"],
            "tiptoe: Unknown option: -voda; if it is the query, put -- before it, or write NOT for the -; "
            "`tiptoe search --help` explains\n",
        ),
        (["history", "czech"], "tiptoe: URL is missing; `tiptoe history --help` explains\n"),
        (
            ["export", "czech", "--format", "pdf"],
            "tiptoe: --format pdf: expected one of jsonl, parquet, duckdb, vertical, txt, wacz, site; "
            "`tiptoe export --help` explains\n",
        ),
        (
            ["search", "czech", "voda", "--limit", "few"],
            "tiptoe: --limit few: expected a whole number; `tiptoe search --help` explains\n",
        ),
        (
            ["completion", "tcsh"],
            "tiptoe: SHELL tcsh: expected one of bash, zsh, fish; `tiptoe completion --help` explains\n",
        ),
        (
            ["crawl", "--export", "txt", "--export", "site"],
            "tiptoe: --export is given more than once; `tiptoe crawl --help` explains\n",
        ),
        (
            ["rehearse", "--background"],
            "tiptoe: Unknown option: --background; `tiptoe rehearse --help` explains\n",
        ),
        (["crawl", "--pages", "5"], "--pages. Did you mean --max-pages? `tiptoe crawl --help` explains\n"),
        (["crawl", "--lang", "cs"], "--lang. Did you mean --languages? `tiptoe crawl --help` explains\n"),
    ],
)
def test_a_mistyped_command_is_answered_in_one_line(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(sys, "argv", ["tiptoe", *words])
    assert exit_code_of_main() == 2
    printed = capsys.readouterr().err
    assert printed.endswith(said)
    assert printed.count("\n") == 1


@pytest.mark.parametrize("encoding", ["ascii", "iso-8859-2"])
def test_files_and_pipes_get_utf_8_whatever_the_locale(encoding: str) -> None:
    """A page for webmasters says that it is UTF-8; a report with a dash in it must not break off."""
    command = [
        sys.executable,
        "-m",
        "tiptoe",
        "botpage",
        "--contact",
        "a@example.org",
        "--purpose",
        "Korpus – 語",
    ]
    ended = subprocess.run(
        command,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert "Korpus – 語" in ended.stdout.decode("utf-8")


def test_whoever_interrupts_the_start_is_shown_no_traceback() -> None:
    """Loading takes a moment, and that is when one notices a slip of the pen."""
    interrupted = (
        "import sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'tiptoe.cli.main': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from tiptoe.__main__ import main\n"
        "main()\n"
    )
    ended = subprocess.run([sys.executable, "-c", interrupted], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (Exit.INTERRUPTED, "")
