"""After a crash the files hold exactly what was acknowledged."""

import json
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from write_samples import INFO, SmallDisk, contents, recover, write_page

from simulated.proofs import check_members
from tiptoe.errors import DiskFull, ProtocolError
from tiptoe.write.cdxj import parse_line
from tiptoe.write.outputs import Outputs
from tiptoe.write.recovery import Finding, examine

WARC, CDXJ, CORPUS = (
    f"{folder}/h1-0001-00001{suffix}"
    for folder, suffix in (("warc", ".warc.gz"), ("warc", ".cdxj"), ("corpus", ".jsonl"))
)


def crawl(directory: Path, *, committed: int, written: int) -> dict[str, int]:
    """Write pages, of which only the first are acknowledged, and vanish; return the marks."""
    outputs = Outputs(
        directory,
        "h1-0001",
        info=INFO,
        warc_bytes_max=10**9,
        corpus_bytes_max=10**9,
        corpus_encoding="utf-8",
        compression_level=1,
    )
    marks: dict[str, int] = {}
    # Backwards, so that sorting the index changes its order.
    for number in reversed(range(written)):
        write_page(outputs, number)
        outputs.flush()
        if number == written - committed:
            marks = {name: size for name, size in outputs.marks().items() if not name.startswith("log/")}
    outputs.close()
    return marks


def told(findings: list[Finding]) -> list[tuple[str, str, int]]:
    """Return of each file what was done, and how many unacknowledged bytes are gone."""
    return [(finding.file, finding.what, finding.cut_bytes) for finding in findings]


def pages(directory: Path) -> list[str]:
    """Return the URLs in the finished index, after proving that archive and corpus agree with it."""
    entries = [parse_line(line) for line in (directory / CDXJ).read_bytes().splitlines()]
    assert entries == sorted(entries, key=lambda entry: entry.key)
    report = check_members(directory / WARC)
    assert report.is_sound
    assert report.kinds["response"] == report.kinds["metadata"] == len(entries)
    documents = [json.loads(line) for line in (directory / CORPUS).read_bytes().splitlines()]
    urls = sorted(entry.url for entry in entries)
    assert sorted(document["url"] for document in documents) == urls
    return [url.rpartition("/")[2] for url in urls]


def test_files_are_cut_back_to_what_was_acknowledged(tmp_path: Path) -> None:
    """Nothing acknowledged is lost, nothing is there twice."""
    marks = crawl(tmp_path, committed=2, written=5)
    log = (tmp_path / "log" / "requests-h1-0001.jsonl").read_bytes()
    sizes = {name: (tmp_path / f"{name}.open").stat().st_size for name in marks}

    assert told(recover(tmp_path, marks)) == [
        (name, "cut", sizes[name] - marks[name]) for name in sorted(marks)
    ]
    assert pages(tmp_path) == ["3", "4"]
    assert {name: (tmp_path / name).stat().st_size for name in marks} == marks
    assert (tmp_path / "log" / "requests-h1-0001.jsonl").read_bytes() == log
    assert len(log.splitlines()) == 5


def test_a_second_recovery_changes_nothing(tmp_path: Path) -> None:
    """Every start of a crawl recovers first."""
    marks = crawl(tmp_path, committed=2, written=5)
    recover(tmp_path, marks)
    before = contents(tmp_path)

    assert recover(tmp_path, marks) == []
    assert contents(tmp_path) == before


def test_a_crash_at_any_byte_leaves_exactly_the_marked_records(tmp_path: Path) -> None:
    """The kernel may have taken any part of the last record of any file."""
    marks = crawl(tmp_path / "whole", committed=2, written=3)
    whole = contents(tmp_path / "whole")
    recover(tmp_path / "whole", marks)
    expected = contents(tmp_path / "whole")
    directory = tmp_path / "crashed"
    for folder in ("warc", "corpus"):
        (directory / folder).mkdir(parents=True)

    for torn in whole:
        for size in range(marks[torn.removesuffix(".open")], len(whole[torn]) + 1):
            for name, data in whole.items():
                (directory / name).write_bytes(data[:size] if name == torn else data)
            recover(directory, marks)
            assert contents(directory) == expected


