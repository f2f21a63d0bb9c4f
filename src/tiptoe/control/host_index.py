"""Which hosts does a crawl know, sorted and searchable even if there are a million?

The database of a crawl has hosts by hash, in no useful order. So its records are copied, by a separate
process, to a small SQLite file with an index for each order: `python -m
tiptoe.control.host_index DIR FILE`. It is a cache, and shows how old it is.

If there are many hosts, a first list has only some of them, and says so."""

import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.errors import CrawlerError
from tiptoe.frontier.host import HostRecord, Side
from tiptoe.frontier.priority import LEVELS
from tiptoe.keeper.database import DATABASE
from tiptoe.store.readonly import ReadOnlyStore
from tiptoe.store.tables import Table

__all__ = [
    "SORTS", "STATES", "HostRow", "HostRows", "QueueRank", "build_index", "copy_hosts", "read_index",
    "read_ranks",
]  # fmt: skip

SORTS: Final = ("pages", "requests", "queued", "text_chars", "troubles", "host")
STATES: Final = ("idle", "new", "parked", "visited", "gone", "unproductive", "blocked", "slowed")
FIRST_HOSTS: Final = 50_000
"""Maximum hosts in the first list, which is ready after a second or two."""

WORDS_CHARS_MAX: Final = 100
LETTERS_MIN: Final = 3
RARE_MAX: Final = 2000
LEADS_MAX: Final = 3
OWN_CONDITIONS: Final = {"blocked": "is_blocked", "slowed": "slowed_to > 0"}
SIDES: Final = {Side.NEW: "new pages", Side.BOTH: "new pages and revisits", Side.REVISIT: "revisits"}
_PARTIAL: Final = 1
COUNTED_MAX: Final = 10_000
"""Maximum hosts counted in a search, because nobody turns more pages than that."""


class HostRow(msgspec.Struct, frozen=True):
    """A host in the list."""

    host: str
    state: str
    pages: int
    requests: int
    queued: int
    text_chars: int
    troubles: int
    trouble: str
    is_blocked: bool
    slowed_to: float
    address: str
    because: str  # why it was given up


class QueueRank(msgspec.Struct, frozen=True, kw_only=True):
    """Hosts that wait for their turn in one rank of the queue, and their requests."""

    level: int  # 1 comes first; 0: not considered, because their address is blocked
    side: str  # what they wait for: new pages, revisits, both
    hosts: int
    queued: int


