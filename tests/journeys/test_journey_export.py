"""`tiptoe export` of a real crawl: each format read back by others, each document traced to its record."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
from journey_crawl import PATIENCE_SECONDS, SMALL, Crawl, Pace, Stage, simulated_web, tiptoe
from warcio.archiveiterator import ArchiveIterator

pytestmark = pytest.mark.journey

WEB = replace(SMALL, legacy_charset_share=0.4, gzip_share=0.5)

ATTRIBUTE = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"(?: |$)')
PARAGRAPH = re.compile(r'<p(?: class="(?:main|boilerplate)")?>')


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory) -> tuple[Stage, Crawl]:
    """A crawl of a small web in several languages, finished."""
    with simulated_web(tmp_path_factory.mktemp("export"), WEB) as stage:
        crawl = stage.crawl(harvest__harvesters=2, has_models=True)
        crawl.run()
    return stage, crawl


def export(crawl: Crawl, out: Path, format: str, *options: str) -> dict[str, Any]:
    """Export, and return the figures."""
    done = tiptoe("export", str(crawl.out), "--format", format, "--out", str(out), "--json", *options)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    figures: dict[str, Any] = json.loads(done.stdout)
    omitted = sum(amount["documents"] for amount in figures["omitted"].values())
    assert figures["read"]["documents"] == figures["written"]["documents"] + omitted
    return figures


def read_vertical(path: Path) -> Iterator[tuple[dict[str, str], list[str]]]:
    """Yield the attributes and paragraphs of each document; any line out of place is an error."""
    stack: list[str] = []
    attributes: dict[str, str] = {}
    paragraphs: list[str] = []
    is_glued = False
    for line in path.read_text(encoding="utf-8").split("\n")[:-1]:
        assert line == line.strip()
        assert line
        if line.startswith("<doc "):
            assert stack == []
            rest = line.removeprefix("<doc ").removesuffix(">")
            assert "".join(match[0] for match in ATTRIBUTE.finditer(rest)) == rest
            attributes, paragraphs, stack = dict(ATTRIBUTE.findall(rest)), [], ["doc"]
        elif line == "<s>" or PARAGRAPH.fullmatch(line):
            assert stack == (["doc"] if line != "<s>" else ["doc", "p"])
            stack.append(line[1])
            if line != "<s>":
                paragraphs.append("")
        elif line in ("</s>", "</p>", "</doc>"):
            assert stack.pop() == line[2:-1]
            if line == "</doc>":
                assert paragraphs
                yield attributes, paragraphs
        elif line == "<g/>":
            assert not is_glued
            assert paragraphs[-1]
            is_glued = True
        else:
            assert stack == ["doc", "p", "s"]
            assert "\t" not in line
            paragraphs[-1] += line if is_glued or not paragraphs[-1] else f" {line}"
            is_glued = False
    assert stack == []


def test_every_format_holds_what_the_corpus_holds(visited: tuple[Stage, Crawl], tmp_path: Path) -> None:
    """TXT-8: five ways to the same text."""
    stage, crawl = visited
    truth = {document["url"]: document["paragraphs"] for document in crawl.documents()}
    assert sorted(truth) == stage.truth()
    for format in ("jsonl", "parquet", "vertical", "txt"):
        exported = export(crawl, tmp_path / format, format, "--all")
        assert exported["written"]["documents"] == len(truth) > 50

    lines = (tmp_path / "jsonl").read_text(encoding="utf-8").splitlines()
    documents = [json.loads(line) for line in lines]
    assert {document["url"]: document["paragraphs"] for document in documents} == truth
    order = [document["id"] for document in documents]

    query = f"select id, url, paragraphs, text from read_parquet('{tmp_path}/parquet')"
    table = duckdb.execute(query).fetchall()
    assert [row[0] for row in table] == order
    assert {row[1]: row[2] for row in table} == truth
    assert all(row[3] == "\n".join(row[2]) for row in table)

    vertical = list(read_vertical(tmp_path / "vertical"))
    assert [attributes["id"] for attributes, _ in vertical] == order
    assert {attributes["url"]: paragraphs for attributes, paragraphs in vertical} == truth

    text = (tmp_path / "txt").read_text(encoding="utf-8").removesuffix("\n\n")
    assert [document.split("\n") for document in text.split("\n\n")] == [
        document["paragraphs"] for document in documents
    ]


def test_every_document_leads_back_to_its_record(visited: tuple[Stage, Crawl], tmp_path: Path) -> None:
    """Read with warcio: at the place that is named stands the record that is named."""
    _, crawl = visited
    for format in ("vertical", "parquet", "txt"):
        export(crawl, tmp_path / f"x.{format}", format)
    columns = "id, url, warc_file, warc_offset"
    places = duckdb.execute(f"select {columns} from '{tmp_path}/x.parquet'").fetchall()
    vertical = [attributes for attributes, _ in read_vertical(tmp_path / "x.vertical")]
    assert [tuple(found[name] for name in columns.split(", ")) for found in vertical] == [
        (*place[:3], str(place[3])) for place in places
    ]
    head, *rows = (tmp_path / "x.txt.index.tsv").read_text(encoding="utf-8").splitlines()
    index = [dict(zip(head.split("\t"), row.split("\t"), strict=True)) for row in rows]
    assert [(found["id"], found["warc_offset"]) for found in index] == [
        (place[0], str(place[3])) for place in places
    ]
    for record_id, url, file, offset in places:
        with (crawl.out / "warc" / file).open("rb") as archive:
            archive.seek(offset)
            headers = next(iter(ArchiveIterator(archive))).rec_headers
        assert headers.get_header("WARC-Record-ID") == f"<{record_id}>"
        assert headers.get_header("WARC-Target-URI") == url


def test_an_export_can_be_narrowed_and_is_the_same_every_time(
    visited: tuple[Stage, Crawl], tmp_path: Path
) -> None:
    _, crawl = visited
    languages = [document["language"] for document in crawl.documents()]
    wanted = languages[0]
    options = ("--lang", wanted, "--dedup", "paragraph")
    figures = export(crawl, tmp_path / "a", "jsonl", *options)
    assert 0 < figures["written"]["documents"] <= languages.count(wanted) < len(languages)
    export(crawl, tmp_path / "b", "jsonl", *options)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    lines = (tmp_path / "a").read_text(encoding="utf-8").splitlines()
    paragraphs = [text.casefold() for line in lines for text in json.loads(line)["paragraphs"]]
    assert len(paragraphs) == len(set(paragraphs))


def test_a_running_and_a_killed_crawl_can_be_exported(tmp_path: Path) -> None:
    """Files are read as far as they are whole, and nobody is disturbed."""
    with simulated_web(tmp_path, WEB) as stage:
        crawl = stage.crawl(pace=Pace(req_delay=0.3, max_reqs=50))
        crawl.start()
        crawl.wait_for_lines(40)
        running = export(crawl, tmp_path / "running", "vertical")
        crawl.kill_all()
        killed = export(crawl, tmp_path / "killed", "vertical")
    assert 0 < running["written"]["documents"] <= killed["written"]["documents"] < len(stage.truth())
    assert killed["unreadable_lines"] == 0
    assert len(list(read_vertical(tmp_path / "killed"))) == killed["written"]["documents"]


def test_documents_can_be_piped_and_a_reader_who_goes_away_ends_it_quietly(
    visited: tuple[Stage, Crawl],
) -> None:
    """As with `| head -1`: without a word, and as if SIGPIPE had ended it."""
    _, crawl = visited
    words = ["export", str(crawl.out), "--format", "jsonl", "--all", "--out", "-"]
    whole = tiptoe(*words)
    documents = [{**one, "text": "\n".join(one["paragraphs"])} for one in crawl.documents()]
    assert [json.loads(line) for line in whole.stdout.splitlines()] == documents
    assert "written" in whole.stderr
    with subprocess.Popen(
        [sys.executable, "-m", "tiptoe", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline()) == documents[0]
        process.stdout.close()
        assert (process.wait(PATIENCE_SECONDS), process.stderr.read()) == (128 + signal.SIGPIPE, b"")
