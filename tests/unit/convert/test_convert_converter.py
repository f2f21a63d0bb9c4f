"""Do stored documents become lines of the corpus, each exactly once?"""

import os
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from stored_documents import StoredCrawl

from tiptoe.convert import converter as converter_module
from tiptoe.convert import progress as progress_module
from tiptoe.convert.converter import BATCH_DOCUMENTS
from tiptoe.convert.kinds import DocumentKind
from tiptoe.convert.progress import held, load
from tiptoe.convert.readers import read
from tiptoe.convert.reading import Reason, TextDocument
from tiptoe.convert.text_judging import Judging
from tiptoe.decide.storing import store_point
from tiptoe.errors import CorruptFile, CrawlerError, DiskFull
from tiptoe.write.dropbox import links_in, waiting_links
from tiptoe.write.recovery import examine, mend


@pytest.fixture
def crawl(tmp_path: Path) -> StoredCrawl:
    return StoredCrawl(tmp_path)


class Killed(BaseException):
    """Stands for kill -9: nothing of ours catches it."""


def test_a_document_becomes_a_line_that_leads_back_to_its_record(crawl: StoredCrawl) -> None:
    (url,) = crawl.store(b"Some text.", language="en", last_modified="Thu, 01 Jan 2026 00:00:00 GMT")
    crawl.convert()
    (line,) = crawl.corpus()
    assert (line["url"], line["paragraphs"], line["type"]) == (url, ["Some text."], "text/plain")
    assert (line["depth"], line["language"]) == (2, "en")
    assert line["last_modified"] == "2026-01-01T00:00:00.000000Z"
    assert line["id"].startswith("urn:uuid:")
    assert line["digest"].startswith("sha1:")
    packed = (crawl.directory / "warc" / f"{line['warc_file']}.open").read_bytes()[line["warc_offset"] :]
    record = zlib.decompressobj(wbits=31).decompress(packed)
    assert f"WARC-Target-URI: {url}\r\n".encode() in record
    assert record.endswith(b"Some text.\r\n\r\n")


def test_each_document_is_converted_once(crawl: StoredCrawl) -> None:
    crawl.store(b"one", b"two")
    crawl.convert()
    crawl.convert()
    assert crawl.texts() == ["one", "two"]
    assert crawl.taken == 2


def test_what_came_later_is_converted_later(crawl: StoredCrawl) -> None:
    """Also in a second list, and behind a mark that has moved on."""
    crawl.store(b"one", b"two")
    whole = dict(crawl.marks)
    (name,) = whole
    first = (crawl.directory / f"{name}.open").read_bytes().index(b"\n") + 1
    crawl.marks[name] = first
    crawl.convert()
    assert crawl.texts() == ["one"]
    crawl.marks = whole
    crawl.store(b"three", name="h2-0001")
    crawl.convert()
    assert sorted(crawl.texts()) == ["one", "three", "two"]


def test_what_is_not_committed_is_not_looked_at(crawl: StoredCrawl) -> None:
    """It may be taken back, and fetched again."""
    crawl.store(b"one")
    crawl.marks = dict.fromkeys(crawl.marks, 0)
    assert crawl.convert().count(crawl.marks) == 0
    assert crawl.corpus() == []


def test_again_means_all_of_them_and_only_once(crawl: StoredCrawl) -> None:
    crawl.store(b"one", b"two")
    crawl.convert()
    done = crawl.convert(again=True)
    assert crawl.texts() == ["one", "two"]
    assert done.progress.counts == {"converted": 2}


def test_every_document_is_counted_by_what_came_of_it(crawl: StoredCrawl) -> None:
    crawl.store(b"text", b" ", name="a")
    crawl.store(b"text", type="application/unheard-of", name="b")
    crawl.store(b"text", warc_file="gone.warc.gz", name="c")
    crawl.store(b"%PDF-1.4", type=DocumentKind.PDF.value, name="d")
    crawl.store(b"long text", name="e")
    done = crawl.convert(body_bytes_max=8)
    assert done.progress.counts == {
        "converted": 1, "no_text": 1, "unsupported": 1, "missing": 1, "broken": 1, "too_big": 1,
    }  # fmt: skip
    assert done.progress.types == {"text/plain": 1}


def test_what_was_cut_off_is_too_big_and_not_broken(crawl: StoredCrawl) -> None:
    """Its owner did nothing wrong; a higher limit would have done."""
    crawl.store(b"%PDF-1.4", type=DocumentKind.PDF.value, is_cut=True)
    assert crawl.convert().progress.counts == {"too_big": 1}


def test_the_content_coding_is_undone_and_bombs_are_too_big(crawl: StoredCrawl) -> None:
    crawl.store(b"packed text", b"x" * 5000, coding="gzip")
    done = crawl.convert(body_bytes_max=1000)
    assert crawl.texts() == ["packed text"]
    assert done.progress.counts["too_big"] == 1


def test_short_texts_are_left_out_on_request(crawl: StoredCrawl) -> None:
    crawl.store(b"short", b"long enough")
    crawl.convert(judging=Judging(store=store_point(chars_min=10)))
    assert crawl.texts() == ["long enough"]


def test_links_are_left_for_the_keeper_unless_they_must_not_be_followed(crawl: StoredCrawl) -> None:
    (url,) = crawl.store(b"see http://b.example/x and http://c.example/")
    crawl.store(b"see http://d.example/", name="nofollow", is_nofollow=True)
    crawl.convert()
    (path,) = waiting_links(crawl.directory)
    (found,) = links_in(path)
    assert (found.url, found.depth, found.hrefs) == (url, 2, ["http://b.example/x", "http://c.example/"])
    assert crawl.told == 1