def test_a_crash_during_recovery_is_recovered_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step that changes the disk may be the last one before the lights go out."""
    marks = crawl(tmp_path / "whole", committed=2, written=4)
    shutil.copytree(tmp_path / "whole", tmp_path / "0")
    recover(tmp_path / "whole", marks)
    expected = contents(tmp_path / "whole")

    class LightsOut(BaseException):
        pass

    steps = 0
    for last_step in range(1, 20):
        directory = tmp_path / str(last_step)
        shutil.copytree(tmp_path / "0", directory)
        steps = 0

        def interrupt(module: str, name: str, last_step: int = last_step) -> None:
            real = getattr(__import__(module), name)

            def step(*arguments: object) -> None:
                nonlocal steps
                steps += 1
                if steps == last_step:
                    raise LightsOut
                real(*arguments)

            patch.setattr(f"{module}.{name}", step)

        with monkeypatch.context() as patch:
            for name in ("truncate", "rename", "replace"):
                interrupt("os", name)
            try:
                recover(directory, marks)
            except LightsOut:
                pass
            else:
                break
        recover(directory, marks)
        assert contents(directory) == expected
    assert steps == 6  # three renamed, two truncated, one sorted


def test_files_with_nothing_acknowledged_are_removed(tmp_path: Path) -> None:
    """A warcinfo record alone is no archive."""
    crawl(tmp_path, committed=0, written=2)

    assert [(repair.file, repair.what) for repair in recover(tmp_path, {})] == [
        (CORPUS, "removed"),
        (CDXJ, "removed"),
        (WARC, "removed"),
    ]
    assert contents(tmp_path) == {}


def test_the_files_of_a_live_harvester_are_not_touched(tmp_path: Path) -> None:
    """It may still be writing while the keeper restarts."""
    marks = crawl(tmp_path, committed=1, written=2)
    before = contents(tmp_path)

    assert recover(tmp_path, marks, live=["h1-0001"]) == []
    assert contents(tmp_path) == before
    assert [repair.what for repair in recover(tmp_path, marks, live=["1-0001", "h1-000"])] == ["cut"] * 3


def test_what_a_power_cut_took_is_told_and_the_rest_stays_readable(tmp_path: Path) -> None:
    """Without `write.sync` the disk may lack what was acknowledged: whole records stay, the loss is named."""
    marks = crawl(tmp_path, committed=2, written=2)
    path = tmp_path / f"{WARC}.open"
    path.write_bytes(path.read_bytes()[:-1])

    repairs = {repair.file: repair for repair in recover(tmp_path, marks)}

    assert repairs[WARC].what == "damaged"
    assert repairs[WARC].lost_bytes > 0
    assert check_members(tmp_path / WARC).is_sound


def test_an_index_follows_an_archive_that_lost_its_last_record(tmp_path: Path) -> None:
    """No line of the index may point behind the end of the archive."""
    marks = crawl(tmp_path, committed=2, written=2)
    path = tmp_path / f"{WARC}.open"
    path.write_bytes(path.read_bytes()[: marks[WARC] // 3])

    recover(tmp_path, marks)

    end = (tmp_path / WARC).stat().st_size
    entries = [parse_line(line) for line in (tmp_path / CDXJ).read_bytes().splitlines()]
    assert all(entry.offset + entry.length <= end for entry in entries)


def test_finished_files_go_back_with_a_keeper_that_lost_its_last_writes(tmp_path: Path) -> None:
    """After a power cut the keeper's marks may be older than our finished files, even sorted ones."""
    marks = crawl(tmp_path, committed=2, written=4)
    newest = {name: (tmp_path / f"{name}.open").stat().st_size for name in marks}
    recover(tmp_path, newest)
    assert pages(tmp_path) == ["0", "1", "2", "3"]

    assert [repair.what for repair in recover(tmp_path, marks, finished=marks)] == ["cut"] * 3
    assert pages(tmp_path) == ["2", "3"]


def test_a_file_whose_harvester_died_before_it_could_rename_it_is_finished(tmp_path: Path) -> None:
    """The keeper had heard already that nothing more would come to it."""
    marks = crawl(tmp_path, committed=2, written=2)
    assert recover(tmp_path, marks, finished=marks) == []  # nothing is lost
    assert [name for name in marks if not (tmp_path / name).exists()] == []
    assert pages(tmp_path) == ["0", "1"]


def test_a_finished_file_that_is_not_there_is_away(tmp_path: Path) -> None:
    """Archives may be moved away during a crawl; losing one must not go unnoticed."""
    marks = crawl(tmp_path, committed=2, written=2)
    recover(tmp_path, marks)
    (tmp_path / WARC).unlink()

    assert told(recover(tmp_path, marks, finished=marks)) == [(WARC, "away", 0)]


def test_an_open_file_that_is_not_there_is_lost(tmp_path: Path) -> None:
    """Nobody moves a file that is being written; its index leads nowhere."""
    marks = crawl(tmp_path, committed=2, written=2)
    (tmp_path / f"{WARC}.open").unlink()

    findings = recover(tmp_path, marks)

    assert told(findings) == [(CDXJ, "removed", 0), (WARC, "lost", 0)]
    assert findings[1].lost_bytes == marks[WARC]
    assert not (tmp_path / f"{CDXJ}.open").exists()