class HostRows(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the list of hosts."""

    rows: list[HostRow]
    total: int  # of matching hosts, up to COUNTED_MAX
    hosts: int  # of all
    built_at: float
    page: int
    pages: int
    is_whole: bool = True  # otherwise a first list, while the full one is being made


def build_index(directory: Path, target: Path, first_hosts: int = FIRST_HOSTS) -> int:
    """Copy the host records of a crawl to a file; return their number."""
    if not target.exists():
        count = copy_hosts(directory, target, first_hosts)
        if count < first_hosts:
            return count
    return copy_hosts(directory, target)


def copy_hosts(directory: Path, target: Path, count_max: int | None = None) -> int:
    """Make a list of all hosts, or of the first ones; return how many it has."""
    began_at = time.time()
    waiting: Counter[int] = Counter()
    requests: Counter[int] = Counter()

    def rows() -> Iterator[tuple[object, ...]]:
        for host in islice(_records(directory), count_max):
            if host.parked_key:
                waiting[host.parked_key[0]] += 1
                requests[host.parked_key[0]] += host.queued
            yield _row(host)

    with _new_file(target) as db:
        db.execute(
            "CREATE TABLE host (host TEXT, state TEXT, pages INTEGER, requests INTEGER, queued INTEGER, "
            "text_chars INTEGER, troubles INTEGER, trouble TEXT, is_blocked INTEGER, slowed_to REAL, "
            "address TEXT, because TEXT)"
        )
        db.execute("CREATE TABLE rank (number INTEGER, hosts INTEGER, queued INTEGER)")
        db.executemany("INSERT INTO host VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows())
        count = int(db.execute("SELECT count(*) FROM host").fetchone()[0])
        ranks = [(number, waiting[number], requests[number]) for number in sorted(waiting)]
        db.executemany("INSERT INTO rank VALUES (?, ?, ?)", ranks)
        for name in SORTS:
            db.execute(f"CREATE INDEX by_{name} ON host ({name}, host)")
        db.execute("CREATE INDEX by_state ON host (state, pages, host)")
        for name, condition in OWN_CONDITIONS.items():
            db.execute(f"CREATE INDEX by_{name} ON host (pages, host) WHERE {condition}")
        _index_letters(db)
        db.execute("CREATE TABLE told (built_at REAL, hosts INTEGER, seconds REAL)")
        db.execute("INSERT INTO told VALUES (?, ?, ?)", [began_at, count, time.time() - began_at])
        db.execute(f"PRAGMA user_version = {_PARTIAL if count == count_max else 0}")
    return count


def _index_letters(db: sqlite3.Connection) -> None:
    """Index the trigrams of the names in a list."""
    db.execute("CREATE VIRTUAL TABLE letters USING fts5(host, content='', tokenize='trigram', detail='none')")
    # In the order of rows: any other takes six times as long.
    db.execute("INSERT INTO letters (rowid, host) SELECT rowid, host FROM host ORDER BY rowid")
    db.execute("CREATE VIRTUAL TABLE temp.counted USING fts5vocab(main, letters, row)")
    db.execute("CREATE TABLE three (letters TEXT PRIMARY KEY, hosts INTEGER) WITHOUT ROWID")
    db.execute("INSERT INTO three SELECT term, doc FROM temp.counted")


@contextmanager
def _new_file(target: Path) -> Iterator[sqlite3.Connection]:
    """Write a file in one transaction; it replaces the old one when it is complete."""
    part = target.with_name(f"{target.name}.part")
    part.unlink(missing_ok=True)
    db = sqlite3.connect(part, isolation_level=None)
    try:
        db.execute("PRAGMA journal_mode = OFF")
        db.execute("PRAGMA synchronous = OFF")  # a cache
        db.execute("BEGIN")
        yield db
        db.execute("COMMIT")
    finally:
        db.close()
    part.replace(target)


def read_index(
    path: Path, *, sort: str, is_rising: bool, words: str, state: str, page: int, size: int
) -> HostRows:
    """Return a page of hosts; `sort` and `state` must be known ones."""
    assert sort in SORTS
    assert not state or state in STATES
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        built_at, hosts, _ = db.execute("SELECT * FROM told").fetchone()
        is_whole = _is_whole(db)
        total, where, values = _wanted(db, words[:WORDS_CHARS_MAX].lower(), state, hosts)
        pages = max(1, -(-total // size))
        page = min(max(1, page), pages)
        # If counting stopped at the maximum, the position of the end is unknown.
        end = total if not where or total < COUNTED_MAX else 0
        span = (page - 1) * size, size
        found = _rows(db, sort, where, values, is_rising=is_rising, span=span, end=end)
    finally:
        db.close()
    names = HostRow.__struct_fields__
    rows = [msgspec.convert(dict(zip(names, row, strict=True)), HostRow, strict=False) for row in found]
    return HostRows(
        rows=rows, total=total, hosts=hosts, built_at=built_at, page=page, pages=pages, is_whole=is_whole
    )


def _is_whole(db: sqlite3.Connection) -> bool:
    return bool(db.execute("PRAGMA user_version").fetchone()[0] != _PARTIAL)


def _rows(
    db: sqlite3.Connection, sort: str, where: str, values: list[object], *, is_rising: bool,
    span: tuple[int, int], end: int,
) -> list[tuple[object, ...]]:  # fmt: skip
    """Return some rows; those after the middle are read from the end, which is closer along the index."""
    skip, size = span
    is_late = 0 < end < 2 * skip
    if is_late:
        size = min(size, end - skip)
        skip = max(0, end - skip - size)
    order = "ASC" if is_rising != is_late else "DESC"
    places = f"SELECT rowid FROM host {where} ORDER BY {sort} {order}, host {order} LIMIT ? OFFSET ?"  # noqa: S608
    chosen = [row[0] for row in db.execute(places, [*values, size, skip])]
    if is_late:
        chosen.reverse()
    return [db.execute("SELECT * FROM host WHERE rowid = ?", [place]).fetchone() for place in chosen]


def _wanted(db: sqlite3.Connection, words: str, state: str, hosts: int) -> tuple[int, str, list[object]]:
    """Return how many hosts match, up to a maximum, and the condition for them."""
    parts: list[str] = []
    values: list[object] = []
    if state in OWN_CONDITIONS:
        parts.append(OWN_CONDITIONS[state])
    elif state:
        parts.append("state = ?")
        values.append(state)
    if words:
        rare = _rare(db, words)
        # Rare names are found by the trigram index; frequent ones appear soon in any order.
        parts.append("instr(host, ?)" if rare is None else f"rowid IN ({','.join(map(str, rare))})")
        values += [words] if rare is None else []
    if not parts:
        return hosts, "", []
    where = f"WHERE {' AND '.join(parts)}"
    counted = f"SELECT count(*) FROM (SELECT 1 FROM host {where} LIMIT {COUNTED_MAX})"  # noqa: S608  our words
    return db.execute(counted, values).fetchone()[0], where, values


def _rare(db: sqlite3.Connection, words: str) -> list[int] | None:
    """Return the rows of hosts whose names contain these letters; None when there are many.

    All trigrams of a name are indexed. The rarest ones lead to few candidates, which are then checked for the
    whole word. One or two letters are looked up in all trigrams that contain them.
    """
    threes = {words[place : place + LETTERS_MIN] for place in range(len(words) - LETTERS_MIN + 1)}
    asked = f"letters IN ({','.join('?' * len(threes))})" if threes else "instr(letters, ?)"
    try:
        known = sorted(
            db.execute(f"SELECT hosts, letters FROM three WHERE {asked}", list(threes) or [words])  # noqa: S608
        )
    except sqlite3.OperationalError:
        return None  # made by an earlier version; it is soon made again
    if len(known) < max(len(threes), 1):
        return []  # some of these trigrams are in no name
    if not threes and sum(hosts for hosts, _ in known) > RARE_MAX:
        return None
    quoted = ['"' + letters.replace('"', '""') + '"' for _, letters in known]
    leads = " AND ".join(quoted[:LEADS_MAX]) if threes else " OR ".join(quoted)
    sql = (
        "SELECT letters.rowid FROM letters JOIN host ON host.rowid = letters.rowid "
        "WHERE letters MATCH ? AND instr(host.host, ?) LIMIT ?"
    )
    found = [row[0] for row in db.execute(sql, [leads, words, RARE_MAX + 1])]
    return found if len(found) <= RARE_MAX else None


def read_ranks(path: Path) -> list[QueueRank] | None:
    """Return the ranks of the queue that have hosts, in order; None unless all hosts are listed."""
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        if not _is_whole(db):
            return None
        rows = db.execute("SELECT number, hosts, queued FROM rank ORDER BY number").fetchall()
    except sqlite3.OperationalError:
        return []  # made by an earlier version; it is soon made again
    finally:
        db.close()
    return [_rank(*row) for row in rows]


def _rank(number: int, hosts: int, queued: int) -> QueueRank:
    level, side = divmod(number, len(Side))
    is_barred = level >= LEVELS
    text = "no requests: their address is blocked" if is_barred else SIDES[Side(side)]
    return QueueRank(level=0 if is_barred else level + 1, side=text, hosts=hosts, queued=queued)


def _records(directory: Path) -> Iterator[HostRecord]:
    decode = msgspec.msgpack.Decoder(HostRecord).decode
    with ReadOnlyStore(directory / DATABASE, (Table.HOST,)) as store:
        for _, stored in store.scan(Table.HOST):
            yield decode(stored)


def _row(host: HostRecord) -> tuple[object, ...]:
    return (
        host.host, host.state.value, host.pages, host.requests, host.queued, host.text_chars,
        host.troubles, host.trouble, int(host.is_blocked), host.slowed_to, host.address, host.gone_because,
    )  # fmt: skip


def _main() -> int:
    directory, target = map(Path, sys.argv[1:])
    try:
        build_index(directory, target)
    except CrawlerError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(_main())
