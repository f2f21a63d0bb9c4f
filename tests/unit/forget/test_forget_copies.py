"""Copies of another member's files lose what is to be forgotten as well, finished or not."""

import os
import shutil
from pathlib import Path

import pytest
from repair_samples import HOST, SmallCrawl

from tiptoe.forget.gathered_copies import forget_in_copies
from tiptoe.url.wish import read_wish
from tiptoe.write.archive import records_in

WISH = read_wish(f"{HOST}/1*")
FORGOTTEN = {f"{HOST}/1", *(f"{HOST}/1{n}" for n in range(10))}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """What was gathered while the last files were still being written."""
    crawl = SmallCrawl(tmp_path / "there", shard=3)
    crawl.run(ends_well=True)
    shutil.copytree(crawl.directory, tmp_path / "here")
    return tmp_path / "here"


def archived(directory: Path) -> set[str]:
    found = set()
    for path in directory.glob("warc/*.warc.gz*"):
        for one in records_in(path, path.stat().st_size):
            if one.record is not None and one.record.kind == "response":
                found.add(one.record.headers["warc-target-uri"])
    return found


def said(directory: Path) -> bytes:
    """Return all that can be read as it is; the request log stays."""
    outputs = (path for path in directory.glob("*/*") if path.parent.name != "log")
    return b"".join(path.read_bytes() for path in outputs if path.suffix in (".jsonl", ".cdxj"))


def expect_forgotten(copy: Path) -> None:
    assert not archived(copy) & FORGOTTEN
    assert len(archived(copy)) > 20
    for url in FORGOTTEN:
        assert f'"{url}"'.encode() not in said(copy)
    assert f'"{HOST}/2"'.encode() in said(copy)


def test_copies_lose_lines_and_records(copy: Path) -> None:
    assert archived(copy) >= FORGOTTEN
    forget_in_copies(copy, WISH, now=1.0)
    expect_forgotten(copy)
    before = {path: path.read_bytes() for path in copy.glob("*/*")}
    forget_in_copies(copy, WISH, now=2.0)
    assert {path: path.read_bytes() for path in copy.glob("*/*")} == before, "there was nothing left to do"


def test_an_archive_may_end_within_a_record_that_is_to_be_forgotten(copy: Path) -> None:
    """Its beginning could be unpacked; it is copied again as far as its owner still has it."""
    (archive,) = copy.glob("warc/*.warc.gz")
    (index,) = copy.glob("warc/*.cdxj")
    index.unlink()
    last = [one for one in records_in(archive, archive.stat().st_size) if one.record is not None][-1]
    os.truncate(archive, last.end - 20)
    archive.rename(archive.with_name(archive.name + ".open"))
    forget_in_copies(copy, WISH, now=1.0)
    expect_forgotten(copy)
    (archive,) = copy.glob("warc/*.warc.gz.open")
    assert archive.stat().st_size == last.start


def test_an_index_that_is_behind_its_archive_hides_nothing(copy: Path) -> None:
    """Both are copied one after the other, and the crawl goes on meanwhile."""
    (index,) = copy.glob("warc/*.cdxj")
    index.write_bytes(b"")
    forget_in_copies(copy, WISH, now=1.0)
    expect_forgotten(copy)


def test_copies_under_way_and_files_that_were_taken_back_are_removed(copy: Path) -> None:
    for name in ("corpus/x-00001.jsonl.gathering", "corpus/x-00002.jsonl.open.withdrawn"):
        (copy / name).write_text(f'{{"url": "{HOST}/1"}}\n')
    forget_in_copies(copy, WISH, now=1.0)
    assert not [*copy.glob("*/*.gathering"), *copy.glob("*/*.withdrawn")]
