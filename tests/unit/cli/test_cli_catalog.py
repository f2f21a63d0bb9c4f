"""`tiptoe search` and `tiptoe catalog`: what they print, and what they say to mistakes."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from tiptoe.catalog.catalog_directory import CatalogInUse, open_catalog
from tiptoe.cli.catalog_building import REFRESH_BYTES_MAX, Building, refresh
from tiptoe.cli.catalog_commands import (
    build_command,
    export_descriptions_command,
    import_descriptions_command,
)
from tiptoe.cli.catalog_companion import DATABASE_VARIABLE, Companion, companion_command
from tiptoe.cli.search_command import search_command
from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.settings.layers import Settings
from tiptoe.write.corpus import CorpusWriter, Document

SOIF = b"@DOCUMENT { https://b.example/tides\ntitle{4}:\tTide\nkeywords{3}:\ta,b\n}\n"


def document(name: str, *paragraphs: str) -> Document:
    return Document(
        id=f"<{name}>", url=f"https://a.example/{name}", title=f"Stránka {name}", language="cs",
        charset="utf-8",
        fetched_at="2026-11-15T20:26:55.659223Z", last_modified="", depth=0, digest="", warc_file="a.warc.gz",
        warc_offset=7, paragraphs=list(paragraphs), lang="cs", usability=0.75,
    )  # fmt: skip


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """The directory of a crawl with three documents."""
    directory = tmp_path / "czech"
    directory.mkdir()
    (directory / "crawl.json").write_text('{"seeds": ["http://a.example/"]}')
    corpus = CorpusWriter(directory, "h1", size_max=10**9, encoding="utf-8")
    corpus.write_document(document("one", "Pitná voda teče.", "Jiná voda stojí."))
    corpus.write_document(document("two", "Voda\x1b[31m a [bold]oheň[/bold]."))
    corpus.write_document(document("three", "Nic."))
    corpus.files.flush()
    corpus.files.acknowledge(corpus.files.marks())
    corpus.files.close()
    return directory


def test_pages_are_shown_with_what_was_found(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The catalog is made on the way: whoever searches need not know of it."""
    assert search_command(crawl, "voda", facets=True) == 0
    printed = capsys.readouterr().out
    assert "Stránka one\nhttps://a.example/one\nPitná voda teče." in printed
    assert "2026-11-15 · cs · text/html" in printed
    assert "language: cs 2" in printed
    assert printed.endswith("2 pages\n")


