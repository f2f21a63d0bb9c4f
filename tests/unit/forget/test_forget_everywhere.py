"""What an owner wants to be forgotten is gone everywhere, stays out, and no crash brings it back."""

import copy
import fcntl
import json
import shutil
from pathlib import Path

import pytest
from repair_samples import HOST, SmallCrawl

from tiptoe.errors import CrawlerError
from tiptoe.forget.forget_orders import ForgetOrders, note_again
from tiptoe.forget.forgetting import CrawlAtRest, Forgetting, survey
from tiptoe.forget.journal import Forgotten, Journal, expect_nothing_pending, load_journal, records_of
from tiptoe.forget.ledger import DatabaseLedger
from tiptoe.frontier.wishes import WISH, noted_wishes
from tiptoe.protocol.work import Request
from tiptoe.store.memory import MemoryStore
from tiptoe.store.tables import Table, Writes
from tiptoe.url.wish import read_wish
from tiptoe.write.archive import records_in
from tiptoe.write.cdxj import parse_line
from tiptoe.write.output_kinds import DESCRIPTIONS, GONE_LIST
from tiptoe.write.ratings import LateFile, LateRating, read_late

NOW = 1_800_000_000.0
PREFIX = f"{HOST}/1*"
TENS = {f"{HOST}/{number}" for number in (1, *range(10, 20))}
"""What the prefix covers of forty pages; number 19 is a document that waits to be converted."""


class Killed(BaseException):
    """Somebody was."""


def small_crawl(directory: Path) -> SmallCrawl:
    """Return a crawl that has ended, with ratings that came later and addresses that still wait."""
    (directory / "state").mkdir(parents=True)
    crawl = SmallCrawl(directory)
    crawl.run(ends_well=True)
    for kind in (GONE_LIST, DESCRIPTIONS):
        (directory / kind.folder).mkdir(exist_ok=True)
        lines = [json.dumps({"url": f"{HOST}/{number}"}) for number in (1, 2)]
        (directory / kind.folder / f"t-h1-0009-00001{kind.suffix}").write_text("\n".join(lines) + "\n")
    (corpus,) = crawl.files("corpus/*.jsonl")
    offset = 0
    ratings: list[LateRating] = []
    for line in corpus.read_bytes().splitlines(keepends=True):
        ratings.append(LateRating(offset=offset, id=json.loads(line)["id"], usability=len(ratings) / 100))
        offset += len(line)
    with LateFile(corpus) as late:
        late.add(ratings)
    crawl.frontier.add([Request(f"{HOST}/{name}") for name in (100, 200)], crawl.now)
    return crawl


def forget(crawl: SmallCrawl, target: str, *, killed_at: int = 0) -> Forgotten | int:
    """Forget something, or go on with it; return the record, or how many steps were made when killed."""
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1
        if steps == killed_at:
            raise Killed

    place = CrawlAtRest(crawl.directory, step=step)
    journal = load_journal(crawl.directory)
    if journal is None:
        journal = survey(place, read_wish(target), crawl.store)
        journal = Journal(
            target=journal.target, reason="a letter", wished_at=NOW, pages=journal.pages,
            queued=journal.queued,
        )  # fmt: skip
        journal.save(crawl.directory)
    ledger = DatabaseLedger(crawl.store, journal, chars_min=0, step=step)
    forgetting = Forgetting(place, ledger, journal, now=NOW)
    line = forgetting.run()
    forgetting.conclude(line)
    return line if not killed_at else steps


def everything_said(crawl: SmallCrawl) -> bytes:
    """Return all bytes of outputs but the logs, archives unpacked, and of the database but the wish."""
    parts = []
    for path in crawl.files("*/*"):
        if path.parent.name in ("log", "state"):
            continue
        if path.name.endswith(".warc.gz"):
            records = [found.record for found in records_in(path, path.stat().st_size)]
            parts += [str(one.headers).encode() + one.block for one in records if one is not None]
        else:
            parts.append(path.read_bytes())
    for table in Table:
        rows = crawl.store.scan(table)
        parts += [key + value for key, value in rows if table is not Table.META]
    return b"\n".join(parts)


