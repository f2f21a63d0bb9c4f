"""`tiptoe history`: tables, texts and differences; where they come from has tests of its own."""

import gzip
import io
import json
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from tiptoe.cli.history_command import history_command, print_history
from tiptoe.cli.main import app
from tiptoe.errors import SettingsError
from tiptoe.fetch.outcome import Answer, Headers
from tiptoe.observe.page_history import read_history
from tiptoe.write.corpus import CorpusWriter, Document
from tiptoe.write.warc import WarcInfo, WarcWriter

URL = "https://a.example/"


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """The directory of a crawl that has met a page twice."""
    (tmp_path / "crawl.json").write_text('{"seeds": ["https://a.example/"]}')
    corpus = CorpusWriter(tmp_path, "h1", size_max=10**9, encoding="utf-8")
    corpus.write_document(document(1, "Menu", "Old \x1b[31mnews", "Contact", "Imprint"))
    corpus.write_document(document(2, "Menu", "New news", "Contact", "Imprint", version=2))
    corpus.files.close()
    return tmp_path


def document(day: int, *paragraphs: str, version: int = 1) -> Document:
    return Document(
        id="", url=URL, title="", language="", charset="", fetched_at=f"2026-11-0{day}T10:00:00.5Z", depth=0,
        last_modified="", digest="sha1:X", warc_file="", warc_offset=0, paragraphs=list(paragraphs),
        version=version,
    )  # fmt: skip


def test_people_get_a_table(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert app(["history", str(crawl), "a.example"], result_action="return_value") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == URL
    assert lines[2].split()[:4] == ["2026-11-01", "10:00:00", "new", "1"]
    assert lines[3].split()[:4] == ["2026-11-02", "10:00:00", "changed", "2"]
    assert lines[4] == "--show 2 prints a text, --diff 1 2 what has changed."


def test_programs_get_json(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    history_command(crawl, URL, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["url"] == URL
    assert told["visits"][1] == {
        "seen_at": "2026-11-02T10:00:00.500000Z", "what": "changed", "status": None, "version": 2,
        "digest": "sha1:X", "received_digest": None, "warc_file": None, "warc_offset": None,
        "warc_bytes": None, "text_chars": 26, "reason": None,
    }  # fmt: skip


def test_a_version_is_shown_without_anything_that_a_terminal_obeys(
    crawl: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app(["history", str(crawl), URL, "--show", "1"], result_action="return_value")
    assert capsys.readouterr().out == "Menu\nOld  [31mnews\nContact\nImprint\n"
    history_command(crawl, URL, show=2, as_json=True)
    assert json.loads(capsys.readouterr().out)["paragraphs"] == ["Menu", "New news", "Contact", "Imprint"]


def test_a_difference_names_paragraphs_that_went_and_came(
    crawl: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a neighbour on either side, as everybody knows it from `diff`."""
    app(["history", str(crawl), URL, "--diff", "1", "2"], result_action="return_value")
    assert capsys.readouterr().out == "  Menu\n- Old  [31mnews\n+ New news\n  Contact\n"
    history_command(crawl, URL, diff=(2, 2))
    assert capsys.readouterr().out == "the same paragraphs\n"
    history_command(crawl, URL, diff=(2, 1), as_json=True)
    assert json.loads(capsys.readouterr().out) == {
        "url": URL, "from": 2, "to": 1, "removed": ["New news"], "added": ["Old \x1b[31mnews"],
    }  # fmt: skip


def test_one_thing_at_a_time(crawl: Path) -> None:
    with pytest.raises(SettingsError, match="one of them at a time"):
        history_command(crawl, URL, show=1, diff=(1, 2))


def test_sixty_columns_are_enough(crawl: Path) -> None:
    """On a telephone, or beside an editor: no column of single letters."""
    printed = io.StringIO()
    print_history(Console(file=printed, width=60), read_history(crawl, URL))
    assert printed.getvalue().splitlines() == [
        URL,
        "2026-11-01 10:00:00  new",
        "    version 1, characters 31",
        "    sha1:X",
        "2026-11-02 10:00:00  changed",
        "    version 2, characters 26",
        "    sha1:X",
        "--show 2 prints a text, --diff 1 2 what has changed.",
    ]


def test_what_the_server_sent_is_printed_from_the_archive(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Unpacked, in its charset, and without anything that a terminal obeys."""
    (tmp_path / "crawl.json").write_text('{"seeds": ["https://a.example/"]}')
    info = WarcInfo(software="tiptoe", operator="o", user_agent="tiptoe", hostname="box")
    archive = WarcWriter(tmp_path, "h1", info=info, size_max=10**9, compression_level=1)
    corpus = CorpusWriter(tmp_path, "h1", size_max=10**9, encoding="utf-8")
    places = []
    for day, kind, body in ((1, "text/html", "<p>voda \x1b[31mčistá"), (2, "application/pdf", "%PDF")):
        headers = [("Content-Type", kind), ("Content-Encoding", "gzip")]
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
        sent = Answer(
            url=URL, status=200, headers=Headers(headers), body=gzip.compress(body.encode("iso-8859-2")),
            request_block=b"GET / HTTP/1.1\r\n\r\n", started_at=1_793_527_200.5 + (day - 1) * 86400,
            header_block=f"HTTP/1.1 200 OK\r\n{lines}\r\n".encode(),
        )  # fmt: skip
        places.append(archive.write_exchange(sent, metadata={}))
        known = msgspec.structs.replace(document(day, "x", version=day), charset="iso-8859-2")
        corpus.write_document(
            msgspec.structs.replace(known, warc_file=places[-1].file, warc_offset=places[-1].offset)
        )
    for files in archive.files:
        files.flush()
        files.close()
    corpus.files.close()
    history_command(tmp_path, URL, answer=1)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "HTTP/1.1 200 OK"
    assert printed[-1] == "<p>voda  [31mčistá"
    history_command(tmp_path, URL, answer=2, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert (told["text"], told["fault"]) == ("", "no text: application/pdf")
    assert told["headers"] == [["Content-Type", "application/pdf"], ["Content-Encoding", "gzip"]]
    with pytest.raises(SettingsError, match=r"version 7 .* not in the archive; versions there: 1, 2"):
        history_command(tmp_path, URL, answer=7)
    with pytest.raises(SettingsError, match="one of them at a time"):
        history_command(tmp_path, URL, answer=1, show=1)
