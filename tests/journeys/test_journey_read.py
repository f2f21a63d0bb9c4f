"""A corpus is built anew from its archive: the same lines, whatever is killed on the way."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from journey_crawl import Crawl, simulated_web, tiptoe, wait_until

from tiptoe.cli.exits import Exit
from tiptoe.library.corpus_reading import read_corpus
from tiptoe.testing.shape import WebShape

pytestmark = pytest.mark.journey

LIVELY = WebShape(
    seed=11, hosts=5, hosts_per_address=2, pages_per_host=8, pages_spread=0.0, page_bytes=4_000,
    links_per_page=10, external_share=0.2, change_seconds=4.0, static_share=0.3, vanishing_share=0.6,
    vanishing_seconds=6.0, redirect_share=0.1, sitemap_share=0.5, gzip_share=0.5, robots_share=0.5,
)  # fmt: skip
"""Forty pages that change and vanish while they are watched."""


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    """A crawl that came back to its pages for some seconds, with settings that are not the default ones."""
    with simulated_web(tmp_path_factory.mktemp("read"), LIVELY) as stage:
        crawl = stage.crawl(
            revisit__strategy="uniform", revisit__first="1s", revisit__min="1s", harvest__harvesters=2,
            crawl__on_end="watch", text__extraction="marked",
        )  # fmt: skip
        crawl.start()
        wait_until(lambda: _has_seen_life(crawl.out), "pages that have changed and others that are gone")
        crawl.tell("stop")
    return crawl


def _has_seen_life(out: Path) -> bool:
    corpus = [line for path in (out / "corpus").glob("*.jsonl*") for line in path.read_bytes().splitlines()]
    has_versions = any(b'"version":3,' in line for line in corpus)
    return len(corpus) > 40 and has_versions and any(path.stat().st_size for path in (out / "gone").glob("*"))


def lines_in(folder: Path) -> list[bytes]:
    """Return the lines of all files in a folder, sorted; none of them twice."""
    lines = sorted(line for path in folder.glob("*.jsonl") for line in path.read_bytes().splitlines())
    assert len(set(lines)) == len(lines)
    return lines


def start_reading(crawl: Crawl, out: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "tiptoe", "read", str(crawl.out), "--out", str(out), "--processes", "2"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


def kill_when(process: "subprocess.Popen[bytes]", pattern: str, out: Path) -> None:
    """Kill a reading as soon as it has left a trace, or let it end."""
    wait_until(lambda: process.poll() is not None or any(out.glob(pattern)), pattern)
    process.kill()
    process.wait()


def test_a_corpus_built_anew_is_the_same_line_by_line(crawl: Crawl, tmp_path: Path) -> None:
    """Versions, judgements and what was left out included (TXT-12, INC-7)."""
    out = tmp_path / "anew"
    done = tiptoe("read", str(crawl.out), "--out", str(out), "--json")
    assert done.returncode == Exit.DONE, done.stderr

    corpus = lines_in(crawl.out / "corpus")
    assert len(corpus) > 20
    assert lines_in(out / "corpus") == corpus
    assert max(json.loads(line)["version"] for line in corpus) > 1
    assert json.loads(done.stdout)["texts"] == len(corpus)
    gone = lines_in(crawl.out / "gone")
    assert gone
    assert lines_in(out / "gone") == gone
    now = {document.id for document in read_corpus(crawl.out, as_of="now")}
    assert {document.id for document in read_corpus(out, as_of="now")} == now

    exported = tiptoe("export", str(out), "--format", "txt", "--out", str(tmp_path / "x.txt"))
    assert exported.returncode == Exit.DONE, exported.stderr
    assert json.loads(tiptoe("stats", str(out), "--json").stdout)["documents"] == len(corpus)
    refused = tiptoe("read", str(crawl.out), "--out", str(crawl.out))
    assert (refused.returncode, "choose another --out" in refused.stderr) == (Exit.MISTAKEN, True)


def test_killed_at_any_moment_it_reads_everything_once(crawl: Crawl, tmp_path: Path) -> None:
    out = tmp_path / "anew"
    for trace in ("state/read/*", "corpus/*", "corpus/read-*-00001.jsonl*"):
        kill_when(start_reading(crawl, out), trace, out)
    assert tiptoe("read", "--out", str(out), "--quiet").returncode == Exit.DONE
    assert lines_in(out / "corpus") == lines_in(crawl.out / "corpus")
    assert list(out.rglob("*.open")) == []
