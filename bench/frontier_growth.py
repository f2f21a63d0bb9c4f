"""Does the keeper stay flat as the crawl grows?

The real frontier over RocksDB, fed with results as harvesters bring them: 30 links a page, of which
20 are new, to a few hundred thousand hosts, in virtual time. Prints the keeper's CPU per URL and per page
and its resident memory as the number of known URLs grows.

    python bench/frontier_growth.py --urls 10000000
"""

import argparse
import random
import tempfile
import time
from pathlib import Path

import psutil

from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.messages import (
    HostLinks,
    HostWork,
    Purpose,
    Report,
    Request,
    Result,
    RobotsNote,
    RobotsState,
    Visit,
)
from tiptoe.frontier.politeness import Politeness
from tiptoe.observe.process import spare_the_collector
from tiptoe.store.rocks import RocksStore
from tiptoe.url.address import host_key, host_of, origin_of, url_key

NEW_LINKS, OWN_SHARE, OLD_LINKS = 20, 0.8, 10
BATCH_VISITS = 16


class Web:
    """Hosts whose pages are numbered; remembers only how many of each were linked."""

    def __init__(self, hosts: int, seed: int) -> None:
        self._rng = random.Random(seed)
        self._linked = [1] * hosts

    def links_from(self, url: str) -> list[HostLinks]:
        own = int(host_of(url)[1:].split(".")[0])
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
    prefix = host_key(name)
    return HostLinks(name, urls, b"".join([prefix + url_key(url) for url in urls]))


def results_of(works: list[HostWork], web: Web) -> list[Result]:
    results = []
    for work in works:
        for origin in {origin_of(request.url) for request in work.requests} - set(work.robots):
            rules = Request(f"{origin}/robots.txt", Purpose.ROBOTS)
            results.append(Result(rules, status=404, robots=RobotsNote(RobotsState.RULES)))
        for request in work.requests:
            links = web.links_from(request.url)
            results.append(
                Result(
                    request,
                    status=200,
                    seconds=0.1,
                    body_bytes=16_000,
                    text_chars=8_000,
                    title="A title",
                    text_hash=url_key(request.url),
                    content_hash=url_key(request.url),
                    links=links,
                )
            )
    return results


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--urls", type=int, default=10_000_000)
    parser.add_argument("--hosts", type=int, default=200_000)
    options = parser.parse_args()
    spare_the_collector()
    with tempfile.TemporaryDirectory() as scratch:
        run(Path(scratch), options.urls, options.hosts)


def run(scratch: Path, urls_wanted: int, hosts: int) -> None:
    store = RocksStore(scratch / "db")
    politeness = Politeness(req_delay=1.0, general_pause=1.0, max_reqs=10)
    frontier = Frontier(store, FrontierPolicy(politeness=politeness, reads_tdmrep=False))
    web = Web(hosts, seed=1)
    now = 1e9
    frontier.add([Request(f"http://h{n}.example/section-0/page-0.html") for n in range(2000)], now)
    process = psutil.Process()
    spent, mark = 0.0, (0, 0, 0.0)
    costs: list[float] = []
    step = 100_000
    print(f"{'URLs':>12} {'pages':>9} {'us/URL':>8} {'us/page':>8} {'memory MB':>10}")
    while frontier.counters.urls < urls_wanted:
        began = time.process_time()
        visits = take(frontier, now)
        spent += time.process_time() - began
        reports = [
            Report(visit.id, results_of(visit.hosts, web), is_done=True, wants_more=False) for visit in visits
        ]
        began = time.process_time()
        frontier.report(reports, {}, now)
        spent += time.process_time() - began
        now += 0.05
        if frontier.counters.urls - mark[0] >= step:
            counters = frontier.counters
            per_url = (spent - mark[2]) / (counters.urls - mark[0]) * 1e6
            per_page = (spent - mark[2]) / (counters.pages - mark[1]) * 1e6
            costs.append(per_url)
            memory = process.memory_info().rss / 1e6
            print(
                f"{counters.urls:>12,} {counters.pages:>9,} {per_url:>8.2f} {per_page:>8.1f} {memory:>10.0f}",
                flush=True,
            )
            mark = (counters.urls, counters.pages, spent)
            step = 100_000 if counters.urls < 1_000_000 else 1_000_000
    print(f"cost per URL at the end against the first 100 thousand: {costs[-1] / costs[0]:.2f}x (bar 1.5)")
    print(f"memory at the end: {process.memory_info().rss / 1e6:.0f} MB, this bench included (bar 600)")


def take(frontier: Frontier, now: float) -> list[Visit]:
    frontier.wake(now)
    frontier.resolved_all([(host, _address(host), "") for host in frontier.new_hosts(200)], now)
    return frontier.visits(BATCH_VISITS, "bench", now)


def _address(host: str) -> str:
    number = int(host[1:].split(".")[0])
    return f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"


if __name__ == "__main__":
    main()