@pytest.mark.parametrize(
    "name",
    ["../x-00001.jsonl", "warc/../../x-00001.jsonl", "log/requests-../h1.jsonl", "log/keeper.log", "/x"],
)
def test_a_mark_cannot_point_outside_our_files(tmp_path: Path, name: str) -> None:
    """Marks come from other processes; they may cut nothing but what harvesters write."""
    with pytest.raises(ProtocolError):
        examine(tmp_path, {name: 1})


def test_full_files_are_recovered_like_the_last_one(tmp_path: Path) -> None:
    """Rotation may fall between two acknowledgements."""
    outputs = Outputs(
        tmp_path,
        "h1-0001",
        info=INFO,
        crawl="news",
        warc_bytes_max=2500,
        corpus_bytes_max=500,
        corpus_encoding="utf-8",
        compression_level=1,
    )
    places = []
    marks: dict[str, int] = {}
    for number in range(8):
        places.append(write_page(outputs, number))
        outputs.flush()
        if number == 4:
            marks = outputs.marks()
    outputs.close()
    recover(tmp_path, marks)

    archives = sorted((tmp_path / "warc").glob("*.warc.gz"))
    assert [path.name for path in archives] == sorted({place.file for place in places[:5]})
    assert sum(check_members(path).kinds["response"] for path in archives) == 5
    assert sum(len(path.read_bytes().splitlines()) for path in (tmp_path / "corpus").iterdir()) == 5
    assert not list(tmp_path.rglob("*.open"))
    assert archives[0].name == "news-h1-0001-00001.warc.gz"


def test_a_full_disk_costs_no_page(tmp_path: Path) -> None:
    """The crawl pauses, the operator makes room, every page is there once."""
    disk = SmallDisk(room=0)
    outputs = Outputs(
        tmp_path,
        "h1-0001",
        info=INFO,
        write=disk.write,
        warc_bytes_max=10**9,
        corpus_bytes_max=10**9,
        corpus_encoding="utf-8",
        compression_level=1,
    )
    for number in range(6):
        write_page(outputs, number)
        for room in (700, 700, 100_000):
            disk.room = room
            with suppress(DiskFull):
                outputs.flush()
    outputs.acknowledge(outputs.marks())
    outputs.close()

    assert pages(tmp_path) == ["0", "1", "2", "3", "4", "5"]


def test_a_killed_process_leaves_what_it_flushed(tmp_path: Path) -> None:
    """The promise itself: kill -9, then the same command again."""
    script = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from write_samples import INFO, write_page
from tiptoe.write.outputs import Outputs
outputs = Outputs(
    Path(sys.argv[1]), "h1-0001", info=INFO, warc_bytes_max=10**9, corpus_bytes_max=10**9,
    corpus_encoding="utf-8", compression_level=1,
)
for number in range(30):
    write_page(outputs, number)
    outputs.flush()
    if number == 19:
        marks = outputs.marks()
write_page(outputs, 30)
print(json.dumps(marks), flush=True)
sys.stdin.read()
"""
    command = [sys.executable, "-c", script, str(tmp_path), str(Path(__file__).parent)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        marks = json.loads(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
    recover(tmp_path, marks)

    assert pages(tmp_path) == sorted(str(number) for number in range(20))
    assert len((tmp_path / "log" / "requests-h1-0001.jsonl").read_bytes().splitlines()) == 31


def test_names_that_would_leave_the_directory_are_refused(tmp_path: Path) -> None:
    """The incarnation comes from another process."""
    with pytest.raises(ValueError, match="only letters"):
        Outputs(
            tmp_path,
            "../h1",
            info=INFO,
            warc_bytes_max=10**9,
            corpus_bytes_max=10**9,
            corpus_encoding="utf-8",
            compression_level=1,
        )


def test_a_file_whose_writer_still_runs_is_left_alone(tmp_path: Path) -> None:
    """A harvester that lost its lease while it stood still would write on, behind the cut."""
    marks = crawl(tmp_path, committed=2, written=3)
    script = (
        "import fcntl, sys; file = open(sys.argv[1], 'ab'); fcntl.lockf(file, fcntl.LOCK_EX)\n"
        "print(1, flush=True); sys.stdin.read()"
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / f"{CORPUS}.open")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"1\n"
        assert CORPUS not in [repair.file for repair in recover(tmp_path, marks)]
        assert (tmp_path / f"{CORPUS}.open").stat().st_size > marks[CORPUS]
        writer.communicate()
    assert [(repair.file, repair.what) for repair in recover(tmp_path, marks)] == [(CORPUS, "cut")]
    assert len(pages(tmp_path)) == 2
