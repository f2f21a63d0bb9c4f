"""An owner who wants out is out of everything a real crawl has, also when a machine stops in the middle."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from journey_crawl import SMALL, Crawl, simulated_web, tiptoe
from warcio.archiveiterator import ArchiveIterator

from tiptoe.catalog.catalog_directory import open_catalog
from tiptoe.catalog.search import SearchRequest
from tiptoe.cli.exits import Exit

pytestmark = pytest.mark.journey

KILLED_AT_RENAME = """
import os, signal, sys
rename, left = os.replace, [int(sys.argv.pop(1))]
def replace(source, target):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    rename(source, target)
os.replace = replace
from tiptoe.cli.main import main
main()
"""


def killed_at(rename: int, *words: str) -> int:
    """Run a command that is killed before it renames a file; return its exit code."""
    command = [sys.executable, "-c", KILLED_AT_RENAME, str(rename), *words]
    return subprocess.run(command, check=False).returncode


def said_of(crawl: Crawl, host: str) -> list[str]:
    """Return where anything that a host said is still to be found."""
    found = [str(path) for path in crawl.out.glob("corpus/*") if f"//{host}".encode() in path.read_bytes()]
    found += [str(path) for path in crawl.out.glob("*/*.cdxj") if f"//{host}".encode() in path.read_bytes()]
    for path in crawl.out.glob("warc/*.warc.gz"):
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                if f"//{host}/" in (record.rec_headers.get_header("WARC-Target-URI") or ""):
                    found.append(path.name)
                record.content_stream().read()
    with open_catalog(crawl.out) as catalog:
        hits = catalog.search(SearchRequest(query=f"site:{host}")).hits
    return found + [hit.url for hit in hits]


def test_a_host_is_forgotten_for_good_though_somebody_was_killed_over_it(tmp_path: Path) -> None:
    with simulated_web(tmp_path, SMALL) as stage:
        crawl = stage.crawl(crawl__max_pages=40)
        crawl.run(ends=Exit.LIMIT)
        out = str(crawl.out)
        assert tiptoe("catalog", "build", out).returncode == 0
        host = crawl.documents()[0]["url"].split("/")[2].partition(":")[0]
        before = len(crawl.documents())
        assert said_of(crawl, host)

        killed = [
            killed_at(4, "forget", host, out, "--reason", "a letter"),
            killed_at(3, "forget", "--resume", out),
        ]
        asked = crawl.request_lines(host)
        crawl.settings["crawl.max_pages"] = "unlimited"
        crawl.run()  # which completes it first

        assert killed == [-signal.SIGKILL, -signal.SIGKILL]
        assert said_of(crawl, host) == []
        assert crawl.request_lines(host) == asked, "it is never asked again"
        assert len(crawl.documents()) > before / 2
        listed = tiptoe("forget", "--list", out, "--json")
        assert listed.returncode == 0, listed.stderr
        (line,) = json.loads(listed.stdout)
        assert (line["target"], line["reason"]) == (host, "a letter")
        assert 0 < line["documents"] < before
        assert "Nothing is damaged" in tiptoe("repair", out, "--check").stdout
    assert stage.violations() == []
