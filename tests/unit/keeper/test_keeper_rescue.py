"""A damaged database costs the rows that nobody can read, and not the crawl."""

import os
import resource
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from tiptoe.errors import DamagedDatabase, DiskFull
from tiptoe.experiment.frontier_player import FrontierPlayer, links_to
from tiptoe.frontier.filemarks import FileMark, FileMarks
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.page_record import WAITING, PageRecord
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.keeper.output_repair import OutputRepair
from tiptoe.keeper.rescue import check_database, rescue
from tiptoe.protocol.work import Report, Request, Result
from tiptoe.store.rocks import RocksStore
from tiptoe.store.tables import Table, Writes
from tiptoe.url.address import page_key

SMALL = {"block_cache_bytes": 1 << 20, "write_buffer_bytes": 1 << 20}
POLICY = FrontierPolicy(revisit=RevisitPolicy(strategy="uniform"))
NOW = 1_790_000_000.0
HOSTS = 20
PAGES = 20
CORPUS_FILE = "corpus/tiptoe-h1-1a1-0001-00001.jsonl"


def page(request: Request, now: float) -> Result:
    number = int(request.url.rpartition("/")[2])
    found = [f"http://h{(number * 7 + step) % HOSTS}.example/{number % PAGES}" for step in range(5)]
    return Result(request, status=200, text_chars=300, title="t" * 200, links=links_to(found))


def crawl_a_while(path: Path) -> float:
    """Make a database with hosts in every state; return the moment of its last step."""
    store = RocksStore(path, **SMALL)
    crawl = FrontierPlayer(Frontier(store, POLICY), page, address_of, NOW, visits_max=5)
    crawl.add(*(f"http://h{host}.example/{number}" for host in range(HOSTS) for number in range(PAGES)))
    for _ in range(40):
        crawl.now += 20.0
        for visit in crawl.take():
            results = [page(request, crawl.now) for work in visit.hosts for request in work.requests[:-1]]
            crawl.tell([Report(visit.id, results, is_done=visit.id % 7 > 0)])
    crawl.frontier.check()
    store.close()
    return crawl.now


