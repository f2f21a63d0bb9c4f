"""Options of wget and HTTrack are told by our names."""

import functools
import re
from pathlib import Path

import pytest

from tiptoe.cli.command_tree import declared_commands
from tiptoe.cli.foreign_options import FOREIGN_OPTIONS, foreign_option_message
from tiptoe.cli.main import app, main

PAGE = Path(__file__).parents[3] / "docs" / "coming-from.md"


@functools.cache  # importing every command takes its time
def crawl_options() -> set[str]:
    (crawl,) = (command for command in declared_commands(app).walk() if command.words == ("crawl",))
    return {name for word in crawl.options for name in word.names}


def test_what_is_said_in_their_place_exists() -> None:
    named = {word for said in FOREIGN_OPTIONS.values() for word in re.findall(r"--[a-z-]+", said)}
    assert len(named) > 15
    assert named <= crawl_options()


def test_none_of_them_is_an_option_of_ours() -> None:
    assert set(FOREIGN_OPTIONS).isdisjoint(crawl_options())


@pytest.mark.parametrize("tool", ["wget", "HTTrack"])
def test_every_option_of_the_page_for_newcomers_is_told(tool: str) -> None:
    part = PAGE.read_text(encoding="utf-8").split(f"\n## {tool}\n")[1].split("\n## ")[0]
    theirs = {
        span.split()[0].partition("=")[0]
        for row in re.findall(r"^\|(.*?)\|", part, re.MULTILINE)
        for span in re.findall(r"`(-[^`*]+)`", row)
    }
    assert len(theirs) > 10
    assert {option for option in theirs if not foreign_option_message(option)} <= crawl_options()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["crawl", "a.example", "--level=2"], "Unknown option: --level=2; here it is --depth; `tiptoe crawl"),
        (["crawl", "a.example", "-r"], "Unknown option: -r; here it is not needed: links are followed; "),
        (["crawl", "a.example", "-z"], "Unknown option: -z; `tiptoe crawl --help` explains"),
        (["stats", "-r"], "Unknown option: -r; `tiptoe stats --help` explains"),
    ],
)
def test_who_types_them_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], expected: str
) -> None:
    monkeypatch.setattr("sys.argv", ["tiptoe", *words])
    with pytest.raises(SystemExit):
        main()
    assert expected in capsys.readouterr().err
