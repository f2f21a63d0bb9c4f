"""Which word of a command line is the directory of the crawl?"""

from pathlib import Path

import pytest

from tiptoe.cli.main import app
from tiptoe.errors import SettingsError
from tiptoe.keeper.directory import CrawlDirectory

URL = "http://127.0.0.1/news/"


@pytest.fixture(autouse=True)
def crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave a crawl in the directory `fast`, and none in the default one."""
    monkeypatch.chdir(tmp_path)
    directory = CrawlDirectory(Path("fast"))
    directory.claim([URL])
    directory.release()


def complaint(monkeypatch: pytest.MonkeyPatch, *words: str) -> str:
    monkeypatch.setattr("sys.argv", ["tiptoe", *words])
    with pytest.raises(SettingsError) as caught:
        app(words, result_action="return_value", exit_on_error=False)
    return str(caught.value)


@pytest.mark.parametrize("command", ["why", "block", "unblock", "slow", "forget"])
def test_a_directory_before_the_target_is_told_to_come_last(
    monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Commands differ in where the directory stands, and nobody remembers how."""
    said = complaint(monkeypatch, command, "fast", "127.0.0.1")
    assert said == f"127.0.0.1: no crawl lives there; did you mean `tiptoe {command} 127.0.0.1 fast`?"


@pytest.mark.parametrize("command", ["history", "search", "audit"])
def test_a_directory_behind_the_address_is_told_to_come_first(
    monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """The address is repeated as it was typed, though a path would lose some of its slashes."""
    said = complaint(monkeypatch, command, URL, "fast")
    assert said == f"{URL}: no crawl lives there; did you mean `tiptoe {command} fast {URL}`?"


def test_a_directory_alone_is_no_target(monkeypatch: pytest.MonkeyPatch) -> None:
    said = complaint(monkeypatch, "why", "fast")
    assert said == "fast is the directory of a crawl; name a host or page too, as in `tiptoe why TARGET fast`"


@pytest.mark.parametrize("words", [("why", "127.0.0.1"), ("block", "127.0.0.1"), ("pause",), ("repair",)])
def test_a_default_directory_without_a_crawl_is_called_so(
    monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """Whoever has named no directory wonders whose name `crawl` is."""
    said = complaint(monkeypatch, *words)
    assert said.startswith("crawl: no crawl ")
    assert said.endswith("; it is the default, another directory can be named")


def test_a_directory_that_was_named_is_not_called_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    assert complaint(monkeypatch, "why", "127.0.0.1", "slow") == "slow: no crawl lives there"
