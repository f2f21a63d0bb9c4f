"""`tiptoe export`: options, messages and figures; the formats have tests of their own."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tiptoe.cli.exits import Exit
from tiptoe.cli.export_command import MEANINGS, export_command
from tiptoe.cli.export_options import ExportOptions
from tiptoe.cli.main import app
from tiptoe.errors import SettingsError
from tiptoe.export.export_amounts import Omission
from tiptoe.write.corpus import CorpusWriter, Document


def document(*paragraphs: str, language: str) -> Document:
    return Document(
        id="urn:uuid:1", url="https://a.example/", title="Titulek", language=language, charset="utf-8",
        fetched_at="2026-11-15T20:26:55.659223Z", last_modified="", depth=0, digest="", warc_file="a.warc.gz",
        warc_offset=7, paragraphs=list(paragraphs),
    )  # fmt: skip


@pytest.fixture
def crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of a crawl with three documents, two of them Czech."""
    monkeypatch.chdir(tmp_path)
    directory = tmp_path / "czech"
    directory.mkdir()
    (directory / "crawl.json").write_text('{"seeds": ["http://a.example/"]}')
    corpus = CorpusWriter(directory, "h1", size_max=10**9, encoding="utf-8")
    corpus.write_document(document("První.", "Menu", language="cs"))
    corpus.write_document(document("Druhý.", "Menu", language="cs"))
    corpus.write_document(document("Third.", language="en"))
    corpus.files.close()
    return directory


@pytest.mark.parametrize(
    ("format", "name"),
    [
        ("jsonl", "czech.jsonl"),
        ("parquet", "czech.parquet"),
        ("vertical", "czech.vert"),
        ("txt", "czech.txt"),
    ],
)
def test_the_file_is_named_after_the_crawl(crawl: Path, format: str, name: str) -> None:
    assert app(["export", str(crawl), "--format", format], result_action="return_value") == 0
    assert Path(name).stat().st_size > 0
    assert not list(Path().glob("*.part"))


def test_figures_say_what_was_left_out_and_why(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export_command(crawl, options=ExportOptions(format="txt", lang=["cs"], dedup="paragraph")) == 0
    printed = capsys.readouterr()
    words = [line.split() for line in printed.out.splitlines()]
    assert words[1:5] == [
        ["read", "3", "5", "26"],
        ["in", "another", "language", "1", "1", "6"],
        ["met", "before", "0", "1", "4"],
        ["written", "2", "3", "16"],
    ]
    assert printed.out.splitlines()[5].startswith("czech.txt and czech.txt.index.tsv: ")
    assert printed.err == ""  # no bar where nobody watches


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"lang": ["xx"]}, "of 3 documents read, 3 in another language"),
        ({"as_of": "2020-01-01"}, "of 3 documents read, 3 fetched later"),
    ],
)
def test_an_export_of_nothing_says_so(
    crawl: Path, options: dict[str, Any], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A script that goes on with an empty file finds out days later."""
    assert export_command(crawl, options=ExportOptions(format="txt", **options)) == Exit.TEXTLESS
    assert f"tiptoe: nothing was exported: {why}" in capsys.readouterr().err


def test_json_is_json_and_nothing_else(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export_command(crawl, options=ExportOptions(format="jsonl", lang=["en,de"]), as_json=True) == 0
    assert json.loads(capsys.readouterr().out) == {
        "out": "czech.jsonl",
        "format": "jsonl",
        "as_of": None,
        "bytes": Path("czech.jsonl").stat().st_size,
        "read": {"documents": 3, "paragraphs": 5, "characters": 26},
        "written": {"documents": 1, "paragraphs": 1, "characters": 6},
        "omitted": {"other_language": {"documents": 2, "paragraphs": 4, "characters": 20}},
        "later_versions": 0,
        "unreadable_lines": 0,
    }


def test_the_standard_output_has_documents_only(
    crawl: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert app(["export", str(crawl), "--format", "txt", "--out", "-"], result_action="return_value") == 0
    printed = capfdbinary.readouterr()
    assert printed.out.decode() == "První.\nMenu\n\nDruhý.\nMenu\n\nThird.\n\n"
    assert b"written" in printed.err
    assert [path.name for path in crawl.parent.iterdir()] == ["czech"]


def test_parquet_is_not_for_a_terminal(crawl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stdout", terminal)
    with pytest.raises(SettingsError, match="not for a terminal"):
        export_command(crawl, options=ExportOptions(format="parquet", out=Path("-")))


def test_a_file_that_is_there_stays_unless_forced(crawl: Path) -> None:
    Path("czech.txt").write_text("mine")
    with pytest.raises(SettingsError, match=r"--out czech\.txt: already exists; --force replaces it"):
        export_command(crawl, options=ExportOptions(format="txt"))
    assert Path("czech.txt").read_text() == "mine"
    export_command(crawl, options=ExportOptions(format="txt", force=True))
    assert Path("czech.txt").read_text(encoding="utf-8").startswith("První.")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_usability": 0.5}, "--min-usability: no document in .* has a usability"),
        ({"min_usability": 1.5}, r"--min-usability 1\.5: from 0 to 1"),
        ({"as_of": "yesterday"}, "--as-of yesterday: expected now, a day such as"),
        ({"lang": ["Czech"]}, "--lang czech: not a language code"),
        ({"out": Path("nowhere/x.txt")}, "--out nowhere/x.txt: cannot be written: No such file"),
        ({"out": Path("--force")}, "looks like an option"),
        ({"out": Path("czech/corpus/x.jsonl")}, "among the files of the crawl itself"),
    ],
)
def test_what_cannot_be_done_is_a_message(crawl: Path, options: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        export_command(crawl, options=ExportOptions(format="txt", **options))  # type: ignore[arg-type]
    assert [path.name for path in crawl.parent.iterdir()] == ["czech"]


def test_a_mirror_has_one_version_of_each_page(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The three documents of this crawl are versions of one page: the same address."""
    corpus = CorpusWriter(crawl, "h2", size_max=10**9, encoding="utf-8")
    changed = document("Nový.", language="cs")
    corpus.write_document(msgspec.structs.replace(changed, fetched_at="2026-11-20T00:00:00Z", version=2))
    corpus.files.close()
    assert app(["export", str(crawl), "--format", "txt", "--as-of", "now"], result_action="return_value") == 0
    assert Path("czech.txt").read_text(encoding="utf-8") == "Nový.\n\n"
    assert "replaced by a later version" in capsys.readouterr().out

    export_command(crawl, options=ExportOptions(format="txt", force=True))
    assert "1 of those read are later versions" in capsys.readouterr().out


def test_a_directory_that_is_no_crawl_is_a_message(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="not the directory of a crawl"):
        export_command(tmp_path / "nowhere", options=ExportOptions(format="txt"))


def test_lines_that_could_not_be_read_are_told_of(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (crawl / "corpus" / "h9.jsonl").write_text("nonsense\n")
    export_command(crawl, options=ExportOptions(format="jsonl"))
    assert "1 line could not be read" in capsys.readouterr().out


def test_every_omission_has_plain_words() -> None:
    assert set(MEANINGS) == set(Omission)
