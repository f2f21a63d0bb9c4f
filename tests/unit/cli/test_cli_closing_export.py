"""The export that follows a crawl."""

from pathlib import Path

import pytest

from tiptoe.cli.closing_export import EXPORT_FOLDER, export_in_closing
from tiptoe.cli.crawl_command import COPIES
from tiptoe.cli.exits import Exit
from tiptoe.cli.export_copy import COPY_FORMATS
from tiptoe.settings.layers import Settings


def wanting(format: str, out: Path) -> Settings:
    return Settings.load(None, {"crawl.export": format, "crawl.out": str(out)})


@pytest.mark.parametrize("ended", [Exit.INTERRUPTED, Exit.NOTHING, Exit.TEXTLESS, Exit.FAULT, Exit.UNREAD])
def test_a_crawl_that_goes_on_later_or_has_nothing_is_not_exported(tmp_path: Path, ended: Exit) -> None:
    assert export_in_closing(wanting("txt", tmp_path), ended) is ended
    assert not (tmp_path / EXPORT_FOLDER).exists()


def test_an_export_that_fails_is_no_good_end(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Here it has no crawl to read, and says so."""
    assert export_in_closing(wanting("vertical", tmp_path), Exit.LIMIT, quiet=True) is Exit.FAULT
    assert str(tmp_path) in capfd.readouterr().err


def test_an_export_of_nothing_leaves_the_end_as_it_is(tmp_path: Path) -> None:
    """A limit may be reached before any text has come."""
    (tmp_path / "crawl.json").write_text('{"seeds": ["http://a.example/"]}')
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "h1-00001.jsonl").touch()
    assert export_in_closing(wanting("txt", tmp_path), Exit.LIMIT, quiet=True) is Exit.LIMIT


def test_those_who_want_copies_of_pages_are_known_by_their_export() -> None:
    """A copy of pages without text is what they asked for, and no failure."""
    assert set(COPY_FORMATS) == COPIES
