"""Does it matter how many hosts share an address?

The real frontier over RocksDB, in virtual time: so many hosts, all at one address and twice as many as
memory is given for, are looked up and visited, as a keeper does it step by step. Others with addresses of
their own crowd them out of memory, some are blocked one by one, then the address is blocked and opened again.
Prints the keeper's CPU for each host that is parked, visited, crowded out and blocked, the longest step of
all, and the memory.

    python bench/shared_address.py --sizes 1000 10000 100000
"""

import argparse
import time
from collections.abc import Callable
from typing import NamedTuple, ParamSpec, TypeVar

import psutil
from sizes import crawl_store, middle_cost

from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.observe.process import spare_the_collector
from tiptoe.protocol.work import Purpose, Report, Request, Result, RobotsNote, RobotsState, Visit
from tiptoe.url.address import origin_of

SIZES = (1_000, 10_000, 100_000)
ADDRESS = "192.0.2.1"
LOOKUPS_AT_ONCE = 200
SEEDS_AT_ONCE = 1_000
VISITS = 500
BLOCKED = 500
START = 1e9
FOUND_SECONDS, REST_SECONDS = 0.05, 1.0


Told = ParamSpec("Told")
Said = TypeVar("Said")


class Cost(NamedTuple):
    """What hosts of one address cost, in seconds and bytes."""

    per_parked: float
    per_visit: float
    per_newcomer: float
    per_blocked: float
    longest: float
    memory: int


class Stopwatch:
    """Measures steps of the frontier: how long all take, and the longest."""

    def __init__(self) -> None:
        self.spent = 0.0
        self.longest = 0.0

    def step(self, act: Callable[Told, Said], *args: Told.args, **kwargs: Told.kwargs) -> Said:
        """Do one step of the frontier."""
        began = time.process_time()
        done = act(*args, **kwargs)
        spent = time.process_time() - began
        self.spent += spent
        self.longest = max(self.longest, spent)
        return done

    def lap(self) -> float:
        """Return what was spent since the last lap."""
        spent, self.spent = self.spent, 0.0
        return spent


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    sizes = sorted(parser.parse_args().sizes)
    print(
        f"{'hosts':>9} {'us/parked':>10} {'us/visit':>9} {'us/newcomer':>12} {'us/blocked':>11} "
        f"{'longest ms':>11} {'memory MB':>10}",
        flush=True,
    )
    costs = [cost_at(size) for size in sizes]
    for name in ("per_parked", "per_visit", "per_newcomer", "per_blocked"):
        ratio = getattr(costs[-1], name) / getattr(costs[0], name)
        print(f"cost {name.replace('_', ' ')}, most hosts against fewest: {ratio:.2f}x (bar 2)")
    print(f"longest step: {max(cost.longest for cost in costs) * 1e3:.0f} ms (bar 250)")


def cost_at(size: int) -> Cost:
    """Print and return what so many hosts cost."""
    middle = middle_cost(crowd, size)
    print(
        f"{size:>9,} {middle.per_parked * 1e6:>10.1f} {middle.per_visit * 1e6:>9.1f} "
        f"{middle.per_newcomer * 1e6:>12.1f} {middle.per_blocked * 1e6:>11.1f} "
        f"{middle.longest * 1e3:>11.1f} {middle.memory / 1e6:>10.0f}",
        flush=True,
    )
    return middle


def crowd(size: int) -> Cost:
    """Let so many hosts wait at one address; return what that costs."""
    spare_the_collector()
    with crawl_store() as store:
        politeness = Politeness(req_delay=1.0, general_pause=REST_SECONDS, max_reqs=10)
        policy = FrontierPolicy(politeness=politeness, reads_tdmrep=False, front_hosts=size // 2)
        frontier = Frontier(store, policy)
        watch = Stopwatch()
        now = park(
            frontier, [f"h{number}.example" for number in range(size)], lambda _: ADDRESS, START, watch
        )
        per_parked = watch.lap() / size
        visited = visit_some(frontier, min(VISITS, size // 4), now, watch)
        per_visit = watch.lap() / visited
        newcomers = [f"n{number}.example" for number in range(size // 10)]
        park(frontier, newcomers, own_address, START, watch)
        per_newcomer = watch.lap() / len(newcomers)
        blocked = min(BLOCKED, size // 4)
        for number in range(size // 4, size // 4 + blocked):
            watch.step(frontier.block, f"h{number}.example", now)
        per_blocked = watch.lap() / blocked
        for is_blocked in (True, False):
            watch.step(frontier.block_address, ADDRESS, is_blocked=is_blocked)
            for _ in range(size // 500):  # its hosts are barred, and brought back
                watch.step(frontier.wake, now)
        memory = psutil.Process().memory_info().rss
        return Cost(per_parked, per_visit, per_newcomer, per_blocked, watch.longest, memory)


def park(
    frontier: Frontier, hosts: list[str], address: Callable[[str], str], now: float, watch: Stopwatch
) -> float:
    """Find hosts and look them up, until all wait for their turn; return what time it is."""
    for first in range(0, len(hosts), SEEDS_AT_ONCE):
        frontier.add([Request(f"http://{host}/") for host in hosts[first : first + SEEDS_AT_ONCE]], now)
    while names := frontier.new_hosts(LOOKUPS_AT_ONCE):
        found = [(name, address(name), "") for name in names]
        watch.step(frontier.resolved_all, found, now)
        watch.step(frontier.wake, now)
        now += FOUND_SECONDS
    return now


def own_address(host: str) -> str:
    number = int(host[1:].split(".")[0])
    return f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"


def visit_some(frontier: Frontier, wanted: int, now: float, watch: Stopwatch) -> int:
    """Make so many visits; each leaves one page of its host for another one."""
    visited = 0
    while visited < wanted:
        watch.step(frontier.wake, now)
        visits = watch.step(frontier.visits, 16, "bench", now)
        reports = [report_of(visit) for visit in visits]
        watch.step(frontier.report, reports, {}, now)
        visited += len(reports)
        now += REST_SECONDS + 0.1
    return visited


def report_of(visit: Visit) -> Report:
    results = []
    for work in visit.hosts:
        for origin in {origin_of(request.url) for request in work.requests} - set(work.robots):
            rules = Request(f"{origin}/robots.txt", Purpose.ROBOTS)
            results.append(Result(rules, status=404, robots=RobotsNote(RobotsState.RULES)))
        results += [
            Result(request, status=200, seconds=0.1, body_bytes=16_000, text_chars=1_600)
            for request in work.requests
        ]
    return Report(visit.id, results, is_done=True, wants_more=False)


if __name__ == "__main__":
    main()
