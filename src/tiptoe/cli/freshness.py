"""`tiptoe freshness`: how fresh is the collection?"""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tiptoe.cli.printer import Printer
from tiptoe.cli.sections import print_sections, write_page
from tiptoe.errors import SettingsError
from tiptoe.frontier.counters import Counters
from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.page_record import PageRecord
from tiptoe.keeper.database import DATABASE
from tiptoe.observe.amounts import human_count
from tiptoe.observe.collection_freshness import Collection
from tiptoe.observe.freshness_report import (
    Measured,
    freshness_lead,
    freshness_page,
    freshness_sections,
    freshness_values,
)
from tiptoe.revisit.budget import Account, Optimal
from tiptoe.store.readonly import ReadOnlyStore
from tiptoe.store.tables import Table
from tiptoe.url.address import KEY_BYTES

__all__ = ["freshness_command", "measured_by", "survey"]

HOSTS_MAX = 10_000
TOLD_EVERY = 1000
UNKNOWN_INTERVAL = 5 * 86400.0
"""How often pages are believed to change while none was visited again: it is not shown then."""


def freshness_command(
    directory: Annotated[Path, Parameter(help="Directory of the crawl.")] = Path("crawl"),
    *,
    as_json: Annotated[bool, Parameter(name="--json", help="Print JSON.", negative="")] = False,
    html: Annotated[Path | None, Parameter(help="Write one HTML page with plots to this file.")] = None,
    top: Annotated[int, Parameter(help="How many hosts are listed.")] = 20,
) -> int:
    """Estimate how fresh the collection is, and what revisits have found."""
    if not 1 <= top <= HOSTS_MAX:
        raise SettingsError(f"--top {top}: from 1 to {human_count(HOSTS_MAX)}")
    columns = (TextColumn("reading the pages"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("read", total=None)
        found, measured = survey(
            directory,
            time.time(),
            hosts_max=top,
            total=lambda count: progress.update(task, total=count or None),
            advance=lambda count: progress.advance(task, count),
        )
    if html is not None:
        write_page(html, freshness_page(directory.resolve().name, found, measured))
    if as_json:
        print(json.dumps(freshness_values(found, measured), indent=2, ensure_ascii=False))
    elif html is not None:
        print(f"written to {html}")
    else:
        printed = Printer(highlight=False)
        printed.print(freshness_lead(found, measured), soft_wrap=True)
        print_sections(printed, freshness_sections(found, measured))
    return 0


def survey(
    directory: Path,
    now: float,
    *,
    hosts_max: int = 20,
    total: Callable[[int], object] = lambda count: None,
    advance: Callable[[int], object] = lambda count: None,
) -> tuple[Collection, Measured]:
    """Read every page that a crawl knows; `total` and `advance` hear how many there are and were read."""
    if not (directory / "crawl.json").is_file():
        raise SettingsError(f"{directory}: not the directory of a crawl; there is no crawl.json in it")
    found = Collection(now, hosts_max)
    with ReadOnlyStore(directory / DATABASE, (Table.META, Table.PAGE, Table.HOST)) as glance:
        counters = Counters(glance)
        measured = measured_by(counters)
        total(counters.totals.urls)
        rates = _estimator(counters.learned.account, measured)
        pages = _counted(glance.scan(Table.PAGE), advance)
        for key, rows in groupby(pages, key=lambda row: row[0][:KEY_BYTES]):
            _add_host(found, glance.get(Table.HOST, key), rows, rates)
    return found, measured


def measured_by(counters: Counters) -> Measured:
    """Return what the keeper has counted of revisits."""
    return Measured(
        revisits=counters.totals.revisits,
        changed=counters.totals.revisits_changed,
        unchanged=counters.totals.revisits_unchanged,
        gone=counters.totals.revisits_gone,
        queued=counters.gauges.revisits_queued,
        leased=counters.gauges.revisits_leased,
        watched_seconds=counters.totals.watched_seconds,
        fresh_seconds=counters.totals.fresh_seconds,
        aged_seconds=counters.totals.aged_seconds,
    )


def _estimator(crawl: Account, measured: Measured) -> Optimal:
    """Return what estimates how often pages change, as the keeper does, whatever its strategy."""
    # What is believed before anything was seen need only be of the right size: the mean interval is.
    interval = measured.watched_seconds / measured.compared if measured.compared else 0.0
    first = interval or UNKNOWN_INTERVAL
    return Optimal(crawl=crawl, first=first, least=0.0, most=first)


def _add_host(
    found: Collection, stored: bytes | None, rows: Iterable[tuple[bytes, bytes]], rates: Optimal
) -> None:
    record = msgspec.msgpack.decode(stored, type=HostRecord) if stored else HostRecord("?")
    account = record.account or Account()
    decode = msgspec.msgpack.Decoder(PageRecord).decode
    # An address that only waits has no record yet.
    pages = (decode(row) for _, row in rows if row)
    found.add_host(record.host, pages, rates.prior(account), rates.trust(account))


def _counted(
    rows: Iterator[tuple[bytes, bytes]], advance: Callable[[int], object]
) -> Iterator[tuple[bytes, bytes]]:
    for number, row in enumerate(rows, 1):
        if number % TOLD_EVERY == 0:
            advance(TOLD_EVERY)
        yield row
