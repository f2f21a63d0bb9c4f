"""Does the cost of the keeper stay constant as the crawl grows?

The real frontier over RocksDB, given results like those of harvesters: 30 links per page, of which 20
are new, in virtual time. The same crawl in several sizes, each with 50 URLs per host; visited hosts rank no
higher than new ones, so that all get their turn. Visits are equally long and hosts equally deep in all sizes:
only the size differs. Prints the keeper's CPU per URL and per page
over the second half of each, and its resident memory.

    python bench/frontier_growth.py --sizes 100000 1000000 10000000
"""

import random
from typing import NamedTuple

import psutil
from frontier_turns import Stopwatch, number_of, own_address, turn
from sizes import crawl_store, middle_cost, wanted_sizes

from tiptoe.experiment.frontier_player import FrontierPlayer
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.observe.process import give_memory_back, spare_the_collector
from tiptoe.protocol.work import HostLinks, Request, Result
from tiptoe.settings.layers import Settings
from tiptoe.url.address import host_of, page_keys, url_key

NEW_LINKS, OWN_SHARE, OLD_LINKS = 20, 0.8, 10
BATCH_VISITS = 16
URLS_PER_HOST = 50
PAGE_BYTES, TEXT_CHARS = 16_000, 1_600
"""Size and text of a page; a host with such pages has the same level as a new one."""
SEEDS_AT_ONCE = 10_000
TURN_SECONDS, TURNS_A_MINUTE = 0.05, 1200


class Cost(NamedTuple):
    """What a frontier of one size costs, in seconds and bytes."""

    per_url: float
    per_page: float
    pages: int
    memory: int


class Web:
    """Hosts whose pages are numbered; remembers only how many pages of each were linked."""

    def __init__(self, hosts: int, seed: int) -> None:
        self._rng = random.Random(seed)
        self._linked = [1] * hosts

    def answer(self, request: Request, now: float) -> Result:
        key = url_key(request.url)
        return Result(
            request, status=200, seconds=0.1, body_bytes=PAGE_BYTES, text_chars=TEXT_CHARS, title="A title",
            text_hash=key, content_hash=key, links=self._links_on(request.url),
        )  # fmt: skip

    def _links_on(self, url: str) -> list[HostLinks]:
        own = number_of(host_of(url))
        by_host: dict[int, list[int]] = {}
        for _ in range(NEW_LINKS):
            host = own if self._rng.random() < OWN_SHARE else self._rng.randrange(len(self._linked))
            by_host.setdefault(host, []).append(self._linked[host])
            self._linked[host] += 1
        for _ in range(OLD_LINKS):
            by_host.setdefault(own, []).append(self._rng.randrange(self._linked[own]))
        return [_links(host, pages) for host, pages in by_host.items()]


def _links(host: int, pages: list[int]) -> HostLinks:
    name = f"h{host}.example"
    urls = [f"http://{name}/section-{page % 7}/page-{page}.html" for page in pages]
    return HostLinks(name, urls, page_keys(name, urls))


def main() -> None:
    sizes = wanted_sizes(__doc__, URLS_PER_HOST)
    print(
        f"{'URLs':>12} {'hosts':>9} {'pages':>9} {'us/URL':>8} {'us/page':>8} {'memory MB':>10}", flush=True
    )
    costs = [cost_at(size) for size in sizes]
    print(f"cost per URL, largest against smallest: {costs[-1].per_url / costs[0].per_url:.2f}x (bar 1.5)")
    print(f"memory at the end: {costs[-1].memory / 1e6:.0f} MB, this bench included (bar 600)")


def cost_at(size: int) -> Cost:
    """Print and return the cost of a crawl of this size."""
    middle = middle_cost(grow, size)
    print(
        f"{size:>12,} {size // URLS_PER_HOST:>9,} {middle.pages:>9,} {middle.per_url * 1e6:>8.2f} "
        f"{middle.per_page * 1e6:>8.1f} {middle.memory / 1e6:>10.0f}",
        flush=True,
    )
    return middle


def grow(size: int) -> Cost:
    """Crawl until `size` URLs are known; return the cost of the second half of them."""
    spare_the_collector()
    with crawl_store() as store:
        politeness = Politeness(req_delay=1.0, general_pause=1.0, max_reqs=10)
        front_hosts = Settings().frontier.front_hosts
        policy = FrontierPolicy(politeness=politeness, reads_tdmrep=False, front_hosts=front_hosts)
        frontier = Frontier(store, policy)
        hosts = size // URLS_PER_HOST
        player = FrontierPlayer(frontier, Web(hosts, seed=1).answer, own_address, now=1e9)
        for first in range(0, hosts, SEEDS_AT_ONCE):
            numbers = range(first, min(hosts, first + SEEDS_AT_ONCE))
            player.add(*(f"http://h{number}.example/section-0/page-0.html" for number in numbers))
        watch, turns, half = Stopwatch(), 0, (0, 0, 0.0)
        while frontier.counters.totals.urls < size:
            turn(player, watch, BATCH_VISITS)
            player.now += TURN_SECONDS
            turns += 1
            if turns % TURNS_A_MINUTE == 0:  # as a keeper does
                watch.step(give_memory_back)
            if not half[0] and frontier.counters.totals.urls >= size // 2:
                half = (frontier.counters.totals.urls, frontier.counters.totals.pages, watch.spent)
        counters = frontier.counters
        return Cost(
            per_url=(watch.spent - half[2]) / (counters.totals.urls - half[0]),
            per_page=(watch.spent - half[2]) / (counters.totals.pages - half[1]),
            pages=counters.totals.pages,
            memory=psutil.Process().memory_info().rss,
        )


if __name__ == "__main__":
    main()
