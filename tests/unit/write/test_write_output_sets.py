"""A harvester of a crawl of several shards has a set of files for each."""

import os
from pathlib import Path

import pytest
from write_samples import INFO, SmallDisk, make_answer, make_document, make_request, write_page

from open_files import close_after_test
from tiptoe.write.appendfile import Write
from tiptoe.write.corpus_readme import CORPUS_README
from tiptoe.write.output_kinds import shard_of_file
from tiptoe.write.output_sets import SETS_AWAKE_MAX, UNUSED_SECONDS, OutputSets
from tiptoe.write.outputs import Outputs

INCARNATION = "h1-1a2b-0001"


def sets_in(directory: Path, *, is_sharded: bool = True, write: Write = os.write) -> OutputSets:
    sets = OutputSets(
        INCARNATION,
        lambda writer, terms: Outputs(
            directory,
            writer,
            info=INFO,
            terms=terms,
            write=write,
            warc_bytes_max=10**9,
            corpus_bytes_max=10**9,
            corpus_encoding="utf-8",
            compression_level=1,
        ),
        is_sharded=is_sharded,
    )
    close_after_test(sets.close)
    return sets


def names_in(directory: Path) -> set[str]:
    """Return the output files; how to load them is said beside them."""
    found = {path.relative_to(directory).as_posix() for path in directory.rglob("*") if path.is_file()}
    return found - {CORPUS_README}


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_without_shards_files_bear_the_name_of_the_harvester_alone(tmp_path: Path) -> None:
    """As they always did."""
    sets = sets_in(tmp_path, is_sharded=False)
    write_page(sets.of(0), 1)
    sets.flush()
    assert names_in(tmp_path) == {
        f"corpus/{INCARNATION}-00001.jsonl.open",
        f"log/requests-{INCARNATION}.jsonl",
        f"warc/{INCARNATION}-00001.warc.gz.open",
        f"warc/{INCARNATION}-00001.cdxj.open",
    }
    sets.tidy(0.0)
    sets.tidy(2 * UNUSED_SECONDS)
    assert sets.of(0) is sets.of(0)


def test_each_shard_has_files_and_marks_of_its_own(tmp_path: Path) -> None:
    """They are committed by different shards."""
    sets = sets_in(tmp_path)
    first, second = sets.begin_visit(7), sets.begin_visit(63)
    write_page(first, 1)
    write_page(second, 1)
    assert (sets.of(7), sets.of(63), sets.begin_visit(7)) == (first, second, first)
    sets.flush()
    marks = sets.marks()
    assert {shard_of_file(name) for name in marks} == {7, 63}
    assert {name for name in marks if shard_of_file(name) == 7} == {
        f"corpus/{INCARNATION}.s07-00001.jsonl",
        f"log/requests-{INCARNATION}.s07.jsonl",
        f"warc/{INCARNATION}.s07-00001.warc.gz",
        f"warc/{INCARNATION}.s07-00001.cdxj",
    }
    sets.acknowledge({name: size for name, size in marks.items() if shard_of_file(name) == 7})
    assert {shard_of_file(name) for name in sets.marks()} == {63}


def test_files_that_many_shards_have_are_not_all_kept_open(tmp_path: Path) -> None:
    """A process may have so many files open, and needs most of them for connections."""
    sets = sets_in(tmp_path)
    before = descriptors()
    count = 2 * SETS_AWAKE_MAX
    for page in (1, 2):
        for shard in range(count):
            outputs = sets.begin_visit(shard)
            place = outputs.requests.begin(1.0, 1, "a.example", "192.0.2.1", "page", "http://a.example/")
            write_page(outputs, page)
            outputs.requests.end(place)
            sets.end_visit(outputs)
            sets.flush()
        sets.tidy(0.0)
        assert descriptors() - before <= 6 * SETS_AWAKE_MAX
    sets.sync()
    for shard in range(count):
        corpus = tmp_path / f"corpus/{INCARNATION}.s{shard:02d}-00001.jsonl.open"
        assert len(corpus.read_bytes().splitlines()) == 2
        log = tmp_path / f"log/requests-{INCARNATION}.s{shard:02d}.jsonl"
        assert len(log.read_bytes().splitlines()) == 2


