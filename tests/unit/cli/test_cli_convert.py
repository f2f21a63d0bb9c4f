"""What `tiptoe convert` says."""

import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from tiptoe.cli.convert_command import _kind_rows, _outcome_rows, _print_counts
from tiptoe.convert.progress import Progress
from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.keeper.settings_file import remember
from tiptoe.store.rocks import RocksStore


def test_a_crawl_without_documents_is_told_so(tmp_path: Path) -> None:
    """An empty table would leave one wondering what went wrong."""
    directory = CrawlDirectory(tmp_path / "crawl")
    directory.claim(["http://a.example/"], before_first=lambda: remember(directory.path, {}))
    RocksStore(
        tmp_path / "crawl" / "state" / "frontier", block_cache_bytes=1 << 20, write_buffer_bytes=1 << 20
    ).close()
    directory.release()
    (tmp_path / "crawl" / "log").mkdir()
    ended = subprocess.run(
        [sys.executable, "-m", "tiptoe", "convert", str(tmp_path / "crawl")],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "no documents to convert" in ended.stdout
    assert "in all runs" not in ended.stdout


def test_what_came_of_documents_is_told_apart_from_what_they_were(capsys: pytest.CaptureFixture[str]) -> None:
    """In one table, 3 pdf would read as a third thing that came of them."""
    progress = Progress(counts={"converted": 2, "encrypted": 1}, types={"application/pdf": 2, "x/[y]": 1})
    console = Console(width=100, highlight=False)
    _print_counts(console, "What came of them", _outcome_rows(progress))
    _print_counts(console, "What they were", _kind_rows(progress))
    outcomes, _, kinds = capsys.readouterr().out.partition("What they were")
    assert "locked with a password" in outcomes
    assert "pdf" not in outcomes
    assert [line.split() for line in kinds.splitlines() if line.strip()] == [
        ["2", "pdf", "application/pdf"],
        ["1", "x/[y]"],
    ]
