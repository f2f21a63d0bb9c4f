"""Which word of a command line is the directory of the crawl?"""

from pathlib import Path

import pytest

from tiptoe.cli.crawl_meant import target_and_directory
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


@pytest.mark.parametrize("is_last", [True, False])
@pytest.mark.parametrize("other", [URL, "127.0.0.1", "*.example.cz"])
def test_directory_and_target_may_come_in_either_order(
    monkeypatch: pytest.MonkeyPatch, other: str, is_last: bool
) -> None:
    """Commands differ in where the directory stands, and nobody remembers how.

    The other word is taken as it was typed, though a path would lose some of its slashes.
    """
    monkeypatch.setattr("sys.argv", ["tiptoe", "why", "fast", other])
    meant = Path("fast"), other
    assert target_and_directory("why", Path("fast"), other, is_last=is_last) == meant
    assert target_and_directory("why", Path(other), "fast", is_last=is_last) == meant


@pytest.mark.parametrize(
    "command", ["why", "block", "unblock", "slow", "scope explain", "forget --dry-run", "search", "audit"]
)
def test_commands_take_either_order_for_the_same(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """There is next to nothing in this crawl, which each of them says in its own words."""
    first = complaint(monkeypatch, *command.split(), "fast", "127.0.0.1")
    assert first.startswith("fast: ")
    assert complaint(monkeypatch, *command.split(), "127.0.0.1", "fast") == first


def test_a_query_may_be_any_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["tiptoe", "search", "voda", "fast"])
    assert target_and_directory("search", Path("voda"), "fast", is_last=False) == (Path("fast"), "voda")


def test_of_two_crawls_the_one_where_the_directory_stands_is_meant() -> None:
    assert target_and_directory("why", Path("fast"), "fast", is_last=True) == (Path("fast"), "fast")


def test_a_slip_in_the_name_of_the_directory_makes_no_target_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Crawls are often called after their host; another one must not lose pages for it."""
    said = complaint(monkeypatch, "forget", "fast", "fsat", "--reason", "x")
    assert said == "fsat: not the directory of a crawl; there is no such directory"


def test_a_directory_alone_is_no_target(monkeypatch: pytest.MonkeyPatch) -> None:
    said = complaint(monkeypatch, "why", "fast")
    assert said == "fast is the directory of a crawl; name a host or page too, as in `tiptoe why TARGET fast`"


@pytest.mark.parametrize("words", [("why", "127.0.0.1"), ("block", "127.0.0.1"), ("pause",), ("repair",)])
def test_a_default_directory_without_a_crawl_is_called_so(
    monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """Whoever has named no directory wonders whose name `crawl` is."""
    said = complaint(monkeypatch, *words)
    assert said.startswith("crawl: not the directory of a crawl; there is no such directory")
    assert said.endswith("; it is where a crawl is looked for unless another directory is named")


def test_a_directory_that_was_named_is_not_called_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    said = complaint(monkeypatch, "why", "127.0.0.1", "slow")
    assert said == "slow: not the directory of a crawl; there is no such directory"
