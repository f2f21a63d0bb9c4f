"""A new kind of output needs a declaration, and somebody who writes to it; nothing else."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from repair_samples import HOST, SmallCrawl, Title, lose, truncate, zero_tail
from rich.console import Console

from tiptoe.cli.summary import print_files
from tiptoe.errors import SettingsError
from tiptoe.export.exporter import ExportPlan, export
from tiptoe.export.selection import Selection
from tiptoe.url.address import page_key
from tiptoe.write import output_kinds
from tiptoe.write.output_kinds import FileForm, OutputKind, PageMark, PagePart


def whose(line: bytes) -> PageMark:
    title = msgspec.json.decode(line, type=Title)
    return page_key(title.url), title.fetched_at


TITLES = OutputKind(
    "titles", ".jsonl", FileForm.LINES, "what pages are called",
    read=whose, part=PagePart.BODY, records=("title", "titles"),
)  # fmt: skip
URLS = {f"{HOST}/{number}" for number in range(40)}


@pytest.fixture
def crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SmallCrawl:
    """A crawl that writes titles, too."""
    monkeypatch.setattr(output_kinds, "KINDS", (*output_kinds.KINDS, TITLES))
    return SmallCrawl(tmp_path, also=[TITLES])


def titled(crawl: SmallCrawl) -> list[str]:
    """Return the pages whose titles stand in the files, with the last visit of each once."""
    lines = [line for path in TITLES.files(crawl.directory) for line in path.read_bytes().splitlines()]
    return sorted({json.loads(line)["url"] for line in lines})


def test_it_is_written_and_finished_with_the_others(crawl: SmallCrawl) -> None:
    """Its size is in the marks of every report, like theirs."""
    crawl.run(ends_well=True)

    assert set(titled(crawl)) == URLS
    assert [path.name for path in TITLES.files(crawl.directory)] == ["t-h1-0001-00001.jsonl"]
    assert crawl.restart() == []


def test_what_was_not_acknowledged_is_cut_after_a_crash(crawl: SmallCrawl) -> None:
    """The page is asked for again, so its record would stand there twice."""
    crawl.run()
    file = crawl.file("titles/*.jsonl")
    committed = file.read_bytes()
    file.write_bytes(committed + b'{"url":"http://a.example/1","fetched')

    (told,) = crawl.restart()

    assert told.startswith("titles/t-h1-0001-00001.jsonl")
    assert (crawl.directory / "titles/t-h1-0001-00001.jsonl").read_bytes() == committed
    assert crawl.restart() == []


@pytest.mark.parametrize("damage", [lose, truncate, zero_tail])
def test_records_that_are_lost_are_told_by_their_name_and_made_good(
    crawl: SmallCrawl, damage: Callable[[Path], None]
) -> None:
    """The keeper knows which pages the file held, whatever it held of them."""
    crawl.run()
    damage(crawl.file("titles/*.jsonl"))

    told = crawl.restart()

    assert told[0].startswith("titles/t-h1-0001-00001.jsonl")
    assert told[0].endswith(" titles")
    crawl.run(ends_well=True)
    assert set(titled(crawl)) == URLS
    assert crawl.restart() == []


@pytest.mark.parametrize("damage", [truncate, zero_tail])
def test_a_repair_finds_damage_in_finished_files(crawl: SmallCrawl, damage: Callable[[Path], None]) -> None:
    """It reads every kind from the first byte to the last."""
    crawl.run(ends_well=True)
    damage(crawl.file("titles/*.jsonl"))

    told = crawl.look()

    assert told[0].startswith("titles/t-h1-0001-00001.jsonl")
    crawl.run(ends_well=True)
    assert set(titled(crawl)) == URLS
    assert crawl.look() == []


def test_the_summary_lists_it(crawl: SmallCrawl) -> None:
    """Whoever wants it has to know that it is there."""
    crawl.run(ends_well=True)
    printed = io.StringIO()

    print_files(Console(file=printed, width=500), crawl.directory)

    (line,) = [line for line in printed.getvalue().splitlines() if "/titles/" in line]
    assert "1 file" in line
    assert line.endswith(": what pages are called")


def test_no_export_is_written_among_its_files(crawl: SmallCrawl) -> None:
    """They would be taken for what a harvester has written."""
    crawl.run(ends_well=True)
    (crawl.directory / "crawl.json").touch()
    out = crawl.directory / "titles" / "all.jsonl"
    plan = ExportPlan(directory=crawl.directory, format="jsonl", out=out, selection=Selection())

    with pytest.raises(SettingsError, match="among the files of the crawl"):
        export(plan)