def test_the_corpus_is_in_the_encoding_of_the_crawl(crawl: StoredCrawl) -> None:
    crawl.store("žlutý kůň a ещё".encode())
    crawl.convert(corpus_encoding="windows-1250")
    (file,) = (crawl.directory / "corpus").glob("*.jsonl")
    assert "žlutý kůň a \\u0435".encode("windows-1250") in file.read_bytes()


def test_bad_lines_of_a_list_are_passed_over(crawl: StoredCrawl) -> None:
    crawl.store(b"one")
    (name,) = crawl.marks
    path = crawl.directory / f"{name}.open"
    path.write_bytes(b"nonsense\n" + path.read_bytes() + b'{"id": 1}\n')
    crawl.marks[name] = path.stat().st_size
    crawl.convert()
    assert crawl.texts() == ["one"]


def test_a_list_that_is_missing_stops_nothing(crawl: StoredCrawl) -> None:
    crawl.store(b"one")
    crawl.marks["documents/a-00001.jsonl"] = 100
    crawl.convert()
    assert crawl.texts() == ["one"]


def test_stopping_finishes_the_document_and_loses_none(crawl: StoredCrawl) -> None:
    crawl.store(b"one", b"two")
    converter = crawl.converter()

    def stop() -> None:
        converter.is_stopping = True

    converter.convert(crawl.marks, crawl.tell, stop)
    assert converter.count(crawl.marks) == 1
    converter.close()
    crawl.convert()
    assert crawl.texts() == ["one", "two"]


KILLS = [
    (converter_module, "leave_links"),
    (converter_module, "store"),
    (os, "fsync"),
    (os, "replace"),
    (os, "truncate"),
    (progress_module, "rename_finished"),
]


@pytest.mark.parametrize(("home", "step"), KILLS, ids=[step for _, step in KILLS])
@pytest.mark.parametrize("turn", range(4))
def test_killed_at_any_step_no_text_is_lost_and_none_stands_twice(
    crawl: StoredCrawl, monkeypatch: pytest.MonkeyPatch, home: object, step: str, turn: int
) -> None:
    """Before and after the step, in the first run and in those that mend it."""
    texts = [
        f"text {number} http://b.example/{number}".encode() for number in range(2 * BATCH_DOCUMENTS + 10)
    ]
    crawl.store(*texts)
    own = getattr(home, step)
    calls = iter(range(100))

    def die(*args: object, **names: object) -> object:
        number = next(calls)
        if number == turn:
            raise Killed
        done = own(*args, **names)
        if number == turn + 1:
            raise Killed
        return done

    with monkeypatch.context() as patch:
        patch.setattr(home, step, die)
        for _ in range(3):
            try:
                crawl.convert()
                break
            except Killed:
                continue
    crawl.convert()
    assert [text.encode() for text in crawl.texts()] == texts
    left = {
        href for path in waiting_links(crawl.directory) for found in links_in(path) for href in found.hrefs
    }
    assert left == {f"http://b.example/{number}" for number in range(len(texts))}


def test_killed_between_two_commits_the_tail_is_cut_off(crawl: StoredCrawl) -> None:
    crawl.store(*(str(number).encode() for number in range(BATCH_DOCUMENTS + 5)))
    numbers: Iterator[int] = iter(range(1000))

    def reader(kind: DocumentKind, data: bytes, charset: str) -> TextDocument | Reason:
        if next(numbers) == BATCH_DOCUMENTS + 3:
            for path in (crawl.directory / "corpus").glob("*.open"):
                with path.open("ab") as file:
                    file.write(b'{"torn')
            raise Killed
        return read(kind, data, charset)

    with pytest.raises(Killed):
        crawl.convert(reader)
    crawl.convert()
    assert crawl.texts() == [str(number) for number in range(BATCH_DOCUMENTS + 5)]


def test_the_keeper_leaves_texts_of_documents_alone(crawl: StoredCrawl) -> None:
    """It knows no mark for them, and what has none it would remove."""
    crawl.store(b"one")
    converter = crawl.converter()
    converter.convert(crawl.marks, crawl.tell, crawl.advance)
    for finding in examine(crawl.directory, {}):
        mend(crawl.directory, finding, now=0.0)
    assert crawl.texts() == ["one"]


def test_a_full_disk_stops_the_run_and_nothing_is_lost(
    crawl: StoredCrawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl.store(b"one")
    converter = crawl.converter()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(DiskFull):
            converter.convert(crawl.marks, crawl.tell, crawl.advance)
    crawl.convert()
    assert crawl.texts() == ["one"]


def test_two_do_not_convert_at_once(crawl: StoredCrawl) -> None:
    crawl.store(b"one")
    with held(crawl.directory), pytest.raises(CrawlerError, match="already"), held(crawl.directory):
        pass


def test_a_progress_file_that_cannot_be_read_is_told(crawl: StoredCrawl) -> None:
    """Beginning anew in silence would double the corpus."""
    crawl.store(b"one")
    (crawl.directory / "state" / "convert.json").write_bytes(b"\0\0")
    with pytest.raises(CorruptFile):
        load(crawl.directory)


def test_texts_that_the_disk_lost_leave_no_zeros_behind(crawl: StoredCrawl) -> None:
    """A file that is shorter than what counts was made longer, by zeros."""
    crawl.store(b"one", b"two")
    crawl.converter().convert(crawl.marks, crawl.tell, crawl.advance)
    (path,) = (crawl.directory / "corpus").glob("*.open")
    path.write_bytes(path.read_bytes()[:-5])
    crawl.convert()
    assert crawl.texts() == ["one"]
    assert all(b"\0" not in file.read_bytes() for file in (crawl.directory / "corpus").iterdir())
