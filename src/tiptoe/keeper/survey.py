"""What does the database of a crawl know about its pages?

It is only read, whether the crawl is running or has stopped.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Final

import msgspec

from tiptoe.frontier.counters import Counters
from tiptoe.frontier.host import HostRecord
from tiptoe.frontier.page_record import PageRecord
from tiptoe.keeper.database import DATABASE
from tiptoe.observe.collection_freshness import Collection, HostFreshness
from tiptoe.observe.crawl_marker import expect_requests
from tiptoe.observe.freshness_report import Measured
from tiptoe.revisit.budget import Account, Optimal
from tiptoe.store.readonly import ReadOnlyStore
from tiptoe.store.tables import Table
from tiptoe.url.address import KEY_BYTES

__all__ = ["measured_by", "survey", "survey_pages"]

TOLD_EVERY: Final = 1000
UNKNOWN_INTERVAL: Final = 5 * 86400.0
"""Assumed mean time between changes of a page, in seconds, until one was revisited; not shown then."""


def survey(
    directory: Path,
    now: float,
    *,
    hosts_max: int = 20,
    total: Callable[[int], object] = lambda count: None,
    advance: Callable[[int], object] = lambda count: None,
) -> tuple[Collection, Measured]:
    """Read every page that a crawl knows; `total` and `advance` get the number of all, and of those read."""
    expect_requests(directory)
    found = Collection(now, hosts_max)
    with ReadOnlyStore(directory / DATABASE, (Table.META, Table.PAGE, Table.HOST)) as store:
        counters = Counters(store)
        total(counters.totals.urls)
        for read in survey_pages(found, counters, store.scan(Table.PAGE), partial(store.get, Table.HOST)):
            advance(read)
    return found, measured_by(counters)


def survey_pages(
    found: Collection,
    counters: Counters,
    rows: Iterable[tuple[bytes, bytes]],
    host_of: Callable[[bytes], bytes | None],
) -> Iterator[int]:
    """Add the rows of all pages to a collection; now and then yield how many were read since."""
    rates = _estimator(counters.learned.account, measured_by(counters))
    decode = msgspec.msgpack.Decoder(PageRecord).decode
    read = 0
    for key, some in groupby(rows, key=lambda row: row[0][:KEY_BYTES]):
        stored = host_of(key)
        record = msgspec.msgpack.decode(stored, type=HostRecord) if stored else HostRecord("?")
        account = record.account or Account()
        prior, trust = rates.prior(account), rates.trust(account)
        own = HostFreshness(host=record.host)
        for _, row in some:
            if row:  # a URL that only waits has no record yet
                found.add_page(decode(row), own, prior, trust)
            read += 1
            if read % TOLD_EVERY == 0:
                yield TOLD_EVERY
        found.sum_up(own)


def measured_by(counters: Counters) -> Measured:
    """Return what the keeper has counted about revisits."""
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
    """Return an estimator of how often pages change; the same as the keeper's, whatever its strategy."""
    # The first guess need only be of the right magnitude: the mean interval is.
    interval = measured.watched_seconds / measured.compared if measured.compared else 0.0
    first = interval or UNKNOWN_INTERVAL
    return Optimal(crawl=crawl, first=first, least=0.0, most=first)
