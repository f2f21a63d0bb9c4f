"""Does it matter how many hosts share an address?

The real frontier over RocksDB, in virtual time: a number of hosts, all at one address and twice as many as
fit in memory, are looked up and visited step by step, as by a keeper. Others with addresses of their own
displace them from memory, some are blocked one by one, then the address is blocked and unblocked. Prints the
keeper's CPU per host that is parked, visited, displaced and blocked, the longest step of all, and the memory.

    python bench/shared_address.py --sizes 1000 10000 100000
"""

import argparse
from typing import NamedTuple

import psutil
from frontier_turns import Stopwatch, own_address, turn
from sizes import crawl_store, middle_cost

from tiptoe.experiment.frontier_player import FrontierPlayer
from tiptoe.frontier.frontier import Frontier, FrontierPolicy
from tiptoe.frontier.politeness import Politeness
from tiptoe.observe.process import spare_the_collector
from tiptoe.protocol.work import Request, Result

SIZES = (1_000, 10_000, 100_000)
ADDRESS = "192.0.2.1"
SEEDS_AT_ONCE = 1_000
VISITS, VISITS_AT_ONCE = 500, 16
BLOCKED = 500
START = 1e9
FOUND_SECONDS, REST_SECONDS = 0.05, 1.0


class Cost(NamedTuple):
    """The cost of the hosts of one address, in seconds and bytes."""

    per_parked: float
    per_visit: float
    per_newcomer: float
    per_blocked: float
    longest: float
    memory: int


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
    """Print and return the cost of this many hosts."""
    middle = middle_cost(crowd, size)
    print(
        f"{size:>9,} {middle.per_parked * 1e6:>10.1f} {middle.per_visit * 1e6:>9.1f} "
        f"{middle.per_newcomer * 1e6:>12.1f} {middle.per_blocked * 1e6:>11.1f} "
        f"{middle.longest * 1e3:>11.1f} {middle.memory / 1e6:>10.0f}",
        flush=True,
    )
    return middle


def crowd(size: int) -> Cost:
    """Let `size` hosts wait at one address; return the cost."""
    spare_the_collector()
    with crawl_store() as store:
        politeness = Politeness(req_delay=1.0, general_pause=REST_SECONDS, max_reqs=10)
        policy = FrontierPolicy(politeness=politeness, reads_tdmrep=False, front_hosts=size // 2)
        watch = Stopwatch()
        player = FrontierPlayer(
            Frontier(store, policy),
            answer,
            lambda host: ADDRESS if host[0] == "h" else own_address(host),
            now=START,
        )
        park(player, [f"h{number}.example" for number in range(size)], watch)
        per_parked = watch.lap() / size
        parked_at = player.now
        visited = visit_some(player, min(VISITS, size // 4), watch)
        per_visit = watch.lap() / visited
        newcomers = [f"n{number}.example" for number in range(size // 10)]
        player.now = START
        park(player, newcomers, watch)
        per_newcomer = watch.lap() / len(newcomers)
        blocked = min(BLOCKED, size // 4)
        for number in range(size // 4, size // 4 + blocked):
            watch.step(player.frontier.block, f"h{number}.example", parked_at)
        per_blocked = watch.lap() / blocked
        for is_blocked in (True, False):
            watch.step(player.frontier.block_address, ADDRESS, is_blocked=is_blocked)
            for _ in range(size // 500):  # its hosts are blocked, and unblocked
                watch.step(player.frontier.tick, parked_at)
        memory = psutil.Process().memory_info().rss
        return Cost(per_parked, per_visit, per_newcomer, per_blocked, watch.longest, memory)


def park(player: FrontierPlayer, hosts: list[str], watch: Stopwatch) -> None:
    """Add hosts and look them up, until all wait for their turn."""
    for first in range(0, len(hosts), SEEDS_AT_ONCE):
        player.add(*(f"http://{host}/" for host in hosts[first : first + SEEDS_AT_ONCE]))
    while watch.step(player.look_up):
        watch.step(player.frontier.tick, player.now)
        player.now += FOUND_SECONDS


def visit_some(player: FrontierPlayer, wanted: int, watch: Stopwatch) -> int:
    """Make `wanted` visits; each leaves one page of its host for a later one."""
    visited = 0
    while visited < wanted:
        visited += len(turn(player, watch, VISITS_AT_ONCE))
        player.now += REST_SECONDS + 0.1
    return visited


def address_of(host: str) -> str:
    return ADDRESS if host[0] == "h" else own_address(host)


def answer(request: Request, now: float) -> Result:
    return Result(request, status=200, seconds=0.1, body_bytes=16_000, text_chars=1_600)


if __name__ == "__main__":
    main()
