"""`tiptoe downlist`: what is wrong is said before anything is written."""

from pathlib import Path

import pytest

from tiptoe.cli.downlist_command import apply_command, exchange_command, export_command, merge_command
from tiptoe.errors import SettingsError


def test_a_directory_without_a_crawl_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="not the directory of a crawl"):
        export_command(tmp_path, out=tmp_path / "list")
    with pytest.raises(SettingsError, match="not the directory of a crawl"):
        apply_command(tmp_path, tmp_path / "list")
    assert not (tmp_path / "list").exists()


def test_a_mark_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("http://a.example/\n")
    with pytest.raises(SettingsError, match="neither a mark"):
        export_command(tmp_path, out=tmp_path / "list", since=str(tmp_path / "plain"))
    with pytest.raises(SettingsError, match="No such file"):
        export_command(tmp_path, out=tmp_path / "list", since="yesterday")


@pytest.mark.parametrize("name", ["two words", "*", "a=b"])
def test_a_name_that_a_list_cannot_hold_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsError, match="is no name for a robot"):
        export_command(tmp_path, out=tmp_path / "list", robot=name)


def test_two_robots_of_one_name_cannot_exchange(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="robot is called czech"):
        exchange_command(tmp_path / "a" / "czech", tmp_path / "b" / "czech", known=tmp_path / "all")


def test_lists_have_to_be_named_and_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SettingsError, match="no list is named"):
        merge_command(out=tmp_path / "all")
    with pytest.raises(SettingsError, match="No such file"):
        merge_command(tmp_path / "none", out=tmp_path / "all")
    (tmp_path / "plain").write_text("http://b.example/\nhttp://a.example/\n")
    assert merge_command(tmp_path / "plain", out=tmp_path / "all") == 0
    assert "2 addresses" in capsys.readouterr().out