def check(crawl: SmallCrawl, forgotten: set[str]) -> None:
    """Everything about these pages is gone, everything about others there and sound."""
    pages = {f"{HOST}/{number}" for number in range(40)}
    documents = {f"{HOST}/{number}" for number in range(9, 40, 10)}
    assert set(crawl.texts()) == pages - documents - forgotten
    assert crawl.archived() == pages - forgotten
    assert crawl.listed() == documents - forgotten
    said = everything_said(crawl)
    for url in forgotten:
        assert url.encode() + b'"' not in said
        assert url.encode() + b"'" not in said
    (corpus,) = crawl.files("corpus/*.jsonl")
    for offset, rating in read_late(corpus).items():
        line = json.loads(corpus.read_bytes()[offset:].partition(b"\n")[0])
        assert line["id"] == rating.id
    assert len(read_late(corpus)) == len(crawl.texts())
    assert crawl.look() == [], "nothing is damaged"
    assert crawl.restart() == []
    totals = crawl.frontier.counters.totals
    assert totals.documents == len(crawl.texts())
    assert totals.pages == len(pages - forgotten)


def test_a_beginning_of_addresses_is_forgotten_and_nothing_else(tmp_path: Path) -> None:
    crawl = small_crawl(tmp_path)

    line = forget(crawl, PREFIX)

    assert isinstance(line, Forgotten)
    assert (line.documents, line.answers, line.listed, line.notes) == (10, 11, 1, 2)
    assert (line.pages, line.queued, line.reason) == (11, 1, "a letter")
    assert records_of(tmp_path) == [line]
    assert [noted.target for noted in noted_wishes(crawl.store.scan(Table.META))] == [PREFIX]
    check(crawl, TENS)


def test_what_killed_processes_have_left_is_gone_too(tmp_path: Path) -> None:
    """A half-written index names everything that was to stand in it."""
    crawl = small_crawl(tmp_path)
    names = (
        "warc/index.cdxj.part", "warc/index.cdxj.round-00001", "corpus/t-00001.jsonl.part",
        "state/texts/1.jsonl.part", "state/convert.json.part", "state/t-h1-0001.busy",
    )  # fmt: skip
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{HOST}/12\n")
    (tmp_path / "state/t-h2-0001.busy").write_text(f"{HOST}/22\n")

    forget(crawl, PREFIX)

    assert [name for name in names if (tmp_path / name).exists()] == []
    assert (tmp_path / "state/t-h2-0001.busy").exists(), "it is about another page"


def test_logs_of_events_tell_of_it_no_more(tmp_path: Path) -> None:
    """They name pages that could not be converted, hosts that could not be found, ...; no request."""
    crawl = small_crawl(tmp_path)
    (tmp_path / "log").mkdir(exist_ok=True)
    log, requests = tmp_path / "log/convert.log", tmp_path / "log/requests-h1.jsonl"
    kept = [f"1 convert document.read url={HOST}/2?id=12", "2 keeper host.found host=b.example", "3 x"]
    gone = [f"4 convert document.read url={HOST}/12?id=2", f'5 convert note="see {HOST}/1 again"']
    log.write_text("\n".join([kept[0], gone[0], kept[1], gone[1], kept[2]]) + "\n")
    requests.write_text(f"{HOST}/12\n")

    forget(crawl, PREFIX)
    assert log.read_text().splitlines() == kept
    assert requests.read_text() == f"{HOST}/12\n"

    log.write_text(
        "1 keeper host.lost host=b.example\n2 keeper host.lost host=xb.example\n"
        '3 keeper note="nobody answers at b.example."\n4 keeper note="(see https://b.example/x)"\n'
    )
    forget(crawl, "https://b.example/x")
    assert log.read_text().count("\n") == 3
    forget(crawl, "b.example")
    assert log.read_text() == "2 keeper host.lost host=xb.example\n"


def test_what_a_summary_has_quoted_of_it_goes_with_its_address(tmp_path: Path) -> None:
    """A crawl in the background prints the beginnings of some texts, each below its URL, to its log."""
    crawl = small_crawl(tmp_path)
    (tmp_path / "log").mkdir(exist_ok=True)
    log = tmp_path / "log/console.log"
    kept = ["From the corpus", f"  {HOST}/2  Two", "    another text", "Files", "  corpus/  1 file"]
    gone = [f"  {HOST}/12  Twelve", "    a private text", "      of several lines"]
    log.write_text("\n".join([kept[0], *gone, *kept[1:3], *gone, *kept[3:]]) + "\n")

    forget(crawl, PREFIX)

    assert log.read_text().splitlines() == kept


def test_it_is_never_asked_again_whatever_links_to_it(tmp_path: Path) -> None:
    crawl = small_crawl(tmp_path)
    forget(crawl, PREFIX)
    crawl.restart()
    crawl.asked.clear()

    crawl.frontier.add([Request(f"{HOST}/{number}") for number in (1, 12, 17, 50)], crawl.now)
    crawl.run(ends_well=True)

    assert sorted(crawl.asked) == [f"{HOST}/200", f"{HOST}/50"]
    assert crawl.frontier.counters.totals.discards["forgotten"] == 3


