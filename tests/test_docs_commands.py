"""Do the commands in the documents work?

Every command line of ours has to be understood by the program as it is, and is run: here those that read a
crawl, or work on one that has stopped, on a small crawl of the simulated web that goes by the names the
documents use. `tests/journeys/docs_runs.py` says who runs the others.
"""

import json
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from cyclopts import CycloptsError
from docs_lines import PAGES, ROOT, command_lines, commands_of, page_name
from docs_runs import CRAWLS, LINES, SKETCHES, Runner, lines_of, run, said

from tiptoe import __version__
from tiptoe.cli.command_tree import declared_commands
from tiptoe.cli.exits import Exit
from tiptoe.cli.main import app
from tiptoe.errors import SettingsError
from tiptoe.settings.commandline import gather_overrides
from tiptoe.settings.layers import Settings
from tiptoe.settings.schema import SETTINGS

JUDGING = {"fields", "scope"}
"""Commands whose exit code is a verdict, which may be no here."""

ARCHIVE = "CC-MAIN-20260114-00000.warc.gz"
LETTERS = """From eva@example.org Mon Jan  5 10:00:00 2026
From: Eva <eva@example.org>
Subject: A letter
Date: Mon, 5 Jan 2026 10:00:00 +0000
Message-ID: <1@example.org>

It has one sentence, and a second one that is a little longer.
"""
FEED = """<rss version="2.0"><channel><title>News</title><item><title>One</title>
<link>https://www.example.cz/one</link><description>A text of some words.</description></item></channel></rss>
"""


def test_commands_are_found_between_pipes_and_redirections() -> None:
    assert list(commands_of("zcat x | tiptoe crawl - --include '\\.cz$' > log  # so")) == [
        ["crawl", "-", "--include", "\\.cz$"]
    ]
    assert sum(len(list(command_lines(page))) for page in PAGES) > 150


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_every_command_line_in_the_documents_is_understood(page: Path) -> None:
    """With the options of that very command, values that settings can have, and as many words as it takes."""
    for words in command_lines(page):
        try:
            _, given, *_ = app.parse_args(words, print_error=False, exit_on_error=False)
            check_settings(given.arguments)
        except (CycloptsError, SettingsError) as error:
            pytest.fail(f"tiptoe {shlex.join(words)}: {error}")


def check_settings(given: Mapping[str, object]) -> None:
    """Read the values of settings as a crawl would; raise SettingsError with what is wrong."""
    said = {name: given[name.replace(".", "_")] for name in SETTINGS if name.replace(".", "_") in given}
    assigned = given.get("set_") or []
    assert isinstance(assigned, list)
    Settings.load(None, gather_overrides(said, assigned))


def test_whoever_comes_from_another_tool_is_told_options_that_exist() -> None:
    known = {
        name for command in declared_commands(app).walk() for word in command.options for name in word.names
    }
    rows = re.findall(r"^\|.*\|(.*)\|$", (ROOT / "docs" / "coming-from.md").read_text(), re.MULTILINE)
    named = [span for row in rows for span in re.findall(r"`([^`]+)`", row)]
    options = {span.split()[0] for span in named if span.startswith("--")}
    settings = {span for span in named if re.fullmatch(r"[a-z]+\.[a-z_]+", span)}
    assert len(options) > 20
    assert options - known == set()
    assert len(settings) > 8
    assert settings - SETTINGS.keys() == set()


def test_commands_that_read_a_crawl_do_what_the_documents_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What somebody copies from a page has to work; each is run once, on a simulated crawl.

    A search that finds nothing there has the exit code 1, as `grep` has.
    """
    monkeypatch.chdir(tmp_path)
    assert run("rehearse", "--hosts", "60", "--max-pages", "12", "--out", "made") == 0
    url = example_page(tmp_path / "made")
    for name in CRAWLS:
        (tmp_path / name).symlink_to("made")
    lines = lines_of(Runner.READING)
    assert len(lines) > 30
    for words in lines:
        spoken = [with_example(word, url) for word in words]
        assert run(*spoken) in ((None, 0, 1) if words[0] == "search" else (None, 0)), shlex.join(spoken)
        clear(tmp_path)


def test_commands_that_work_on_a_crawl_do_what_the_documents_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As above; each has a crawl of its own, with the files that the documents speak of beside it."""
    monkeypatch.chdir(tmp_path)
    Path("crawl.toml").write_text('[crawl]\ncontact = "me@example.org"\n')
    assert run("rehearse", "crawl.toml", "--shape", "tiny", "--max-pages", "12", "--out", "made") == 0
    url = example_page(tmp_path / "made")
    lines = lines_of(Runner.WORKING)
    assert len(lines) > 30
    for number, words in enumerate(lines):
        monkeypatch.chdir(lay_out(tmp_path / str(number), tmp_path / "made", words))
        if words[:2] != ("filters", "new"):
            run("filters", "new", "myfilters")
        if "harvest.soif" in words:
            run("catalog", "export", "czech", "--format", "soif", "--out", "harvest.soif")
        spoken = [with_example(word, url) for word in words]
        allowed: tuple[int | None, ...] = (None, 0, 1) if words[0] in JUDGING else (None, 0)
        if words[0] == "read" and "--languages" in words:
            allowed = (Exit.TEXTLESS,)  # the archive at hand is in no language that the documents ask for
        assert run(*spoken) in allowed, shlex.join(spoken)


