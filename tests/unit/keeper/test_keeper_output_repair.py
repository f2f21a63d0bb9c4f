"""What the database knows and the files lack is found, said with numbers, and asked for again."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from repair_samples import DAMAGES, HOST, SmallCrawl, flip, lose, truncate, zero_tail

from tiptoe.keeper.output_repair import OutputRepair
from tiptoe.write.gone import GonePage
from tiptoe.write.output_kinds import GONE_LIST

TEXTS = {f"{HOST}/{number}": 1 for number in range(40) if number % 10 != 9}
DOCUMENTS = {f"{HOST}/{number}" for number in range(40) if number % 10 == 9}

FILES = {
    "corpus": "corpus/*.jsonl",
    "warc": "warc/t-*.warc.gz",
    "index": "warc/t-*.cdxj",
    "documents": "documents/*.jsonl",
}
LOGS = {"requests": "log/requests-*.jsonl", "disallowed": "log/disallowed-*.txt"}


def is_whole(crawl: SmallCrawl) -> bool:
    """Whether every page is where it belongs, once."""
    assert crawl.archived() == set(TEXTS) | DOCUMENTS
    assert crawl.listed() == DOCUMENTS
    assert crawl.texts() == TEXTS
    assert crawl.frontier.counters.totals.documents == len(TEXTS)
    assert crawl.frontier.counters.totals.pages == crawl.pages
    return not list(crawl.directory.rglob("*.open"))


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("kind", FILES)
def test_damage_to_an_open_file_is_told_once_and_made_good(
    tmp_path: Path, kind: str, damage: Callable[[Path], None]
) -> None:
    """After kill -9 and a fault of the disk nothing is missing in silence, and nothing stands twice."""
    crawl = SmallCrawl(tmp_path)
    crawl.run()
    before = len(crawl.asked)
    file = crawl.file(FILES[kind])
    damage(file)

    told = crawl.restart()

    name = file.relative_to(tmp_path).as_posix().removesuffix(".open")
    assert [line for line in told if line.startswith(name)], told
    assert crawl.restart() == [], "what was told is not told again"
    crawl.run(ends_well=True)
    assert is_whole(crawl)
    asked_again = crawl.asked[before:]
    assert len(asked_again) == len(set(asked_again)) < crawl.pages + (damage is lose)
    assert bool(asked_again) == (kind != "index")
    assert crawl.restart() == []


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("kind", FILES)
def test_damage_to_a_finished_file_is_found_by_whoever_reads_it(
    tmp_path: Path, kind: str, damage: Callable[[Path], None]
) -> None:
    """A start looks at sizes only, since a crawl may have a terabyte of them; a repair reads them all."""
    crawl = SmallCrawl(tmp_path)
    crawl.run(ends_well=True)
    file = crawl.file(FILES[kind])
    name = file.relative_to(tmp_path).as_posix()
    damage(file)

    at_start = crawl.restart()
    if damage in (lose, truncate):
        assert [line for line in at_start if line.startswith(name)], at_start
    told = at_start + crawl.look()

    assert [line for line in told if line.startswith(name)], told
    assert crawl.look() == []
    if damage is not lose or kind == "index":  # the others may have been moved
        crawl.run(ends_well=True)
        assert is_whole(crawl)


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("kind", LOGS)
def test_damage_to_a_log_is_told_once(tmp_path: Path, kind: str, damage: Callable[[Path], None]) -> None:
    """What was asked of whom cannot be made anew; whoever is to answer for it has to know what is missing."""
    crawl = SmallCrawl(tmp_path)
    crawl.run()
    file = crawl.file(LOGS[kind])
    if damage is flip and kind == "disallowed":
        pytest.skip("one address is as good as another")
    damage(file)

    told = crawl.restart()

    assert [line for line in told if line.startswith(file.relative_to(tmp_path).as_posix())], told
    assert crawl.restart() == []
    assert not file.exists() or not file.read_bytes().endswith(b"\0")


def test_everything_may_be_damaged_at_once(tmp_path: Path) -> None:
    """A power cut does not choose."""
    crawl = SmallCrawl(tmp_path)
    crawl.run()
    for kind in FILES.values():
        zero_tail(crawl.file(kind))

    assert crawl.restart()
    assert crawl.frontier.counters.gauges.queued > 0
    crawl.run(ends_well=True)
    assert is_whole(crawl)


def test_only_what_was_lost_is_asked_for_again(tmp_path: Path) -> None:
    """The numbers that are told are those of the lines that are gone."""
    crawl = SmallCrawl(tmp_path)
    crawl.run()
    file = crawl.file(FILES["corpus"])
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-3]))

    told = crawl.restart()

    assert f"{crawl.file(FILES['corpus']).relative_to(tmp_path)}" in told[0]
    assert len(told) == 2  # of the file, and of the pages
    assert crawl.frontier.counters.gauges.queued == 3
    assert crawl.frontier.counters.totals.documents == len(TEXTS) - 3
    before = len(crawl.asked)
    crawl.run()
    assert len(crawl.asked) - before == 3


def test_a_crash_before_lost_pages_are_fetched_loses_none_of_them(tmp_path: Path) -> None:
    """They stand in the queue, and in leases, like all others."""
    crawl = SmallCrawl(tmp_path)
    crawl.run()
    lose(crawl.file(FILES["corpus"]))
    crawl.restart()
    crawl.now += 3600.0
    crawl.frontier.tick(crawl.now)
    assert crawl.frontier.visits(1, "h9", crawl.now)  # handed out, and never heard of again

    crawl.restart()
    crawl.run(ends_well=True)

    assert is_whole(crawl)


def test_a_second_loss_of_the_same_pages_is_made_good_too(tmp_path: Path) -> None:
    crawl = SmallCrawl(tmp_path)
    crawl.run()
    lose(crawl.file(FILES["corpus"]))
    crawl.restart()
    crawl.run()
    lose(crawl.file("corpus/t-h1-0002-*.jsonl"))

    assert any("with 36 documents" in line for line in crawl.restart())
    crawl.run(ends_well=True)
    assert is_whole(crawl)


def test_a_file_that_was_moved_away_is_mentioned_once_and_nobody_is_asked(tmp_path: Path) -> None:
    """Operators may take finished files elsewhere."""
    crawl = SmallCrawl(tmp_path)
    crawl.run(ends_well=True)
    asked = len(crawl.asked)
    file = crawl.file(FILES["corpus"])
    elsewhere = tmp_path / "elsewhere.jsonl"
    file.rename(elsewhere)

    (told,) = crawl.restart()

    assert "with 36 documents" in told
    assert "--lost" in told
    crawl.run(ends_well=True)
    assert len(crawl.asked) == asked
    assert crawl.restart() == []
    elsewhere.rename(file)
    assert crawl.restart() == []
    assert is_whole(crawl)


@pytest.mark.parametrize("size", [8_000, 20_000, 60_000])
def test_rotated_files_that_were_moved_away_before_a_crash_are_not_lost(tmp_path: Path, size: int) -> None:
    """A crawl of a month is emptied while it runs: what was finished then is no loss when it is killed.

    Whether the last report before that was the one in which a file was finished, or a later one.
    """
    crawl = SmallCrawl(tmp_path, pages=200)
    crawl.run(corpus_bytes_max=size)
    first, *_ = sorted((tmp_path / "corpus").glob("*-00001.jsonl"))
    first.unlink()

    told = crawl.restart()

    assert sum(first.name in line for line in told) == 1
    assert crawl.frontier.is_finished()


def test_truncation_of_a_rotated_file_finds_its_own_pages_only(tmp_path: Path) -> None:
    """A report may fall on the change from one file to the next."""
    crawl = SmallCrawl(tmp_path, pages=200)
    crawl.run(corpus_bytes_max=20_000)
    texts = crawl.texts()
    truncate(sorted((tmp_path / "corpus").glob("*-00002.jsonl"))[0])

    crawl.restart()
    crawl.run(ends_well=True)

    assert crawl.texts() == texts


def test_files_that_the_operator_calls_lost_are_made_good(tmp_path: Path) -> None:
    """Nobody but the operator knows whether a finished file was moved."""
    crawl = SmallCrawl(tmp_path)
    crawl.run(ends_well=True)
    name = crawl.file(FILES["corpus"]).relative_to(tmp_path).as_posix()
    lose(tmp_path / name)
    crawl.restart()

    assert OutputRepair(tmp_path, crawl.frontier, now=crawl.now).put_right([], [name])
    assert crawl.frontier.counters.gauges.queued == 36
    crawl.run(ends_well=True)
    assert is_whole(crawl)


@pytest.mark.parametrize("damage", DAMAGES)
def test_pages_that_have_left_are_noted_again_from_the_database(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    """A mirror of now must not bring them back to life because a list was damaged."""
    crawl = SmallCrawl(tmp_path)
    crawl.run(ends_well=True)
    pages = [crawl.frontier.page(f"{HOST}/{number}") for number in range(5)]
    outputs = crawl.outputs("h1-0009")
    outputs.requests.write_order("hold")  # who asks has a log
    checks = []
    for page in pages:
        assert page is not None
        checks.append(
            outputs.add(GONE_LIST, GonePage(url=page.url, gone_at="2026-09-21T14:13:20Z", status=404))
        )
        page.status, page.outcome = 404, "http_404"
    outputs.flush()
    crawl.note_gone([page for page in pages if page is not None], checks, outputs.marks())
    file = crawl.file("gone/*.jsonl")
    damage(file)

    told = crawl.restart()

    assert [line for line in told if line.startswith("gone/t-h1-0009")], told
    lines = [
        json.loads(line) for path in (tmp_path / "gone").iterdir() for line in path.read_bytes().splitlines()
    ]
    assert Counter(line["url"] for line in lines) == {f"{HOST}/{number}": 1 for number in range(5)}
    assert {(line["status"], line["reason"]) for line in lines} == {(404, "")}
    assert crawl.restart() == []


def test_files_of_a_harvester_on_another_machine_are_not_missed(tmp_path: Path) -> None:
    """It has a directory of its own; nothing of what it wrote was ever here."""
    crawl = SmallCrawl(tmp_path)
    crawl.run()
    asked = len(crawl.asked)
    for path in [path for path in tmp_path.rglob("*") if path.is_file()]:
        path.unlink()

    assert crawl.restart() == []
    crawl.run()
    assert len(crawl.asked) == asked


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("kind", FILES)
def test_damage_to_the_files_of_one_shard_touches_nothing_of_another(
    tmp_path: Path, kind: str, damage: Callable[[Path], None]
) -> None:
    """Two frontiers write below one directory, and the other may be at work."""
    crawl, other = SmallCrawl(tmp_path, shard=7), SmallCrawl(tmp_path, shard=63)
    crawl.run()
    other.run()
    before, marks = other.contents(), other.frontier.outputs.marks()
    damage(crawl.file(FILES[kind]))

    assert crawl.restart()
    crawl.run(ends_well=True)

    assert not [path for path in crawl.contents() if path.suffix == ".open"]
    assert (crawl.archived(), crawl.listed()) == (set(TEXTS) | DOCUMENTS, DOCUMENTS)
    assert crawl.texts() == TEXTS
    assert (other.contents(), other.frontier.outputs.marks()) == (before, marks)
    assert other.restart() == []
    assert (other.archived(), other.texts()) == (set(TEXTS) | DOCUMENTS, TEXTS)


def test_files_of_a_harvester_that_lives_are_left_alone_whatever_their_shard(tmp_path: Path) -> None:
    """What lies behind their marks may be told of in the next moment."""
    crawl = SmallCrawl(tmp_path, shard=7)
    crawl.run()
    tail = b"a line that is not told of yet"
    file = crawl.file(FILES["corpus"])
    with file.open("ab") as opened:
        opened.write(tail)
    assert crawl.restart(live={"h1-1a2b-0001"}) == []
    assert file.read_bytes().endswith(tail)
    assert [line for line in crawl.restart(live={"h1-1a2b-0002"}) if "was cut off" in line]


def test_files_of_a_shard_that_lie_on_another_machine_are_not_missed(tmp_path: Path) -> None:
    """A shard goes from agent to agent, and leaves files behind at each."""
    crawl = SmallCrawl(tmp_path / "here", shard=7)
    crawl.run()
    marks = crawl.frontier.outputs.marks()
    crawl.directory = tmp_path / "elsewhere"
    assert crawl.restart() == []
    assert crawl.frontier.outputs.marks() == marks
    crawl.directory = tmp_path / "here"
    assert crawl.restart() == []
    assert crawl.texts() == TEXTS
    assert not [path for path in crawl.contents() if path.suffix == ".open"]
