"""What `tiptoe convert` says."""

import subprocess
import sys
from pathlib import Path

from tiptoe.keeper.directory import CrawlDirectory
from tiptoe.store.rocks import RocksStore


def test_a_crawl_without_documents_is_told_so(tmp_path: Path) -> None:
    """An empty table would leave one wondering what went wrong."""
    directory = CrawlDirectory(tmp_path / "crawl")
    directory.claim(["http://a.example/"])
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