def test_lists_are_exchanged_as_the_documents_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other: each command goes on with what the one before has written."""
    monkeypatch.chdir(tmp_path)
    assert run("rehearse", "--shape", "tiny", "--max-pages", "12", "--out", "prague") == 0
    watch = ("--hosts", "15", "--revisit", "adaptive", "--on-end", "watch", "--max-seconds", "40")
    assert run("rehearse", *watch, "--max-pages", "12", "--out", "brno") == 0
    assert run("downlist", "export", "brno", "--out", "brno.list") in (None, 0)
    assert run("downlist", "merge", "brno.list", "--out", "all.list") in (None, 0)
    page = ROOT / "docs" / "howto" / "robots-that-share-nothing.md"
    lines = [words for words in command_lines(page) if words[0] == "downlist"]
    assert {tuple(words) for words in lines} == set(lines_of(Runner.EXCHANGING))
    assert [words[1] for words in lines] == ["export", "merge", "apply", "export"]
    for words in lines:
        assert run(*words) in (None, 0), shlex.join(words)


def test_rehearsals_are_those_of_the_documents() -> None:
    """The tests above begin with them; less is asked for, and elsewhere."""
    assert sorted(words[1:3] for words in lines_of(Runner.REHEARSING)) == [
        ("--hosts", "15"), ("--hosts", "60"), ("crawl.toml",),
    ]  # fmt: skip


def test_commands_that_need_no_crawl_do_what_the_documents_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    version, refused = lines_of(Runner.ALONE)
    assert said(*version) == f"{__version__}\n"
    with pytest.raises(SettingsError, match="no contact given"):
        run(*refused)


def test_every_command_line_of_the_documents_is_run_by_a_test() -> None:
    """But for sketches, of which is said why nobody can type them."""
    assert set(lines_of(Runner.NOBODY)) == set(SKETCHES)
    assert len(LINES) - len(SKETCHES) > 165


def lay_out(folder: Path, made: Path, words: Sequence[str]) -> Path:
    """Fill a folder with what the documents take to be there."""
    folder.mkdir()
    for name in set(CRAWLS).intersection(words):
        if words[:2] != ("read", ARCHIVE):  # which makes it
            shutil.copytree(made, folder / name)
    shutil.copy(next((made / "warc").glob("*.warc.gz")), folder / ARCHIVE)
    (folder / "letters.mbox").write_text(LETTERS)
    for name, file, text in (
        ("pages", "a.html", "<p>A text."),
        ("news", "a.mbox", LETTERS),
        ("feeds", "a.xml", FEED),
    ):
        (folder / name).mkdir()
        (folder / name / file).write_text(text)
    for page, name in (("fields-by-rule", "fields.toml"), ("sites-with-a-login", "access.toml")):
        text = (ROOT / "docs" / "howto" / f"{page}.md").read_text(encoding="utf-8")
        (block,) = re.findall(r"^```\w*\n((?:# access.toml\n)?\[\[rule\]\]\n.*?)^```", text, re.M | re.S)[:1]
        (folder / name).write_text(block)
    (folder / "members.password").write_text("secret")
    (folder / "members.password").chmod(0o600)
    (folder / "page.html").write_text("<h1>A page</h1><p>With a text.</p>")
    (folder / "crawl.toml").write_text('[crawl]\ncontact = "me@example.org"\nout = "czech"\n')
    return folder


def with_example(word: str, url: str) -> str:
    """Return a word of a document with a page, or a host, that the simulated crawl has met."""
    if word.startswith(("http://www.example.", "https://www.example.", "www.example.cz/", "https://shop.")):
        return url
    return url.split("/")[2] if word == "www.example.cz" else word


def example_page(crawl: Path) -> str:
    (file, *_) = sorted((crawl / "corpus").glob("*.jsonl"))
    return str(json.loads(file.read_text().splitlines()[0])["url"])


def clear(directory: Path) -> None:
    """Remove what a command has written: the next one refuses to write over it."""
    for path in directory.iterdir():
        if path.name == "made" or path.is_symlink():
            continue
        shutil.rmtree(path) if path.is_dir() else path.unlink()