def test_what_a_page_says_does_not_reach_the_terminal_as_commands(
    crawl: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    search_command(crawl, "ohen")
    search_command(crawl, "ohen", kwic=True)
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "[bold]oheň[/bold]" in printed


def test_pages_are_found_by_what_they_say_of_themselves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = msgspec.structs.replace(
        document("ships", "Text."), authors=["Jan Dvořák", "E. Novák"], description="O lodích.",
        keywords=["plavba"], categories=["Věda: Moře"],
    )  # fmt: skip
    (tmp_path / "crawl.json").write_text('{"seeds": []}')
    corpus = CorpusWriter(tmp_path, "h1", size_max=10**9, encoding="utf-8")
    corpus.write_document(told)
    corpus.files.flush()
    corpus.files.close()
    for query in ("author:dvorak", 'author:"e novak"', "description:lodich", "keywords:plavba",
                  "classification:more", "plavba"):  # fmt: skip
        assert search_command(tmp_path, query) == 0, query
    assert search_command(tmp_path, "author:lodich") == 1


def test_words_stand_below_each_other_in_their_context(
    crawl: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert search_command(crawl, "voda", kwic=True, sort="right", width=20) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.lower().index("voda") for line in lines[:3]] == [20, 20, 20]
    assert ["stojí" in lines[1], "teče" in lines[2]] == [True, True]
    assert lines[-1] == "3 lines, from 2 pages"


def test_the_last_line_says_which_lines_of_how_many_are_shown(
    crawl: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    search_command(crawl, "voda", kwic=True, limit=2)
    assert capsys.readouterr().out.endswith("\n1 to 2 of 3 lines, from 2 pages; --page 2 shows more\n")
    search_command(crawl, "voda", kwic=True, limit=2, page=2)
    assert capsys.readouterr().out.endswith("\n3 to 3 of 3 lines, from 2 pages\n")


def test_programs_get_json(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    search_command(crawl, "voda title:one", as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert (found["total"], found["hits"][0]["snippet"]["marks"]) == (1, [[6, 10], [22, 26]])
    search_command(crawl, "voda", kwic=True, as_json=True)
    assert json.loads(capsys.readouterr().out)["total"] == 3


def test_nothing_found_is_said_by_the_exit_code_too(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert search_command(crawl, "nowhere") == 1
    assert search_command(crawl, "nowhere", kwic=True) == 1
    assert capsys.readouterr().out.count("Nothing was found.") == 2


def test_where_there_is_no_text_yet_it_is_no_matter_of_the_query(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A crawl that has just begun, or found nothing: another word will not help."""
    (tmp_path / "crawl.json").write_text('{"seeds": []}')
    assert search_command(tmp_path, "voda") == 1
    assert capsys.readouterr().out == f"Nothing was found.\n{tmp_path} has no text yet.\n"


@pytest.mark.parametrize(("kwic", "said"), [(False, "pages were found"), (True, "lines were gathered")])
def test_a_page_beyond_the_last_one_says_where_that_is(
    crawl: Path, kwic: bool, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Silence would be taken for a crawl without such pages."""
    assert search_command(crawl, "voda", limit=1, page=99, kwic=kwic) == 1
    printed = capsys.readouterr().out
    assert printed.startswith("No more: ")
    assert f"{said}; the last are on --page " in printed


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"query": "tilte:voda"}, "no field is called tilte"),
        ({"query": "voda", "sort": "best"}, "--sort best: expected one of relevance, newest"),
        (
            {"query": "voda", "sort": "newest", "kwic": True},
            "--sort newest: with --kwic, expected one of none, left, right",
        ),
        ({"query": "voda", "sort": "right"}, "--sort right: --kwic is missing, or expected one of relevance"),
        ({"query": "voda", "kwic": True, "facets": True}, "--facets: not with --kwic"),
        ({"query": "usability:high"}, "or a range such as 0.5..1."),
        ({"query": "lang:cs", "kwic": True}, "a concordance needs a word"),
        ({"query": "voda", "kwic": True, "width": 9999}, "--width 9999: from 1 to 500"),
        ({"query": "voda", "limit": -3}, "--limit -3: from 1 to 1000"),
        ({"query": "voda", "page": 0}, "--page 0: from 1 to 10000"),
        ({"query": "voda", "page": 9999}, "page 9999 of 20"),
    ],
)
def test_mistakes_are_told(crawl: Path, options: dict[str, object], said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        search_command(crawl, **options)
    assert said in str(caught.value)


def test_a_directory_without_a_crawl_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"not the directory of a crawl"):
        search_command(tmp_path, "a")
    with pytest.raises(SettingsError, match=r"not the directory of a crawl"):
        build_command(tmp_path)


def test_much_to_read_is_left_to_a_command_of_its_own(crawl: Path) -> None:
    """Nobody who asks for a word wants to wait for an hour."""
    with (crawl / "corpus" / "h1-00002.jsonl").open("wb") as file:
        file.truncate(REFRESH_BYTES_MAX + 1)
    with pytest.raises(SettingsError, match=r"it has no catalog yet, and there is much to read \(64 MB\)"):
        refresh(crawl, "")


def test_who_searches_while_another_process_writes_is_not_bothered(crawl: Path) -> None:
    """The companion of a crawl is always at it."""
    assert refresh(crawl, "") == ""
    (crawl / "corpus" / "h1-00002.jsonl").write_bytes((crawl / "corpus" / "h1-00001.jsonl").read_bytes())
    holding = "import fcntl, sys; f = open(sys.argv[1], 'ab'); fcntl.lockf(f, fcntl.LOCK_EX)\n"
    holding += "print(1, flush=True); input()"
    lock = crawl / "catalog" / "writer.lock"
    with subprocess.Popen(
        [sys.executable, "-c", holding, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        assert refresh(crawl, "") == ""
        with pytest.raises(CrawlerError, match=r"another process writes the catalog"):
            build_command(crawl)
        other.communicate(b"\n")


def test_descriptions_go_out_and_come_in(
    crawl: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.soif"
    export_descriptions_command(crawl, out=out)
    assert b"@DOCUMENT { https://a.example/one\n" in out.read_bytes()
    other = tmp_path / "other"
    (other / "corpus").mkdir(parents=True)
    assert import_descriptions_command(other, out) == 0
    capsys.readouterr()
    assert search_command(other, '"pitna voda" lang:cs') == 0


def test_faults_of_an_import_are_told_with_their_places(
    crawl: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.soif"
    file.write_bytes(b"junk\n" + SOIF)
    import_descriptions_command(crawl, file)
    said = capsys.readouterr()
    assert "not the beginning of an object, at byte 0" in said.err
    assert said.out.startswith("1 description imported")
    file.write_bytes(b"junk\n")
    with pytest.raises(SettingsError, match=r"there is no resource description in it"):
        import_descriptions_command(crawl, file)


def test_what_was_forgotten_does_not_come_back_with_an_import(
    crawl: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An owner was promised that it is gone for good; an export of a week ago still has it."""
    (crawl / "forgotten.jsonl").write_text('{"target": "b.example"}\n')
    file = tmp_path / "x.soif"
    file.write_bytes(SOIF + SOIF.replace(b"b.example", b"c.example"))
    import_descriptions_command(crawl, file)
    assert "1 description left out" in capsys.readouterr().out
    assert [path for path in crawl.rglob("*.soif") if b"b.example" in path.read_bytes()] == []
    build_command(crawl, rebuild=True)
    assert (search_command(crawl, "site:b.example"), search_command(crawl, "site:c.example")) == (1, 0)


def test_json_has_a_line_for_each_description(
    crawl: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    export_descriptions_command(crawl, "title:one", format="json", text=False)
    (line,) = capsysbinary.readouterr().out.splitlines()
    assert json.loads(line)["url"] == "https://a.example/one"
    assert "full_text" not in json.loads(line)


# -- beside a crawl ----------------------------------------------------------


def test_the_password_of_a_database_stands_on_no_command_line() -> None:
    settings = Settings.load(overrides={"catalog.database": "postgresql://u:secret@db.example/c"})
    words, further = companion_command(settings)
    assert not any("secret" in word for word in words)
    assert "secret" in " ".join(further.values())


def wait_for(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_companion_that_dies_is_replaced_ever_more_slowly(tmp_path: Path) -> None:
    lives = tmp_path / "lives"
    code = "import sys, time, pathlib; p = pathlib.Path(sys.argv[1]); p.open('a').write('x')\n"
    code += "sys.exit(3) if len(p.read_text()) < 3 else time.sleep(60)"
    pauses: list[float] = []

    def pause(over: threading.Event, seconds: float) -> None:
        pauses.append(seconds)

    companion = Companion(
        [sys.executable, "-c", code, str(lives)], os.environ, errors=tmp_path / "errors", pause=pause
    )
    companion.start()
    wait_for(lambda: lives.exists() and lives.read_text() == "xxx")
    companion.stop()
    assert pauses[:2] == [1.0, 2.0]
    assert lives.read_text() == "xxx"


@pytest.mark.parametrize("command", [search_command, build_command, export_descriptions_command])
def test_a_file_of_settings_names_the_database(
    crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Callable[..., int]
) -> None:
    """It is stronger than what the crawl remembers, and than what the environment says."""
    nobody = "postgresql://localhost:1/nobody?connect_timeout=1"
    config = tmp_path / "crawl.toml"
    config.write_text(f'[crawl]\ncontact = "me@example.org"\n\n[catalog]\ndatabase = "{nobody}"\n')
    monkeypatch.delenv(DATABASE_VARIABLE, raising=False)
    with pytest.raises(CrawlerError, match="localhost"):
        command(crawl, config=config)
    monkeypatch.setenv(DATABASE_VARIABLE, nobody)
    config.write_text('[catalog]\ndatabase = ""\n')
    assert command(crawl, config=config) == 0


HOLDER = """
import sys
from pathlib import Path
from tiptoe.catalog.catalog_directory import CatalogDirectory
with CatalogDirectory(Path(sys.argv[1])).held():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_companion_lets_another_writer_finish(crawl: Path) -> None:
    """A search that brings the catalog up to date is no reason for the companion of a crawl to fail."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(crawl)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    with pytest.raises(CatalogInUse):
        Building(crawl).follow(lambda: False)  # told to end meanwhile
    pauses = 0

    def pause() -> bool:
        nonlocal pauses
        pauses += 1
        if pauses == 1:
            holder.communicate(timeout=60)
        return pauses == 1

    Building(crawl).follow(pause)
    assert pauses == 2
    with open_catalog(crawl, "") as catalog:
        assert len(catalog.index.positions()) == 1
