"""Every kind of output has one declaration, and everybody goes by it."""

from pathlib import Path

import pytest

from tiptoe.errors import ProtocolError
from tiptoe.frontier.filemarks import is_numbered
from tiptoe.write import output_kinds
from tiptoe.write.output_kinds import (
    ARCHIVE,
    ARCHIVE_INDEX,
    CONVERTED_TEXTS,
    CORPUS,
    DESCRIPTIONS,
    DISALLOWED_LIST,
    DOCUMENT_LIST,
    GONE_LIST,
    LATE_RATINGS,
    REQUEST_LOG,
    OutputKind,
    harvester_kind,
    kind_of,
    open_names,
    shard_of_file,
    shard_writer,
    writer_of,
)

NAMES = {
    "corpus/c-h1-1a2b-0001-00001.jsonl": CORPUS,
    "corpus/converted-h1-00001.jsonl": CORPUS,  # of a crawl with that name
    "corpus/converted-001-0002-00001.jsonl": CONVERTED_TEXTS,
    "warc/h1-123456.warc.gz": ARCHIVE,
    "warc/h1-00001.cdxj": ARCHIVE_INDEX,
    "documents/h1-00001.jsonl": DOCUMENT_LIST,
    "gone/restored-1a2b-00001.jsonl": GONE_LIST,
    "descriptions/h1-00001.jsonl": DESCRIPTIONS,
    "usability/h1-00001.jsonl": LATE_RATINGS,
    "log/requests-h1-1a2b-10000.jsonl": REQUEST_LOG,
    "log/disallowed-h1.txt": DISALLOWED_LIST,
}


@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_a_file_says_its_kind(name: str) -> None:
    """It is all that the keeper knows of a file on another machine."""
    assert kind_of(name) is NAMES[name]


@pytest.mark.parametrize(
    "name",
    ["corpus/h1.jsonl", "corpus/h1-1.jsonl", "warc/index.cdxj", "log/keeper.log", "corpus/../h1-00001.jsonl",
     "corpus/-00001.jsonl", "warc/h1-00001.jsonl", "corpus/h1-00001.jsonl\n", "corpus/ž-00001.jsonl", ""],
)  # fmt: skip
def test_other_names_are_of_no_kind(name: str) -> None:
    """A harvester may send any name; none may lead out of the folders."""
    assert kind_of(name) is None
    with pytest.raises(ProtocolError):
        harvester_kind(name)


def test_every_kind_is_named_here() -> None:
    """One that is forgotten in these tests would be tested nowhere."""
    assert set(NAMES.values()) == set(output_kinds.KINDS)


@pytest.mark.parametrize("name", [name for name, kind in NAMES.items() if kind.is_marked])
def test_the_frontier_knows_a_row_of_files_by_its_name(name: str) -> None:
    """It may not know what the files hold, and has to tell a follower from a log."""
    assert is_numbered(name) == NAMES[name].is_numbered


@pytest.mark.parametrize("kind", [CONVERTED_TEXTS, LATE_RATINGS])
def test_a_mark_for_a_file_that_no_harvester_writes_is_refused(kind: OutputKind) -> None:
    """Whoever writes those commits them in another way."""
    (name,) = [name for name in NAMES if NAMES[name] is kind]
    with pytest.raises(ProtocolError):
        writer_of(name)


def test_a_name_says_who_has_written_the_file() -> None:
    """With the name of the crawl before it, except in logs."""
    assert writer_of("warc/c-h1-1a2b-0001-00001.cdxj") == "c-h1-1a2b-0001"
    assert writer_of("log/requests-h1-1a2b-0001.jsonl") == "h1-1a2b-0001"


def test_open_files_of_others_are_none_of_the_harvesters(tmp_path: Path) -> None:
    """A rescued database that gave them marks would make every later start fail."""
    for name in (*NAMES, "corpus/notes.jsonl"):
        path = tmp_path / f"{name}.open"
        path.parent.mkdir(exist_ok=True)
        path.touch()

    expected = [name for name, kind in NAMES.items() if kind.is_marked]
    assert sorted(open_names(tmp_path)) == sorted(expected)


@pytest.mark.parametrize(("shard", "number"), [(0, 1), (7, 1), (7, 2), (63, 30), (1234, 1)])
def test_files_say_which_shard_their_pages_belong_to(shard: int, number: int) -> None:
    writer = shard_writer("h1-1a2b-0001", shard, number)
    assert shard_of_file(f"corpus/czech-{writer}-00001.jsonl") == shard
    assert shard_of_file(f"warc/czech-{writer}-123456.cdxj") == shard
    assert shard_of_file(f"log/requests-{writer}.jsonl") == shard
    assert shard_of_file(f"log/disallowed-{writer}.txt") == shard


def test_sets_of_files_of_one_harvester_have_names_of_their_own() -> None:
    sets = [(shard, number) for shard in (0, 1, 10, 100) for number in (1, 2, 10)]
    assert len({shard_writer("h1-1a2b-0001", *one) for one in sets}) == len(sets)
    assert shard_writer("h1-1a2b-0001", 7) == "h1-1a2b-0001.s07"


def test_files_of_a_crawl_without_shards_name_none_whatever_its_harvesters_are_called() -> None:
    assert shard_of_file("corpus/c-h1-1a2b-0001-00001.jsonl") is None
    assert shard_of_file("corpus/c.s01-h1.s02-1a2b-0001-00001.jsonl") is None
    assert shard_of_file("log/requests-h1.s02-1a2b-0001.jsonl") is None
    assert shard_of_file("gone/restored-1a2b-00001.jsonl") is None
    with pytest.raises(ProtocolError):
        shard_of_file("state/frontier/000001.sst")
