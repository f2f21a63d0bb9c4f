"""`tiptoe stats`: figures of a crawl as tables, JSON and a page."""

import json
from pathlib import Path

import pytest

from tiptoe.cli.stats_command import stats_command
from tiptoe.errors import SettingsError
from tiptoe.write.corpus import CorpusWriter, Document
from tiptoe.write.logentries import RequestEntry
from tiptoe.write.requestlog import RequestLog


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """The directory of a crawl that has made one request and kept one document."""
    directory = tmp_path / "czech"
    directory.mkdir()
    (directory / "crawl.json").write_text('{"seeds": ["http://a.example/"]}')
    log = RequestLog(directory, "h1")
    log.write_request(
        RequestEntry(
            started_at=1_790_000_000.0, ended_at=1_790_000_000.5, host="a.example", address="192.0.2.1",
            url="http://a.example/", purpose="page", robots="allowed", delay=1.0, visit="1", harvester="h1",
            status=200, bytes_received=1000,
        )
    )  # fmt: skip
    log.close()
    corpus = CorpusWriter(directory, "h1", size_max=10**9, encoding="utf-8")
    corpus.write_document(
        Document(
            id="", url="http://a.example/", title="", language="[red]cs", charset="utf-8", fetched_at="",
            last_modified="", depth=0, digest="", warc_file="", warc_offset=0, paragraphs=["text"],
            html_bytes=10,
        )
    )  # fmt: skip
    corpus.files.close()
    return directory


def test_tables_are_printed(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert stats_command(crawl) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith(
        "1 document with 4 characters of text, boilerplate included, from 1 request "
    )
    for heading in ("Outcomes", "HTML against text", "Languages", "Biggest hosts", "Response times", "Depth"):
        assert f"\n{heading}\n" in printed.out
    assert printed.err == ""  # no bar where nobody watches


def test_json_is_json_and_nothing_else(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert stats_command(crawl, as_json=True) == 0
    values = json.loads(capsys.readouterr().out)
    assert (values["requests"], values["documents"], values["text"]["share_of_html"]) == (1, 1, 0.4)


def test_the_page_is_one_file(crawl: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "czech.html"
    assert stats_command(crawl, html=target) == 0
    assert capsys.readouterr().out == f"written to {target}\n"
    page = target.read_text(encoding="utf-8")
    assert "<title>Statistics of the crawl czech</title>" in page
    assert "<svg" in page


def test_lines_that_could_not_be_read_are_told_of(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (crawl / "log" / "requests-h1.jsonl").open("a") as log:
        log.write("nonsense\n")
    stats_command(crawl)
    assert "1 line could not be read" in capsys.readouterr().out


def test_a_page_that_cannot_be_written_is_a_message(crawl: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"--html .*nowhere.*cannot be written"):
        stats_command(crawl, html=tmp_path / "nowhere" / "x.html")


@pytest.mark.parametrize("top", [0, -1, 1_000_000])
def test_a_list_has_a_reasonable_length(crawl: Path, top: int) -> None:
    with pytest.raises(SettingsError, match="--top"):
        stats_command(crawl, top=top)


def test_a_directory_that_is_no_crawl_is_a_message(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="not the directory of a crawl"):
        stats_command(tmp_path / "nowhere")
