"""Manual pages and help: do they fit, and does `man` understand them?"""

import io
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from rich.console import Console

from tiptoe.cli.command_tree import DeclaredCommand, declared_commands
from tiptoe.cli.fitted_examples import fitted_examples
from tiptoe.cli.main import app, main
from tiptoe.cli.manual_pages import manual_pages


@pytest.fixture(scope="module")
def commands() -> DeclaredCommand:
    return declared_commands(app)


@pytest.fixture(scope="module")
def helps(commands: DeclaredCommand) -> list[tuple[DeclaredCommand, str]]:
    """Every command with its help, as a terminal of eighty columns has it."""
    return [(command, help_of(command)) for command in commands.walk()]


def help_of(command: DeclaredCommand) -> str:
    printed = io.StringIO()
    app.help_print(list(command.words), console=Console(file=printed, width=80))
    return printed.getvalue()


def test_help_fits_eighty_columns(helps: list[tuple[DeclaredCommand, str]]) -> None:
    """A line that is folded is hard to read; an example that is folded cannot be copied."""
    for command, printed in helps:
        assert [line for line in printed.splitlines() if len(line) > 80] == [], command.words
        assert [line for line in command.examples.splitlines() if len(line) > 78] == [], command.words


def test_help_has_no_option_that_means_nothing(helps: list[tuple[DeclaredCommand, str]]) -> None:
    for command, printed in helps:
        assert "--empty-" not in printed, command.words
        assert "[default: ()]" not in printed, command.words


def test_help_cuts_no_title(helps: list[tuple[DeclaredCommand, str]]) -> None:
    for command, printed in helps:
        titles = {word.group for word in (*command.places, *command.options)} - {"Options"}
        assert [title for title in titles if title not in printed] == [], command.words


@pytest.mark.parametrize(
    ("words", "usage"),
    [
        (("block",), "tiptoe block TARGET [DIRECTORY]"),
        (("crawl",), "tiptoe crawl [SEEDS...] [OPTIONS]"),
        (("export",), "tiptoe export [DIRECTORY] [OTHERS...] --format FORMAT [OPTIONS]"),
        (("cluster", "users"), "tiptoe cluster users --dir PATH"),
        (("cluster",), "tiptoe cluster COMMAND"),
    ],
)
def test_help_names_what_a_command_takes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], usage: str
) -> None:
    """`[ARGS]` tells nobody what to type."""
    monkeypatch.setattr("sys.argv", ["tiptoe", *words, "--help"])
    with pytest.raises(SystemExit):
        main()
    assert capsys.readouterr().out.splitlines()[0] == f"Usage: {usage}"


def test_long_examples_are_folded_as_a_shell_reads_them() -> None:
    text = "For example:\n```\n{}\n```\n"
    short = "tiptoe crawl a.example"
    assert fitted_examples(short) == text.format(short)
    remarked = f"{short}{' ' * 50}# a remark that fits"
    assert fitted_examples(remarked) == text.format(f"{short}  # a remark that fits")
    long = f"tiptoe crawl a.example --contact {'x' * 30} --out {'y' * 30}  # why"
    folded = f"# why\ntiptoe crawl a.example --contact {'x' * 30} \\\n    --out {'y' * 30}"
    assert fitted_examples(long) == text.format(folded)
    assert fitted_examples(f"On Mondays:\n{short}\n") == f"On Mondays:\n```\n{short}\n```\n"
    assert fitted_examples("") == ""


def test_there_is_a_page_for_every_command(commands: DeclaredCommand) -> None:
    pages = manual_pages(commands)
    assert {"tiptoe.1", "tiptoe-crawl.1", "tiptoe-cluster-add-user.1"} <= pages.keys()
    assert len(pages) == len(list(commands.walk()))
    crawl = pages["tiptoe-crawl.1"]
    assert "\\fB\\-\\-req\\-delay\\fR \\fIDURATION\\fR" in crawl
    assert "\\(aq\\e.cz$\\(aq" in crawl, "what is typed is printed as it is"


def test_pages_tell_defaults_as_help_does(commands: DeclaredCommand) -> None:
    pages = manual_pages(commands)
    (why,) = (text for name, text in pages.items() if name == "tiptoe-why.1")
    (slow,) = (text for name, text in pages.items() if name == "tiptoe-slow.1")
    assert "Directory of the crawl. [default: crawl]" in why
    assert "[default: 60s]" in slow
    assert not [name for name, text in pages.items() if re.search(r"\[default: (False|None)?\]", text)]


def test_what_looks_like_a_request_of_man_is_text() -> None:
    command = DeclaredCommand(words=("x",), help=".so /etc/passwd\n\n`a-b` \\*x", examples="")
    page = manual_pages(command)["tiptoe-x.1"].splitlines()
    assert "\\&.so /etc/passwd" in page
    assert "\\fBa\\-b\\fR \\e*x" in page


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_man_understands_the_pages(commands: DeclaredCommand, tmp_path: Path) -> None:
    for name, text in manual_pages(commands).items():
        (tmp_path / name).write_text(text)
    said = subprocess.run(
        ["groff", "-ww", "-man", "-Tutf8", "-z", *sorted(tmp_path.glob("*.1"))],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert said.stderr == ""