def test_a_whole_host_is_forgotten_with_all_its_rows(tmp_path: Path) -> None:
    crawl = small_crawl(tmp_path)
    addresses = list(crawl.store.scan(Table.ADDRESS))

    line = forget(crawl, "a.example")

    assert isinstance(line, Forgotten)
    assert (line.documents, line.answers, line.queued) == (36, 40, 2)
    check(crawl, {f"{HOST}/{number}" for number in range(40)})
    assert b"http://a.example" not in everything_said(crawl)
    assert list(crawl.store.scan(Table.ADDRESS)) == addresses, "how its server was treated stays known"
    crawl.frontier.add([Request(f"{HOST}/2")], crawl.now)
    assert crawl.frontier.counters.gauges.queued == 0


def test_killed_at_any_step_it_goes_on_and_comes_to_the_same_end(tmp_path: Path) -> None:
    """Every rename and every write is a moment at which the machine may stop."""
    base = small_crawl(tmp_path / "base")
    steps = 0
    while True:
        steps += 1
        directory = tmp_path / str(steps)
        shutil.copytree(base.directory, directory)
        crawl = copy.copy(base)
        crawl.directory = directory
        crawl.store = MemoryStore()
        for table in Table:
            crawl.store.write(Writes((table, key, row) for key, row in base.store.scan(table)))
        try:
            forget(crawl, PREFIX, killed_at=steps)
        except Killed:
            with pytest.raises(CrawlerError, match="--resume"):
                expect_nothing_pending(directory)
            line = forget(crawl, PREFIX)
            assert isinstance(line, Forgotten)
            assert (line.documents, line.answers, line.pages, line.queued) == (10, 11, 11, 1)
            check(crawl, TENS)
            assert records_of(directory) == [line]
            shutil.rmtree(directory)
        else:
            break
    assert steps > 12


@pytest.mark.parametrize("has_index", [True, False])
@pytest.mark.parametrize("damaged", ["/12", "/22"])
def test_a_damaged_archive_keeps_nobody_from_being_forgotten(
    tmp_path: Path, damaged: str, has_index: bool
) -> None:
    """A repair waits until the removal is completed: if that waited for the repair, both would for ever."""
    crawl = small_crawl(tmp_path)
    (archive,) = crawl.files("warc/*.warc.gz")
    (index,) = crawl.files("warc/t-*.cdxj")
    places = {entry.url: entry for entry in map(parse_line, index.read_bytes().splitlines())}
    with archive.open("r+b") as file:
        file.seek(places[HOST + damaged].offset + 30)
        file.write(b"\0" * 50)
    if not has_index:
        index.unlink()

    line = forget(crawl, PREFIX)

    assert isinstance(line, Forgotten)
    records = [found.record for found in records_in(archive, archive.stat().st_size)]
    left = {record.headers["warc-target-uri"] for record in records if record and record.kind == "response"}
    pages = {f"{HOST}/{number}" for number in range(40)}
    assert left == pages - TENS - {HOST + damaged}


def test_what_was_moved_away_is_named_and_forgotten_when_it_is_back(tmp_path: Path) -> None:
    """A wish cannot reach a file that is not there, and must not pretend to."""
    crawl = small_crawl(tmp_path)
    (archive,) = crawl.files("warc/*.warc.gz")
    elsewhere = archive.rename(tmp_path / "elsewhere.warc.gz")

    line = forget(crawl, PREFIX)

    assert isinstance(line, Forgotten)
    assert line.files_away == [f"warc/{archive.name}"]
    elsewhere.rename(archive)
    forget(crawl, PREFIX)
    check(crawl, TENS)


def test_a_running_crawl_forgets_nothing_and_says_what_helps_at_once(tmp_path: Path) -> None:
    (tmp_path / "state" / "frontier").mkdir(parents=True)
    (tmp_path / "crawl.json").write_text('{"seeds": ["http://a.example/"], "is_seeded": false}')
    with (tmp_path / "state" / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(CrawlerError, match="tiptoe block HOST"):
            ForgetOrders(tmp_path).forget(read_wish("a.example"), "a letter")
    assert load_journal(tmp_path) is None


def test_a_database_that_lost_its_wishes_gets_them_back_from_the_record(tmp_path: Path) -> None:
    """After a rescue an owner who was forgotten must not be asked again."""
    crawl = small_crawl(tmp_path)
    forget(crawl, PREFIX)
    lost = Writes()
    lost.delete(Table.META, WISH + PREFIX.encode())
    crawl.store.write(lost)

    assert note_again(tmp_path, crawl.store) == 1

    (noted,) = noted_wishes(crawl.store.scan(Table.META))
    assert (noted.target, noted.reason, noted.wished_at) == (PREFIX, "a letter", NOW)
