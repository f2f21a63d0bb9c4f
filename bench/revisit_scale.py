"""Does a revisit cost the same however many pages are watched?

The real frontier over RocksDB with this many pages to revisit, by *optimal*, in virtual time: a page becomes
due, is valued, queued, handed out with its record, settled, and entered in the calendar again. All sizes have
the same number of visits per second and 50 pages per host, so that only the size differs. Prints the keeper's
CPU per visit, RocksDB's own threads included, and its resident memory.

    python bench/revisit_scale.py --sizes 100000 1000000 10000000
"""

import random
import time
from collections.abc import Iterator
from typing import NamedTuple

import msgspec
import psutil
from frontier_turns import Stopwatch, own_address, turn
from sizes import crawl_store, middle_cost, wanted_sizes

from tiptoe.experiment.frontier_player import FrontierPlayer
from tiptoe.frontier.calendar import Appointment
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.origins import robots_key
from tiptoe.frontier.page_record import PageRecord
from tiptoe.frontier.policy import RevisitPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.frontier.revisits import account_of
from tiptoe.frontier.step import Step
from tiptoe.observe.process import spare_the_collector
from tiptoe.protocol.work import Purpose, Request, Result, RobotsNote, RobotsState
from tiptoe.settings.layers import Settings
from tiptoe.store.rocks import RocksStore
from tiptoe.store.tables import Table
from tiptoe.url.address import host_key, url_key

PAGES_PER_HOST = 50
VISITS_PER_DAY = 2_000_000
VISITS_PER_STEP = 100
WARM_VISITS, MEASURED_VISITS = 20_000, 100_000
CHANGED_SHARE = 0.4
HOSTS_AT_ONCE = 200
START_AT = 1e9


class Cost(NamedTuple):
    """The cost of a visit among this many pages, in seconds and bytes."""

    per_visit: float
    visits: int
    memory: int
    fill_seconds: float


def main() -> None:
    sizes = wanted_sizes(__doc__, PAGES_PER_HOST)
    print(
        f"{'pages':>12} {'hosts':>9} {'visits':>9} {'us/visit':>9} {'memory MB':>10} {'fill s':>7}",
        flush=True,
    )
    costs = [cost_at(size) for size in sizes]
    print(f"cost per visit, largest against smallest: {costs[-1].per_visit / costs[0].per_visit:.2f}x")


def cost_at(size: int) -> Cost:
    """Print and return the cost of a visit among this many pages."""
    middle = middle_cost(watch, size)
    print(
        f"{size:>12,} {size // PAGES_PER_HOST:>9,} {middle.visits:>9,} {middle.per_visit * 1e6:>9.1f} "
        f"{middle.memory / 1e6:>10.0f} {middle.fill_seconds:>7.0f}",
        flush=True,
    )
    return middle


def watch(size: int) -> Cost:
    """Fill a crawl with watched pages, then visit some; return the cost."""
    spare_the_collector()
    first_seconds = size * 86400.0 / VISITS_PER_DAY
    with crawl_store() as store:
        began = time.monotonic()
        fill(store, size // PAGES_PER_HOST, first_seconds)
        await_calm()
        fill_seconds = time.monotonic() - began
        revisit = RevisitPolicy(
            strategy="optimal", first_seconds=first_seconds, min_seconds=60.0, visits_per_day=VISITS_PER_DAY
        )
        politeness = Politeness(req_delay=1.0, general_pause=1.0, max_reqs=10)
        policy = FrontierPolicy(
            politeness=politeness,
            reads_tdmrep=False,
            front_hosts=Settings().frontier.front_hosts,
            revisit=revisit,
        )
        chance = random.Random(1)
        player = FrontierPlayer(
            Frontier(store, policy),
            lambda request, now: result_of(request, is_changed=chance.random() < CHANGED_SHARE),
            own_address,
            now=START_AT,
        )
        watch = Stopwatch()
        spent, counted = 0.0, 0
        while counted < MEASURED_VISITS:
            player.now += VISITS_PER_STEP * 86400.0 / VISITS_PER_DAY
            reports = turn(player, watch, 2 * VISITS_PER_STEP)
            seconds = watch.lap()
            if player.frontier.counters.totals.revisits > WARM_VISITS:
                spent, counted = spent + seconds, counted + sum(len(report.results) for report in reports)
        return Cost(spent / counted, counted, psutil.Process().memory_info().rss, fill_seconds)


def result_of(request: Request, *, is_changed: bool) -> Result:
    if not is_changed:
        return Result(request, status=304, seconds=0.1, is_changed=False)
    return Result(
        request, status=200, seconds=0.1, body_bytes=16_000, text_chars=8_000, title="A title",
        text_hash=url_key(request.url), content_hash=url_key(request.url), is_changed=True,
    )  # fmt: skip


# -- preparation -------------------------------------------------------------


def fill(store: RocksStore, hosts: int, first_seconds: float) -> None:
    """Enter pages that were visited once within the last interval, through the objects of a crawl."""
    chance = random.Random(2)
    step = Step(store, hosts_cached_max=HOSTS_AT_ONCE)
    rules = msgspec.msgpack.encode(RobotsNote(RobotsState.RULES, fetched_at=START_AT))
    # In the order of the table of pages: otherwise filling takes longer than measuring.
    names = sorted((f"h{number}.example" for number in range(hosts)), key=host_key)
    for number, name in enumerate(names, 1):
        record = step.hosts.obtain(name)
        record.address = record.gate = own_address(name)
        record.resolved_at = START_AT
        record.requests = record.pages = account_of(record).pages = PAGES_PER_HOST
        step.hosts.touch(record)
        step.batch.put(Table.ROBOTS, robots_key(f"http://{name}"), rules)
        for key, page in pages_of(name, first_seconds, chance):
            at = page.last_visit_at + first_seconds
            page.next_visit_at = step.calendar.enter(step.batch, key, at, Appointment(Purpose.PAGE))
            step.pages.put(step.batch, key, page)
        if number % HOSTS_AT_ONCE == 0:
            step.commit()
    counters = step.counters
    counters.totals.hosts = hosts
    counters.totals.urls = counters.totals.pages = counters.totals.requests = (
        counters.learned.account.pages
    ) = hosts * PAGES_PER_HOST
    step.commit()


def pages_of(host: str, first_seconds: float, chance: random.Random) -> Iterator[tuple[bytes, PageRecord]]:
    for number in range(PAGES_PER_HOST):
        url = f"http://{host}/section-{number % 7}/page-{number}.html"
        visited_at = START_AT - chance.random() * first_seconds
        own = url_key(url)
        yield (
            host_key(host) + own,
            PageRecord(
                url, status=200, outcome="ok", title="A title", visits=1, first_visit_at=visited_at,
                last_visit_at=visited_at, interval=first_seconds, etag='"5f3c-1a2b"', content_hash=own,
                text_hash=own, payload_digest="sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
                stored_at=visited_at, version=1, is_counted=True,
            ),
        )  # fmt: skip


def await_calm() -> None:
    """Wait until RocksDB has compacted what was written."""
    while True:
        before = time.process_time()
        time.sleep(1.0)
        if time.process_time() - before < 0.05:
            return


if __name__ == "__main__":
    main()
