"""Does each text enter the corpus once, in order, whatever is killed and however archives are cut?"""

import io
import os
import signal
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from made_sources import WORDS, make_record, make_response, packed, write_archive

from tiptoe.compose_ingest import ingest_plan, reader_greeting
from tiptoe.errors import CrawlerError, SettingsError
from tiptoe.ingest.crew import Crew
from tiptoe.ingest.ingest_progress import ProgressStore
from tiptoe.ingest.ingester import Ingester
from tiptoe.ingest.output_directory import OutputDirectory
from tiptoe.ingest.source_files import list_sources
from tiptoe.ingest.unit_list import PlannedUnit, plan_units
from tiptoe.library.corpus_reading import read_corpus
from tiptoe.observe.eventlog import EventLog
from tiptoe.settings.layers import Settings

READER = (sys.executable, "-m", "tiptoe.ingest")
KILLED = [
    sys.executable, "-c",
    "import os, tiptoe.ingest.page_intake as intake\n"
    "read = intake.read_document\n"
    "def deadly(answer, *rest, **known):\n"
    "    if answer.url.endswith('/7'): os.kill(os.getpid(), 9)\n"
    "    return read(answer, *rest, **known)\n"
    "intake.read_document = deadly\n"
    "from tiptoe.ingest.__main__ import main\nmain()",
]  # fmt: skip
"""A reader that one page kills."""
LOCKED_OUT = [
    sys.executable, "-c",
    "import tiptoe.ingest.unit_reading as units\n"
    "take = units.take_file\n"
    "def locked(path, *rest, **known):\n"
    "    return [units.Unread.MISSING] if path.name == 'a.html' else take(path, *rest, **known)\n"
    "units.take_file = locked\n"
    "from tiptoe.ingest.__main__ import main\nmain()",
]  # fmt: skip
"""A reader that may not open one file."""


class Reading:
    """Reads sources into a directory, run by run."""

    def __init__(self, directory: Path, **given: object) -> None:
        self.directory = directory
        given = {"text__detect_language": False, **given}  # the model takes a moment to load
        overrides = {name.replace("__", "."): value for name, value in given.items()}
        self.settings = Settings.load(overrides=overrides)
        self.runs = 0
        self.unopened: list[str] = []  # by the last run

    def run(
        self, *sources: Path, command: tuple[str, ...] | list[str] = READER, part_bytes: int = 8 << 20,
        processes: int = 1, stops_after: int = 0,
    ) -> dict[str, int]:  # fmt: skip
        """Read; with `stops_after` until so many units were begun, as if it was killed then."""
        self.runs += 1
        OutputDirectory(self.directory).check(list(sources))
        with OutputDirectory(self.directory).claimed():
            OutputDirectory(self.directory).note(list(sources))
            store = ProgressStore(self.directory)
            log = EventLog("read", io.StringIO())
            ingester = Ingester(self.directory, ingest_plan(self.settings), store, log, run=f"{self.runs:x}")

            def units() -> Iterator[PlannedUnit]:
                for number, unit in enumerate(
                    plan_units(list_sources(list(sources)), store, part_bytes=part_bytes)
                ):
                    if stops_after and number >= stops_after:
                        raise KeyboardInterrupt
                    yield unit

            try:
                with Crew(processes, reader_greeting(self.settings), command=command) as crew:
                    ingester.ingest(units(), crew)
                ingester.close()
            except KeyboardInterrupt:
                pass  # nothing was closed, nothing committed: as after a kill
            finally:
                store.close()
            self.unopened = ingester.unopened
            return ingester.progress.counts

    def lines(self) -> list[bytes]:
        """Return the lines of the corpus."""
        files = sorted((self.directory / "corpus").glob("read-*"))
        return [line for path in files for line in path.read_bytes().splitlines(keepends=True)]

    def urls(self) -> list[str]:
        return [document.url.rpartition("/")[2] for document in read_corpus(self.directory)]


