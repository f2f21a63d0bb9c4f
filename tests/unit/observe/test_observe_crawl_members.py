"""What several machines have written is read as one crawl."""

import shutil
from pathlib import Path

import pytest
from observe_samples import CrawlFiles

from tiptoe.observe.crawl_members import member_directories, member_files
from tiptoe.observe.page_history import read_history
from tiptoe.observe.run_figures import read_runs, write_figures
from tiptoe.observe.statistics import files_bytes, gather
from tiptoe.protocol.status import Status
from tiptoe.write.output_kinds import CORPUS


def write(directory: Path, name: str, content: str) -> Path:
    path = directory / "corpus" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


def test_files_of_one_name_that_differ_are_two(tmp_path: Path) -> None:
    """Harvesters of two machines may be called alike."""
    one = write(tmp_path / "a", "h1-00001.jsonl", "first")
    other = write(tmp_path / "b", "h1-00001.jsonl", "second")
    assert member_files(CORPUS.files, tmp_path / "a", tmp_path / "b") == [one, other]


@pytest.mark.parametrize(
    "names", [("h1-00001.jsonl", "h1-00001.jsonl"), ("h1-00001.jsonl", "h1-00001.jsonl.open")]
)
def test_of_a_file_and_its_copy_the_longer_one_is_read(tmp_path: Path, names: tuple[str, str]) -> None:
    """A copy was gathered a while ago, when the file may have had another name."""
    longer = write(tmp_path / "a", names[0], "first and more")
    write(tmp_path / "b", names[1], "first")
    for order in (("a", "b"), ("b", "a")):
        assert member_files(CORPUS.files, *(tmp_path / name for name in order)) == [longer]


def test_other_agents_lie_below_members(tmp_path: Path) -> None:
    assert member_directories(tmp_path) == []
    for name in ("b", "a"):
        (tmp_path / "members" / name).mkdir(parents=True)
    (tmp_path / "members" / "note").touch()
    assert member_directories(tmp_path) == [tmp_path / "members" / "a", tmp_path / "members" / "b"]


def test_statistics_are_those_of_all_machines_and_copies_count_once(tmp_path: Path) -> None:
    here, there = CrawlFiles(tmp_path / "here"), CrawlFiles(tmp_path / "there", "h2")
    here.ask("http://a.example/")
    here.keep("http://a.example/", "first")
    there.ask("http://b.example/")
    there.ask("http://b.example/2", at=3.0)
    there.keep("http://b.example/", "second")
    for files, pages in ((here, 1), (there, 2)):
        files.close()
        write_figures(files.directory, Status(pages=pages, queued=5, started_at=1.0, now=2.0))
    copy = tmp_path / "copy"
    shutil.copytree(there.directory, copy)

    found = gather(here.directory, members=[there.directory, copy])

    assert (found.requests.count, found.documents.count, len(found.hosts)) == (3, 2, 2)
    alone = [files_bytes(files.directory) for files in (here, there)]
    assert files_bytes(here.directory, [there.directory, copy]) == sum(alone)


def test_figures_of_the_keepers_add_up(tmp_path: Path) -> None:
    for name, pages in (("a", 1), ("b", 2)):
        (tmp_path / name / "log").mkdir(parents=True)
        write_figures(tmp_path / name, Status(pages=99, started_at=1.0, now=2.0, encoding="iso-8859-2"))
        write_figures(tmp_path / name, Status(pages=pages, started_at=5.0, now=8.0))
    runs = read_runs(tmp_path / "a", tmp_path / "b")
    assert runs.last is not None
    assert (runs.last.pages, runs.count, runs.seconds) == (3, 4, 8.0)
    assert runs.encodings["3e8"] == "iso-8859-2"


def test_the_visits_of_a_page_may_be_those_of_several_agents(tmp_path: Path) -> None:
    """Its shard has moved on, and with it who visits it."""
    here, there = CrawlFiles(tmp_path / "here"), CrawlFiles(tmp_path / "there", "h2")
    url = "http://a.example/"
    here.keep(url, "first", fetched_at="2026-01-01T00:00:00Z", version=1)
    there.keep(url, "second", fetched_at="2026-02-01T00:00:00Z", version=2)
    here.close()
    there.close()

    history = read_history(here.directory, url, members=[there.directory])

    assert history.versions() == [1, 2]
    assert history.document(2).paragraphs == ["second"]
