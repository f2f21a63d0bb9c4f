"""Which settings are in force, and who said so?"""

import io
import json
import re
from pathlib import Path

import pytest
from cyclopts import App
from rich.console import Console

from tiptoe.cli.config_command import config_command, print_table
from tiptoe.cli.crawl_command import crawl_command
from tiptoe.errors import SettingsError
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.settings_file import remember
from tiptoe.settings.layers import Settings
from tiptoe.settings.schema import SETTINGS


def config(*words: str) -> None:
    run("config", *words)


def run(*words: str) -> None:
    app = App(name="tiptoe", result_action="return_value")
    app.command(config_command, name="config")
    app.command(crawl_command, name="crawl")
    app(words, exit_on_error=False)


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
        "live": True,
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


def test_a_word_has_no_unit_and_one_is_no_plural() -> None:
    """Nobody reads on at `unlimited pages`, but everybody stumbles."""
    output = io.StringIO()
    settings = Settings.load(overrides={"crawl.pages_per_host": 1, "crawl.seeds": ["http://a.example/"]})
    print_table(settings, Console(file=output, width=200))
    printed = output.getvalue()
    assert "unlimited pages" not in printed
    assert re.search(r"pages_per_host +1 page ", printed)
    assert not re.search(r" 1 (?:pages|hosts|lines|links|requests)\b", printed)


@pytest.mark.parametrize(
    ("section", "line", "said"),
    [
        ("scope", 'schemes = ["ftp", "nonsense"]', "nonsense: expected one of http"),
        ("scope", 'include = ["a{99999999999}"]', "not a regular expression"),
        ("politeness", 'blocked_hosts = ["foo bar"]', "no host name"),
        ("politeness", 'slowed_hosts = ["foo bar=5s"]', "no host name"),
        ("politeness", 'cdn_ranges = ["10.0.0.1/8"]', "expected a network"),
        ("text", 'languages = ["xx"]', "no language we know"),
        ("fetch", 'nameservers = ["192.0.2.53:99999"]', "expected an IP address"),
        ("fetch", 'proxy = "http://foo bar:80"', "expected scheme, host and port"),
        ("crawl", 'downlist = "missing.txt"', "No such file"),
        ("crawl", 'seeds = ["missing.txt"]', "missing.txt: no such file"),
        ("crawl", 'seeds = ["gopher://a.example/"]', "cannot be requested"),
        ("crawl", 'out = "file"', "there is a file of this name"),
        ("harvest", 'token_file = "missing.txt"', "No such file"),
    ],
)
def test_what_a_crawl_refuses_is_refused_here_in_the_same_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, section: str, line: str, said: str
) -> None:
    """That is what this command is for: to try a file before it runs."""
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    Path("crawl.toml").write_text(f"[{section}]\n{line}\n")
    with pytest.raises(SettingsError) as shown:
        config("-c", "crawl.toml")
    with pytest.raises(SettingsError) as begun:
        run("crawl", "https://a.example/", "-c", "crawl.toml", "--contact", "https://example.org/bot")
    assert str(shown.value) == str(begun.value)
    assert str(shown.value).startswith(f"crawl.toml:2: {section}.{line.partition(' ')[0]} = ")
    assert said in str(shown.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["crawl.toml", "file"]


def test_the_standard_input_is_left_to_the_crawl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    piped = io.TextIOWrapper(io.BytesIO(b"gopher://a.example/"))
    monkeypatch.setattr("sys.stdin", piped)
    config("--seed", "-", "--format", "json")
    assert piped.read() == "gopher://a.example/"
    assert capsys.readouterr().out


# -- a crawl that has begun ----------------------------------------------


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """The directory of a crawl that was set somehow."""
    out = tmp_path / "czech"
    settings = {"crawl.contact": "a@example.org", "scope.include": ["cz"], "crawl.name": "tiptoe"}
    directory = CrawlDirectory(out)
    directory.claim(["http://a.example/"], before_first=lambda: remember(out, settings))
    directory.release()
    return out


def origins(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, str]:
    config(*words, "--format", "json")
    return {row["name"]: row["origin"] for row in json.loads(capsys.readouterr().out)}


def test_what_a_directory_remembers_is_shown(begun: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([str(begun)], ["--out", str(begun)]):
        shown = origins(capsys, *words, "--max-pages", "9")
        assert shown["scope.include"] == "remembered"
        assert shown["crawl.max_pages"] == "--max-pages"
        assert shown["scope.exclude"] == "default"


def test_the_seeds_of_a_crawl_are_said_to_be_in_its_file(
    begun: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are no setting that is remembered, and yet there are some."""

    def seeds_row(*words: str) -> str:
        config(*words)
        rows = [line.split() for line in capsys.readouterr().out.splitlines()]
        return " ".join(next(row for row in rows if row[:1] == ["seeds"]))

    assert seeds_row(str(begun)).startswith("seeds 1 in crawl.json remembered none")
    assert seeds_row().startswith("seeds none default none")
    named = seeds_row(str(begun), "--seed", "a.example")
    assert named.startswith("seeds a.example --seed none")


def test_a_file_for_a_new_crawl_has_nothing_of_one_that_lies_around(
    begun: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`tiptoe config --format toml` is where another crawl begins."""
    monkeypatch.chdir(begun.parent)
    begun.rename("crawl")
    assert set(origins(capsys).values()) == {"default"}


def test_what_cannot_change_under_a_crawl_is_refused_here_as_well(begun: Path) -> None:
    with pytest.raises(SettingsError) as shown:
        config(str(begun), "--name", "other")
    with pytest.raises(SettingsError) as asked:
        run("crawl", "--out", str(begun), "--name", "other")
    assert str(shown.value) == str(asked.value)


def test_a_directory_without_a_crawl_is_said(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="not the directory of a crawl"):
        config(str(tmp_path))


@pytest.mark.parametrize("format", ["table", "toml", "json"])
def test_no_password_is_shown(format: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What is printed gets into reports of bugs and over shoulders."""
    database = "postgresql://corpus:s3cr3t@db.example/crawls?sslpassword=s3cr3t"
    config("--format", format, "--set", f"catalog.database={database}")
    shown = "".join(capsys.readouterr().out.split())
    assert "://…@" in shown
    assert "s3cr3t" not in shown
    settings = Settings.load(None, {"catalog.database": database})
    assert "s3cr3t" not in repr(settings)
    assert settings.catalog.database == database