def test_the_corpus_is_the_same_whatever_the_parts_and_the_processes(tmp_path: Path) -> None:
    """Parts are cut without a look; those that begin within a record are read anew."""
    hidden = make_record("resource", packed([make_response(100 + n) for n in range(30)]), WARC_Date="2026")
    records = [make_response(number) for number in range(40)]
    archive = tmp_path / "a.warc.gz"
    # Stored, not packed, so that the records within look like records of the file.
    inner = _stored(hidden)
    archive.write_bytes(packed(records[:20]) + inner + packed(records[20:]))
    whole, parted = Reading(tmp_path / "whole"), Reading(tmp_path / "parted")

    counts = whole.run(archive)
    assert parted.run(archive, part_bytes=2000, processes=2) == counts

    assert whole.urls() == [str(number) for number in range(40)]
    assert parted.lines() == whole.lines()


def _stored(record: bytes) -> bytes:
    """Return a gzip member that holds its content as it is."""
    packer = zlib.compressobj(0, zlib.DEFLATED, 31)
    return packer.compress(record) + packer.flush()


def test_a_run_that_was_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    """What was written and did not count is cut off, not read again and kept twice."""
    archive = write_archive(tmp_path / "a.warc.gz", 60)
    reading, whole = Reading(tmp_path / "out"), Reading(tmp_path / "whole")
    for units in (1, 3):
        reading.run(archive, part_bytes=4000, stops_after=units)
        left = [*(reading.directory / "corpus").glob("*.open")]
        if left:  # beyond its mark
            with left[0].open("ab") as file:
                file.write(b'{"id": "torn')
    reading.run(archive, part_bytes=4000)
    whole.run(archive)

    assert reading.lines() == whole.lines()
    assert reading.run(archive) == whole.run(archive)
    assert reading.urls() == [str(number) for number in range(60)]


def test_a_page_that_kills_its_reader_costs_itself(tmp_path: Path) -> None:
    reading = Reading(tmp_path / "out", text__duplicity=False)
    counts = reading.run(write_archive(tmp_path / "a.warc.gz", 12), command=KILLED)
    assert counts == {"read": 11, "crashed": 1}
    assert "7" not in reading.urls()


def test_a_reader_leaves_it_to_its_parent_what_a_signal_to_all_means(tmp_path: Path) -> None:
    """systemd sends SIGTERM to every process of a unit: a reader that ended would count as lost."""
    signalled = [word.replace("os.getpid(), 9", f"os.getpid(), {signal.SIGTERM:d}") for word in KILLED]
    counts = Reading(tmp_path / "out").run(write_archive(tmp_path / "a.warc.gz", 12), command=signalled)
    assert counts["read"] == 12
    assert "crashed" not in counts


def test_readers_that_cannot_live_end_the_run(tmp_path: Path) -> None:
    """Else a broken installation would pass over a whole archive, page by page."""
    dead = [sys.executable, "-c", f"import os; os.kill(os.getpid(), {signal.SIGKILL.value})"]
    with pytest.raises(CrawlerError, match="readers die"):
        Reading(tmp_path / "out").run(write_archive(tmp_path / "a.warc.gz", 2), command=dead)


def test_a_source_that_lies_in_another_one_is_read_once(tmp_path: Path) -> None:
    """Whoever names a folder and a file of it does not want its texts twice."""
    folder = tmp_path / "old"
    folder.mkdir()
    archive = write_archive(folder / "a.warc.gz", 3)
    assert Reading(tmp_path / "out").run(archive, folder, archive) == {"read": 3}


def test_copies_are_left_out_and_counted(tmp_path: Path) -> None:
    pages = [make_response(number, f"<p>{WORDS} stále totéž, slovo od slova.".encode()) for number in (1, 2)]
    (tmp_path / "a.warc").write_bytes(b"".join([*pages, make_response(3)]))
    reading = Reading(tmp_path / "out")
    assert reading.run(tmp_path / "a.warc") == {"read": 2, "duplicate": 1}
    assert reading.urls() == ["1", "3"]
    every = Reading(tmp_path / "every", text__duplicity=False)
    assert every.run(tmp_path / "a.warc") == {"read": 3}


def test_a_copy_of_an_archive_adds_nothing(tmp_path: Path) -> None:
    """Neither under another name in the same run, nor in a later one, nor half of it."""
    whole = write_archive(tmp_path / "a.warc.gz", 4)
    (tmp_path / "b.warc.gz").write_bytes(whole.read_bytes())
    reading = Reading(tmp_path / "out", text__duplicity=False)
    assert reading.run(whole, tmp_path / "b.warc.gz") == {"read": 4, "read_before": 4}
    write_archive(tmp_path / "c.warc.gz", 2)
    assert reading.run(tmp_path / "c.warc.gz") == {"read": 4, "read_before": 6}
    assert reading.urls() == ["0", "1", "2", "3"]


