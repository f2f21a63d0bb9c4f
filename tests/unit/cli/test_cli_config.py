"""Which settings are in force, and who said so?"""

import io
import json
from pathlib import Path

import pytest
from cyclopts import App
from rich.console import Console

from tiptoe.cli.config import config_command, print_table
from tiptoe.settings.layers import Settings
from tiptoe.settings.schema import SETTINGS


def config(*words: str) -> None:
    app = App(name="tiptoe", result_action="return_value")
    app.command(config_command, name="config")
    app(["config", *words], exit_on_error=False)


def test_json_tells_all_there_is_to_know(capsys: pytest.CaptureFixture[str]) -> None:
    config("--format", "json", "--req-delay", "2s")
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert list(rows) == list(SETTINGS)
    assert rows["politeness.req_delay"] == {
        "name": "politeness.req_delay",
        "value": 2.0,
        "written": "2s",
        "origin": "--req-delay",
        "default": 5.0,
        "kind": "duration",
        "unit": "seconds",
        "at_least": 1.0,
        "at_most": 86400.0,
        "option": "--req-delay",
        "help": SETTINGS["politeness.req_delay"].help,
    }


def test_toml_is_a_file_to_start_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config("--format", "toml", "--set", "scope.depth=3")
    file = tmp_path / "crawl.toml"
    file.write_text(capsys.readouterr().out)
    assert Settings.load(file) == Settings.load(None, {"scope.depth": 3})


def test_the_table_has_every_setting(capsys: pytest.CaptureFixture[str]) -> None:
    """HAR-5: one table documents all."""
    config()
    text = capsys.readouterr().out
    assert [name for name, setting in SETTINGS.items() if f" {setting.key} " not in text] == []


def test_the_table_shows_values_and_who_set_them() -> None:
    settings = Settings.load(None, {"scope.include": ["[a-z]+"], "politeness.req_delay": "1m30s"})
    screen = io.StringIO()
    print_table(settings, Console(file=screen, width=200))
    rows = [" ".join(line.split()) for line in screen.getvalue().splitlines()]
    assert any("include" in row and "[a-z]+" in row and "--include" in row for row in rows)
    assert any("req_delay" in row and "1m30s" in row and "--req-delay" in row and "5s" in row for row in rows)