def test_a_set_that_nobody_needs_is_closed_and_the_next_one_has_another_name(tmp_path: Path) -> None:
    """Else the files of a shard that went elsewhere stayed unfinished until the end of the harvester."""
    sets = sets_in(tmp_path)
    outputs = sets.begin_visit(7)
    write_page(outputs, 1)
    sets.flush()
    marks = sets.marks()
    sets.tidy(0.0)
    sets.tidy(UNUSED_SECONDS)
    assert sets.of(7) is outputs, "a visit is under way"
    sets.end_visit(outputs)
    sets.tidy(2 * UNUSED_SECONDS)
    sets.tidy(3 * UNUSED_SECONDS)
    assert sets.of(7) is outputs, "there is something that nobody has acknowledged"
    sets.acknowledge(marks)
    sets.tidy(4 * UNUSED_SECONDS)
    sets.tidy(5 * UNUSED_SECONDS - 1.0)
    assert sets.of(7) is outputs, "it is too early"
    sets.tidy(5 * UNUSED_SECONDS)
    assert f"corpus/{INCARNATION}.s07-00001.jsonl" in names_in(tmp_path)
    assert not list(tmp_path.rglob("*.open"))
    write_page(sets.begin_visit(7), 1)
    sets.flush()
    assert f"corpus/{INCARNATION}.s07.2-00001.jsonl.open" in names_in(tmp_path)


def test_a_shard_that_was_taken_away_leaves_what_was_not_acknowledged_to_the_recovery(tmp_path: Path) -> None:
    """What was is finished; and nothing of it is told any more."""
    sets = sets_in(tmp_path)
    outputs = sets.begin_visit(7)
    outputs.corpus.write_document(make_document())
    sets.flush()
    sets.acknowledge(sets.marks())
    outputs.warc.write_exchange(make_answer(), metadata={})
    sets.flush()
    outputs.requests.write_request(make_request())
    sets.revoke(7)
    sets.revoke(8)
    assert sets.marks() == {}
    outputs.requests.write_request(make_request())  # the request that is broken off
    sets.end_visit(outputs)
    sets.tidy(0.0)
    assert names_in(tmp_path) == {
        f"corpus/{INCARNATION}.s07-00001.jsonl",
        f"log/requests-{INCARNATION}.s07.jsonl",
        f"warc/{INCARNATION}.s07-00001.warc.gz.open",
        f"warc/{INCARNATION}.s07-00001.cdxj.open",
    }
    assert len((tmp_path / f"log/requests-{INCARNATION}.s07.jsonl").read_bytes().splitlines()) == 2
    write_page(sets.begin_visit(7), 1)
    sets.flush()
    assert {name.partition(".s07")[2][:2] for name in sets.marks()} == {".2"}


def test_a_set_that_is_given_away_without_visits_is_finished_at_once(tmp_path: Path) -> None:
    """When a harvester has confirmed that a shard is gone, its files can be mended."""
    sets = sets_in(tmp_path)
    outputs = sets.begin_visit(7)
    write_page(outputs, 1)
    sets.flush()
    sets.acknowledge(sets.marks())
    sets.end_visit(outputs)
    before = descriptors()
    sets.revoke(7)
    assert not list(tmp_path.rglob("*.open"))
    assert descriptors() < before


def test_the_log_of_a_shard_that_was_taken_away_waits_for_room_on_the_disk(tmp_path: Path) -> None:
    """Its requests were made, whoever settles the pages."""
    disk = SmallDisk(room=10**6)
    sets = sets_in(tmp_path, write=disk.write)
    outputs = sets.begin_visit(7)
    disk.room = 0
    write_page(outputs, 1)
    sets.end_visit(outputs)
    sets.revoke(7)
    sets.tidy(0.0)
    disk.room = 10**6
    sets.tidy(1.0)
    assert len((tmp_path / f"log/requests-{INCARNATION}.s07.jsonl").read_bytes().splitlines()) == 1
    assert not list(tmp_path.rglob("*.open")), "the page itself is nobody's any more"


def test_a_visit_of_another_shard_is_a_fault_where_there_are_none(tmp_path: Path) -> None:
    """Two shards in one file could not be told apart."""
    with pytest.raises(AssertionError):
        sets_in(tmp_path, is_sharded=False).begin_visit(7)