def test_a_file_that_is_changed_and_changed_back_is_read_each_time(tmp_path: Path) -> None:
    """It has the id of its first version again, and is a later one all the same."""
    page = tmp_path / "pages" / "x.html"
    page.parent.mkdir()
    reading = Reading(tmp_path / "out", text__duplicity=False)
    for text in ("první", "druhá, docela jiná", "první"):
        page.write_text(f"<p>{WORDS} {text} podoba.")
        reading.run(page.parent)
    assert [one.version for one in read_corpus(reading.directory)] == [1, 2, 3]


def test_what_is_new_in_a_source_is_read_later_and_nothing_else(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    archive = write_archive(pages / "a.warc.gz", 3)
    (pages / "x.html").write_text(f"<p>{WORDS} první podoba.")
    reading = Reading(tmp_path / "out", text__duplicity=False)
    reading.run(pages)
    assert reading.urls() == ["0", "1", "2", "x.html"]

    with archive.open("ab") as file:
        file.write(packed([make_response(3)]))
    (pages / "x.html").write_text(f"<p>{WORDS} druhá, docela jiná podoba.")
    reading.run(pages)
    reading.run(pages)

    assert reading.urls()[4:] == ["3", "x.html"]
    assert [one.version for one in read_corpus(reading.directory) if one.url.endswith("x.html")] == [1, 2]


def test_a_record_that_was_still_being_written_is_read_when_it_is_whole(tmp_path: Path) -> None:
    """The archive of a running crawl ends anywhere, and has another name when it is finished."""
    whole = packed([make_response(number) for number in range(3)])
    growing = tmp_path / "a.warc.gz.open"
    growing.write_bytes(whole[:-20])
    reading = Reading(tmp_path / "out", text__duplicity=False)
    assert reading.run(growing) == {"read": 2, "broken_record": 1}
    growing.unlink()
    (tmp_path / "a.warc.gz").write_bytes(whole)
    assert reading.run(tmp_path / "a.warc.gz")["read"] == 3
    assert reading.urls() == ["0", "1", "2"]


def test_bad_input_is_counted_by_its_reason(tmp_path: Path) -> None:
    members = [packed([make_response(number)]) for number in range(3)]
    others = [
        make_response(4, status="404 Not Found"), make_record("warcinfo", b""),
        make_record("response", b"no http"), make_response(5, b"")
    ]  # fmt: skip
    (tmp_path / "a.warc.gz").write_bytes(members[0] + members[1][:-9] + members[2] + packed(others))
    assert Reading(tmp_path / "out").run(tmp_path / "a.warc.gz") == {
        "read": 2, "broken_record": 1, "not_ok": 1, "other_record": 1, "no_answer": 1, "no_text": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    "url",
    [
        "metadata://gnu.org/software/wget/warc/wget.log", "urn:text:https://a.example/", "dns:a.example",
        "urn:pageinfo:https://a.example/", "whois://whois.example/", "",
    ],
)  # fmt: skip
def test_what_a_crawler_says_of_itself_is_no_text_of_the_web(url: str, tmp_path: Path) -> None:
    """wget keeps its log in the archive, Browsertrix the text of each page once more."""
    named = {"WARC_Target_URI": url} if url else {}
    record = make_record("resource", WORDS.encode(), Content_Type="text/plain", **named)
    (tmp_path / "a.warc").write_bytes(record + make_response(1))
    assert Reading(tmp_path / "out").run(tmp_path / "a.warc") == {"read": 1, "other_record": 1}


def test_every_document_has_an_id_and_a_date_in_the_form_of_the_corpus(tmp_path: Path) -> None:
    """Makers of archives leave out what the standard demands; readers of a corpus rely on it."""
    dates = ["20260102030405", "2026-01-02T04:04:05+01:00", "2026-01-02T03:04:05Z", "yesterday", None]
    records = [
        make_record(
            "response", make_response(number).partition(b"\r\n\r\n")[2],
            WARC_Target_URI=f"https://a.example/\x01{number}", **({"WARC_Date": date} if date else {}),
        )
        for number, date in enumerate(dates)
    ]  # fmt: skip
    (tmp_path / "a.warc").write_bytes(b"".join(records))
    Reading(tmp_path / "out").run(tmp_path / "a.warc")
    found = list(read_corpus(tmp_path / "out"))
    unknown = "1970-01-01T00:00:00.000000Z"
    assert [document.fetched_at for document in found] == ["2026-01-02T03:04:05.000000Z"] * 3 + [unknown] * 2
    assert len({document.id for document in found if document.id.startswith("urn:uuid:")}) == len(dates)
    assert found[0].url == "https://a.example/%010"


def test_what_could_not_be_opened_is_named_and_tried_again(tmp_path: Path) -> None:
    """Else a file without the right permissions would be missing for ever."""
    pages = tmp_path / "pages"
    pages.mkdir()
    for name in ("a.html", "b.html"):
        (pages / name).write_text(f"<p>{WORDS} {name}")
    reading = Reading(tmp_path / "out")
    assert reading.run(pages, command=LOCKED_OUT) == {"read": 1, "missing": 1}
    assert reading.unopened == [str(pages / "a.html")]
    assert reading.run(pages)["read"] == 2
    assert reading.unopened == []


def test_names_of_files_may_be_in_any_charset(tmp_path: Path) -> None:
    """Copies of sites from the nineties have names in Latin-1; one of them must not end the reading."""
    folder = tmp_path / os.fsdecode(b"d\xe9partement")
    folder.mkdir()
    (folder / os.fsdecode(b"caf\xe9.html")).write_text(f"<p>{WORDS} caf\u00e9")
    (folder / os.fsdecode(b"m\xe9l.mbox")).write_text(f"From a\nSubject: b\n\n{WORDS} mail")
    write_archive(folder / os.fsdecode(b"pages\xe9.warc.gz"), 1)
    (folder / os.fsdecode(b"vid\xe9.html")).write_text("")
    reading = Reading(tmp_path / "out")
    assert reading.run(folder) == {"read": 3, "no_text": 1}
    assert [document.warc_file for document in read_corpus(tmp_path / "out")] == [
        "caf\\xe9.html", "m\\xe9l.mbox", "pages\\xe9.warc.gz",
    ]  # fmt: skip
    assert reading.run(folder)["read"] == 3  # all of them are known as done


def test_a_directory_that_is_not_for_us_is_refused(tmp_path: Path) -> None:
    archive = write_archive(tmp_path / "a.warc.gz", 1)
    for name, inside in (("crawl", "crawl.json"), ("full", "letter.txt")):
        (tmp_path / name).mkdir()
        (tmp_path / name / inside).write_text("{}")
        with pytest.raises(SettingsError, match="choose another --out"):
            OutputDirectory(tmp_path / name).check([archive])
    with pytest.raises(SettingsError, match="choose another place"):
        OutputDirectory(tmp_path / "out").check([tmp_path])
    with pytest.raises(SettingsError, match="at least one SOURCE"):
        OutputDirectory(tmp_path / "new").check([])
    with (
        OutputDirectory(tmp_path / "new").claimed(),
        pytest.raises(CrawlerError, match="already"),
        OutputDirectory(tmp_path / "new").claimed(),
    ):
        pass


def test_a_source_that_is_not_there_is_refused_before_it_is_remembered(tmp_path: Path) -> None:
    """A mistyped name must not be looked for in every later run."""
    directory = OutputDirectory(tmp_path / "out")
    with pytest.raises(SettingsError, match=r"typo\.warc\.gz: no such file or folder"):
        directory.check([tmp_path / "typo.warc.gz"])
    with pytest.raises(SettingsError, match="only files are read; `tiptoe crawl` fetches pages"):
        directory.check([Path("http://a.example/")])
    assert directory.sources() == []


def test_a_source_that_has_gone_since_leaves_the_others_to_be_read(tmp_path: Path) -> None:
    """Whoever deletes an archive after reading it can still read more into the same corpus."""
    (tmp_path / "page.html").write_text("<p>here")

    found = list_sources([tmp_path / "deleted.warc.gz", tmp_path / "page.html"])

    assert [file.path.name for file in found] == ["page.html"]
