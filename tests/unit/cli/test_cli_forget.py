"""`tiptoe forget`: what is said of what was removed."""

from pathlib import Path

import pytest

from tiptoe.cli.forget_command import forget_command
from tiptoe.cli.main import app
from tiptoe.compose import build_frontier
from tiptoe.errors import CrawlerError
from tiptoe.forget.journal import Journal
from tiptoe.frontier.wishes import noted_wishes
from tiptoe.keeper.database import DATABASE
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.settings_file import remember
from tiptoe.library.corpus_reading import read_corpus
from tiptoe.protocol.work import Request
from tiptoe.settings.layers import Settings
from tiptoe.store.readonly import ReadOnlyStore
from tiptoe.store.tables import Table

SEEDS = ["http://a.example/", "http://b.example/1", "http://b.example/2"]


@pytest.fixture
def stopped(tmp_path: Path) -> Path:
    """Return the directory of a crawl that has asked for none of its seeds and stopped."""
    directory = CrawlDirectory(tmp_path)
    directory.claim(SEEDS, before_first=lambda: remember(tmp_path, {}))
    frontier, store = build_frontier(Settings.load(), tmp_path)
    frontier.add([Request(url) for url in SEEDS], 0.0)
    store.close()
    directory.release()
    return tmp_path


def test_a_host_that_nobody_met_is_said_to_be_none_and_remembered(
    stopped: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It may be misspelt, and it may be met later."""
    forget_command("nikde.cz", stopped, reason="a letter")
    said = "There is nothing of nikde.cz here. It will never be requested.\n"
    assert capsys.readouterr().out == said
    with ReadOnlyStore(stopped / DATABASE, ()) as store:
        assert [noted.target for noted in noted_wishes(store.scan(Table.META))] == ["nikde.cz"]


def test_a_trial_says_that_there_would_be_nothing_to_remove(
    stopped: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    forget_command("nikde.cz", stopped, dry_run=True)
    assert capsys.readouterr().out == "There is nothing of nikde.cz here.\n"


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("a.example", "0 pages and 1 waiting address of the database. It will never be requested again."),
        ("b.example", "0 pages and 2 waiting addresses of the database. It will never be requested again."),
    ],
)
def test_one_is_told_as_one_and_several_as_several(
    stopped: Path, capsys: pytest.CaptureFixture[str], host: str, expected: str
) -> None:
    forget_command(host, stopped, reason="a letter")
    said = capsys.readouterr().out
    assert said.startswith(f"{host} is forgotten: 0 documents of the corpus, ")
    assert expected in said


@pytest.mark.parametrize(
    "command", ["export --format txt", "convert", "segmenter catch-up", "read --out {out}"]
)
def test_what_is_half_forgotten_is_passed_on_to_nobody(stopped: Path, tmp_path: Path, command: str) -> None:
    """Converted now, a document would stand in the corpus again; rated now, a text goes to somebody else."""
    Journal(target="a.example", reason="a letter", wished_at=0.0).save(stopped)
    (stopped / "corpus").mkdir()
    (stopped / "corpus" / "t-00001.jsonl").touch()
    words = command.format(out=tmp_path.with_name("read")).split()
    with pytest.raises(CrawlerError, match=r"a\.example is still to be forgotten"):
        app([*words, str(stopped)])
    with pytest.raises(CrawlerError, match="--resume"):
        read_corpus(stopped)