def address_of(host: str) -> str:
    return f"192.0.2.{host[1:].partition('.')[0]}"


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x55
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize("damage", [flip, cut, Path.unlink])
def test_whatever_table_is_damaged_the_crawl_goes_on(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    """Each file of the database in turn: the message is clear, and what is saved agrees with itself."""
    now = crawl_a_while(tmp_path / "0")
    names = [path.name for path in (tmp_path / "0").iterdir() if path.suffix == ".sst"]
    names += [
        path.name for path in (tmp_path / "0").iterdir() if path.name.startswith(("MANIFEST", "CURRENT"))
    ]
    assert len(names) > 5
    damaged = 0
    for number, name in enumerate(names, 1):
        path = tmp_path / str(number) / "frontier"
        path.mkdir(parents=True)
        for file in (tmp_path / "0").iterdir():
            (path / file.name).write_bytes(file.read_bytes())
        damage(path / name)
        damaged += is_damaged(path)  # else the byte was one that nobody reads

        found = rescue(tmp_path / str(number), path, encoding="utf-8", now=now)

        assert found.set_aside.exists()
        store = RocksStore(path, **SMALL)
        assert sum(1 for table in Table for _ in store.scan(table)) > 0  # every row can be read
        frontier = Frontier(store, POLICY)
        frontier.recover(now)
        frontier.check()
        go_on(frontier, now)
        store.close()
    assert damaged > len(names) / 2


def is_damaged(path: Path) -> bool:
    try:
        check_database(path)
    except DamagedDatabase:
        return True
    return False


def go_on(frontier: Frontier, now: float) -> None:
    """Hand out and settle whatever is left for a while, with every invariant stated."""
    crawl = FrontierPlayer(frontier, page, address_of, now, visits_max=20)
    for _ in range(5):
        crawl.now += 3600.0
        crawl.round()
        frontier.check()


def test_a_flipped_byte_costs_a_block_and_not_a_table(tmp_path: Path) -> None:
    """A month of crawling is worth more than four kilobytes."""
    store = RocksStore(tmp_path / "frontier", **SMALL)
    for number in range(2000):
        batch = Writes()
        batch.put(Table.ROBOTS, f"http://h{number:05d}.example".encode(), b"r" * 300 + b"%d" % number)
        store.write(batch)
    store.close()
    flip(max((tmp_path / "frontier").glob("*.sst"), key=lambda path: path.stat().st_size))

    found = rescue(tmp_path, tmp_path / "frontier", encoding="utf-8", now=NOW)

    assert found.tables[Table.ROBOTS].holes == 1
    assert 1500 < found.tables[Table.ROBOTS].rows < 2000


def test_a_scan_does_not_end_at_damage_as_if_that_were_all(tmp_path: Path) -> None:
    """The library does; marks, leases and hosts behind it would be forgotten without a word."""
    store = RocksStore(tmp_path / "db", **SMALL)
    for number in range(2000):
        batch = Writes()
        batch.put(Table.MARK, f"{number:05d}".encode(), b"m" * 300)
        store.write(batch)
    store.close()
    flip(max((tmp_path / "db").glob("*.sst"), key=lambda path: path.stat().st_size))
    store = RocksStore(tmp_path / "db", **SMALL)
    with pytest.raises(DamagedDatabase):
        list(store.scan(Table.MARK))
    assert len(list(store.scan(Table.MARK, b"00000", b"00100"))) == 100
    store.close()


def test_a_page_whose_line_stands_in_the_corpus_is_known_again(tmp_path: Path) -> None:
    """Though nothing is left of its record and its report; else its line would count as damage later."""
    lines = [
        f'{{"url": "http://h.example/{number}", "version": 2, "fetched_at": "2026-01-02T03:04:05Z"}}\n'
        for number in range(3)
    ]
    (tmp_path / "corpus").mkdir()
    (tmp_path / f"{CORPUS_FILE}.open").write_text("".join(lines))
    store = RocksStore(tmp_path / "frontier", **SMALL)
    batch = Writes()
    FileMarks(store).put(batch, CORPUS_FILE, FileMark(len("".join(lines[:2]))))
    older = PageRecord("http://h.example/1", outcome=WAITING, tries=1)
    batch.put(Table.PAGE, page_key(older.url), msgspec.msgpack.encode(older))
    store.write(batch)
    store.close()

    found = rescue(tmp_path, tmp_path / "frontier", encoding="utf-8", now=NOW)

    store = RocksStore(tmp_path / "frontier", **SMALL)
    frontier = Frontier(store, POLICY)
    pages = [frontier.page_at(page_key(f"http://h.example/{number}")) for number in range(3)]
    findings = OutputRepair(tmp_path, frontier, now=NOW).examine(reads={CORPUS_FILE})
    store.close()
    assert found.pages_restored == 1
    assert [(page.outcome, page.version) for page in pages if page] == [("ok", 2), ("ok", 2)]
    assert pages[2] is None  # its line was never committed
    assert [(one.damage, one.cut_bytes) for one in findings] == [([], len(lines[2]))]


def test_a_disk_that_is_full_ends_a_rescue_and_costs_no_row(tmp_path: Path) -> None:
    """What could not be copied for want of room must not count as lost."""
    path = tmp_path / "db"
    store = RocksStore(path, **SMALL)
    for part in range(6):
        batch = Writes()
        for number in range(100):
            batch.put(Table.ROBOTS, b"%d %d" % (part, number), os.urandom(10_000))
        store.write(batch)
    store.close()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 20, before[1]))
    try:
        with pytest.raises(DiskFull):
            rescue(tmp_path, path, encoding="utf-8", now=NOW)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    saved = rescue(tmp_path, path, encoding="utf-8", now=NOW)
    assert (saved.tables[Table.ROBOTS].rows, saved.tables[Table.ROBOTS].holes) == (600, 0)
