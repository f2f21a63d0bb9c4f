"""Rules of access, as far as settings have to do with them."""

from pathlib import Path

import pytest

from tiptoe.compose import LiveSettings, keeper_plan
from tiptoe.compose_rules import access_rules
from tiptoe.errors import SettingsError
from tiptoe.harvest import __main__ as harvester
from tiptoe.harvest.comeback import HarvesterExit
from tiptoe.settings.layers import Settings

LOGIN = """
[[rule]]
hosts = ["a.example"]
[rule.login]
page = "/login"
fields = { word = { file = "word.txt" } }
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "word.txt").write_text("s3cret\n", encoding="utf-8")
    (tmp_path / "access.toml").write_text(LOGIN, encoding="utf-8")
    return Settings.load(
        overrides={
            "fetch.access": str(tmp_path / "access.toml"),
            "crawl.contact": "https://corpus.example/bot",
        }
    )


def test_without_a_file_there_are_no_rules() -> None:
    assert access_rules(Settings()) is None


def test_a_visit_must_have_room_for_a_login(settings: Settings, tmp_path: Path) -> None:
    """Rules of the host, the form twice, a page: else no visit would ever come to a page."""
    live = LiveSettings(settings, tmp_path / "crawl")
    plan = keeper_plan(settings, tmp_path, "", "")
    with pytest.raises(SettingsError, match=r"politeness\.max_reqs.*at least 5 with a login by form"):
        live.change(plan, {"politeness.max_reqs": "4"})
    (tmp_path / "crawl").mkdir()
    (tmp_path / "crawl" / "state").mkdir()
    assert live.change(plan, {"politeness.max_reqs": "5"}).changes


def test_harvesters_are_told_the_whole_path_and_no_secret(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    near = Settings.load(overrides={"fetch.access": "access.toml"})
    plain = keeper_plan(near, tmp_path, "", "").settings
    assert plain["fetch"]["access"] == str(tmp_path / "access.toml")
    assert "s3cret" not in repr((plain, settings, access_rules(settings)))


def test_a_harvester_without_the_file_ends_and_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It would be no better the next time: somebody has to put the file there."""

    async def work(*_: object) -> int:
        raise SettingsError("access.toml: cannot be read")

    monkeypatch.setattr(harvester, "work", work)
    monkeypatch.setattr(harvester, "die_with_parent", lambda: None)
    monkeypatch.setattr("sys.argv", ["tiptoe", "--connect", "keeper:1", "--is-worker"])
    assert harvester.main() == HarvesterExit.REFUSED
    assert capsys.readouterr().err == "tiptoe harvester: access.toml: cannot be read\n"
