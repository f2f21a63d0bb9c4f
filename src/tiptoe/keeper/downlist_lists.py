"""How does a crawl list what it has downloaded, and take in the lists of others?

Its own list is read from the database, even while a keeper runs, and changes nothing there. Lists of others
are taken in portions of one step each, whether the crawl is running or not.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final, Protocol, TypeVar

import msgspec

from tiptoe.errors import CrawlerError, ProtocolError
from tiptoe.frontier.exchanges import Exchanges
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.page_record import WAITING, PageRecord
from tiptoe.frontier.priority import REVISITS
from tiptoe.frontier.queues import chunks_in
from tiptoe.frontier.runs import stored_timing
from tiptoe.frontier.visits import Lease
from tiptoe.keeper.database import DATABASE, claimed
from tiptoe.keeper.directory import find_keeper
from tiptoe.keeper.running_crawl import ask
from tiptoe.keeper.settings_file import recall
from tiptoe.observe.crawl_marker import MARKER, no_crawl
from tiptoe.observe.downlist_file import DownlistLine, ListHead, read_lines, write_list
from tiptoe.protocol.operator import (
    CloseExchange,
    Done,
    DownlistTaken,
    ExchangeOpened,
    OpenExchange,
    TakeDownlist,
)
from tiptoe.protocol.work import Purpose, Request
from tiptoe.store.readonly import ReadOnlyStore
from tiptoe.store.tables import Table, Writes
from tiptoe.url.address import KEY_BYTES
from tiptoe.url.dropped import Dropped

__all__ = ["Exported", "apply_list", "export_list", "lines_of", "take_downlist"]

URLS_AT_ONCE: Final = 1000
"""Maximum number of addresses in one command, and in one step."""

OVERLAP_SECONDS: Final = 10.0
"""How far before its mark a list begins, since a step may be stored a moment after its own time stamp."""

ENDING_SECONDS: Final = 60.0
ENDED_LOOK_SECONDS: Final = 0.05
"""How long a crawl that does not answer may take to end, and how often that is checked."""

OURS_NOT: Final = frozenset({"", WAITING, Dropped.DOWNLIST})
"""Outcomes of pages that this crawl has not downloaded."""

CLAIMS: Final = "crawl.claims"

Found = TypeVar("Found")

_page = msgspec.msgpack.Decoder(PageRecord).decode
_lease = msgspec.msgpack.Decoder(Lease).decode
_request = msgspec.msgpack.Decoder(Request).decode


class Exported(msgspec.Struct, frozen=True):
    """What an export has written."""

    lines: int
    mark: float
    exchange: int


def take_downlist(frontier: Frontier, urls: list[str], now: float) -> int:
    """Note which URLs others have; return how many of them are news."""
    if len(urls) > URLS_AT_ONCE:
        raise ProtocolError(f"at most {URLS_AT_ONCE} addresses at once")
    canonical = frontier.policy.canonicalizer.canonical
    found = dict.fromkeys(known for url in urls if (known := canonical(url)) is not None)
    return frontier.mark_downloaded(list(found), now)


# -- what we have ---------------------------------------------------------


def export_list(directory: Path, out: Path, *, robot: str, since: float = 0.0) -> Exported:
    """Write what a crawl has downloaded since a mark and, if it takes part in exchanges, what it claims."""
    _expect_crawl(directory)
    number, mark = _whoever_is_there(directory, _open_running, _open_stopped)
    tables = (Table.PAGE, Table.QUEUE, Table.DUE, Table.LEASE)
    with ReadOnlyStore(directory / DATABASE, tables) as rows:
        lines = lines_of(rows, robot, since=since, has_claims=bool(number))
        count = write_list(out, ListHead(robot=robot, mark=mark, exchange=number), lines)
    return Exported(count, mark, number)


def _open_running(directory: Path) -> tuple[int, float]:
    opened = ask(directory, OpenExchange(), ExchangeOpened)
    return opened.number, opened.now


def _open_stopped(directory: Path) -> tuple[int, float]:
    with claimed(directory) as store:
        exchanges, batch = Exchanges(store), Writes()
        exchanges.are_awaited = _waits(directory)
        number = exchanges.open(batch)
        store.write(batch)
        return number, stored_timing(store).noted_at


def _waits(directory: Path) -> bool:
    return bool((recall(directory) or {}).get(CLAIMS))


class Tables(Protocol):
    """A database whose tables can be scanned."""

    def scan(self, table: Table) -> Iterator[tuple[bytes, bytes]]: ...


def lines_of(rows: Tables, robot: str, *, since: float, has_claims: bool) -> Iterator[DownlistLine]:
    """Yield what a robot has downloaded since a mark, and what it claims."""
    for _, stored in rows.scan(Table.PAGE):
        if stored:
            page = _page(stored)
            if page.last_visit_at >= since - OVERLAP_SECONDS and page.outcome not in OURS_NOT:
                yield DownlistLine(page.url, page.last_visit_at, page.payload_digest, robot)
    if has_claims:
        yield from (DownlistLine(url, robot=robot) for url in _waiting(rows))


def _waiting(rows: Tables) -> Iterator[str]:
    """Yield the URLs that are queued, put off or under way, but no robots.txt: each robot reads its own."""
    for key, stored in rows.scan(Table.QUEUE):
        if key[KEY_BYTES] != REVISITS:
            for chunk in chunks_in(stored):
                if chunk.purpose is not Purpose.ROBOTS:
                    yield from chunk.urls
    for _, stored in rows.scan(Table.DUE):
        request = _request(stored)
        if request.purpose not in (Purpose.ROBOTS, Purpose.ADDRESS):
            yield request.url
    for _, stored in rows.scan(Table.LEASE):
        for request in _lease(stored).requests:
            if request.purpose is not Purpose.ROBOTS and request.last_visit is None:
                yield request.url


# -- what others have -----------------------------------------------------


def apply_list(directory: Path, merged: Path, *, robot: str, exchange: int = 0) -> int:
    """Keep a crawl from requesting what others have, then close its exchange; return how many were news."""
    _expect_crawl(directory)

    def others() -> Iterator[list[str]]:
        return _batches(line.url for line in read_lines(merged) if line.robot != robot)

    return _whoever_is_there(
        directory,
        lambda directory: _apply_running(directory, others(), exchange),
        lambda directory: _apply_stopped(directory, others(), exchange),
    )


def _apply_running(directory: Path, others: Iterator[list[str]], exchange: int) -> int:
    taken = sum(ask(directory, TakeDownlist(batch), DownlistTaken).taken for batch in others)
    if exchange:
        ask(directory, CloseExchange(exchange), Done)
    return taken


def _apply_stopped(directory: Path, others: Iterator[list[str]], exchange: int) -> int:
    taken = 0
    with claimed(directory) as store:
        # The rules for canonical URLs are not known here; the URLs of a list are canonical already.
        frontier = Frontier(store, FrontierPolicy(awaits_exchanges=_waits(directory)))
        now = max(stored_timing(store).noted_at, time.time())
        for batch in others:
            taken += frontier.mark_downloaded(batch, now)
        if exchange:
            frontier.exchanges.close(exchange)
    return taken


def _whoever_is_there(
    directory: Path, running: Callable[[Path], Found], stopped: Callable[[Path], Found]
) -> Found:
    """Call `running` or `stopped`, as the crawl is; both if it ends meanwhile, which has to be harmless."""
    if find_keeper(directory) is None:
        return stopped(directory)
    try:
        return running(directory)
    except CrawlerError:
        deadline = time.monotonic() + ENDING_SECONDS
        while find_keeper(directory) is not None:
            if time.monotonic() > deadline:
                raise
            time.sleep(ENDED_LOOK_SECONDS)
        return stopped(directory)


def _batches(urls: Iterable[str]) -> Iterator[list[str]]:
    waiting = iter(urls)
    while some := list(islice(waiting, URLS_AT_ONCE)):
        yield some


def _expect_crawl(directory: Path) -> None:
    if not (directory / MARKER).exists() or not (directory / DATABASE).exists():
        raise no_crawl(directory)
